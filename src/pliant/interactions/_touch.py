"""Where samples touch at one instant, what is remembered of it, and what a force there does to both sides."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.interactions._contract import Push


class Rows(NamedTuple):
    """Rows of the tree at one instant, as far as touches depend on them: rotations (R + 1, 3, 3), places (R + 1, 3)
    and twists (R + 1, 6), which are None at rest."""

    rotation: Array
    position: Array
    twists: Array | None

    @property
    def moves(self) -> bool:
        return self.twists is not None


def rows_at(at: Any) -> Rows:
    """The rows of an evaluation."""
    return Rows(at.rotation, at.position, at.twists if at.moves else None)


class Lean(NamedTuple):
    """What follows from a sample that is no sphere: when its centre moves past a curved surface it turns another of its
    points towards it. pull (n, 3): what acts at the centre beside a normal force of 1, in the axes of the touch;
    centre, velocity (n, 3): from the common point, and past the other side in those axes."""

    pull: Array
    centre: Array
    velocity: Array


class Touch(NamedTuple):
    """Of samples (n,): axes (n, 3, 3) in the world that turn with what touches; gaps; normals towards the samples,
    velocities past the other side and directions of rods (n, 3) in those axes; the places of contact from the common
    point. At rest there is no velocity. sides: what the meeting knows of both sides; lean: None where all samples are
    spheres; turning (n, 3): angular velocity past the other side, in those axes, where it is known."""

    axes: Array
    gap: Array
    normal: Array
    place: Array
    velocity: Array
    along: Array
    sides: Any
    lean: Lean | None = None
    turning: Array | None = None

    @property
    def closing(self) -> Array:
        """(n,) rate of the penetration."""
        rate = -jnp.sum(self.normal * self.velocity, axis=-1)
        return rate if self.lean is None else rate - jnp.sum(self.lean.pull * self.lean.velocity, axis=-1)

    @property
    def touching(self) -> Array:
        """(n,) 1 where there is a penetration, else 0."""
        return jnp.where(self.gap < 0.0, 1.0, 0.0)

    def tangential(self, vector: Array) -> Array:
        return vector - jnp.sum(self.normal * vector, axis=-1)[:, None] * self.normal


Marks = Mapping[str, Array]


class Meeting(Protocol):
    """Samples of one side, and what they may touch. `numbers` are what `prepare` returns."""

    @property
    def count(self) -> int:
        """How many samples there are."""
        ...

    @property
    def rows(self) -> tuple[np.ndarray, ...]:
        """Sets of rows of which a force depends on the motion of all."""
        ...

    @property
    def parts(self) -> tuple["MeetingPart", ...]:
        """Those that it consists of: itself, if of no others."""
        ...

    def prepare(self, parameters: Mapping[str, Array]) -> Any: ...
    def seen(self, numbers: Any, rows: Rows) -> Any:
        """What all samples have in common at one instant."""
        ...

    def touch(self, numbers: Any, seen: Any) -> Touch: ...
    def first_marks(self) -> dict[str, Array]: ...
    def marks(self, numbers: Any, touch: Touch) -> dict[str, Array]:
        """The material points that touch, to be remembered."""
        ...

    def moved(self, numbers: Any, touch: Touch, marks: Marks) -> Array:
        """(n, 3) by how much the points that are remembered have moved apart, in the axes of the touch."""
        ...

    def same(self, numbers: Any, touch: Touch, marks: Marks) -> Array:
        """(n,) 1 where a sample still touches what it remembers, else 0."""
        ...

    def wrenches(self, numbers: Any, touch: Touch, force: Array) -> Any:
        """What forces (n, 3) on the samples, in the axes of the touch, do to both sides, sample by sample."""
        ...

    def push(self, wrenches: Any) -> Push:
        """What all these do together."""
        ...


class MeetingPart(Meeting, Protocol):
    """Which consists of no others."""

    def one(self, numbers: Any, index: Array) -> tuple[Meeting, Any]:
        """One sample alone, and its numbers. index (1,): unsigned, known only when a program runs."""
        ...


class TurningMeeting(Meeting, Protocol):
    """Whose sides are told to turn against each other."""

    def first_orientation(self) -> dict[str, Array]: ...
    def orientation(self, numbers: Any, touch: Touch) -> dict[str, Array]:
        """How the sides are turned against each other, to be remembered."""
        ...

    def turned(self, numbers: Any, touch: Touch, marks: Marks) -> Array:
        """(n, 3) rotation vectors by which they have turned since, in the axes of the touch."""
        ...

    def twist(self, numbers: Any, touch: Touch, moment: Array) -> Any:
        """What moments (n, 3) on the samples, in the axes of the touch, do to both sides, sample by sample."""
        ...


class Meetings:
    """Several side by side, their samples one after the other."""

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts: tuple[Any, ...] = tuple(parts)
        ends = np.cumsum([part.count for part in self.parts])
        self.spans = tuple(slice(end - part.count, end) for part, end in zip(self.parts, ends.tolist(), strict=True))

    @property
    def count(self) -> int:
        return sum(part.count for part in self.parts)

    @property
    def rows(self) -> tuple[np.ndarray, ...]:
        return tuple(rows for part in self.parts for rows in part.rows)

    def prepare(self, parameters: Mapping[str, Array]) -> tuple[Any, ...]:
        return tuple(part.prepare(parameters) for part in self.parts)

    def seen(self, numbers: Any, rows: Rows) -> tuple[Any, ...]:
        return tuple(part.seen(own, rows) for part, own in zip(self.parts, numbers, strict=True))

    def touch(self, numbers: Any, seen: Any) -> Touch:
        found = [part.touch(own, its) for part, own, its in zip(self.parts, numbers, seen, strict=True)]
        if any(touch.lean is not None for touch in found):
            found = [touch if touch.lean is not None else touch._replace(lean=_upright(touch)) for touch in found]
        whole = joined([touch._replace(sides=()) for touch in found])
        return whole._replace(sides=tuple(touch.sides for touch in found))

    def _each(self, numbers: Any, touch: Touch) -> list[tuple[Any, slice, Any, Touch]]:
        own = zip(self.parts, self.spans, numbers, touch.sides, strict=True)
        bare = touch._replace(sides=())
        return [
            (part, span, given, jax.tree.map(lambda value, s=span: value[s], bare)._replace(sides=sides))
            for part, span, given, sides in own
        ]

    def first_marks(self) -> dict[str, Array]:
        return joined([part.first_marks() for part in self.parts])

    def marks(self, numbers: Any, touch: Touch) -> dict[str, Array]:
        return joined([part.marks(given, own) for part, _, given, own in self._each(numbers, touch)])

    def moved(self, numbers: Any, touch: Touch, marks: Marks) -> Array:
        return joined(
            [
                part.moved(given, own, {name: value[span] for name, value in marks.items()})
                for part, span, given, own in self._each(numbers, touch)
            ]
        )

    def same(self, numbers: Any, touch: Touch, marks: Marks) -> Array:
        return joined(
            [
                part.same(given, own, {name: value[span] for name, value in marks.items()})
                for part, span, given, own in self._each(numbers, touch)
            ]
        )

    def wrenches(self, numbers: Any, touch: Touch, force: Array) -> tuple[Any, ...]:
        return tuple(part.wrenches(given, own, force[span]) for part, span, given, own in self._each(numbers, touch))

    def push(self, wrenches: Any) -> Push:
        return together([part.push(own) for part, own in zip(self.parts, wrenches, strict=True)])

    def first_orientation(self) -> dict[str, Array]:
        return joined([part.first_orientation() for part in self.parts])

    def orientation(self, numbers: Any, touch: Touch) -> dict[str, Array]:
        return joined([part.orientation(given, own) for part, _, given, own in self._each(numbers, touch)])

    def turned(self, numbers: Any, touch: Touch, marks: Marks) -> Array:
        return joined(
            [
                part.turned(given, own, {name: value[span] for name, value in marks.items()})
                for part, span, given, own in self._each(numbers, touch)
            ]
        )

    def twist(self, numbers: Any, touch: Touch, moment: Array) -> tuple[Any, ...]:
        return tuple(part.twist(given, own, moment[span]) for part, span, given, own in self._each(numbers, touch))


def together(pushes: Sequence[Push]) -> Push:
    """Several pushes by wrenches."""
    rows = np.concatenate([push.rows for push in pushes if push.rows is not None])
    return Push(rows, jnp.concatenate([push.wrench for push in pushes if push.wrench is not None]))


def _upright(touch: Touch) -> Lean:
    """The lean of samples that are spheres: none."""
    none = jnp.zeros_like(touch.place)
    return Lean(none, touch.place, none)


def joined(trees: Sequence[Any]) -> Any:
    """Trees of arrays, one after the other along their first dimension."""
    return trees[0] if len(trees) == 1 else jax.tree.map(lambda *own: jnp.concatenate(own), *trees)
