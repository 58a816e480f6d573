"""Which piece of a curve is nearest to a point: a search, which no derivative goes through. For arrays it looks at all
pieces at once; native code has a loop (native/printing/_runtime.py) that leaves out most of the work for most of
them."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

import pliant._jax  # noqa: F401  (float64)

NEAREST = 1e-12  # m: axes nearer than this have no direction between them


class Curve(NamedTuple):
    """Places and directions (m + 1, 3) of nodes, radii (m + 1,) there, unstretched lengths (m,) of the pieces."""

    place: Array
    direction: Array
    radius: Array
    length: Array


class Piece(NamedTuple):
    """The pieces nearest to points (n,): the number of each, about where in it, 0 to 1, whether the distance has its
    minimum within it, and whether there is one at all."""

    number: Array
    share: Array
    inside: Array
    found: Array


nearest_piece_p = Primitive("nearest_piece")
nearest_piece_p.multiple_results = True


def nearest_piece(curve: Curve, point: Array, low: Array, high: Array) -> Piece:
    """The piece of the skin about a curve that is nearest to points (n, 3), among those where the distance has a
    minimum and whose arc length is from `low` to `high` (n,)."""
    return Piece(*nearest_piece_p.bind(*curve, point, low, high))


def _by_arrays(
    place: Array, direction: Array, radius: Array, length: Array, point: Array, low: Array, high: Array
) -> list[Array]:
    count = len(length)
    radial = point[:, None, :] - place  # (n, m + 1, 3)
    away = jnp.sqrt(jnp.sum(radial**2, axis=-1) + NEAREST**2)
    # Rate of the distance from the skin with the arc length, at both ends of every piece.
    rate = -jnp.sum(radial * direction, axis=-1) / away
    growth = (radius[1:] - radius[:-1]) / length
    begin, end = rate[:, :-1] - growth, rate[:, 1:] - growth
    inside = (begin < 0.0) & (end >= 0.0)
    across = end - begin
    share = jnp.where(inside, -begin / jnp.where(inside, across, 1.0), 0.0)
    pieces = jnp.arange(count)
    before, beyond = (begin >= 0.0) & (pieces == 0), (end < 0.0) & (pieces == count - 1)
    share = jnp.where(beyond, 1.0, share)
    arc = jnp.concatenate([jnp.zeros(1), jnp.cumsum(length)])
    where = arc[:-1] + share * length
    open_to = (inside | before | beyond) & (where >= low[:, None]) & (where <= high[:, None])
    # Chords are near enough to choose by.
    skin = radius[:-1] + share * (radius[1:] - radius[:-1])
    chord = place[:-1] + share[..., None] * (place[1:] - place[:-1])
    score = jnp.where(open_to, jnp.sqrt(jnp.sum((point[:, None, :] - chord) ** 2, axis=-1)) - skin, jnp.inf)
    # The first of the smallest.
    smallest = jnp.min(score, axis=1, keepdims=True)
    index = jnp.min(jnp.where(score == smallest, pieces, count - 1), axis=1)
    chosen = jnp.arange(len(point)), index
    return [index, share[chosen], inside[chosen], jnp.any(open_to, axis=1)]


nearest_piece_p.def_impl(jax.jit(_by_arrays))
mlir.register_lowering(nearest_piece_p, mlir.lower_fun(_by_arrays, multiple_results=True))


@nearest_piece_p.def_abstract_eval
def _shapes(*given: ShapedArray) -> list[ShapedArray]:
    place, count = given[0], given[4].shape[:1]
    types = (np.dtype(int), place.dtype, np.dtype(bool), np.dtype(bool))
    return [ShapedArray(count, dtype) for dtype in types]


@partial(ad.primitive_jvps.__setitem__, nearest_piece_p)
def _differentiated(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Array], list[Any]]:
    found = nearest_piece_p.bind(*primals)
    return found, [ad.Zero(jax.typeof(own).to_tangent_aval()) for own in found]


@partial(batching.primitive_batchers.__setitem__, nearest_piece_p)
def _batched(values: Sequence[Any], axes: Sequence[Any]) -> tuple[list[Array], list[int]]:
    found = jax.vmap(_by_arrays, in_axes=tuple(axes))(*values)
    return found, [0] * len(found)
