"""Everything that pushes on a robot, gathered on the rows of the flattened tree and on its coordinates."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._constraints import constraint_forces
from pliant.dynamics._kinematics import Kinematics, from_common_point, point_poses, row_twists
from pliant.dynamics._paths import driving_intensity, path_forces, path_measures
from pliant.dynamics._springs import spring_inputs
from pliant.dynamics._through import ideal_rows, without_efforts, worked_forces
from pliant.interactions import point_wrench
from pliant.lie import se3
from pliant.mechanics import evaluate
from pliant.model import Prepared, Structure, own_coordinates, own_numbers
from pliant.numerics import apply


class FrameKinematics(NamedTuple):
    """What a user force sees: poses and twists of the robot's frames by name."""

    structure: Structure
    poses: Array  # (F, 4, 4)
    twists: Array  # (F, 6) body twists

    def pose(self, frame: str) -> Array:
        """World pose (4, 4)."""
        return self.poses[self.structure.frame_index(frame)]

    def twist(self, frame: str) -> Array:
        """Body twist (6,) [angular; linear]."""
        return self.twists[self.structure.frame_index(frame)]


def frame_rows(structure: Structure) -> np.ndarray:
    return np.array([frame.row for frame in structure.frames], dtype=int)


def frame_kinematics(structure: Structure, prepared: Prepared, kin: Kinematics) -> FrameKinematics:
    rows = frame_rows(structure)
    poses = point_poses(kin, rows, prepared.frame_offset)
    twists = apply(se3.adjoint_inverse(from_common_point(kin, poses)), row_twists(kin)[rows])
    return FrameKinematics(structure, poses, twists)


def gravity(structure: Structure, prepared: Prepared, t: Array) -> Array:
    """(3,) acceleration of free fall at time t."""
    return evaluate(structure.gravity, prepared.parameters, t)


def applied_forces(
    structure: Structure,
    prepared: Prepared,
    kin: Kinematics,
    q: Array,
    t: Array,
    inputs: Mapping[str, Array],
    load_factor: Array | float = 1.0,
    multipliers: Array | None = None,
) -> tuple[Array | None, Array | None]:
    """Spatial wrenches (R, 6) on the rows and generalised forces (nv,) of loads, user forces, actuators and, given
    their multipliers, constraints; None where there are none. Gravity is not here: it enters as an acceleration.

    load_factor scales loads and actuators. multipliers (m + n,): of the constraints, then the tensions of tendons that
    are driven by length and do not stretch.
    """
    inputs = without_efforts(structure, inputs)
    loads = _point_wrenches(structure, prepared, kin, t, inputs)
    loads += _distributed_wrenches(structure, prepared, kin, t, inputs)
    loads += _user_wrenches(structure, prepared, kin, t)
    rows: Array | None = None
    force: Array | None = None
    if loads:
        index = np.concatenate([np.atleast_1d(row) for row, _ in loads])
        wrenches = load_factor * jnp.concatenate([wrench.reshape(-1, 6) for _, wrench in loads])
        rows = jnp.zeros((structure.tree.row_count + 1, 6)).at[index].add(wrenches)[1:]
    if any(spring.kind.driven for spring in structure.springs):
        pushed_apart = spring_inputs(structure, prepared, kin, t, inputs)
        own_rows = jnp.zeros((structure.tree.row_count, 6)) if pushed_apart is None else load_factor * pushed_apart
        rows = own_rows if rows is None else rows + own_rows
    if structure.path_actuators:
        intensity = path_intensity(structure, prepared, kin, q, t, inputs, load_factor, multipliers)
        rows, force = _added(path_forces(structure, prepared, kin, q, intensity), rows, force)
    if structure.stress_actuators:
        own_force = load_factor * _stress_forces(structure, prepared, q, t, inputs)
        force = own_force if force is None else force + own_force
    pushed = [motor for motor in structure.joint_actuators if motor.drive == "force"]
    if pushed:
        values = [jnp.atleast_1d(motor.value(prepared.parameters, inputs, t)) for motor in pushed]
        own = jnp.zeros(structure.nv).at[np.concatenate([motor.velocities for motor in pushed])]
        own_force = own.add(load_factor * jnp.concatenate(values))
        force = own_force if force is None else force + own_force
    if multipliers is not None and structure.constraint_count:
        reactions = multipliers
        if structure.worked:
            reactions = multipliers.at[: structure.constraint_count].multiply(jnp.asarray(ideal_rows(structure)))
            rows, force = _added(worked_forces(structure, prepared, kin, q, multipliers), rows, force)
        rows, force = _added(constraint_forces(structure, prepared, kin, reactions), rows, force)
    return rows, force


def _stress_forces(structure: Structure, prepared: Prepared, q: Array, t: Array, inputs: Mapping[str, Array]) -> Array:
    """(nv,) generalised force of the stress that rods make within themselves: its work on their strains."""
    total = jnp.zeros(structure.nv)
    placing = {link.name: link.rod for link in structure.links if link.rod is not None}
    for actuator in structure.stress_actuators:
        stress = actuator.value(prepared.parameters, inputs, t)
        for link, length, share in actuator.stretches:
            member = placing[link]
            rod: Any = member.element
            own = own_numbers(structure, prepared.elements, member)
            conjugate = prepared.parameters[length] * jnp.asarray(share)[..., None] * stress
            force = rod.strain_forces(own, own_coordinates(member, q), conjugate)
            total = total.at[member.v_start : member.v_start + rod.nv].add(force)
    return total


def path_intensity(
    structure: Structure,
    prepared: Prepared,
    kin: Kinematics,
    q: Array,
    t: Array,
    inputs: Mapping[str, Array],
    load_factor: Array | float = 1.0,
    multipliers: Array | None = None,
) -> Array:
    """(paths,) pressure of every chamber, minus the tension of every tendon."""
    tensions = None if multipliers is None else multipliers[structure.constraint_count :]
    stretches = any(actuator.drive == "length" for actuator in structure.path_actuators)
    lengths = path_measures(structure, prepared, kin, q) if stretches else jnp.zeros(len(structure.path_actuators))
    return driving_intensity(structure, prepared, lengths, t, inputs, load_factor, tensions)


def _added(own: tuple[Array, Array], rows: Array | None, force: Array | None) -> tuple[Array, Array]:
    return own[0] if rows is None else rows + own[0], own[1] if force is None else force + own[1]


_Loads = list[tuple[np.ndarray, Array]]


def _point_wrenches(
    structure: Structure, prepared: Prepared, kin: Kinematics, t: Array, inputs: Mapping[str, Array]
) -> _Loads:
    rows = np.array([frame.row for frame in structure.point_load_frames], dtype=int)
    loads: _Loads = []
    if len(rows) == 0:
        return loads
    poses = from_common_point(kin, point_poses(kin, rows, prepared.load_offset))
    for index, load in enumerate(structure.point_loads):
        moment, force = load.values(prepared.parameters, inputs, t)
        pose = poses[index]
        loads.append((rows[index], point_wrench(pose[:3, :3], pose[:3, 3], moment, force, load.in_world)))
    return loads


def _distributed_wrenches(
    structure: Structure, prepared: Prepared, kin: Kinematics, t: Array, inputs: Mapping[str, Array]
) -> _Loads:
    loads: _Loads = []
    for load in structure.distributed_loads:
        moment, force = load.values(prepared.parameters, inputs, t)
        wrench = point_wrench(kin.rotation[load.rows], kin.position[load.rows], moment, force, load.in_world)
        loads.append((load.rows, wrench * (prepared.parameters[load.length] * jnp.asarray(load.weight))[:, None]))
    return loads


def _user_wrenches(structure: Structure, prepared: Prepared, kin: Kinematics, t: Array) -> _Loads:
    loads: _Loads = []
    if not structure.extras:
        return loads
    frames = frame_kinematics(structure, prepared, kin)
    for force in structure.extras:
        prefix = f"extra.{force.name}."
        numbers = {path[len(prefix) :]: x for path, x in prepared.parameters.items() if path.startswith(prefix)}
        for name, wrench in force.wrench(frames, numbers, t).items():
            index = structure.frame_index(name)
            pose = from_common_point(kin, frames.poses[index])
            row = np.asarray(structure.frames[index].row)
            loads.append((row, point_wrench(pose[:3, :3], pose[:3, 3], wrench[:3], wrench[3:], in_world=False)))
    return loads
