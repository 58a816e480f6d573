"""Forces and moments with which motors push on the coordinates of joints."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.blueprint import Programme
from pliant.interactions._contract import Effort, Force, Port, Push
from pliant.interactions._ports import PortTable, port_table


@dataclasses.dataclass(frozen=True, eq=False)
class DrivenJoint:
    """Some velocities of one joint that are driven: by a force, or along a prescribed motion."""

    name: str
    link: str
    element: Any
    q_start: int
    v_start: int
    coordinates: np.ndarray  # (n,) indices into the joint's own velocities
    programme: Programme

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the value of its port: a number for one coordinate."""
        return () if len(self.coordinates) == 1 else (len(self.coordinates),)

    @property
    def velocities(self) -> np.ndarray:
        """(n,) indices into v."""
        return self.v_start + self.coordinates

    @property
    def turns(self) -> tuple[bool, ...]:
        """Which of the driven coordinates are angles."""
        names = self.element.velocity_names()
        return tuple(names[index].startswith(("rate", "angular")) for index in self.coordinates)

    @property
    def efforts(self) -> tuple[Effort, ...]:
        """The actuator's name, followed by the coordinate's where it drives several."""
        names = self.element.driven_names()
        units = [("N m", "rad") if turn else ("N", "m") for turn in self.turns]
        own = [self.name] if self.shape == () else [f"{self.name}.{names[index]}" for index in self.coordinates]
        sense = 1 if self.element.is_flat else 0
        return tuple(Effort(name, *unit, sense) for name, unit in zip(own, units, strict=True))

    def values(self, q: Array) -> Array:
        """(n,) the driven coordinates, as a prescribed motion gives them: for rotations the rotation vector."""
        return self.element.values(q[self.q_start : self.q_start + self.element.nq])[self.coordinates]


@dataclasses.dataclass(frozen=True, eq=False)
class JointForces(Force):
    """Generalised forces [N or N m] on joints that drive equally many coordinates each."""

    table: PortTable
    joints: tuple[DrivenJoint, ...]

    @property
    def ports(self) -> tuple[Port, ...]:
        return self.table.ports

    @property
    def efforts(self) -> tuple[Effort, ...]:
        return tuple(effort for joint in self.joints for effort in joint.efforts)

    @property
    def coupled_rows(self) -> tuple:
        return ()

    def prepare(self, parameters: Mapping[str, Array], start: Any) -> Any:
        return self.table.prepare(parameters)

    def effort(self, numbers: Any, at: Any, unknowns: Array | None = None) -> Array:
        return at.load_factor * self.table.values(numbers, at).reshape(-1)

    def travel(self, numbers: Any, at: Any) -> Array:
        return jnp.concatenate([joint.values(at.q) for joint in self.joints])

    def drive(self, numbers: Any, at: Any, effort: Array) -> Push:
        own = np.concatenate([joint.velocities for joint in self.joints])
        return Push(force=jnp.zeros(len(at.v)).at[own].add(effort))


def joint_forces(joints: Sequence[DrivenJoint], shapes: Mapping[str, tuple[int, ...]]) -> JointForces:
    """The kind of joints that drive equally many coordinates."""
    ports = [
        Port(j.name, j.shape, j.efforts[0].unit, f"force on the joint of {j.link}", programme=j.programme)
        for j in joints
    ]
    return JointForces("joint forces", port_table(ports, shapes), tuple(joints))
