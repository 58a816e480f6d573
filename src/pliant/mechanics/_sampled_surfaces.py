"""Surfaces whose signed distances are known on a regular grid: cubic B-splines between its places.

The gradient is that of the splines; its length is 1 as far as the grid resolves the distance.
"""

from collections.abc import Mapping

import jax.numpy as jnp
from jax import Array

from pliant.numerics import SPLINE_ENDS, grid_spline

Sizes = Mapping[str, Array]


def mesh_distance(sizes: Sizes, point: Array) -> Array:
    """From `coefficients` (nx, ny, nz), a `corner` (3,) and a `spacing`, of points (..., 3). Outside of the grid it is
    sqrt(d^2 + r^2), d at the nearest place in it and r the way there: never more than the true distance."""
    kept, beyond = _split(sizes, point)
    distance = grid_spline(sizes["coefficients"], kept)
    aside = jnp.sum(beyond**2, axis=-1)
    outside = aside > 0.0
    square = jnp.where(outside, aside + distance**2, 1.0)
    return jnp.where(outside, jnp.sqrt(square), distance)


def heights_distance(sizes: Sizes, point: Array) -> Array:
    """From the same sizes, of a surface over a rectangle that goes on level beyond it and is solid below."""
    kept, beyond = _split(sizes, point)
    return grid_spline(sizes["coefficients"], kept) + beyond[..., 2]


def _split(sizes: Sizes, point: Array) -> tuple[Array, Array]:
    """The nearest place in the grid, in spacings from its corner, and what is left to the point [m]."""
    cells = jnp.asarray(sizes["coefficients"].shape, dtype=jnp.float64) - SPLINE_ENDS
    place = (point - sizes["corner"]) / sizes["spacing"]
    kept = jnp.minimum(jnp.maximum(place, 0.0), cells)
    return kept, (place - kept) * sizes["spacing"]
