"""Axes of rods as cubic pieces between their nodes, and the place of such a curve that is nearest to a point."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from pliant.mechanics._spring_laws import norm

_ITERATIONS = 5  # of Newton's method, from where the slope of the distance would vanish if it were linear
_NEAREST = 1e-12  # m: axes nearer than this have no direction between them


class Curve(NamedTuple):
    """Places and directions (m + 1, 3) of nodes, radii (m + 1,) there, unstretched lengths (m,) of the pieces."""

    place: Array
    direction: Array
    radius: Array
    length: Array


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


def _piece(curve: Curve, index: Array) -> _Piece:
    length = curve.length[index][..., None]
    radius = curve.radius[index]
    return _Piece(
        curve.place[index],
        curve.place[index + 1],
        length * curve.direction[index],
        length * curve.direction[index + 1],
        radius,
        curve.radius[index + 1] - radius,
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
    count = len(curve.length)
    radial = point[:, None, :] - curve.place  # (n, m + 1, 3)
    away = jnp.sqrt(jnp.sum(radial**2, axis=-1) + _NEAREST**2)
    # Rate of the distance from the skin with the arc length, at both ends of every piece.
    rate = -jnp.sum(radial * curve.direction, axis=-1) / away
    growth = (curve.radius[1:] - curve.radius[:-1]) / curve.length
    begin, end = rate[:, :-1] - growth, rate[:, 1:] - growth
    inside = (begin < 0.0) & (end >= 0.0)
    across = end - begin
    share = jnp.where(inside, -begin / jnp.where(inside, across, 1.0), 0.0)
    pieces = jnp.arange(count)
    before, beyond = (begin >= 0.0) & (pieces == 0), (end < 0.0) & (pieces == count - 1)
    share = jnp.where(beyond, 1.0, share)
    arc = jnp.concatenate([jnp.zeros(1), jnp.cumsum(curve.length)])
    where = arc[:-1] + share * curve.length
    open_to = (inside | before | beyond) & (where >= low[:, None]) & (where <= high[:, None])
    # Chords are near enough to choose by.
    skin = curve.radius[:-1] + share * (curve.radius[1:] - curve.radius[:-1])
    score = jnp.where(open_to, _chord_distance(point, curve, share) - skin, jnp.inf)
    lowest = jnp.min(score, axis=1, keepdims=True)
    index = jax.lax.stop_gradient(jnp.min(jnp.where(score <= lowest, pieces, count - 1), axis=1))
    chosen = jnp.arange(len(point)), index
    return Spot(index, _refined(curve, point, index, share[chosen], inside[chosen])), jnp.any(open_to, axis=1)


def _chord_distance(point: Array, curve: Curve, share: Array) -> Array:
    """(n, m) from where the chords of the pieces are divided."""
    chord = curve.place[:-1] + share[..., None] * (curve.place[1:] - curve.place[:-1])
    return jnp.sqrt(jnp.sum((point[:, None, :] - chord) ** 2, axis=-1))


def _refined(curve: Curve, point: Array, index: Array, share: Array, inside: Array) -> Array:
    piece = _piece(curve, index)

    def rate(piece: _Piece, point: Array, u: Array) -> tuple[Array, Array]:
        """Of the distance from the skin with u, and its slope."""
        apart = piece.combined(spread(u)) - point
        slope, bend = piece.combined(_slopes(u)), piece.combined(_bends(u))
        distance = jnp.maximum(norm(apart), _NEAREST)
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
