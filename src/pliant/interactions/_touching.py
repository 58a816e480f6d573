"""Samples at one instant: their forces, what they store and lose, and what they remember of it."""

import dataclasses
from typing import Any

import jax.numpy as jnp
from jax import Array

from pliant.interactions._contact_numbers import ContactNumbers
from pliant.interactions._grip import Grip
from pliant.interactions._touch import Touch
from pliant.interactions._turning import Turning
from pliant.mechanics import Friction, NormalLaw, damping_function, norm, with_damping

Memory = dict[str, Array]
_SLOWEST_TOUCH = 1e-3  # m/s: what touches more gently is damped as if it touched at this speed


@dataclasses.dataclass(frozen=True)
class ContactLaws:
    """rebounds: damped so that a restitution follows, for which they keep the speed of the touch; grip: None without
    friction; turning: what resists rolling and spinning, or None."""

    normal: NormalLaw
    rebounds: bool
    grip: Grip | None
    turning: Turning | None

    @property
    def holds(self) -> bool:
        """Whether friction remembers."""
        return self.grip is not None and not self.grip.creeps

    @property
    def all_of_it_at_touch(self) -> bool:
        """Whether what does not touch remembers nothing."""
        return not self.rebounds and self.turning is None


@dataclasses.dataclass(frozen=True, eq=False)
class Touching:
    """Samples (n,) of a meeting, or one of them. kept: what is remembered of them."""

    laws: ContactLaws
    meeting: Any
    numbers: ContactNumbers
    kept: Memory
    touch: Touch

    def elastic(self) -> Array:
        numbers = self.numbers
        return self.laws.normal.force(numbers.stiffness, numbers.smoothing, -self.touch.gap)

    def _damping(self) -> Array:
        if not self.laws.rebounds:
            return self.numbers.damping
        return self.numbers.damping / jnp.maximum(self.kept["speed"], _SLOWEST_TOUCH)

    def normal_force(self) -> Array:
        return with_damping(self.elastic(), self._damping(), self.touch.closing)

    def friction(self) -> Friction | None:
        if self.laws.grip is None:
            return None
        normal_force, kept = self.normal_force(), self._held()
        return self.laws.grip.acts(self.numbers.grip, self.touch, normal_force, *kept)

    def _held(self) -> tuple[Memory, Array]:
        """What is remembered, as far as it is of what touches now, and how far the points have moved apart since."""
        if not self.laws.holds:
            return {}, self.touch.velocity
        numbers, kept = self.numbers.meeting, self.kept
        touching = kept["touching"] * self.meeting.same(numbers, self.touch, kept)
        return kept | {"touching": touching}, self.meeting.moved(numbers, self.touch, kept)

    def resisted(self) -> Friction | None:
        """What resists rolling and spinning."""
        if self.laws.turning is None:
            return None
        normal_force, (kept, _) = self.normal_force(), self._held()
        turned = self.meeting.turned(self.numbers.meeting, self.touch, kept)
        return self.laws.turning.acts(self.numbers.turning, self.touch, normal_force, kept, turned)

    def stored(self) -> Array:
        """(n,) energy."""
        numbers, laws = self.numbers, self.laws
        stored = laws.normal.energy(numbers.stiffness, numbers.smoothing, -self.touch.gap)
        found = self.friction()
        if laws.grip is not None and found is not None:
            stored = stored + laws.grip.stored(numbers.grip, found)
        turning = self.resisted()
        if laws.turning is not None and turning is not None:
            stored = stored + laws.turning.stored(numbers.turning, turning)
        return stored

    def damped(self) -> Array:
        """(n,) the Rayleigh function of the normal damping."""
        return self.elastic() * damping_function(self._damping(), self.touch.closing)

    def wrenches(self) -> tuple[Any, ...]:
        """What the meeting makes of the forces, and of the moments that resist rolling and spinning."""
        numbers, touch = self.numbers.meeting, self.touch
        force = self.normal_force()[:, None] * touch.normal
        found = self.friction()
        if found is not None:
            force = force - found.force
        push, turning = self.meeting.wrenches(numbers, touch, force), self.resisted()
        return (push,) if turning is None else (push, self.meeting.twist(numbers, touch, -turning.force))

    def lost(self) -> Array:
        """(n,) power of the normal damping, and of friction without memory."""
        lost = (self.normal_force() - self.elastic()) * self.touch.closing
        found = self.friction()
        if self.laws.grip is not None and self.laws.grip.creeps and found is not None:
            lost = lost + self.laws.grip.lost(self.touch, found)
        return lost

    def remembered(self) -> Memory:
        numbers, touch, laws = self.numbers.meeting, self.touch, self.laws
        memory: Memory = {}
        if laws.rebounds:
            memory["speed"] = jnp.where(touch.gap < 0.0, self.kept["speed"], jnp.maximum(touch.closing, 0.0))
        found = self.friction()
        if laws.grip is not None and found is not None and laws.holds:
            marks = {name: _where_touching(touch, own) for name, own in self.meeting.marks(numbers, touch).items()}
            memory |= laws.grip.remembers(touch, found) | marks
        turning = self.resisted()
        if laws.turning is not None and turning is not None:
            memory |= laws.turning.remembers(touch, turning) | self.meeting.orientation(numbers, touch)
        return memory

    def heat(self) -> Array:
        """(n,) energy that friction and what resists rolling have turned into heat since they remembered."""
        laws, touch, numbers = self.laws, self.touch, self.numbers
        assert laws.grip is not None
        kept, moved = self._held()
        found = laws.grip.acts(numbers.grip, touch, self.normal_force(), kept, moved)
        lost = laws.grip.heat(numbers.grip, touch, found, kept, moved)
        turning = self.resisted()
        if laws.turning is not None and turning is not None:
            turned = self.meeting.turned(numbers.meeting, touch, kept)
            lost = lost + laws.turning.heat(numbers.turning, touch, turning, kept, turned)
        return lost

    def reported(self) -> Memory:
        """(n,) gaps and normal forces; with friction its sizes and whether it sticks, with what resists rolling its
        moments."""
        found = {"gap": self.touch.gap, "normal_force": self.normal_force()}
        rubbing, turning = self.friction(), self.resisted()
        if rubbing is not None:
            found |= {"tangential_force": norm(rubbing.force), "sticks": rubbing.sticks}
        if turning is not None:
            found["turning_moment"] = norm(turning.force)
        return found


def _where_touching(touch: Touch, mark: Array) -> Array:
    """What does not touch remembers no places."""
    touching = touch.gap < 0.0
    return jnp.where(touching.reshape(touching.shape + (1,) * (mark.ndim - 1)), mark, jnp.zeros_like(mark))
