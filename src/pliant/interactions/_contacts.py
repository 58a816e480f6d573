"""Contact: samples of bodies and rods against surfaces, with normal forces that push and friction with memory.

Friction remembers the two material points that touched when the last step ended, and by what its spring was stretched.
All of it is in the frame of the surface: what a gripper holds may turn with it.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.interactions._contact_numbers import ContactNumbers, Pair, Rubbing, contact_numbers, law_of
from pliant.interactions._contract import Drawing, Force, Push
from pliant.interactions._places import Frame, Places, place_poses, places
from pliant.lie import so3
from pliant.mechanics import (
    SURFACES,
    NormalLaw,
    Surface,
    damping_function,
    friction,
    friction_loss,
    taken,
    with_damping,
)
from pliant.numerics import apply, apply_transposed

Memory = dict[str, Array]


class _Touch(NamedTuple):
    """Where samples (n,) are: poses of their frames and of the surfaces, gaps, normals and velocities past the surface
    in the surfaces' frames, the places of contact from the common point; at rest there is no velocity."""

    here: Array
    base: Array
    gap: Array
    normal: Array
    place: Array
    velocity: Array

    def into_base(self, place: Array) -> Array:
        return apply_transposed(self.base[:, :3, :3], place - self.base[:, :3, 3])

    @property
    def closing(self) -> Array:
        """(n,) rate of the penetration."""
        return -jnp.sum(self.normal * self.velocity, axis=-1)

    def tangential(self, vector: Array) -> Array:
        return vector - jnp.sum(self.normal * vector, axis=-1)[:, None] * self.normal


@dataclasses.dataclass(frozen=True, eq=False)
class Contacts(Force):
    """Contacts with surfaces of one kind, by one law. owner (n,): the pair that each sample belongs to."""

    surface: Surface
    law: NormalLaw
    rough: bool
    pairs: tuple[Pair, ...]
    frames: tuple[Frame, ...]
    places: Places
    bases: Places
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
        return tuple(np.stack([self.places.rows, self.bases.rows[self.owner]], axis=-1))

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
        units = {"gap": "m", "normal_force": "N"} | ({"tangential_force": "N", "sticking": "1"} if self.rough else {})
        return {f"{name}.{word}": unit for name in self.names for word, unit in units.items()}

    def prepare(self, parameters: Mapping[str, Array], start: Callable[[], Any]) -> ContactNumbers:
        offsets = self.places.offset(parameters), self.bases.offset(parameters)
        return contact_numbers(self.pairs, self.law, offsets, parameters)

    def first_memory(self) -> Memory | tuple[()]:
        if not self.rough:
            return ()
        count = len(self.owner)
        vector = jnp.zeros((count, 3))
        return {
            "touching": jnp.zeros(count),
            "limit": jnp.zeros(count),
            "stretch": vector,
            "own": vector,
            "other": vector,
        }

    def _touch(self, numbers: ContactNumbers, at: Any) -> _Touch:
        here = place_poses(at, self.places, numbers.offset)
        base = taken(place_poses(at, self.bases, numbers.base_offset), self.owner)
        turn = base[:, :3, :3]
        centre = apply(here[:, :3, :3], numbers.point) + here[:, :3, 3]
        distance, normal = self.surface.distance_and_normal(
            numbers.sizes, apply_transposed(turn, centre - base[:, :3, 3])
        )
        # Half-way between the two skins.
        place = centre - apply(turn, (0.5 * (distance + numbers.radius))[:, None] * normal)
        velocity = jnp.zeros_like(place)
        if at.moves:
            twist = at.twists[self.places.rows] - at.twists[self.bases.rows[self.owner]]
            velocity = apply_transposed(turn, twist[:, 3:] + so3.cross(twist[:, :3], place))
        return _Touch(here, base, distance - numbers.radius, normal, place, velocity)

    def _elastic(self, numbers: ContactNumbers, touch: _Touch) -> Array:
        return self.law.force(numbers.stiffness, numbers.smoothing, -touch.gap)

    def _normal_force(self, numbers: ContactNumbers, touch: _Touch) -> Array:
        return with_damping(self._elastic(numbers, touch), numbers.damping, touch.closing)

    def _slipping(
        self, rubbing: Rubbing, at: Any, touch: _Touch, normal_force: Array
    ) -> tuple[Array, Array, Array, Array, Array]:
        """Arguments of `friction`. What touches for the first time has nothing to remember, and a spring at rest."""
        kept: Memory = at.memory[self.name]
        moved = touch.into_base(apply(touch.here[:, :3, :3], kept["own"]) + touch.here[:, :3, 3]) - kept["other"]
        stretch = kept["touching"][:, None] * touch.tangential(kept["stretch"] + moved)
        slip = touch.tangential(touch.velocity)
        return rubbing.spring, rubbing.damper, rubbing.friction * normal_force, stretch, slip

    def energy(self, numbers: ContactNumbers, at: Any) -> Array:
        touch = self._touch(numbers, at)
        stored = self.law.energy(numbers.stiffness, numbers.smoothing, -touch.gap)
        if numbers.rubbing is not None:
            spring = friction(*self._slipping(numbers.rubbing, at, touch, self._normal_force(numbers, touch))).spring
            stored = stored + 0.5 * numbers.rubbing.spring * jnp.sum(spring**2, axis=-1)
        return jnp.sum(stored)

    def dissipation(self, numbers: ContactNumbers, at: Any) -> Array:
        """Of the normal damping; what friction takes has no such function, since the cone depends on the motion."""
        touch = self._touch(numbers, at)
        return jnp.sum(self._elastic(numbers, touch) * damping_function(numbers.damping, touch.closing))

    def resists(self, numbers: ContactNumbers, at: Any) -> Push:
        touch = self._touch(numbers, at)
        size = self._normal_force(numbers, touch)
        force = size[:, None] * touch.normal
        if numbers.rubbing is not None:
            force = force - friction(*self._slipping(numbers.rubbing, at, touch, size)).force
        force = apply(touch.base[:, :3, :3], force)
        wrench = jnp.concatenate([so3.cross(touch.place, force), force], axis=-1)
        rows = np.concatenate([self.places.rows, self.bases.rows[self.owner]])
        return Push(rows, jnp.concatenate([wrench, -wrench]))

    def loss(self, numbers: ContactNumbers, at: Any) -> Array | None:
        if not at.moves:
            return None
        touch = self._touch(numbers, at)
        size = self._normal_force(numbers, touch)
        lost = (size - self._elastic(numbers, touch)) * touch.closing
        if numbers.rubbing is not None:
            lost = lost + friction_loss(*self._slipping(numbers.rubbing, at, touch, size))
        return jnp.sum(lost)

    def remember(self, numbers: ContactNumbers, at: Any) -> Memory | tuple[()]:
        if numbers.rubbing is None:
            return ()
        touch = self._touch(numbers, at)
        rubbing = self._slipping(numbers.rubbing, at, touch, self._normal_force(numbers, touch))
        stretch = friction(*rubbing).spring
        own = apply_transposed(touch.here[:, :3, :3], touch.place - touch.here[:, :3, 3])
        touching = jnp.where(touch.gap < 0.0, 1.0, 0.0)
        return {
            "touching": touching,
            "limit": touching * rubbing[2],
            "stretch": touching[:, None] * stretch,
            "own": own,
            "other": touch.into_base(touch.place),
        }

    def let_go(self, numbers: ContactNumbers, at: Any) -> Array | None:
        """What springs on the cone have given away where the normal force fell, less what they store where it grew."""
        if numbers.rubbing is None:
            return None
        touch = self._touch(numbers, at)
        spring, damper, limit, stretch, slip = self._slipping(
            numbers.rubbing, at, touch, self._normal_force(numbers, touch)
        )
        before, after = (
            friction(spring, damper, own, stretch, slip).spring for own in (at.memory[self.name]["limit"], limit)
        )
        return jnp.sum(0.5 * spring * (jnp.sum(before**2, axis=-1) - jnp.sum(after**2, axis=-1)))

    def gap(self, numbers: ContactNumbers, at: Any) -> Array:
        return self._touch(numbers, at).gap

    def report(self, numbers: ContactNumbers, at: Any) -> Mapping[str, Array]:
        """Per contact its smallest gap, the sums of its normal and of its tangential forces, and whether it touches and
        none of its samples slips (1, else 0)."""
        touch = self._touch(numbers, at)
        size = self._normal_force(numbers, touch)
        found: dict[str, Array] = {}
        for name in self.names:
            own = self._samples_of(name)
            found |= {f"{name}.gap": jnp.min(touch.gap[own]), f"{name}.normal_force": jnp.sum(size[own])}
        if numbers.rubbing is None:
            return found
        rubbing = friction(*self._slipping(numbers.rubbing, at, touch, size))
        along = jnp.sqrt(jnp.sum(rubbing.force**2, axis=-1))
        touching = touch.gap < 0.0
        for name in self.names:
            own = self._samples_of(name)
            sticking = jnp.any(touching[own]) & jnp.all(rubbing.sticks[own] | ~touching[own])
            found |= {
                f"{name}.tangential_force": jnp.sum(along[own]),
                f"{name}.sticking": jnp.where(sticking, 1.0, 0.0),
            }
        return found


def contact_kind(pair: Pair) -> tuple[str, float, bool]:
    """Pairs of which it is equal are evaluated together."""
    return pair.shape.kind, pair.plan.exponent, pair.plan.friction is not None


def contacts(name: str, pairs: Sequence[Pair]) -> Contacts:
    """Pairs of one kind. name: by which their memory is known."""
    frames = tuple(frame for pair in pairs for frame in pair.samples.frames)
    plan = pairs[0].plan
    return Contacts(
        name=name,
        surface=SURFACES[pairs[0].shape.kind],
        law=law_of(plan),
        rough=plan.friction is not None,
        pairs=tuple(pairs),
        frames=frames,
        places=places(frames),
        bases=places([pair.frame for pair in pairs]),
        owner=np.repeat(np.arange(len(pairs)), [len(pair.samples.frames) for pair in pairs]),
    )
