"""Axes of rods as cubic pieces between their nodes, and the place of such a curve that is nearest to a point."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from pliant.mechanics._spring_laws import norm
from pliant.numerics import NEAREST, Curve, nearest_piece

_ITERATIONS = 5  # of Newton's method, from where the slope of the distance would vanish if it were linear


class Spot(NamedTuple):
    """Places (n,) of a curve: its piece, and where in it, 0 to 1."""

    piece: Array
    share: Array


def spread(shares: Array) -> tuple[Array, Array, Array, Array]:
    """What a place in a piece takes of its two nodes, and of their directions times the piece's length."""
    u = shares
    left = u - 1.0
    return left * left * (1.0 + 2.0 * u), u * u * (3.0 - 2.0 * u), u * left * left, u * u * left


def _slopes(u: Array) -> tuple[Array, Array, Array, Array]:
    return 6.0 * u * (u - 1.0), 6.0 * u * (1.0 - u), (u - 1.0) * (3.0 * u - 1.0), u * (3.0 * u - 2.0)


def _bends(u: Array) -> tuple[Array, Array, Array, Array]:
    return 12.0 * u - 6.0, 6.0 - 12.0 * u, 6.0 * u - 4.0, 6.0 * u - 2.0


class _Piece(NamedTuple):
    """Ends, directions times length, and radii of pieces (n, ...)."""

    begin: Array
    end: Array
    first: Array
    last: Array
    radius: Array
    growth: Array

    def combined(self, factors: tuple[Array, Array, Array, Array]) -> Array:
        one, other, first, last = (own[..., None] for own in factors)
        return one * self.begin + other * self.end + first * self.first + last * self.last


def at_node(values: Array, index: Array) -> Array:
    """values[index] of nodes or pieces that there are."""
    return values.at[index].get(mode="promise_in_bounds")


def _piece(curve: Curve, index: Array) -> _Piece:
    length, radius = at_node(curve.length, index)[..., None], at_node(curve.radius, index)
    return _Piece(
        at_node(curve.place, index),
        at_node(curve.place, index + 1),
        length * at_node(curve.direction, index),
        length * at_node(curve.direction, index + 1),
        radius,
        at_node(curve.radius, index + 1) - radius,
    )


def place_at(curve: Curve, spot: Spot) -> Array:
    """(n, 3)"""
    return _piece(curve, spot.piece).combined(spread(spot.share))


def radius_at(curve: Curve, spot: Spot) -> Array:
    """(n,)"""
    piece = _piece(curve, spot.piece)
    return piece.radius + spot.share * piece.growth


def nearest(curve: Curve, point: Array, low: Array, high: Array) -> tuple[Spot, Array]:
    """The place of the skin about a curve that is nearest to points (n, 3), among those where the distance has a
    minimum and whose arc length is from `low` to `high` (n,); and whether there is one."""
    number, share, inside, found = jax.lax.stop_gradient(nearest_piece(curve, point, low, high))
    return Spot(number, _refined(curve, point, number, share, inside)), found


def _refined(curve: Curve, point: Array, index: Array, share: Array, inside: Array) -> Array:
    piece = _piece(curve, index)

    def rate(piece: _Piece, point: Array, u: Array) -> tuple[Array, Array]:
        """Of the distance from the skin with u, and its slope."""
        apart = piece.combined(spread(u)) - point
        slope, bend = piece.combined(_slopes(u)), piece.combined(_bends(u))
        distance = jnp.maximum(norm(apart), NEAREST)
        along = jnp.sum(apart * slope, axis=-1)
        turning = jnp.sum(slope**2 + apart * bend, axis=-1)
        return along / distance - piece.growth, turning / distance - along**2 / distance**3

    still = jax.lax.stop_gradient((piece, point))
    u = jax.lax.stop_gradient(share)
    for _ in range(_ITERATIONS):
        value, slope = rate(*still, u)
        u = jnp.clip(u - value / jnp.where(slope > 0.0, slope, 1.0), 0.0, 1.0)
    u = jnp.where(inside, u, jax.lax.stop_gradient(share))
    within = inside & (u > 0.0) & (u < 1.0)
    value, slope = rate(piece, point, u)
    step = value / jnp.where(within, jax.lax.stop_gradient(slope), 1.0)
    return jnp.where(within, u - step, u)
