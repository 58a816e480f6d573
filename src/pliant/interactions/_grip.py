"""Friction of contacts: what it remembers of them, and what it does.

It remembers by what its spring was stretched when the last step ended, and the force it gave, in axes that turn with
what touches. Beside it the meeting remembers the two material points that touched.
"""

import dataclasses
from collections.abc import Mapping

import jax.numpy as jnp
from jax import Array

from pliant.interactions._contact_numbers import GripNumbers
from pliant.interactions._touch import Touch
from pliant.mechanics import (
    DIRECTED_CONES,
    Cone,
    Friction,
    RoundCone,
    crept,
    friction,
    tangential_direction,
)

Memory = Mapping[str, Array]


@dataclasses.dataclass(frozen=True)
class Grip:
    """The kind of friction. law: how it depends on the direction along a rod, None if it does not; creeps: whether it
    is a force of the slip, without memory."""

    law: str | None
    static: bool
    creeps: bool

    def first_memory(self, count: int) -> dict[str, Array]:
        if self.creeps:
            return {}
        nothing, vector = jnp.zeros(count), jnp.zeros((count, 3))
        first = {"touching": nothing, "force": vector, "stretch": vector}
        return first | ({"stuck": nothing} if self.static else {})

    def _cone(self, numbers: GripNumbers, touch: Touch, normal_force: Array) -> Cone:
        if self.law is None:
            return RoundCone(numbers.across * normal_force)
        along = tangential_direction(touch.along, touch.normal)
        limits = (own * normal_force for own in (numbers.ahead, numbers.behind, numbers.across))
        return DIRECTED_CONES[self.law](along, *limits)

    def acts(self, numbers: GripNumbers, touch: Touch, normal_force: Array, kept: Memory, moved: Array) -> Friction:
        """moved (n, 3): how far the points that touched have moved apart since. What touches for the first time has
        nothing to remember, and a spring at rest."""
        cone, slip = self._cone(numbers, touch, normal_force), touch.tangential(touch.velocity)
        if self.creeps:
            return crept(cone, slip, numbers.creep)
        if self.static:
            cone = cone.scaled(jnp.where(kept["stuck"] > 0.0, numbers.static_ratio, 1.0))
        stretch = kept["touching"][:, None] * touch.tangential(kept["stretch"] + moved)
        return friction(numbers.spring, numbers.damper, cone, stretch, slip)

    def stored(self, numbers: GripNumbers, found: Friction) -> Array:
        """(n,) energy of the springs."""
        return 0.5 * numbers.spring * jnp.sum(found.spring**2, axis=-1)

    def remembers(self, touch: Touch, found: Friction) -> dict[str, Array]:
        if self.creeps:
            return {}
        touching = touch.touching
        kept = {
            "touching": touching,
            "force": touching[:, None] * found.force,
            "stretch": touching[:, None] * found.spring,
        }
        return kept | ({"stuck": jnp.where(found.sticks, touching, 0.0)} if self.static else {})

    def heat(self, numbers: GripNumbers, touch: Touch, found: Friction, kept: Memory, moved: Array) -> Array:
        """(n,) energy that friction has turned into heat since it remembered: the work of the mean of its forces, less
        what its springs store of it."""
        way = kept["touching"][:, None] * touch.tangential(moved)
        work = 0.5 * jnp.sum((kept["force"] + found.force) * way, axis=-1)
        before = 0.5 * numbers.spring * jnp.sum(kept["stretch"] ** 2, axis=-1)
        return work + before - touch.touching * self.stored(numbers, found)

    def lost(self, touch: Touch, found: Friction) -> Array:
        """(n,) power of a friction without memory."""
        return jnp.sum(found.force * touch.tangential(touch.velocity), axis=-1)
