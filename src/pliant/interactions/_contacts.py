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
from pliant.interactions._in_turn import What, When, of_samples, touches_now, touches_or_did, whole
from pliant.interactions._places import Frame, places
from pliant.interactions._rod_meeting import RodMeeting
from pliant.interactions._surface_meeting import SurfaceMeeting
from pliant.interactions._touch import Meeting, Meetings, rows_at, together
from pliant.interactions._touching import ContactLaws, Memory, Touching
from pliant.interactions._turning import Turning
from pliant.mechanics import SURFACES, NormalLaw


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

    @property
    def _turner(self) -> Any:
        """The meeting as one whose sides turn."""
        return self.meeting

    def _laws(self) -> ContactLaws:
        return ContactLaws(self.law, self.rebounds, self.grip, self.turning)

    def _found(self, numbers: ContactNumbers, at: Any, what: What, when: When | None = None) -> list[tuple[Any, Any]]:
        """What becomes of the samples, by the meetings that they are part of."""
        return of_samples(self._laws(), self.meeting, numbers, at.memory.get(self.name, {}), rows_at(at), what, when)

    def _summed(self, numbers: ContactNumbers, at: Any, what: What, when: When | None = None) -> Array:
        return sum(jnp.sum(own) for _, own in self._found(numbers, at, what, when))  # type: ignore[return-value]

    def energy(self, numbers: ContactNumbers, at: Any) -> Array:
        return self._summed(numbers, at, Touching.stored, touches_now)

    def dissipation(self, numbers: ContactNumbers, at: Any) -> Array:
        """Of the normal damping; what friction takes has no such function, since the cone depends on the motion."""
        return self._summed(numbers, at, Touching.damped, touches_now)

    def resists(self, numbers: ContactNumbers, at: Any) -> Push:
        found = self._found(numbers, at, Touching.wrenches, touches_now)
        return together([meeting.push(own) for meeting, wrenches in found for own in wrenches])

    def loss(self, numbers: ContactNumbers, at: Any) -> Array | None:
        """Of the normal damping, and of friction without memory; what friction with memory loses is its `heat`."""
        return self._summed(numbers, at, Touching.lost, touches_now) if at.moves else None

    def remember(self, numbers: ContactNumbers, at: Any) -> Memory | tuple[()]:
        laws = self._laws()
        if not (laws.rebounds or laws.holds):
            return ()
        when = touches_now if laws.all_of_it_at_touch else None
        return whole(self._found(numbers, at, Touching.remembered, when))

    def heat(self, numbers: ContactNumbers, at: Any) -> Array | None:
        return self._summed(numbers, at, Touching.heat, touches_or_did) if self._laws().holds else None

    def gap(self, numbers: ContactNumbers, at: Any) -> Array:
        return whole(self._found(numbers, at, lambda samples: samples.touch.gap))

    def gap_and_rate(self, numbers: ContactNumbers, at: Any) -> tuple[Array, Array]:
        return whole(self._found(numbers, at, lambda samples: (samples.touch.gap, -samples.touch.closing)))

    def acts(self, numbers: ContactNumbers, at: Any) -> Array:
        return jnp.any(self.gap(numbers, at) < 0.0)

    def swing(self, numbers: ContactNumbers) -> Array:
        return numbers.swing

    def overlap(self, numbers: ContactNumbers, at: Any) -> tuple[Array, Array]:
        return -self.gap(numbers, at), numbers.size

    def overlap_name(self, index: int) -> str:
        plan = self.pairs[int(self.owner[index])].plan
        return f'"{plan.samples}" and "{plan.surface}" (contact "{plan.name}")'

    def report(self, numbers: ContactNumbers, at: Any) -> Mapping[str, Array]:
        """Per contact its smallest gap, the sums of its normal and of its tangential forces, and whether it touches and
        none of its samples slips (1, else 0)."""
        every = whole(self._found(numbers, at, Touching.reported))
        gap, size = every["gap"], every["normal_force"]
        found: dict[str, Array] = {}
        for name in self.names:
            own = self._samples_of(name)
            found |= {f"{name}.gap": jnp.min(gap[own]), f"{name}.normal_force": jnp.sum(size[own])}
            if "sticks" in every:
                touching = gap[own] < 0.0
                sticking = jnp.any(touching) & jnp.all(every["sticks"][own] | ~touching)
                found |= {
                    f"{name}.tangential_force": jnp.sum(every["tangential_force"][own]),
                    f"{name}.sticking": jnp.where(sticking, 1.0, 0.0),
                }
            if "turning_moment" in every:
                found[f"{name}.turning_moment"] = jnp.sum(every["turning_moment"][own])
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
