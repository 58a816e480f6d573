"""Surfaces as signed distances, negative inside, positive outside, in closed form or sampled, in their own frame.

The gradient is the outward normal, of length 1 wherever there is one nearest point. Where there are several (centres,
axes, the planes where two faces are equally near) it is some finite vector between the normals at either side.
"""

import dataclasses
from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
from jax import Array

from pliant.mechanics._sampled_surfaces import heights_distance, mesh_distance
from pliant.mechanics._spring_laws import norm

_ITERATIONS = 12  # of Newton's method for ellipsoids: to rounding for axes up to 1 : 100
_SYMMETRY = 1e-9  # of a semi-axis

Sizes = Mapping[str, Array]  # name -> (...) or (..., 3)


def plane_distance(sizes: Sizes, point: Array) -> Array:
    """Through the origin; what `normal` (..., 3), of any length, points at is outside."""
    normal = sizes["normal"]
    return jnp.sum(normal * point, axis=-1) / norm(normal)


def sphere_distance(sizes: Sizes, point: Array) -> Array:
    """About the origin."""
    return norm(point) - sizes["radius"]


def cylinder_distance(sizes: Sizes, point: Array) -> Array:
    """With flat ends, along z, its middle at the origin."""
    along = jnp.abs(point[..., 2]) - 0.5 * sizes["length"]
    return _behind_edges(_across(point) - sizes["radius"], along, jnp.full_like(along, -jnp.inf))


def capsule_distance(sizes: Sizes, point: Array) -> Array:
    """A cylinder along z with round ends; `length` is that between the middles of the ends."""
    half = 0.5 * sizes["length"]
    z = point[..., 2]
    beyond = z - jnp.minimum(jnp.maximum(z, -half), half)
    return norm(jnp.stack([point[..., 0], point[..., 1], beyond], axis=-1)) - sizes["radius"]


def torus_distance(sizes: Sizes, point: Array) -> Array:
    """A ring about z: a round bar of radius `bar`, bent round until its axis is a circle of the `radius`."""
    beyond = _across(point) - sizes["radius"]
    nothing = jnp.zeros_like(beyond)
    return norm(jnp.stack([beyond, point[..., 2], nothing], axis=-1)) - sizes["bar"]


def box_distance(sizes: Sizes, point: Array) -> Array:
    """About the origin, with edges `size` (..., 3)."""
    beyond = jnp.abs(point) - 0.5 * sizes["size"]
    return _behind_edges(beyond[..., 0], beyond[..., 1], beyond[..., 2])


def ellipsoid_distance(sizes: Sizes, point: Array) -> Array:
    """About the origin, with `semi_axes` (..., 3) along x, y and z. The nearest point solves an equation for one
    number, by Newton on a function of it that is nearly linear, from below; the last two steps have the derivatives."""
    a = sizes["semi_axes"]
    # Rounded at the planes of symmetry, where the nearest point may leave them to either side.
    y = jnp.sqrt(point**2 + (_SYMMETRY * a) ** 2)

    def shortfall(t: Array) -> tuple[Array, Array]:
        """1/sqrt of what is 1 where t belongs to the nearest point, less 1, and its slope."""
        parts = (a * y / (t[..., None] + a * a)) ** 2
        level = jnp.sum(parts, axis=-1)
        slope = jnp.sum(parts / (t[..., None] + a * a), axis=-1)
        return 1.0 / jnp.sqrt(level) - 1.0, slope / (level * jnp.sqrt(level))

    t = jax.lax.stop_gradient(jnp.max(a * (y - a), axis=-1))
    for _ in range(_ITERATIONS - 1):
        value, slope = jax.lax.stop_gradient(shortfall(t))
        t = t - value / slope
    # What one step has of the first derivative, two have of the second: normals turn as they should.
    for _ in range(2):
        value, slope = shortfall(t)
        t = t - value / slope
    # From the nearest point, a^2 y/(t + a^2), it is t times the normal there.
    return t * jnp.sqrt(jnp.sum((y / (t[..., None] + a * a)) ** 2, axis=-1))


def _across(point: Array) -> Array:
    """(...) distance from the z axis."""
    return norm(jnp.stack([point[..., 0], point[..., 1], jnp.zeros_like(point[..., 2])], axis=-1))


def _behind_edges(first: Array, second: Array, third: Array) -> Array:
    """The distance from a body of which each argument says how far a point is beyond one pair of faces.

    Beyond one pair or none it is the largest of the three. A norm of the positive parts would give the same there, but
    no normal on the face itself, where all of them are zero."""
    largest = jnp.maximum(jnp.maximum(first, second), third)
    smaller = jnp.maximum(jnp.minimum(first, second), jnp.minimum(jnp.maximum(first, second), third))
    outside = jnp.maximum(jnp.stack([first, second, third], axis=-1), 0.0)
    return jnp.where(smaller > 0.0, norm(outside), largest)


def _flat(sizes: Sizes) -> Array | float:
    return 0.0


def _round(sizes: Sizes) -> Array | float:
    return 1.0 / sizes["radius"]


@dataclasses.dataclass(frozen=True)
class Surface:
    """A kind of surface. curvature(sizes) [1/m]: of both its principal directions where they are equal; of others it
    counts as flat. alone: whether its numbers are too many to have a copy for every point that touches it."""

    signed_distance: Callable[[Sizes, Array], Array]
    curvature: Callable[[Sizes], Array | float] = _flat
    alone: bool = False

    def distance_and_normal(self, sizes: Sizes, point: Array) -> tuple[Array, Array]:
        """(n,) signed distances of points (n, 3), and (n, 3) their gradients as they are: forces along them are the
        gradient of an energy of the distance."""
        distance, pullback = jax.vjp(lambda place: self.signed_distance(sizes, place), point)
        return distance, pullback(jnp.ones_like(distance))[0]

    def turning(self, sizes: Sizes, point: Array, along: Array) -> Array:
        """(n, 3) by how much the normals at points (n, 3) change along (n, 3)."""
        return jax.jvp(lambda place: self.distance_and_normal(sizes, place)[1], (point,), (along,))[1]


# By the words of the robot file.
SURFACES: dict[str, Surface] = {
    "plane": Surface(plane_distance),
    "sphere": Surface(sphere_distance, _round),
    "cylinder": Surface(cylinder_distance),
    "capsule": Surface(capsule_distance),
    "torus": Surface(torus_distance),
    "box": Surface(box_distance),
    "ellipsoid": Surface(ellipsoid_distance),
    "mesh": Surface(mesh_distance, alone=True),
    "heightfield": Surface(heights_distance, alone=True),
}
