"""Samples against surfaces."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.interactions._contact_samples import Samples, SampleSet
from pliant.interactions._contract import Push
from pliant.interactions._places import Places, place_poses, taken_at
from pliant.interactions._touch import Lean, Marks, Rows, Touch
from pliant.lie import so3
from pliant.mechanics import Support, Surface, taken
from pliant.numerics import apply, apply_transposed, multiply


class _Sides(NamedTuple):
    """Poses (n, 4, 4) of the samples' frames and of the surfaces."""

    here: Array
    base: Array


class SurfaceNumbers(NamedTuple):
    """offset, base_offset: of samples and of surfaces (p, ...) in their rows; sizes of the surfaces, of every sample
    (n, ...) or of the one that is `alone`; points and radii of the samples (n, ...), and what reaches farther."""

    offset: Array | None
    base_offset: Array | None
    sizes: dict[str, Array]
    point: Array
    radius: Array
    support: Support | None


@dataclasses.dataclass(frozen=True, eq=False)
class SurfaceMeeting:
    """Samples at places against a surface of one kind on each of `bases`, whose numbers' paths are `sizes`: the same on
    all of them where the kind is `alone`. hollow: its inside; owner (n,): the base of each sample."""

    surface: Surface
    hollow: bool
    samples: tuple[SampleSet, ...]
    sizes: tuple[Mapping[str, str], ...]
    places: Places
    bases: Places
    owner: np.ndarray

    @property
    def count(self) -> int:
        return len(self.owner)

    @property
    def parts(self) -> tuple["SurfaceMeeting"]:
        return (self,)

    @property
    def _base_rows(self) -> np.ndarray:
        return self.bases.rows[self.owner]

    @property
    def rows(self) -> tuple[np.ndarray, ...]:
        return tuple(np.stack([self.places.rows, self._base_rows], axis=-1))

    def prepare(self, parameters: Mapping[str, Array]) -> SurfaceNumbers:
        samples = [own.prepare(parameters) for own in self.samples]
        sizes = [{name: parameters[path] for name, path in own.items()} for own in self.sizes]
        if not self.surface.alone:
            sizes = [{name: jnp.stack([own[name] for own in sizes])[self.owner] for name in sizes[0]}]
        return SurfaceNumbers(
            self.places.offset(parameters),
            self.bases.offset(parameters),
            sizes[0],
            jnp.concatenate([own.point for own in samples]),
            jnp.concatenate([own.radius for own in samples]),
            _supports(samples),
        )

    def one(self, numbers: SurfaceNumbers, index: Array) -> tuple["SurfaceMeeting", SurfaceNumbers]:
        owner = taken_at(self.owner.astype(np.uint32), index)

        def own(values: Any, where: Array) -> Any:
            return jax.tree.map(lambda value: taken_at(value, where), values)

        one = dataclasses.replace(
            self,
            samples=(),
            places=dataclasses.replace(self.places, rows=taken_at(self.places.rows.astype(np.uint32), index)),
            bases=dataclasses.replace(self.bases, rows=taken_at(self.bases.rows.astype(np.uint32), owner)),
            owner=np.zeros(1, dtype=int),
        )
        return one, SurfaceNumbers(
            own(numbers.offset, index),
            own(numbers.base_offset, owner),
            numbers.sizes if self.surface.alone else own(numbers.sizes, index),
            own(numbers.point, index),
            own(numbers.radius, index),
            own(numbers.support, index),
        )

    def seen(self, numbers: SurfaceNumbers, rows: Rows) -> Rows:
        return rows

    def touch(self, numbers: SurfaceNumbers, at: Rows) -> Touch:
        here = place_poses(at, self.places, numbers.offset)
        base = taken(place_poses(at, self.bases, numbers.base_offset), self.owner)
        turn = base[:, :3, :3]
        centre = apply(here[:, :3, :3], numbers.point) + here[:, :3, 3]
        local = apply_transposed(turn, centre - base[:, :3, 3])
        distance, normal = self._distance(numbers, local)
        gap, foot = distance - numbers.radius, -numbers.radius[:, None] * normal
        pull = None
        if numbers.support is not None:
            own = here[:, :3, :3]
            beyond, arm = numbers.support.reach(apply_transposed(own, apply(turn, -normal)))
            arm, gap = apply_transposed(turn, apply(own, arm)), gap - beyond
            # The point that reaches farthest: `arm` up to a shift along the normal.
            foot = foot + arm - (beyond + jnp.sum(arm * normal, axis=-1))[:, None] * normal
            pull = self._turning(numbers, local, arm)
        # Half-way between the two skins.
        place = centre + apply(turn, foot - (0.5 * gap)[:, None] * normal)
        velocity = past = turning = jnp.zeros_like(place)
        if at.moves:
            twist = taken_at(at.twists, self.places.rows) - taken_at(at.twists, self._base_rows)
            velocity, turning = _velocity(turn, twist, place), apply_transposed(turn, twist[:, :3])
            past = velocity if pull is None else _velocity(turn, twist, centre)
        along = apply_transposed(turn, here[:, :3, 2])
        lean = None if pull is None else Lean(pull, centre, past)
        return Touch(turn, gap, normal, place, velocity, along, _Sides(here, base), lean, turning)

    def _distance(self, numbers: SurfaceNumbers, local: Array) -> tuple[Array, Array]:
        distance, normal = self.surface.distance_and_normal(numbers.sizes, local)
        return (-distance, -normal) if self.hollow else (distance, normal)

    def _turning(self, numbers: SurfaceNumbers, local: Array, along: Array) -> Array:
        found = self.surface.turning(numbers.sizes, local, along)
        return -found if self.hollow else found

    def first_marks(self) -> dict[str, Array]:
        return {"own": jnp.zeros((self.count, 3)), "other": jnp.zeros((self.count, 3))}

    def marks(self, numbers: SurfaceNumbers, touch: Touch) -> dict[str, Array]:
        return {"own": _inside(touch.sides.here, touch.place), "other": _inside(touch.sides.base, touch.place)}

    def moved(self, numbers: SurfaceNumbers, touch: Touch, marks: Marks) -> Array:
        here, base = touch.sides
        return _inside(base, apply(here[:, :3, :3], marks["own"]) + here[:, :3, 3]) - marks["other"]

    def same(self, numbers: SurfaceNumbers, touch: Touch, marks: Marks) -> Array:
        return jnp.ones_like(touch.gap)

    def wrenches(self, numbers: SurfaceNumbers, touch: Touch, force: Array) -> Array:
        pressing = jnp.sum(force * touch.normal, axis=-1)
        force = apply(touch.axes, force)
        wrench = _wrench(touch.place, force)
        if touch.lean is not None:
            wrench = wrench + _wrench(touch.lean.centre, apply(touch.axes, pressing[:, None] * touch.lean.pull))
        return wrench

    def push(self, wrenches: Array) -> Push:
        return Push(np.concatenate([self.places.rows, self._base_rows]), jnp.concatenate([wrenches, -wrenches]))

    def first_orientation(self) -> dict[str, Array]:
        return {"orientation": jnp.broadcast_to(jnp.eye(3), (self.count, 3, 3))}

    def orientation(self, numbers: SurfaceNumbers, touch: Touch) -> dict[str, Array]:
        here, base = touch.sides
        return {"orientation": multiply(jnp.swapaxes(base[:, :3, :3], -1, -2), here[:, :3, :3])}

    def turned(self, numbers: SurfaceNumbers, touch: Touch, marks: Marks) -> Array:
        now = self.orientation(numbers, touch)["orientation"]
        return so3.log(multiply(now, jnp.swapaxes(marks["orientation"], -1, -2)))

    def twist(self, numbers: SurfaceNumbers, touch: Touch, moment: Array) -> Array:
        return jnp.concatenate([apply(touch.axes, moment), jnp.zeros_like(moment)], axis=-1)


def _inside(pose: Array, place: Array) -> Array:
    """Places (n, 3) in frames at poses (n, 4, 4)."""
    return apply_transposed(pose[:, :3, :3], place - pose[:, :3, 3])


def _velocity(turn: Array, twist: Array, place: Array) -> Array:
    """(n, 3) at places, in the axes `turn`."""
    return apply_transposed(turn, twist[:, 3:] + so3.cross(twist[:, :3], place))


def _wrench(place: Array, force: Array) -> Array:
    """(n, 6) of forces at places."""
    return jnp.concatenate([so3.cross(place, force), force], axis=-1)


def _supports(samples: Sequence[Samples]) -> Support | None:
    """The supports of all samples together; spheres reach no farther than their radius."""
    if all(own.support is None for own in samples):
        return None
    every = []
    for own in samples:
        none = jnp.zeros_like(own.point)
        every.append(own.support or Support(none, none, none[:, 0]))
    return jax.tree.map(lambda *parts: jnp.concatenate(parts), *every)
