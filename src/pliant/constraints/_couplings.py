"""Coordinates of joints that go together: gears, mimic joints."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.constraints._contract import Constraint, Rates
from pliant.interactions import Push
from pliant.mechanics import stacked


@dataclasses.dataclass(frozen=True, eq=False)
class CoordinateCouplings(Constraint):
    """The first coordinate of each is `ratio` (a parameter path) times the second. coordinates, velocities (n, 2):
    indices into q and v."""

    coordinates: np.ndarray
    velocities: np.ndarray
    ratios: tuple[str, ...]

    def prepare(self, parameters: Mapping[str, Array]) -> Array:
        return stacked(self.ratios, parameters)

    def values(self, numbers: Array, at: Any) -> Array:
        return _apart(numbers, at.q[self.coordinates])

    def rates(self, numbers: Array, at: Any, a: Array, acceleration: Array) -> Rates:
        return Rates(
            self.values(numbers, at), _apart(numbers, at.v[self.velocities]), _apart(numbers, a[self.velocities])
        )

    def push(self, numbers: Array, at: Any, multipliers: Array) -> Push:
        pulls = jnp.stack([multipliers, -numbers * multipliers], axis=1)
        return Push(force=jnp.zeros(len(at.v)).at[self.velocities].add(pulls))

    def gap_words(self, rows: np.ndarray) -> str:
        return f"off its ratio by {rows[0]:.4g} (rad or m)"


def _apart(ratios: Array, pairs: Array) -> Array:
    return pairs[:, 0] - ratios * pairs[:, 1]
