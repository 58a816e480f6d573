"""Cubic B-splines on a regular grid in space, with their derivatives, as a primitive.

With x in spacings from the corner, i = floor(x) and t = x - i along every axis,

    f(x) = sum_abc w_a(t_x) w_b(t_y) w_c(t_z) c_(i + a, j + b, k + c),      a, b, c = 0 ... 3,

of coefficients c (nx, ny, nz), three more than there are cells along each axis. Two derivatives are continuous.
Derivatives of f are sums of the same coefficients with derivatives of the weights, so that native code reads each
coefficient once and has one loop over all points (`native/printing/_runtime.py`).
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

import pliant._jax  # noqa: F401  (float64)

HIGHEST_ORDER = 5  # of derivatives in native code
ENDS = 3  # coefficients more than cells along an axis

# (..., m) of coefficients (nx, ny, nz) and points (..., 3): the derivatives up to an order, in the order of
# `derivatives_to`.
grid_spline_p = Primitive("grid_spline")


def grid_spline(coefficients: Array, place: Array) -> Array:
    """Values (...) at places (..., 3), in spacings from the corner and inside the grid."""
    return grid_spline_p.bind(coefficients, place, order=0)[..., 0]


def derivatives_to(order: int) -> list[tuple[int, int, int]]:
    """How often each derivative is one along x, y and z: the value, the gradient, ..."""
    return [
        (i, j, total - i - j)
        for total in range(order + 1)
        for i in range(total, -1, -1)
        for j in range(total - i, -1, -1)
    ]


@grid_spline_p.def_abstract_eval
def _shape(coefficients: ShapedArray, place: ShapedArray, *, order: int) -> ShapedArray:
    return ShapedArray((*place.shape[:-1], len(derivatives_to(order))), place.dtype)


def _by_arrays(coefficients: Array, place: Array, *, order: int) -> Array:
    cells = jnp.asarray(coefficients.shape, dtype=place.dtype) - ENDS
    cell = jnp.clip(jnp.floor(place), 0.0, cells - 1.0)
    x, y, z = jnp.moveaxis(_weights(place - cell, order), -3, 0)  # (..., order + 1, 4)

    def window(start: Array) -> Array:
        return lax.dynamic_slice(coefficients, start, (4, 4, 4))

    near = jax.vmap(window)(cell.reshape(-1, 3).astype(jnp.int32)).reshape(*place.shape[:-1], 4, 4, 4)
    along_z = jnp.sum(near[..., None, :] * z[..., None, None, :, :], axis=-1)  # (..., 4, 4, dz)
    along_y = jnp.sum(along_z[..., None, :, :] * y[..., None, :, :, None], axis=-2)  # (..., 4, dy, dz)
    whole = jnp.sum(along_y[..., None, :, :, :] * x[..., :, :, None, None], axis=-3)  # (..., dx, dy, dz)
    wanted = np.array(derivatives_to(order)) @ ((order + 1) ** np.arange(2, -1, -1))
    return whole.reshape(*place.shape[:-1], (order + 1) ** 3)[..., wanted]


def _weights(t: Array, order: int) -> Array:
    """(..., order + 1, 4) of the four coefficients about t in [0, 1], and their derivatives."""
    powers = jnp.stack([jnp.ones_like(t), t, t * t, t**3], axis=-1)
    # Of the weights, by powers of t.
    table = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6.0
    found = []
    for _ in range(order + 1):
        found.append(powers @ jnp.asarray(table.T))
        table = np.concatenate([table[:, 1:] * [1, 2, 3], np.zeros((4, 1))], axis=1)
    return jnp.stack(found, axis=-2)


grid_spline_p.def_impl(jax.jit(_by_arrays, static_argnames="order"))
mlir.register_lowering(grid_spline_p, mlir.lower_fun(_by_arrays, multiple_results=False))


@partial(ad.primitive_jvps.__setitem__, grid_spline_p)
def _differentiated(primals: Sequence[Any], tangents: Sequence[Any], *, order: int) -> tuple[Array, Array]:
    coefficients, place = primals
    by_coefficients, by_place = tangents
    known = derivatives_to(order)
    moved: Any = None
    if isinstance(by_place, ad.Zero):
        value = grid_spline_p.bind(coefficients, place, order=order)
    else:
        higher = derivatives_to(order + 1)
        every = grid_spline_p.bind(coefficients, place, order=order + 1)
        value = every[..., : len(known)]
        rows = np.array([[higher.index(_raised(one, axis)) for one in known] for axis in range(3)])
        moved = jnp.sum(every[..., rows] * by_place[..., :, None], axis=-2)
    if not isinstance(by_coefficients, ad.Zero):
        own = grid_spline_p.bind(by_coefficients, place, order=order)
        moved = own if moved is None else moved + own
    return value, jnp.zeros_like(value) if moved is None else moved


def _raised(derivative: tuple[int, int, int], axis: int) -> tuple[int, int, int]:
    i, j, k = (count + (index == axis) for index, count in enumerate(derivative))
    return i, j, k


@partial(ad.primitive_transposes.__setitem__, grid_spline_p)
def _transposed(cotangent: Any, coefficients: Any, place: Any, *, order: int) -> tuple[Any, None]:
    """It is linear in the coefficients."""
    if isinstance(cotangent, ad.Zero):
        return ad.Zero(coefficients.aval), None
    aval = coefficients.aval
    back = jax.linear_transpose(lambda own: _by_arrays(own, place, order=order), jnp.zeros(aval.shape, aval.dtype))
    return back(cotangent)[0], None


@partial(batching.primitive_batchers.__setitem__, grid_spline_p)
def _batched(values: Sequence[Any], axes: Sequence[Any], *, order: int) -> tuple[Array, int]:
    coefficients, place = values
    if axes[0] is None:
        return grid_spline_p.bind(coefficients, jnp.moveaxis(place, axes[1], 0), order=order), 0
    return jax.vmap(partial(_by_arrays, order=order), in_axes=tuple(axes))(coefficients, place), 0
