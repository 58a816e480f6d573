"""Constant transforms between a frame and what hangs on it, from the numbers in the file."""

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
from jax import Array

from pliant.lie import quaternion, se3, so3

Offset = Mapping[str, Any]  # {"move": "@path" | None, "rotate": [...]} as in docs/blueprint.md

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def axis_vector(axis: str, parameters: Mapping[str, Array]) -> Array:
    """Unit vector of a named axis or of the parameter it refers to."""
    if axis in AXES:
        return jnp.asarray(AXES[axis])
    vector = parameters[axis[1:]]
    return vector / jnp.linalg.norm(vector)


def rotation_matrix(rotations: list[Mapping[str, Any]], parameters: Mapping[str, Array]) -> Array:
    """Product of the rotations in the order written, each about the axes left by the ones before."""
    matrix = jnp.eye(3)
    for rotation in rotations:
        if "quaternion" in rotation:
            matrix = matrix @ quaternion.to_matrix(parameters[rotation["quaternion"][1:]])
        else:
            axis = axis_vector(rotation["axis"], parameters)
            matrix = matrix @ so3.about(axis, parameters[rotation["angle"][1:]])
    return matrix


def offset_pose(chain: tuple[Offset, ...], parameters: Mapping[str, Array]) -> Array:
    """Pose (4, 4) of a chain of offsets: each moves, then rotates."""
    pose = jnp.eye(4)
    for offset in chain:
        move = parameters[offset["move"][1:]] if offset["move"] is not None else jnp.zeros(3)
        pose = pose @ se3.from_rotation_translation(rotation_matrix(offset["rotate"], parameters), move)
    return pose


def offsets(where: Mapping[str, Any]) -> tuple[Offset, ...]:
    """The offsets of a place: of the frames that lead to it, then its own."""
    return (*where.get("before", ()), where["offset"])


def is_identity(offset: Offset) -> bool:
    """Whether nothing was given."""
    return offset["move"] is None and not offset["rotate"]
