"""Springs and dampers: power-law damping, elements that only pull or only push, and how a beam between two frames is
deformed."""

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.lie import quaternion, so3
from pliant.numerics import apply_transposed

# Added to a rate in a power, as the legs of a triangle: below it the force is linear. That of a power p < 1 would have
# no slope at rest, and the rate at which a small force makes it creep, (F / mu)^(1/p), is soon lost in rounding.
_CREEP = 1e-8  # m/s, rad/s or 1/s
_NO_RATE = 1e-150  # likewise for p >= 1, where only zero itself has to be avoided
_NEAR_HALF_TURN = 0.01  # square of twice the cosine of the half angle: within 6 degrees
_COINCIDE = 1e-12  # m: two points nearer than that have no direction


def power_law(coefficient: Array, rate: Array, power: Array | None) -> Array:
    """Damping force mu |v|^(p - 1) v, which opposes every rate (TMTDyn Eq. 28 prints mu v^p); power None: linear."""
    if power is None:
        return coefficient * rate
    return coefficient * (rate**2 + _least_rate(power) ** 2) ** (0.5 * (power - 1.0)) * rate


def power_law_dissipation(coefficient: Array, rate: Array, power: Array | None) -> Array:
    """The Rayleigh function mu |v|^(p + 1) / (p + 1), whose gradient is `power_law`."""
    if power is None:
        return 0.5 * coefficient * rate**2
    least = _least_rate(power)
    whole = (rate**2 + least**2) ** (0.5 * (power + 1.0)) - least ** (power + 1.0)
    return coefficient * whole / (power + 1.0)


def _least_rate(power: Array) -> Array:
    return jnp.where(power < 1.0, _CREEP, _NO_RATE)


def active(excess: Array, acts: tuple[int, ...], at_rest: bool = False) -> Array | None:
    """Whether each component acts: always (0), only above its rest value (1), only below it (-1); None: all do.
    at_rest: whether it does at its rest value."""
    if not any(acts):
        return None
    side = np.asarray(acts, dtype=float)
    beyond = jnp.asarray(side) * excess
    return (side == 0.0) | (beyond >= 0.0 if at_rest else beyond > 0.0)


def where_active(value: Array, excess: Array, acts: tuple[int, ...], at_rest: bool = False) -> Array:
    """The value where the component acts, else zero. Springs act at rest too: they have no force there, but the
    stiffness that statics needs to begin. Dampers do not: a step that ends there may need them not to."""
    on = active(excess, acts, at_rest)
    return value if on is None else jnp.where(on, value, 0.0)


def beam_deformation(
    first_turn: Array, first_place: Array, second_turn: Array, second_place: Array, middle: bool
) -> Array:
    """(..., 6) rotation and translation of the second frame seen from the first (TMTDyn Eq. 7).

    Rotation: twice the vector part of the relative quaternion. Translation: in the axes of the first frame, or, with
    `middle`, in those half-way between the two, which treats both ends alike. What is half-way turns over at the half
    turn, and energies would jump: from a third of a turn on those axes go back to the first frame's instead.
    """
    turn = jnp.sum(first_turn[..., :, :, None] * second_turn[..., :, None, :], axis=-3)
    trace = turn[..., 0, 0] + turn[..., 1, 1] + turn[..., 2, 2]
    apart = apply_transposed(first_turn, second_place - first_place)
    bend = _double_vector(turn, trace)
    if middle:
        apart = apply_transposed(quaternion.to_matrix(_half_way(turn, trace, bend)), apart)
    return jnp.concatenate([bend, apart], axis=-1)


def _half_way(turn: Array, trace: Array, bend: Array) -> Array:
    """(..., 4) quaternions, of any length, of rotations half as large, up to a third of a turn. From there they go back
    to none at the half turn, where the rotation has no half: its axis turns over. bend: from `_double_vector`.

    With c, s n the cosine and the vector of the half angle, a half is (1, s n / (1 + c)); beyond c = 1/2 it is
    (1, s n r(c)) with r odd in c, a polynomial that fits up to the second derivative."""
    square = (1.0 + trace)[..., None]  # 4 c^2
    far = square > 1.0
    ratio = (39.5 - 31.0 * square + 9.5 * square**2) / 27.0  # 2 r(c) / (2 c)
    cosine = jnp.sqrt(jnp.where(far, square, 1.0))
    vector = jnp.where(far, bend, 2.0 * ratio * so3.vee(turn))
    return jnp.concatenate([jnp.where(far, 2.0 + cosine, 2.0), vector], axis=-1)


def _double_vector(turn: Array, trace: Array) -> Array:
    """(..., 3) twice the vector of the half angle of rotations (..., 3, 3), accurate through the half turn, where it
    turns over."""
    odd = so3.vee(turn)
    near = (1.0 + trace < _NEAR_HALF_TURN)[..., None]
    far = 2.0 * odd / jnp.sqrt(jnp.where(near, 1.0, 1.0 + trace[..., None]))
    # Near the half turn that root is of what rounding leaves; but the even part is 4 v v^T, v being the vector.
    even = turn + jnp.swapaxes(turn, -1, -2) + (1.0 - trace)[..., None, None] * jnp.eye(3)
    x, y, z = even[..., 0, 0:1], even[..., 1, 1:2], even[..., 2, 2:3]
    largest = jnp.maximum(jnp.maximum(x, y), z)
    column = jnp.where(x >= largest, even[..., 0], jnp.where(y >= largest, even[..., 1], even[..., 2]))
    side = jnp.where(jnp.sum(odd * column, axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    return jnp.where(near, side * column / jnp.sqrt(jnp.where(near, largest, 1.0)), far)


def distance(first_place: Array, second_place: Array) -> Array:
    """(..., 1) how far apart two points are [m]."""
    return norm(second_place - first_place)[..., None]


def norm(vector: Array) -> Array:
    """Length of vectors (..., 3) [m], with a gradient of zero for a vector of length zero: two points in one place have
    no direction, and what acts along the line between them does nothing."""
    square = jnp.sum(vector**2, axis=-1)
    away = square > _COINCIDE**2
    return jnp.where(away, jnp.sqrt(jnp.where(away, square, 1.0)), 0.0)
