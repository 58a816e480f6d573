"""Where on a robot something acts: frames that hang on rows of the flattened tree."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.blueprint import Place
from pliant.lie import se3, so3
from pliant.mechanics import Chain, offset_poses
from pliant.numerics import apply, multiply


@dataclasses.dataclass(frozen=True, eq=False)
class Frame:
    """A frame fixed to the end of a row; `where` says the same in the words of the file (docs/blueprint.md)."""

    name: str
    row: int
    chain: Chain
    where: Place


@dataclasses.dataclass(frozen=True, eq=False)
class Places:
    """Many frames: the rows (n,) they hang on, and their offsets there."""

    rows: np.ndarray
    chains: tuple[Chain, ...]

    def offset(self, parameters: Mapping[str, Array]) -> Array | None:
        """(n, 4, 4) constant pose of each in its row; None where all of them are the ends of rows."""
        return offset_poses(self.chains, parameters) if any(self.chains) else None


def places(frames: Sequence[Frame]) -> Places:
    return Places(np.array([frame.row for frame in frames], dtype=int), tuple(frame.chain for frame in frames))


def taken_at(values: Any, where: np.ndarray | Array) -> Any:
    """values[where], for places that are known, or that are only known when a program runs."""
    if isinstance(where, np.ndarray):
        return values[where]
    return jnp.asarray(values).at[where].get(mode="promise_in_bounds")


def place_poses(at: Any, own: Places, offset: Array | None) -> Array:
    """(n, 4, 4) from the common point. at: an evaluation; offset: of `Places.offset`."""
    turn, place = taken_at(at.rotation, own.rows), taken_at(at.position, own.rows)
    if offset is not None:
        turn, place = multiply(turn, offset[:, :3, :3]), place + apply(turn, offset[:, :3, 3])
    return se3.from_rotation_translation(turn, place)


def place_twists(at: Any, own: Places, poses: Array) -> Array:
    """(n, 6) body twists of places with these poses."""
    return apply(se3.adjoint_inverse(poses), at.twists[own.rows])


def spatial_wrench(rotation: Array, position: Array, moment: Array, force: Array, in_world: bool) -> Array:
    """Wrench (..., 6) about the origin, in its axes, from a moment and a force at a frame (rotation, position)."""
    if not in_world:
        moment = jnp.einsum("...ij,...j->...i", rotation, moment)
        force = jnp.einsum("...ij,...j->...i", rotation, force)
    force = jnp.broadcast_to(force, position.shape)
    return jnp.concatenate([moment + so3.cross(position, force), force], axis=-1)


def wrench_at(poses: Array, wrench: Array) -> Array:
    """Spatial wrenches (n, 6) of body wrenches (n, 6) at poses (n, 4, 4)."""
    return spatial_wrench(poses[:, :3, :3], poses[:, :3, 3], wrench[:, :3], wrench[:, 3:], in_world=False)
