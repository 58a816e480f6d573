"""Convex bodies seen from a direction: how far they reach, and with which of their points."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

from pliant.mechanics._sections import taper

CROWN = 0.01  # by how much flat faces are domed, as a share of their half width: their radius is 100 of these
_SLOPE = math.sqrt(1.0 + CROWN**2) - CROWN  # how far a domed half size of 1 reaches along itself


class Support(NamedTuple):
    """Bodies (n,), in their own axes, each the sum of an ellipsoid with semi-axes `round` (n, 3) and a box with half
    sizes `flat` (n, 3). Faces are slightly domed, so that the point that reaches farthest moves across them when they
    turn, instead of jumping from edge to edge: those of the box always, that of a disc (a semi-axis of zero) by its
    `crown` (n,) [m]."""

    round: Array
    flat: Array
    crown: Array

    def reach(self, direction: Array) -> tuple[Array, Array]:
        """How far (n,) they reach in unit directions (n, 3), and the gradient (n, 3) of it: the point that does, up to
        a shift along the direction."""
        stretched = self.round * direction
        square = jnp.sum(stretched**2, axis=-1) + self.crown**2
        some = square > 0.0
        size = jnp.where(some, jnp.sqrt(jnp.where(some, square, 1.0)), 0.0)
        over = jnp.where(some, 1.0 / jnp.where(some, size, 1.0), 0.0)
        domed, flat = jnp.sqrt(direction**2 + CROWN**2), self.flat / _SLOPE
        far = size - self.crown + jnp.sum(flat * (domed - CROWN), axis=-1)
        return far, over[:, None] * self.round * stretched + flat * direction / domed


def disc(radius: Array) -> Support:
    """Discs of radii (n,) across z; on their rims they are exact."""
    wide = math.sqrt(1.0 + 2.0 * CROWN) * radius
    none = jnp.zeros((*radius.shape, 3))
    return Support(jnp.stack([wide, wide, 0.0 * wide], axis=-1), none, CROWN * radius)


class Outline(NamedTuple):
    """Sections (n,) of a rod as they touch: a radius, what reaches farther than that (None: nothing), the smallest half
    width and the area."""

    radius: Array
    support: Support | None
    half_width: Array
    area: Array


def section_outline(kind: str, numbers: Mapping[str, Array], fraction: Array) -> Outline:
    """At fractions (n,) of a rod with a section of a kind. Along the rod a round section ends like half a ball, a flat
    one like a plate."""
    none = jnp.zeros((len(fraction), 3))
    if kind in ("circle", "annulus"):
        radius = taper(numbers["radius" if kind == "circle" else "outer"], fraction)
        inner = jnp.zeros_like(radius) if kind == "circle" else taper(numbers["inner"], fraction)
        return Outline(radius, None, radius, jnp.pi * (radius**2 - inner**2))
    if kind == "ellipse":
        a, b = (taper(numbers[name], fraction) for name in ("semi_x", "semi_y"))
        least = jnp.minimum(a, b)
        support = Support(jnp.stack([a, b, least], axis=-1), none, jnp.zeros_like(a))
        return Outline(jnp.zeros_like(a), support, least, jnp.pi * a * b)
    if kind == "rectangle":
        a, b = (0.5 * taper(numbers[name], fraction) for name in ("width", "height"))
        support = Support(none, jnp.stack([a, b, jnp.zeros_like(a)], axis=-1), jnp.zeros_like(a))
        return Outline(jnp.zeros_like(a), support, jnp.minimum(a, b), 4.0 * a * b)
    raise ValueError(f"a section of the kind {kind!r} has no outline")
