"""Constant transforms between a frame and what hangs on it, from the numbers in the file."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.blueprint import Axis, Offset, ParameterPath, Quaternion, Rotation
from pliant.lie import quaternion, se3, so3
from pliant.mechanics._stacking import stacked

Chain = tuple[Offset, ...]

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def axis_vector(axis: Axis, parameters: Mapping[str, Array]) -> Array:
    """Unit vector of a named axis or of the parameter it refers to."""
    if axis in AXES:
        return jnp.asarray(AXES[axis])
    vector = parameters[axis]
    return vector / jnp.linalg.norm(vector)


def rotation_matrix(rotations: Sequence[Rotation], parameters: Mapping[str, Array]) -> Array:
    """Product of the rotations in the order written, each about the axes left by the ones before."""
    matrix = jnp.eye(3)
    for rotation in rotations:
        if isinstance(rotation, Quaternion):
            matrix = matrix @ quaternion.to_matrix(parameters[rotation.quaternion])
        else:
            matrix = matrix @ so3.about(axis_vector(rotation.axis, parameters), parameters[rotation.angle])
    return matrix


def offset_pose(chain: Chain, parameters: Mapping[str, Array]) -> Array:
    """Pose (4, 4) of a chain of offsets: each moves, then rotates."""
    pose = jnp.eye(4)
    for offset in chain:
        move = parameters[offset.move] if offset.move is not None else jnp.zeros(3)
        pose = pose @ se3.from_rotation_translation(rotation_matrix(offset.rotate, parameters), move)
    return pose


def offset_poses(chains: Sequence[Chain], parameters: Mapping[str, Array]) -> Array:
    """Poses (n, 4, 4) of many chains; those of equal form are computed together."""
    forms: dict[str, list[int]] = {}
    refs: list[list[str]] = []
    templates: list[Chain] = []
    for index, chain in enumerate(chains):
        own: list[str] = []
        templates.append(_with_local_refs(chain, own))
        refs.append(own)
        if chain:
            forms.setdefault(repr(templates[-1]), []).append(index)
    poses = jnp.broadcast_to(jnp.eye(4), (len(chains), 4, 4))
    for members in forms.values():
        template, first = templates[members[0]], refs[members[0]]
        if len(members) == 1:
            found = offset_pose(chains[members[0]], parameters)[None]
        else:
            columns = {
                str(column): stacked([refs[member][column] for member in members], parameters)
                for column in range(len(first))
            }
            found = jax.vmap(lambda numbers, template=template: offset_pose(template, numbers))(columns)
        if len(members) == len(chains):
            return found
        poses = poses.at[np.array(members)].set(found)
    return poses


def _with_local_refs(part: Any, paths: list[str]) -> Any:
    """The part with every path replaced by its number, and the paths collected in that order."""
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        own = {field.name: getattr(part, field.name) for field in dataclasses.fields(part)}
        return dataclasses.replace(part, **{name: _with_local_refs(value, paths) for name, value in own.items()})
    if isinstance(part, tuple):
        return tuple(_with_local_refs(item, paths) for item in part)
    if isinstance(part, ParameterPath):
        paths.append(part)
        return ParameterPath(len(paths) - 1)
    return part
