"""The robot at one instant: everything that residual, energies, reactions and reports are functions of."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._inputs import Inputs, check_inputs
from pliant.dynamics._kinematics import (
    Kinematics,
    from_common_point,
    in_velocity_order,
    join,
    kinematics,
    point_poses,
    row_twists,
)
from pliant.dynamics._update import at_state
from pliant.interactions import Frame
from pliant.lie import se3, so3
from pliant.mechanics import evaluate as evaluate_programme
from pliant.model import Model, Prepared, State, Structure, prepare


class Evaluation(eqx.Module):
    """A robot at one instant, and what an interaction sees of it (`pliant.interactions.At`).

    - ``numbers``: what follows from the parameters, as they are in this state (updates included).
    - ``kinematics``: poses of the rows of the tree, and their motion unless the robot is taken at rest.
    - ``q``, ``v``, ``t`` [s]; ``inputs``: port -> value; ``memory``: what interactions remember, by their names.
    - ``load_factor``: by which gravity, loads and actuators are scaled.
    """

    structure: Structure = eqx.field(static=True)
    numbers: Prepared
    kinematics: Kinematics
    q: Array
    v: Array
    t: Array
    inputs: dict[str, Array]
    load_factor: Array | float
    memory: dict[str, Any]

    @property
    def parameters(self) -> Mapping[str, Array]:
        return self.numbers.parameters

    @property
    def rotation(self) -> Array:
        return self.kinematics.rotation

    @property
    def position(self) -> Array:
        return self.kinematics.position

    @property
    def origin(self) -> Array:
        return self.kinematics.origin

    @property
    def moves(self) -> bool:
        return self.kinematics.motion is not None

    @property
    def twists(self) -> Array:
        return row_twists(self.kinematics)

    @property
    def gravity(self) -> Array:
        """(3,) acceleration of free fall."""
        return evaluate_programme(self.structure.gravity, self.parameters, self.t)

    def frame(self, name: str) -> Frame:
        return self.structure.frames[self.structure.frame_index(name)]

    def pose(self, frame: str) -> Array:
        index = self.structure.frame_index(frame)
        row = np.array([self.structure.frames[index].row])
        return point_poses(self.kinematics, row, self.numbers.frame_offset[index : index + 1])[0]

    def twist(self, frame: str) -> Array:
        pose = self.from_common_point(self.pose(frame))
        return se3.adjoint_inverse(pose) @ self.twists[self.frame(frame).row]

    def from_common_point(self, pose: Array) -> Array:
        return from_common_point(self.kinematics, pose)

    def input(self, port: str) -> Array:
        if port in self.inputs:
            return self.inputs[port]
        known = self.structure.ports[port]
        if known.programme is None:
            return jnp.zeros(known.shape)
        return evaluate_programme(known.programme, self.parameters, self.t)

    def strains(self, rows: np.ndarray) -> Array:
        parts = []
        for group, numbers in zip(self.structure.groups, self.numbers.elements, strict=True):
            if group.holds(rows):
                element: Any = group.element
                parts.append(jax.vmap(element.row_strains)(numbers, self.q[group.q_index]))
            else:
                parts.append(jnp.zeros((group.row_count, 6)))
        return join(parts, (6,))[rows - 1]

    def strain_forces(self, rows: np.ndarray, stress: Array) -> Array:
        at_rows = jnp.zeros((self.structure.tree.row_count, 6)).at[rows - 1].add(stress)
        parts = []
        for group, numbers in zip(self.structure.groups, self.numbers.elements, strict=True):
            if group.holds(rows):
                element: Any = group.element
                shape = (len(group.members), element.segments, element.rows_per_segment, 6)
                own = at_rows[group.rows].reshape(shape)
                parts.append(jax.vmap(element.strain_forces)(numbers, self.q[group.q_index], own).reshape(-1))
            else:
                parts.append(jnp.zeros(group.v_index.size))
        return in_velocity_order(self.structure.tree, parts)

    def displaced(self, rows: Array, velocities: Array) -> "Evaluation":
        kin = self.kinematics
        turn = rows[:, :3]
        moved = kin._replace(
            rotation=kin.rotation + so3.hat(turn) @ kin.rotation,
            position=kin.position + rows[:, 3:] + so3.cross(turn, kin.position),
        )
        rate = Model(self.structure, dict(self.parameters)).rate(self.q, velocities)
        return self.rebuilt(moved, self.q + rate, self.v)

    def at_rates(self, twists: Array, v: Array) -> "Evaluation":
        kin = self.kinematics
        assert kin.motion is not None
        return self.rebuilt(kin._replace(motion=kin.motion._replace(twist=twists[1:])), self.q, v)

    def rebuilt(self, kin: Kinematics, q: Array, v: Array) -> "Evaluation":
        """This instant with kinematics and coordinates moved, which the caller keeps consistent."""
        return dataclasses.replace(self, kinematics=kin, q=q, v=v)

    def at_time(self, t: Array) -> "Evaluation":
        return dataclasses.replace(self, t=t)

    def with_inputs(self, inputs: Inputs) -> "Evaluation":
        return dataclasses.replace(self, inputs=dict(inputs))


def evaluation(
    structure: Structure,
    prepared: Prepared,
    q: Array,
    v: Array | None,
    t: Array,
    inputs: Inputs,
    load_factor: Array | float = 1.0,
    memory: Mapping[str, Any] | None = None,
) -> Evaluation:
    """The robot at (q, v), at rest where v is None, from prepared parameters."""
    still = jnp.zeros(structure.nv, dtype=q.dtype) if v is None else v
    numbers = at_state(structure, prepared, q, still, t)
    kin = kinematics(structure, numbers, q, v)
    remembered = dict(memory) if memory else first_memory(structure)
    return Evaluation(structure, numbers, kin, q, still, t, dict(inputs), load_factor, remembered)


def evaluate(
    model: Model,
    state: State,
    t: Array | float = 0.0,
    inputs: Inputs | None = None,
    load_factor: Array | float = 1.0,
    *,
    at_rest: bool = False,
) -> Evaluation:
    """The robot in a state at time t [s], once, for everything that is a function of it. at_rest: the velocity does not
    count, and no motion is computed."""
    prepared = prepare(model.structure, model.parameters)
    moment = jnp.asarray(t, dtype=jnp.float64)
    v = None if at_rest else state.v
    return evaluation(
        model.structure, prepared, state.q, v, moment, check_inputs(model, inputs), load_factor, state.memory or None
    )


def first_memory(structure: Structure) -> dict[str, Any]:
    """What interactions remember before the first step, by their names; those that remember nothing are left out."""
    found = {kind.name: kind.first_memory() for kind in structure.interactions}
    return {name: memory for name, memory in found.items() if jax.tree.leaves(memory)}
