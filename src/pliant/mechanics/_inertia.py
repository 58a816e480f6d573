"""Rigid inertia as ten numbers: mass, first moment, second moment about the frame's origin."""

from collections.abc import Mapping
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

from pliant.lie import so3
from pliant.numerics import apply


class RigidInertia(NamedTuple):
    """Inertia in some frame, leading dimensions free.

    mass (...,) kg; moment (..., 3) = mass times centre, kg m; second (..., 3, 3) about the origin, kg m^2.
    Adding two inertias of the same frame adds the numbers, so composite bodies cost ten additions.
    """

    mass: Array
    moment: Array
    second: Array

    def matrix(self) -> Array:
        """The 6 x 6 inertia that maps a twist [angular; linear] to a momentum."""
        moment_hat = so3.hat(self.moment)
        identity = jnp.broadcast_to(jnp.eye(3), self.second.shape)
        return jnp.concatenate(
            [
                jnp.concatenate([self.second, moment_hat], axis=-1),
                jnp.concatenate([-moment_hat, self.mass[..., None, None] * identity], axis=-1),
            ],
            axis=-2,
        )

    def momentum(self, twist: Array) -> Array:
        """Momentum (..., 6) of a twist, both [angular; linear], without forming the matrix."""
        angular, linear = twist[..., :3], twist[..., 3:]
        return jnp.concatenate(
            [
                apply(self.second, angular) + so3.cross(self.moment, linear),
                self.mass[..., None] * linear - so3.cross(self.moment, angular),
            ],
            axis=-1,
        )

    def transform(self, rotation: Array, translation: Array) -> "RigidInertia":
        """This body seen from the frame in which this one has the given rotation and translation."""
        moment = jnp.einsum("...ij,...j->...i", rotation, self.moment)
        second = jnp.einsum("...ij,...jk,...lk->...il", rotation, self.second, rotation)
        shifted = second + _steiner(translation, moment) + _steiner(moment, translation)
        mass = self.mass[..., None]
        shifted = shifted + mass[..., None] * _steiner(translation, translation)
        return RigidInertia(self.mass, moment + mass * translation, shifted)


def _steiner(a: Array, b: Array) -> Array:
    """(a . b) I - a b^T, half of the cross terms of the parallel-axis theorem."""
    dot = jnp.sum(a * b, axis=-1)[..., None, None]
    return dot * jnp.eye(3) - a[..., :, None] * b[..., None, :]


def inertia_about(mass: Array, centre: Array, central: Array) -> RigidInertia:
    """Inertia about the frame's origin from the mass, its centre and the central inertia (3,) or (6,)."""
    if central.shape[-1] == 3:
        tensor = jnp.diag(central)
    else:
        ixx, iyy, izz, ixy, ixz, iyz = (central[i] for i in range(6))
        tensor = jnp.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    return RigidInertia(mass, mass * centre, tensor + mass * _steiner(centre, centre))


def shape_inertia(kind: str, numbers: Mapping[str, Array]) -> tuple[Array, Array]:
    """Volume and central inertia (3,) per unit mass of a homogeneous solid."""
    if kind == "box":
        x, y, z = numbers["size"][0], numbers["size"][1], numbers["size"][2]
        return x * y * z, jnp.stack([y**2 + z**2, x**2 + z**2, x**2 + y**2]) / 12.0
    if kind == "sphere":
        radius = numbers["radius"]
        return 4.0 / 3.0 * jnp.pi * radius**3, jnp.full(3, 0.4 * radius**2)
    if kind == "ellipsoid":
        x, y, z = numbers["semi_axes"][0], numbers["semi_axes"][1], numbers["semi_axes"][2]
        return 4.0 / 3.0 * jnp.pi * x * y * z, jnp.stack([y**2 + z**2, x**2 + z**2, x**2 + y**2]) / 5.0
    if kind == "cylinder":
        radius, length = numbers["radius"], numbers["length"]
        across = (3.0 * radius**2 + length**2) / 12.0
        return jnp.pi * radius**2 * length, jnp.stack([across, across, 0.5 * radius**2])
    raise ValueError(f"unknown shape {kind!r}")
