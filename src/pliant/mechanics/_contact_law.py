"""Contact at a point: the normal force that grows with penetration, and its damping."""

import dataclasses

import jax
import jax.numpy as jnp
from jax import Array

from pliant.blueprint import HERTZ, LINEAR

# Of the damping that belongs to a restitution: steps of Newton's method, and terms of the series below its limit.
_ITERATIONS = 6
_TERMS, _SERIES = 20, 0.1


@dataclasses.dataclass(frozen=True)
class NormalLaw:
    """A force k phi(p)^n of the penetration p, with n = 1 or 1.5 (Hertz), times 1 + c p' and never a pull (Hunt and
    Crossley, 1975). For n = 1 phi begins as p^2/(2 e) and goes on as p - e/2, so that a touch begins without stiffness;
    Hertz's force does so by itself, and phi(p) = p."""

    exponent: float

    def force(self, stiffness: Array, smoothing: Array, depth: Array) -> Array:
        """Elastic force, zero where the depth is not positive."""
        inside = depth > 0.0
        p = jnp.where(inside, depth, 1.0)
        if self.exponent == HERTZ:
            shape = p * jnp.sqrt(p)
        else:
            e = smoothing
            shape = jnp.where(p < e, 0.5 * p * p / e, p - 0.5 * e)
        return jnp.where(inside, stiffness * shape, 0.0)

    def energy(self, stiffness: Array, smoothing: Array, depth: Array) -> Array:
        """The integral of the elastic force over the depth."""
        inside = depth > 0.0
        p = jnp.where(inside, depth, 1.0)
        if self.exponent == HERTZ:
            shape = 0.4 * p * p * jnp.sqrt(p)
        else:
            e = smoothing
            shape = jnp.where(p < e, p * p * p / (6.0 * e), 0.5 * p * (p - e) + e * e / 6.0)
        return jnp.where(inside, stiffness * shape, 0.0)

    def slope(self, stiffness: Array, depth: Array) -> Array:
        """Rate of the elastic force with the depth, at a depth well above the smoothing."""
        return stiffness if self.exponent == LINEAR else 1.5 * stiffness * jnp.sqrt(depth)


def with_damping(elastic: Array, damping: Array, rate: Array) -> Array:
    """The normal force while the penetration grows at a rate."""
    return elastic * jnp.maximum(1.0 + damping * rate, 0.0)


def damping_function(damping: Array, rate: Array) -> Array:
    """What the elastic force is multiplied by in the Rayleigh function of the damping: the integral over the rate of
    max(1 + c p', 0) - 1."""
    apart = 1.0 + damping * rate < 0.0
    return jnp.where(apart, -rate - 0.5 / jnp.where(apart, damping, 1.0), 0.5 * damping * rate**2)


def tangential_ratio(poisson: Array) -> Array:
    """Tangential over normal stiffness of a contact that sticks (Mindlin, 1949)."""
    return 2.0 * (1.0 - poisson) / (2.0 - poisson)


def restitution_damping(restitution: Array) -> Array:
    """Damping times the speed of the touch with which the bodies leave each other at `restitution` times that speed,
    for any exponent and smoothing: d with (1 + e) d = ln((1 + d)/(1 - e d)); e from 0.05 to 1."""
    e = restitution
    # Both starts are within a few percent of it, each at its end.
    small = (1.0 - (1.0 + 1.0 / e) * jnp.exp(-(1.0 + e) / e)) / e
    damping = jax.lax.stop_gradient(jnp.where(e < 0.5, small, 1.5 * (1.0 - e) / (1.0 - e + e * e)))
    for _ in range(_ITERATIONS):
        value, slope = _unbalance(damping, jax.lax.stop_gradient(e))
        damping = jnp.maximum(damping - value / slope, 0.0)
    value, slope = _unbalance(jax.lax.stop_gradient(damping), e)
    return damping - value / jax.lax.stop_gradient(slope)


def _unbalance(d: Array, e: Array) -> tuple[Array, Array]:
    """((1 + e) d - ln(1 + d) + ln(1 - e d))/d^2 and its slope, by their series where d is small."""
    orders = range(2, _TERMS)
    near = sum(((-1.0) ** k - e**k) / k * d ** (k - 2) for k in orders)
    near_slope = sum((k - 2) * ((-1.0) ** k - e**k) / k * d ** (k - 3) for k in orders[1:])
    far = d > _SERIES
    some = jnp.where(far, d, 0.5)
    value = (1.0 + e) * some - jnp.log1p(some) + jnp.log1p(-e * some)
    slope = (1.0 + e) - 1.0 / (1.0 + some) - e / (1.0 - e * some)
    return (
        jnp.where(far, value / some**2, near),
        jnp.where(far, (slope * some - 2.0 * value) / some**3, near_slope),
    )
