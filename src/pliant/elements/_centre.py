"""The centre of gravity of an arc and the average of its orientations, with their derivatives in closed form.

An arc that turns by t = (bend_x, bend_y, 0) over its length s has, with x = t . t and the Stumpff functions c_k(x),

    position     s (c3 t x z + c2 z)
    orientation  c1 I + c2 [t] + c3 t t^T

since the average of xi^k c_k(xi^2 x) over the arc is c_{k+1}(x). Everything is smooth at the straight pose.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.lie import so3, stumpff

_AXIS = np.array([0.0, 0.0, 1.0])
# The columns of the orientation come after the position: a disc is a point and the ends of its axes.
POINTS = 4


class Centre(NamedTuple):
    """points (4, 3): position [m] and columns of the orientation; along (3, 4, 3): their derivatives by bend_x, bend_y
    [rad] and the length [m]."""

    points: Array
    along: Array


class _Factors(NamedTuple):
    """c1, c2 and c3 with their first and second derivatives by x."""

    value: tuple[Array, Array, Array]
    first: tuple[Array, Array, Array]
    second: tuple[Array, Array, Array]


def _factors(x: Array) -> _Factors:
    c = stumpff(x)

    def slope(k: int) -> Array:
        return 0.5 * (k * c[k + 2] - c[k + 1])

    def curvature(k: int) -> Array:
        return 0.5 * (k * slope(k + 2) - slope(k + 1))

    return _Factors((c[1], c[2], c[3]), (slope(1), slope(2), slope(3)), (curvature(1), curvature(2), curvature(3)))


def _shape(factors: tuple[Array, Array, Array], turn: Array) -> tuple[Array, Array]:
    """Position (3,) per length and orientation (3, 3) with these factors."""
    c1, c2, c3 = factors
    return c3 * so3.cross(turn, jnp.asarray(_AXIS)) + c2 * _AXIS, c1 * np.eye(3) + c2 * so3.hat(turn) + c3 * turn[
        :, None
    ] * turn


def _turned(factors: tuple[Array, Array, Array], turn: Array, by: Array) -> tuple[Array, Array]:
    """Their derivative along a change of the turn, with the factors held."""
    _, c2, c3 = factors
    return c3 * so3.cross(by, jnp.asarray(_AXIS)), c2 * so3.hat(by) + c3 * (by[:, None] * turn + turn[:, None] * by)


def _points(position: Array, orientation: Array) -> Array:
    return jnp.concatenate([position[None], orientation.T])


def _turn(bend: Array) -> Array:
    return jnp.concatenate([bend, jnp.zeros(1)])


def centre_of_gravity(bend: Array, length: Array) -> Centre:
    """Centre of gravity of an arc that turns by bend (2,) over its length."""
    turn = _turn(bend)
    factors = _factors(jnp.sum(bend**2))
    position, orientation = _shape(factors.value, turn)
    slope = _shape(factors.first, turn)
    along = []
    for k in range(2):
        turned = _turned(factors.value, turn, jnp.asarray(np.eye(3)[k]))
        rate = 2.0 * bend[k]
        along.append(_points(length * (rate * slope[0] + turned[0]), rate * slope[1] + turned[1]))
    along.append(_points(position, jnp.zeros((3, 3))))
    return Centre(_points(length * position, orientation), jnp.stack(along))


def centre_drift(bend: Array, length: Array, bend_rate: Array, length_rate: Array) -> Array:
    """(4, 3) second rate of the points at constant rates of bend and length."""
    turn, by = _turn(bend), _turn(bend_rate)
    factors = _factors(jnp.sum(bend**2))
    rate, growth = 2.0 * jnp.sum(bend * bend_rate), 2.0 * jnp.sum(bend_rate**2)
    slope, curvature = _shape(factors.first, turn), _shape(factors.second, turn)
    turned, bent = _turned(factors.value, turn, by), _turned(factors.first, turn, by)
    first = rate * slope[0] + turned[0]
    position = curvature[0] * rate**2 + slope[0] * growth + 2.0 * rate * bent[0]
    orientation = curvature[1] * rate**2 + slope[1] * growth + 2.0 * rate * bent[1]
    orientation = orientation + 2.0 * factors.value[2] * by[:, None] * by
    return _points(length * position + 2.0 * length_rate * first, orientation)
