"""Joints whose motion is prescribed: the reaction to it is the multiplier."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.constraints._contract import Constraint, Rates
from pliant.interactions import DrivenJoint, Effort, Port, PortTable, Push, port_table
from pliant.mechanics import two_rates


class Signal(NamedTuple):
    """(n, k) prescribed values and their first two rates at one instant."""

    value: Array
    rate: Array
    acceleration: Array

    def after(self, time: Array) -> Array:
        return self.value + time * self.rate + 0.5 * time**2 * self.acceleration


@dataclasses.dataclass(frozen=True, eq=False)
class PrescribedMotions(Constraint):
    """Joints with equal elements of which the same coordinates are prescribed."""

    table: PortTable
    joints: tuple[DrivenJoint, ...]

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(effort.travel_unit for effort in self.efforts)

    @property
    def ports(self) -> tuple[Port, ...]:
        return self.table.ports

    @property
    def efforts(self) -> tuple[Effort, ...]:
        return tuple(effort for joint in self.joints for effort in joint.efforts)

    @property
    def prescribes(self) -> bool:
        return True

    @property
    def _element(self) -> Any:
        return self.joints[0].element

    def _own(self, q: Array) -> Array:
        """(n, nq) coordinates of the joints."""
        return q[np.array([np.arange(j.q_start, j.q_start + self._element.nq) for j in self.joints])]

    def _velocities(self, v: Array) -> Array:
        return v[np.array([np.arange(j.v_start, j.v_start + self._element.nv) for j in self.joints])]

    def prepare(self, parameters: Mapping[str, Array]) -> Any:
        return self.table.prepare(parameters)

    def signal(self, numbers: Any, at: Any) -> Signal:
        """From the inputs `name`, `name.rate` and `name.acceleration` (zero where not given), else the programmes."""
        shape = (len(self.joints), len(self.joints[0].coordinates))
        given = np.array([joint.name in at.inputs for joint in self.joints])
        found = None
        if not given.all():
            found = two_rates(lambda t: self.table.table.values(numbers, t).reshape(shape), at.t)
        if not given.any():
            return Signal(*found)  # type: ignore[misc]
        parts = []
        for index, suffix in enumerate(("", ".rate", ".acceleration")):
            own = [at.inputs.get(f"{joint.name}{suffix}", jnp.zeros(())) for joint in self.joints]
            values = jnp.stack([jnp.broadcast_to(value, shape[1:]) for value in own])
            parts.append(values if found is None else jnp.where(given[:, None], values, found[index]))
        return Signal(*parts)

    def _apart(self, own: Array, wanted: Array) -> Array:
        """(n, k) how far joints with coordinates `own` are from the values wanted of their driven velocities."""
        element, driven = self._element, self.joints[0].coordinates

        def one(own: Array, wanted: Array) -> Array:
            if element.is_flat:
                return own[driven] - wanted
            whole = jnp.zeros(element.nv).at[driven].set(wanted)
            return element.difference(own, element.at(whole))[driven]

        return jax.vmap(one)(own, wanted)

    def values(self, numbers: Any, at: Any) -> Array:
        return self._apart(self._own(at.q), self.signal(numbers, at).value).reshape(-1)

    def rates(self, numbers: Any, at: Any, a: Array, acceleration: Array) -> Rates:
        signal, own = self.signal(numbers, at), self._own(at.q)
        v, change = self._velocities(at.v), self._velocities(a)

        def after(time: Array) -> Array:
            moved = jax.vmap(self._element.integrate)(own, time * v + 0.5 * time**2 * change)
            return self._apart(moved, signal.after(time))

        return Rates(*(part.reshape(-1) for part in two_rates(after, jnp.zeros(()))))

    def push(self, numbers: Any, at: Any, multipliers: Array) -> Push:
        """Along its own velocity, which is the gradient of its row wherever the row is zero."""
        driven = np.concatenate([joint.velocities for joint in self.joints])
        return Push(force=jnp.zeros(len(at.v)).at[driven].add(multipliers))

    def travel(self, numbers: Any, at: Any) -> Array:
        return jnp.concatenate([joint.values(at.q) for joint in self.joints])

    def standing(self, numbers: Any, at: Any) -> dict[str, Array]:
        """Where the joints stand. Rotations in space are not walked: their values are not a straight way."""
        if not self._element.is_flat:
            return {}
        return {joint.name: joint.values(at.q).reshape(joint.shape) for joint in self.joints}


def prescribed_motions(joints: Sequence[DrivenJoint], shapes: Mapping[str, tuple[int, ...]]) -> PrescribedMotions:
    """Joints with equal elements and equal driven coordinates."""
    ports = [
        Port(
            joint.name, joint.shape, joint.efforts[0].travel_unit, f"place of the joint of {joint.link}",
            programme=joint.programme, walked=joint.element.is_flat,
        )
        for joint in joints
    ]  # fmt: skip
    rows = tuple(len(joint.coordinates) for joint in joints)
    return PrescribedMotions(tuple(joint.name for joint in joints), rows, port_table(ports, shapes), tuple(joints))
