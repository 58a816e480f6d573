"""Wrenches given in the robot file: at a point of a link, or spread along a rod."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.lie import so3
from pliant.mechanics import evaluate


@dataclasses.dataclass(frozen=True, eq=False)
class _Load:
    name: str
    force: Mapping[str, Any]
    moment: Mapping[str, Any]
    in_world: bool

    def values(self, parameters: Mapping[str, Array], inputs: Mapping[str, Array], t: Array) -> tuple[Array, Array]:
        """Moment and force at time t: an input of that name where one is given, else the programme of the file."""
        force = inputs.get(f"{self.name}.force")
        moment = inputs.get(f"{self.name}.moment")
        return (
            evaluate(self.moment, parameters, t) if moment is None else moment,
            evaluate(self.force, parameters, t) if force is None else force,
        )


@dataclasses.dataclass(frozen=True, eq=False)
class PointLoad(_Load):
    """Moment [N m] and force [N] at one frame."""


@dataclasses.dataclass(frozen=True, eq=False)
class DistributedLoad(_Load):
    """Moment [N m/m] and force [N/m] along a rod, acting at its Gauss nodes with their weights."""

    rows: np.ndarray  # (K,) rows of the flattened tree
    weight: np.ndarray  # (K,) fraction of the rod's length
    link: str
    fractions: tuple[float, ...]  # (K,) where the samples lie on the rod
    length: str  # path of the rod's length


def point_wrench(rotation: Array, position: Array, moment: Array, force: Array, in_world: bool) -> Array:
    """Wrench (..., 6) about the origin, in its axes, from a moment and a force at a frame (rotation, position)."""
    if not in_world:
        moment = jnp.einsum("...ij,...j->...i", rotation, moment)
        force = jnp.einsum("...ij,...j->...i", rotation, force)
    force = jnp.broadcast_to(force, position.shape)
    return jnp.concatenate([moment + so3.cross(position, force), force], axis=-1)
