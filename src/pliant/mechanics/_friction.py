"""Dry friction at points: a spring with a damper beside it, both inside a cone, or a force of the slip alone."""

import abc
import dataclasses
from collections.abc import Callable
from typing import NamedTuple, Protocol, Self

import jax
import jax.numpy as jnp
from jax import Array

from pliant.mechanics._spring_laws import norm

_ITERATIONS = 8  # of Newton's method for the nearest point of an ellipse: to rounding for axes up to 1 : 1000
_THINNEST = 1e-6  # of an ellipse, as a share of its larger axis
_UPRIGHT = 1e-6  # sine of the angle between a rod and the normal


class Cone(Protocol):
    """What friction can carry at contacts (n,), in their tangent planes."""

    def nearest(self, force: Array) -> tuple[Array, Array]:
        """The points (n, 3) of the cone nearest to tangential forces (n, 3), and whether these are inside."""
        ...

    def along_slip(self, slip: Array, speed: Array) -> Array:
        """(n, 3) the force along a slip (n, 3) [m/s]; nearly all that the cone allows above a speed (n,)."""
        ...

    def scaled(self, factor: Array) -> "Cone": ...


class RoundCone(NamedTuple):
    """Equal in all directions; limit (n,) [N]."""

    limit: Array

    def nearest(self, force: Array) -> tuple[Array, Array]:
        size = norm(force)
        beyond = size > self.limit
        share = jnp.where(beyond, self.limit / jnp.where(beyond, size, 1.0), 1.0)
        return share[:, None] * force, ~beyond

    def along_slip(self, slip: Array, speed: Array) -> Array:
        return (self.limit / jnp.sqrt(jnp.sum(slip**2, axis=-1) + speed**2))[:, None] * slip

    def scaled(self, factor: Array) -> "RoundCone":
        return RoundCone(factor * self.limit)


@dataclasses.dataclass(frozen=True, eq=False)
class DirectedCone(abc.ABC):
    """A cone with limits (n,) [N] ahead and behind along a tangential direction `along` (n, 3), and across it."""

    along: Array
    ahead: Array
    behind: Array
    across: Array

    def _split(self, vector: Array) -> tuple[Array, Array, Array]:
        """Tangential vectors (n, 3) as their parts along, what is left of them, and the limits along that count."""
        x = jnp.sum(self.along * vector, axis=-1)
        return x, vector - x[:, None] * self.along, jnp.where(x >= 0.0, self.ahead, self.behind)

    def _joined(self, x: Array, rest: Array) -> Array:
        return x[:, None] * self.along + rest

    def _on_ellipse(self, force: Array, *, nearest: bool) -> tuple[Array, Array]:
        x, rest, limit = self._split(force)
        share_x, share_y, inside = _shares_of_ellipse(limit, self.across, jnp.abs(x), norm(rest), nearest=nearest)
        return self._joined(share_x * x, share_y[:, None] * rest), inside

    @abc.abstractmethod
    def nearest(self, force: Array) -> tuple[Array, Array]: ...

    @abc.abstractmethod
    def along_slip(self, slip: Array, speed: Array) -> Array: ...

    def scaled(self, factor: Array) -> Self:
        """The cone with all limits times a factor (n,)."""
        return dataclasses.replace(
            self, ahead=factor * self.ahead, behind=factor * self.behind, across=factor * self.across
        )


class OvalCone(DirectedCone):
    """The section of this cone is two half ellipses."""

    def nearest(self, force: Array) -> tuple[Array, Array]:
        return self._on_ellipse(force, nearest=True)

    def along_slip(self, slip: Array, speed: Array) -> Array:
        """Of the forces that the cone allows the one that takes most power from the slip."""
        x, rest, limit = self._split(slip)
        largest = jnp.maximum(limit, self.across)
        squared = (limit * x) ** 2 + self.across**2 * jnp.sum(rest**2, axis=-1) + (largest * speed) ** 2
        some = squared > 0.0
        size = jnp.where(some, 1.0 / jnp.sqrt(jnp.where(some, squared, 1.0)), 0.0)
        return self._joined(size * limit**2 * x, (size * self.across**2)[:, None] * rest)


class SeparateCone(DirectedCone):
    """What this cone carries along and across does not depend on each other: its section is a rectangle."""

    def nearest(self, force: Array) -> tuple[Array, Array]:
        x, rest, _ = self._split(force)
        near_x = jnp.minimum(jnp.maximum(x, -self.behind), self.ahead)
        near_y, fits = RoundCone(self.across).nearest(rest)
        return self._joined(near_x, near_y), fits & (near_x == x)

    def along_slip(self, slip: Array, speed: Array) -> Array:
        x, rest, limit = self._split(slip)
        return self._joined(limit * x / jnp.sqrt(x**2 + speed**2), RoundCone(self.across).along_slip(rest, speed))


class SlipCone(DirectedCone):
    """This cone has the section of an `OvalCone`, but resists a slip by its direction, its parts along and across
    times their limits: of the forces that the ellipse allows this is not the one that takes most power."""

    def nearest(self, force: Array) -> tuple[Array, Array]:
        """The points that a slip leads back to, in the direction that they belong to."""
        return self._on_ellipse(force, nearest=False)

    def along_slip(self, slip: Array, speed: Array) -> Array:
        x, rest, limit = self._split(slip)
        size = 1.0 / jnp.sqrt(x**2 + jnp.sum(rest**2, axis=-1) + speed**2)
        return self._joined(size * limit * x, (size * self.across)[:, None] * rest)


# By the words of the laws of friction that depends on the direction.
DIRECTED_CONES: dict[str, Callable[[Array, Array, Array, Array], DirectedCone]] = {
    "ellipse": OvalCone,
    "separate": SeparateCone,
    "slip": SlipCone,
}


def _shares_of_ellipse(a: Array, b: Array, x: Array, y: Array, *, nearest: bool) -> tuple[Array, Array, Array]:
    """What x and y are multiplied by at the points nearest to (x, y) of ellipses with semi-axes a, b, and whether
    (x, y) is inside and stays as it is; nothing is negative. Shares, so that derivatives are right on the axes too.
    Newton on a function that is nearly linear, from below; its last step has the derivative. Not nearest: the points
    (X, Y) that are reached along (X/a, Y/b). Shares are w/(t + w) for a t; w is the square of a semi-axis, or that."""
    largest = jnp.maximum(a, b)
    allows = largest > 0.0
    unit = jnp.where(allows, largest, 1.0)
    a, b = (jnp.maximum(jnp.where(allows, own / unit, 1.0), _THINNEST) for own in (a, b))
    inside = (x / (unit * a)) ** 2 + (y / (unit * b)) ** 2 <= 1.0
    # Any point outside stands for those that stay.
    p, r = jnp.where(inside, 2.0, x / unit), jnp.where(inside, 0.0, y / unit)
    c, d = (a * a, b * b) if nearest else (a, b)

    def shortfall(t: Array) -> tuple[Array, Array]:
        """1/sqrt of what is 1 on the ellipse, less 1, and its slope."""
        u, w = c * p / (a * (t + c)), d * r / (b * (t + d))
        level = u * u + w * w
        return 1.0 / jnp.sqrt(level) - 1.0, (u * u / (t + c) + w * w / (t + d)) / (level * jnp.sqrt(level))

    t = jnp.maximum(jnp.maximum(c * (p / a - 1.0), d * (r / b - 1.0)), 0.0)
    for _ in range(_ITERATIONS):
        value, slope = shortfall(t)
        t = t - value / slope
    t = jax.lax.stop_gradient(t)
    value, slope = shortfall(t)
    t = t - value / jax.lax.stop_gradient(slope)
    share_x, share_y = (jnp.where(allows, jnp.where(inside, 1.0, own / (t + own)), 0.0) for own in (c, d))
    return share_x, share_y, inside & (allows | (x + y <= 0.0))


class Friction(NamedTuple):
    """What friction does at contacts (n,): the force (n, 3) that resists, what its spring is stretched by afterwards
    (n, 3), and whether the contact sticks."""

    force: Array
    spring: Array
    sticks: Array


def friction(stiffness: Array, damping: Array, cone: Cone, stretch: Array, slip: Array) -> Friction:
    """A spring with a damper beside it, both inside the cone: together they carry no more than it allows.

    stretch (n, 3): of the spring if nothing slipped; slip (n, 3): the tangential velocity. What the spring keeps is
    within the cone by itself, so that a fast slip leaves nothing behind that pulls the wrong way."""
    sprung = stiffness[:, None] * stretch
    force, sticks = cone.nearest(sprung + damping[:, None] * slip)
    kept, _ = cone.nearest(sprung)
    return Friction(force, kept / stiffness[:, None], sticks)


def crept(cone: Cone, slip: Array, speed: Array) -> Friction:
    """Friction without memory: nothing is held at rest, and what should stick creeps below the speed (n,) [m/s]."""
    force = cone.along_slip(slip, speed)
    return Friction(force, jnp.zeros_like(force), jnp.sum(slip**2, axis=-1) <= speed**2)


def tangential_direction(along: Array, normal: Array) -> Array:
    """(n, 3) directions of rods in the tangent planes; zero where a rod stands upright, so that all of what it carries
    counts as across."""
    flat = along - jnp.sum(along * normal, axis=-1)[:, None] * normal
    size = norm(flat)
    some = size > _UPRIGHT
    return flat * jnp.where(some, 1.0 / jnp.where(some, size, 1.0), 0.0)[:, None]
