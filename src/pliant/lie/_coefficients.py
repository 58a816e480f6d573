"""Smooth coefficients of the closed forms on SO(3) and SE(3): Stumpff functions, and the arctangent of the logarithm.

With x = theta^2 (rad^2),

    c_k(x) = sum_j (-x)^j / (k + 2 j)!

    c_0 = cos(theta)                  c_1 = sin(theta) / theta
    c_2 = (1 - cos(theta)) / theta^2  c_3 = (theta - sin(theta)) / theta^3   ...

    c_k = 1/k! - x c_{k+2}            (recurrence)
    2 dc_k/dx = k c_{k+2} - c_{k+1}   (derivative)

so derivatives of the coefficients are again coefficients and nothing is ever divided by theta (Stumpff 1959;
Danby, Fundamentals of Celestial Mechanics, section 6.9).
"""

from collections.abc import Sequence
from functools import partial
from math import factorial

import jax
import jax.numpy as jnp
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

# Below this x (rad^2) the series is used, above it sin and cos. Each upward step of the recurrence divides a rounding
# error by x while c_k itself falls by (k+1)(k+2): with a change-over near theta = 3.3 rad, c_7 and its first two
# derivatives keep about 13 digits on both sides (tests/lie/test_coefficients.py). theta = pi lies inside the series.
SERIES_LIMIT = 11.0

# The first neglected term is below 1e-16 of the sum at SERIES_LIMIT, for c_6 and up.
SERIES_TERMS = 14

# dexp_dot needs c_7; the others take the same set so that functions called side by side share it.
HIGHEST = 7


def _reciprocal_factorials(k: int, x: jax.Array) -> jax.Array:
    """(1/k!, 1/(k+1)!) with the rank and dtype of x."""
    return jnp.asarray([1.0 / factorial(k), 1.0 / factorial(k + 1)], dtype=x.dtype).reshape(*([1] * (x.ndim - 1)), 2)


# (..., highest + 1) for odd highest, in pairs (c_k, c_{k+1}), k even: the recurrence joins every second one. It is a
# primitive, because series and trigonometry side by side are what arrays want, while native code has a routine that
# does one of the two.
stumpff_p = Primitive("stumpff")


@stumpff_p.def_abstract_eval
def _shape(x: ShapedArray, *, highest: int) -> ShapedArray:
    return ShapedArray((*x.shape, highest + 1), x.dtype)


@partial(batching.primitive_batchers.__setitem__, stumpff_p)
def _batched(values: Sequence[jax.Array], axes: Sequence[int], *, highest: int) -> tuple[jax.Array, int]:
    return stumpff_p.bind(jnp.moveaxis(values[0], axes[0], 0), highest=highest), 0


def _by_arrays(x: jax.Array, highest: int) -> jax.Array:
    x = x[..., None]
    use_series = x < SERIES_LIMIT

    # Series (Horner) for the last pair, recurrence downward: stable while x is moderate.
    x_near = jnp.where(use_series, x, 0.0)
    pair = _reciprocal_factorials(highest - 1 + 2 * (SERIES_TERMS - 1), x)
    for j in reversed(range(SERIES_TERMS - 1)):
        pair = _reciprocal_factorials(highest - 1 + 2 * j, x) - x_near * pair
    near = [pair]
    for k in range(highest - 3, -1, -2):
        near.insert(0, _reciprocal_factorials(k, x) - x_near * near[0])

    # Trigonometry for the first pair, recurrence upward: stable while x is large.
    x_far = jnp.where(use_series, SERIES_LIMIT, x)
    theta = jnp.sqrt(x_far)
    numerators = [jnp.concatenate([jnp.cos(theta), jnp.sin(theta)], axis=-1)]
    denominators = [jnp.concatenate([jnp.ones_like(theta), theta], axis=-1)]
    for k in range(0, highest - 2, 2):
        numerators.append(_reciprocal_factorials(k, x) * denominators[-1] - numerators[-1])
        denominators.append(x_far * denominators[-1])

    # XLA fuses cheap producers into every consumer, series and all, but computes a division once: so one division of
    # all of them comes last, after the choice of branch.
    numerator = jnp.where(use_series, jnp.concatenate(near, axis=-1), jnp.concatenate(numerators, axis=-1))
    return numerator / jnp.where(use_series, 1.0, jnp.concatenate(denominators, axis=-1))


stumpff_p.def_impl(jax.jit(_by_arrays, static_argnames="highest"))
mlir.register_lowering(stumpff_p, mlir.lower_fun(_by_arrays, multiple_results=False))


@partial(ad.primitive_jvps.__setitem__, stumpff_p)
def _differentiated(
    primals: Sequence[jax.Array], tangents: Sequence[jax.Array], *, highest: int
) -> tuple[jax.Array, jax.Array]:
    """The derivative is again a set of Stumpff functions: exact, and far less code than through series and roots."""
    c = stumpff_p.bind(primals[0], highest=highest + 2)
    order = jnp.arange(highest + 1, dtype=c.dtype).reshape(*([1] * (c.ndim - 1)), highest + 1)
    slope = 0.5 * (order * c[..., 2:] - c[..., 1:-1])
    return c[..., :-2], slope * tangents[0][..., None]


def stumpff(x: jax.Array) -> tuple[jax.Array, ...]:
    """(c_0, ..., c_7) at x = theta^2 >= 0, each of the shape of x.

    Smooth with finite derivatives of every order everywhere, x = 0 included.
    """
    c = stumpff_p.bind(x, highest=HIGHEST)
    return tuple(c[..., k] for k in range(HIGHEST + 1))


# arctangent_ratio: series below this y, the arctangent above; the first neglected term is below 1e-17.
ARCTANGENT_LIMIT = 0.1
ARCTANGENT_TERMS = 16


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def arctangent_ratio(y: jax.Array, k: int = 1) -> jax.Array:
    """g_k(y) = sum_j (-y)^j / (k + 2 j) for odd k and 0 <= y <= 1; g_1 = arctan(t)/t with y = t^2.

    Like the Stumpff functions, g_k = 1/k - y g_{k+2} and 2 dg_k/dy = k g_{k+2} - 1/(1 + y).
    """
    use_series = y < ARCTANGENT_LIMIT
    y_near = jnp.where(use_series, y, 0.0)
    near = jnp.full_like(y, 1.0 / (k + 2 * (ARCTANGENT_TERMS - 1)))
    for j in reversed(range(ARCTANGENT_TERMS - 1)):
        near = 1.0 / (k + 2 * j) - y_near * near

    y_far = jnp.where(use_series, 1.0, y)
    t = jnp.sqrt(y_far)
    far = jnp.arctan2(t, jnp.ones_like(t)) / t
    for lower in range(1, k, 2):
        far = (1.0 / lower - far) / y_far
    return jnp.where(use_series, near, far)


@arctangent_ratio.defjvp
def _arctangent_ratio_jvp(k: int, primals: tuple[jax.Array], tangents: tuple[jax.Array]) -> tuple[jax.Array, jax.Array]:
    y = primals[0]
    upper = arctangent_ratio(y, k + 2)
    return 1.0 / k - y * upper, 0.5 * (k * upper - 1.0 / (1.0 + y)) * tangents[0]
