"""Contact at a point: the normal force that grows with penetration, its damping, and dry friction with memory."""

import dataclasses
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

from pliant.blueprint import HERTZ, LINEAR
from pliant.mechanics._spring_laws import norm


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


class Friction(NamedTuple):
    """What friction does at contacts (n,): the force (n, 3) that resists, what its spring is stretched by afterwards
    (n, 3), and whether the contact sticks."""

    force: Array
    spring: Array
    sticks: Array


def friction(stiffness: Array, damping: Array, limit: Array, stretch: Array, slip: Array) -> Friction:
    """A spring with a damper beside it, both inside the cone: together they carry no more than `limit` (n,).

    stretch (n, 3): of the spring if nothing slipped; slip (n, 3): the tangential velocity. What the spring keeps is
    within the cone by itself, so that a fast slip leaves nothing behind that pulls the wrong way."""
    sprung = stiffness[:, None] * stretch
    trial = sprung + damping[:, None] * slip
    share = _within(limit, trial)
    return Friction(share[:, None] * trial, _within(limit, sprung)[:, None] * stretch, share >= 1.0)


def friction_loss(stiffness: Array, damping: Array, limit: Array, stretch: Array, slip: Array) -> Array:
    """(n,) power [W] that friction turns into heat: what it takes, less what its spring stores. It is never negative,
    since the force is the point of the cone nearest to spring and damper together, and the spring is in the cone."""
    found = friction(stiffness, damping, limit, stretch, slip)
    sprung = stiffness[:, None] * found.spring
    taken = jnp.sum((found.force - sprung) * slip, axis=-1)
    # On the cone a spring that is drawn further follows, and stores no more.
    follows = (limit * limit <= jnp.sum(sprung * sprung, axis=-1) * (1.0 + 1e-12)) & (limit > 0.0)
    return taken + jnp.where(follows, jnp.maximum(jnp.sum(sprung * slip, axis=-1), 0.0), 0.0)


def _within(limit: Array, force: Array) -> Array:
    """(n,) factors that bring forces (n, 3) into their cones."""
    size = norm(force)
    beyond = size > limit
    return jnp.where(beyond, limit / jnp.where(beyond, size, 1.0), 1.0)
