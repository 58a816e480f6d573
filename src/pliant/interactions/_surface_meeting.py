"""Samples against surfaces."""

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.interactions._contact_samples import SampleSet
from pliant.interactions._contract import Push
from pliant.interactions._places import Places, place_poses
from pliant.interactions._touch import Marks, Touch
from pliant.lie import so3
from pliant.mechanics import Surface, taken
from pliant.numerics import apply, apply_transposed


class _Sides(NamedTuple):
    """Poses (n, 4, 4) of the samples' frames and of the surfaces."""

    here: Array
    base: Array


class SurfaceNumbers(NamedTuple):
    """offset, base_offset: of samples and of surfaces (p, ...) in their rows; sizes of the surfaces, of every sample
    (n, ...) or of the one that is `alone`; points and radii of the samples (n, ...)."""

    offset: Array | None
    base_offset: Array | None
    sizes: dict[str, Array]
    point: Array
    radius: Array


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
        )

    def touch(self, numbers: SurfaceNumbers, at: Any) -> Touch:
        here = place_poses(at, self.places, numbers.offset)
        base = taken(place_poses(at, self.bases, numbers.base_offset), self.owner)
        turn = base[:, :3, :3]
        centre = apply(here[:, :3, :3], numbers.point) + here[:, :3, 3]
        distance, normal = self.surface.distance_and_normal(
            numbers.sizes, apply_transposed(turn, centre - base[:, :3, 3])
        )
        if self.hollow:
            distance, normal = -distance, -normal
        # Half-way between the two skins.
        place = centre - apply(turn, (0.5 * (distance + numbers.radius))[:, None] * normal)
        velocity = jnp.zeros_like(place)
        if at.moves:
            twist = at.twists[self.places.rows] - at.twists[self._base_rows]
            velocity = apply_transposed(turn, twist[:, 3:] + so3.cross(twist[:, :3], place))
        along = apply_transposed(turn, here[:, :3, 2])
        return Touch(turn, distance - numbers.radius, normal, place, velocity, along, _Sides(here, base))

    def first_marks(self) -> dict[str, Array]:
        return {"own": jnp.zeros((self.count, 3)), "other": jnp.zeros((self.count, 3))}

    def marks(self, numbers: SurfaceNumbers, touch: Touch) -> dict[str, Array]:
        return {"own": _inside(touch.sides.here, touch.place), "other": _inside(touch.sides.base, touch.place)}

    def moved(self, numbers: SurfaceNumbers, at: Any, touch: Touch, marks: Marks) -> Array:
        here, base = touch.sides
        return _inside(base, apply(here[:, :3, :3], marks["own"]) + here[:, :3, 3]) - marks["other"]

    def same(self, numbers: SurfaceNumbers, touch: Touch, marks: Marks) -> Array:
        return jnp.ones_like(touch.gap)

    def push(self, numbers: SurfaceNumbers, touch: Touch, force: Array) -> Push:
        force = apply(touch.axes, force)
        wrench = jnp.concatenate([so3.cross(touch.place, force), force], axis=-1)
        return Push(np.concatenate([self.places.rows, self._base_rows]), jnp.concatenate([wrench, -wrench]))


def _inside(pose: Array, place: Array) -> Array:
    """Places (n, 3) in frames at poses (n, 4, 4)."""
    return apply_transposed(pose[:, :3, :3], place - pose[:, :3, 3])
