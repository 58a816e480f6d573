"""Surfaces whose signed distances are known on a regular grid: cubic B-splines between its places.

With u = (x - corner)/spacing, i = floor(u) and t = u - i, of every axis,

    d(x) = sum_abc w_a(t_x) w_b(t_y) w_c(t_z) c_(i + a, j + b, k + c),      a, b, c = 0 ... 3,

with the weights of a cubic B-spline, which have two continuous derivatives. The gradient is that of d; its length is 1
as far as the grid resolves the distance.
"""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
from jax import Array, lax

Sizes = Mapping[str, Array]
_ENDS = 3  # coefficients more than cells, along each axis


def mesh_distance(sizes: Sizes, point: Array) -> Array:
    """From `coefficients` (nx, ny, nz), a `corner` (3,) and a `spacing`, of points (..., 3). Outside of the grid, the
    distance of a place of it that is as far away from its edge: never more than the true one."""
    kept, beyond = _split(sizes, point)
    distance = _spline(sizes, kept)
    aside = jnp.sum(beyond**2, axis=-1)
    outside = aside > 0.0
    square = jnp.where(outside, aside + distance**2, 1.0)
    return jnp.where(outside, jnp.sqrt(square), distance)


def heights_distance(sizes: Sizes, point: Array) -> Array:
    """The same of a surface over a rectangle, which goes on level beyond it, and solid below."""
    kept, beyond = _split(sizes, point)
    return _spline(sizes, kept) + beyond[..., 2]


def _split(sizes: Sizes, point: Array) -> tuple[Array, Array]:
    """The nearest place in the grid, in spacings from its corner, and what is left to the point [m]."""
    cells = jnp.asarray(sizes["coefficients"].shape, dtype=jnp.float64) - _ENDS
    place = (point - sizes["corner"]) / sizes["spacing"]
    kept = jnp.minimum(jnp.maximum(place, 0.0), cells)
    return kept, (place - kept) * sizes["spacing"]


def _spline(sizes: Sizes, place: Array) -> Array:
    coefficients = sizes["coefficients"]
    cells = jnp.asarray(coefficients.shape, dtype=jnp.float64) - _ENDS
    cell = jnp.minimum(jnp.floor(lax.stop_gradient(place)), cells - 1.0)
    x, y, z = jnp.moveaxis(_weights(place - cell), -2, 0)

    def window(start: Array) -> Array:
        return lax.dynamic_slice(coefficients, start, (4, 4, 4))

    flat = cell.reshape(-1, 3).astype(jnp.int32)
    near = jax.vmap(window)(flat).reshape(*place.shape[:-1], 4, 4, 4)
    along_z = jnp.sum(near * z[..., None, None, :], axis=-1)
    along_y = jnp.sum(along_z * y[..., None, :], axis=-1)
    return jnp.sum(along_y * x, axis=-1)


def _weights(t: Array) -> Array:
    """(..., 4) of the four coefficients about t in [0, 1]."""
    s = 1.0 - t
    third = 2.0 / 3.0
    return jnp.stack([s**3 / 6.0, third - t * t + 0.5 * t**3, third - s * s + 0.5 * s**3, t**3 / 6.0], axis=-1)
