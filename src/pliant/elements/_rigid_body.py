"""A rigid body: no coordinates of its own, inertia carried by the frame it is fixed to."""

import dataclasses
from collections.abc import Mapping

import jax.numpy as jnp
from jax import Array

from pliant.mechanics import RigidInertia, inertia_about, shape_inertia


@dataclasses.dataclass(frozen=True)
class RigidBody:
    """Static side of a rigid link: which shape it has, and which mass properties are given rather than derived."""

    shape: str | None
    mass_given: bool
    inertia_given: bool

    def inertia(self, numbers: Mapping[str, Array]) -> RigidInertia:
        """About the link frame, from the link's numbers (mass, inertia, centre, density and the shape's sizes)."""
        volume, unit_inertia = shape_inertia(self.shape, numbers) if self.shape else (jnp.zeros(()), jnp.zeros(3))
        mass = numbers["mass"] if self.mass_given else numbers["density"] * volume
        central = numbers["inertia"] if self.inertia_given else mass * unit_inertia
        return inertia_about(mass, numbers["centre"], central)

    def size(self, numbers: Mapping[str, Array]) -> Array:
        """(3,) sizes for drawing: box edges, sphere radius three times, cylinder radius, radius, length, semi-axes of
        an ellipsoid."""
        if self.shape == "box":
            return numbers["size"]
        if self.shape == "ellipsoid":
            return numbers["semi_axes"]
        if self.shape == "sphere":
            return jnp.full(3, numbers["radius"])
        if self.shape == "cylinder":
            return jnp.stack([numbers["radius"], numbers["radius"], numbers["length"]])
        return jnp.zeros(3)
