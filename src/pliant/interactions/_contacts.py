"""Contact of bodies and rods with surfaces and with rods: normal forces that push, and friction with memory."""

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.blueprint import Friction as FrictionPlan
from pliant.interactions._contact_numbers import ContactNumbers, Pair, SurfaceSide, contact_numbers, law_of
from pliant.interactions._contract import Drawing, Force, Push
from pliant.interactions._grip import Grip
from pliant.interactions._places import Frame, places
from pliant.interactions._rod_meeting import RodMeeting
from pliant.interactions._surface_meeting import SurfaceMeeting
from pliant.interactions._touch import Meeting, Meetings, Touch, together
from pliant.interactions._turning import Turning
from pliant.mechanics import SURFACES, Friction, NormalLaw, damping_function, norm, with_damping

Memory = dict[str, Array]
_SLOWEST_TOUCH = 1e-3  # m/s: what touches more gently is damped as if it touched at this speed


@dataclasses.dataclass(frozen=True, eq=False)
class Contacts(Force):
    """Contacts with surfaces of one kind, or one between rods, by one law. rebounds: damped so that a restitution
    follows, for which they remember the speed of the touch; grip: None without friction; turning: what resists
    rolling and spinning, or None; owner (n,): the pair that each sample belongs to."""

    meeting: Meeting
    law: NormalLaw
    rebounds: bool
    grip: Grip | None
    turning: Turning | None
    pairs: tuple[Pair, ...]
    frames: tuple[Frame, ...]
    owner: np.ndarray

    @property
    def names(self) -> tuple[str, ...]:
        """Of the contacts; one with a divided rod has several pairs."""
        return tuple(dict.fromkeys(pair.plan.name for pair in self.pairs))

    def _samples_of(self, name: str) -> np.ndarray:
        own = np.array([pair.plan.name == name for pair in self.pairs])
        return np.flatnonzero(own[self.owner])

    @property
    def coupled_rows(self) -> tuple[np.ndarray, ...]:
        return self.meeting.rows

    @property
    def gap_count(self) -> int:
        return len(self.owner)

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        return tuple(
            Drawing("point", self.pairs[owner].plan.name, "contact", (frame,))
            for frame, owner in zip(self.frames, self.owner, strict=True)
        )

    @property
    def reported(self) -> Mapping[str, str]:
        units = {"gap": "m", "normal_force": "N"}
        if self.grip is not None:
            units |= {"tangential_force": "N", "sticking": "1"}
        if self.turning is not None:
            units["turning_moment"] = "N*m"
        return {f"{name}.{word}": unit for name in self.names for word, unit in units.items()}

    def prepare(self, parameters: Mapping[str, Array], start: Callable[[], Any]) -> ContactNumbers:
        return contact_numbers(self.pairs, self.law, self.meeting.prepare(parameters), parameters)

    @property
    def softens(self) -> bool:
        return True

    def softened(self, numbers: ContactNumbers, share: Array) -> ContactNumbers:
        grip = numbers.grip
        softer = None if grip is None else grip._replace(spring=share * grip.spring)
        turning = numbers.turning
        gentler = None if turning is None else turning._replace(spring=share * turning.spring)
        return numbers._replace(stiffness=share * numbers.stiffness, grip=softer, turning=gentler)

    def first_memory(self) -> Memory | tuple[()]:
        count = len(self.owner)
        first = {"speed": jnp.zeros(count)} if self.rebounds else {}
        if self.grip is not None and not self.grip.creeps:
            first |= self.grip.first_memory(count) | self.meeting.first_marks()
        if self.turning is not None:
            first |= self.turning.first_memory(count) | self._turner.first_orientation()
        return first or ()

    def _elastic(self, numbers: ContactNumbers, touch: Touch) -> Array:
        return self.law.force(numbers.stiffness, numbers.smoothing, -touch.gap)

    def _damping(self, numbers: ContactNumbers, at: Any) -> Array:
        if not self.rebounds:
            return numbers.damping
        return numbers.damping / jnp.maximum(at.memory[self.name]["speed"], _SLOWEST_TOUCH)

    def _normal_force(self, numbers: ContactNumbers, touch: Touch, at: Any) -> Array:
        return with_damping(self._elastic(numbers, touch), self._damping(numbers, at), touch.closing)

    def _friction(self, numbers: ContactNumbers, touch: Touch, at: Any) -> Friction | None:
        if self.grip is None:
            return None
        normal_force, kept = self._normal_force(numbers, touch, at), self._kept(numbers, touch, at)
        return self.grip.acts(numbers.grip, touch, normal_force, *kept)

    def _kept(self, numbers: ContactNumbers, touch: Touch, at: Any) -> tuple[Memory, Array]:
        """What is remembered, as far as it is of what touches now, and how far the points have moved apart since."""
        if self.grip is None or self.grip.creeps:
            return {}, touch.velocity
        kept = at.memory[self.name]
        touching = kept["touching"] * self.meeting.same(numbers.meeting, touch, kept)
        return kept | {"touching": touching}, self.meeting.moved(numbers.meeting, at, touch, kept)

    @property
    def _turner(self) -> Any:
        """The meeting as one whose sides turn."""
        return self.meeting

    def _resisted(self, numbers: ContactNumbers, touch: Touch, at: Any) -> Friction | None:
        """What resists rolling and spinning."""
        if self.turning is None:
            return None
        normal_force, (kept, _) = self._normal_force(numbers, touch, at), self._kept(numbers, touch, at)
        turned = self._turner.turned(numbers.meeting, touch, kept)
        return self.turning.acts(numbers.turning, touch, normal_force, kept, turned)

    def energy(self, numbers: ContactNumbers, at: Any) -> Array:
        touch = self.meeting.touch(numbers.meeting, at)
        stored = self.law.energy(numbers.stiffness, numbers.smoothing, -touch.gap)
        found = self._friction(numbers, touch, at)
        if self.grip is not None and found is not None:
            stored = stored + self.grip.stored(numbers.grip, found)
        turning = self._resisted(numbers, touch, at)
        if self.turning is not None and turning is not None:
            stored = stored + self.turning.stored(numbers.turning, turning)
        return jnp.sum(stored)

    def dissipation(self, numbers: ContactNumbers, at: Any) -> Array:
        """Of the normal damping; what friction takes has no such function, since the cone depends on the motion."""
        touch = self.meeting.touch(numbers.meeting, at)
        return jnp.sum(self._elastic(numbers, touch) * damping_function(self._damping(numbers, at), touch.closing))

    def resists(self, numbers: ContactNumbers, at: Any) -> Push:
        touch = self.meeting.touch(numbers.meeting, at)
        force = self._normal_force(numbers, touch, at)[:, None] * touch.normal
        found = self._friction(numbers, touch, at)
        if found is not None:
            force = force - found.force
        push, turning = self.meeting.push(numbers.meeting, touch, force), self._resisted(numbers, touch, at)
        if turning is None:
            return push
        return together([push, self._turner.twist(numbers.meeting, touch, -turning.force)])

    def loss(self, numbers: ContactNumbers, at: Any) -> Array | None:
        """Of the normal damping, and of friction without memory; what friction with memory loses is its `heat`."""
        if not at.moves:
            return None
        touch = self.meeting.touch(numbers.meeting, at)
        lost = (self._normal_force(numbers, touch, at) - self._elastic(numbers, touch)) * touch.closing
        found = self._friction(numbers, touch, at)
        if self.grip is not None and self.grip.creeps and found is not None:
            lost = lost + self.grip.lost(touch, found)
        return jnp.sum(lost)

    def remember(self, numbers: ContactNumbers, at: Any) -> Memory | tuple[()]:
        touch = self.meeting.touch(numbers.meeting, at)
        kept: Memory = {}
        if self.rebounds:
            before = at.memory[self.name]["speed"]
            kept["speed"] = jnp.where(touch.gap < 0.0, before, jnp.maximum(touch.closing, 0.0))
        found = self._friction(numbers, touch, at)
        if self.grip is not None and found is not None and not self.grip.creeps:
            kept |= self.grip.remembers(touch, found) | self.meeting.marks(numbers.meeting, touch)
        turning = self._resisted(numbers, touch, at)
        if self.turning is not None and turning is not None:
            kept |= self.turning.remembers(touch, turning) | self._turner.orientation(numbers.meeting, touch)
        return kept or ()

    def heat(self, numbers: ContactNumbers, at: Any) -> Array | None:
        if self.grip is None or self.grip.creeps:
            return None
        touch = self.meeting.touch(numbers.meeting, at)
        kept, moved = self._kept(numbers, touch, at)
        found = self.grip.acts(numbers.grip, touch, self._normal_force(numbers, touch, at), kept, moved)
        lost = self.grip.heat(numbers.grip, touch, found, kept, moved)
        turning = self._resisted(numbers, touch, at)
        if self.turning is not None and turning is not None:
            turned = self._turner.turned(numbers.meeting, touch, kept)
            lost = lost + self.turning.heat(numbers.turning, touch, turning, kept, turned)
        return jnp.sum(lost)

    def gap(self, numbers: ContactNumbers, at: Any) -> Array:
        return self.meeting.touch(numbers.meeting, at).gap

    def overlap(self, numbers: ContactNumbers, at: Any) -> tuple[Array, Array]:
        return -self.gap(numbers, at), numbers.size

    def overlap_name(self, index: int) -> str:
        plan = self.pairs[int(self.owner[index])].plan
        return f'"{plan.samples}" and "{plan.surface}" (contact "{plan.name}")'

    def report(self, numbers: ContactNumbers, at: Any) -> Mapping[str, Array]:
        """Per contact its smallest gap, the sums of its normal and of its tangential forces, and whether it touches and
        none of its samples slips (1, else 0)."""
        touch = self.meeting.touch(numbers.meeting, at)
        size = self._normal_force(numbers, touch, at)
        found: dict[str, Array] = {}
        for name in self.names:
            own = self._samples_of(name)
            found |= {f"{name}.gap": jnp.min(touch.gap[own]), f"{name}.normal_force": jnp.sum(size[own])}
        rubbing = self._friction(numbers, touch, at)
        if rubbing is None:
            return found
        along = norm(rubbing.force)
        touching = touch.gap < 0.0
        for name in self.names:
            own = self._samples_of(name)
            sticking = jnp.any(touching[own]) & jnp.all(rubbing.sticks[own] | ~touching[own])
            found |= {
                f"{name}.tangential_force": jnp.sum(along[own]),
                f"{name}.sticking": jnp.where(sticking, 1.0, 0.0),
            }
        turning = self._resisted(numbers, touch, at)
        if turning is not None:
            size = norm(turning.force)
            found |= {f"{name}.turning_moment": jnp.sum(size[self._samples_of(name)]) for name in self.names}
        return found


def turning_of(plan: FrictionPlan | None) -> Turning | None:
    return Turning() if plan is not None and plan.turns else None


def grip_of(plan: FrictionPlan | None) -> Grip | None:
    if plan is None:
        return None
    directed = plan.along is not None or plan.across is not None
    return Grip(plan.law if directed else None, plan.static_ratio is not None, plan.creep is not None)


def contact_kind(pair: Pair) -> tuple[Any, ...]:
    """Pairs of which it is equal are evaluated together."""
    plan, other = pair.plan, pair.other
    alone = plan.both or not isinstance(other, SurfaceSide)
    kind = (plan.name,) if alone else _surface_kind(pair)
    return *kind, plan.exponent, plan.restitution is not None, grip_of(plan.friction), turning_of(plan.friction)


def _surface_kind(pair: Pair) -> tuple[Any, ...]:
    return pair.other.kind if isinstance(pair.other, SurfaceSide) else ()


def contacts(name: str, pairs: Sequence[Pair]) -> Contacts:
    """Pairs of one kind. name: by which their memory is known."""
    first = pairs[0]
    return Contacts(
        name=name,
        meeting=_meeting(pairs),
        law=law_of(first.plan),
        rebounds=first.plan.restitution is not None,
        grip=grip_of(first.plan.friction),
        turning=turning_of(first.plan.friction),
        pairs=tuple(pairs),
        frames=_frames(pairs),
        owner=_owner(pairs),
    )


def _frames(pairs: Sequence[Pair]) -> tuple[Frame, ...]:
    return tuple(frame for pair in pairs for frame in pair.samples.frames)


def _owner(pairs: Sequence[Pair]) -> np.ndarray:
    return np.repeat(np.arange(len(pairs)), [len(pair.samples.frames) for pair in pairs])


def _meeting(pairs: Sequence[Pair]) -> Meeting:
    between_rods = [pair.other for pair in pairs if isinstance(pair.other, RodMeeting)]
    if between_rods:
        return Meetings(between_rods)
    parts = [_on_surfaces(list(own)) for _, own in itertools.groupby(pairs, _surface_kind)]
    return parts[0] if len(parts) == 1 else Meetings(parts)


def _on_surfaces(pairs: Sequence[Pair]) -> SurfaceMeeting:
    """Pairs with surfaces of one kind."""
    surfaces = [pair.other for pair in pairs if isinstance(pair.other, SurfaceSide)]
    return SurfaceMeeting(
        surface=SURFACES[surfaces[0].shape.kind],
        hollow=surfaces[0].hollow,
        samples=tuple(pair.samples for pair in pairs),
        sizes=tuple(surface.sizes for surface in surfaces),
        places=places(_frames(pairs)),
        bases=places([surface.frame for surface in surfaces]),
        owner=_owner(pairs),
    )
