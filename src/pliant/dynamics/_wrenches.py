"""External wrenches of a robot gathered on the rows of the flattened tree."""

from collections.abc import Mapping
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._kinematics import Kinematics, apply, from_common_point, point_poses, row_twists
from pliant.interactions import point_wrench
from pliant.lie import se3
from pliant.mechanics import evaluate
from pliant.model import Prepared, Structure


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


def external_wrenches(
    structure: Structure, prepared: Prepared, kin: Kinematics, t: Array, inputs: Mapping[str, Array]
) -> Array | None:
    """(R, 6) spatial wrenches of loads and user forces on the rows; None when there are none. Gravity is not here:
    it enters as an acceleration of the world."""
    loads = _point_wrenches(structure, prepared, kin, t, inputs)
    loads += _distributed_wrenches(structure, prepared, kin, t, inputs)
    loads += _user_wrenches(structure, prepared, kin, t)
    if not loads:
        return None
    rows = np.concatenate([np.atleast_1d(rows) for rows, _ in loads])
    wrenches = jnp.concatenate([wrench.reshape(-1, 6) for _, wrench in loads])
    return jnp.zeros((structure.tree.row_count + 1, 6)).at[rows].add(wrenches)[1:]


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
