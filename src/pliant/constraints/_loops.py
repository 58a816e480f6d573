"""Closed loops of a robot: joints or held directions between two frames, at rest, following a programme, or led there
by a controller (TMTDyn Eq. 41 with the signs that converge)."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.blueprint import Loop, Programme
from pliant.constraints._contract import Constraint, Rates
from pliant.constraints._loop_kinds import LoopKind
from pliant.interactions import Drawing, Frame, Places, Push, place_poses, place_twists, places, wrench_at
from pliant.lie import se3
from pliant.mechanics import ProgrammeTable, axis_vector, programme_table, stacked, two_rates
from pliant.numerics import apply


class LoopNumbers(NamedTuple):
    """own: axes of the joints, stacked; offset: of the ends; follow: of the programmes; gains (3, n) and asked: of a
    controller."""

    own: Any
    offset: Array | None
    follow: Any
    gains: Array | None
    asked: Any


@dataclasses.dataclass(frozen=True, eq=False)
class Loops(Constraint):
    """Loops of one kind. ends: their first frames, then their second; follow: programmes of where the directions shall
    be, None: at zero; gains: paths of a controller's three gains per loop, None: held exactly; asked: programmes of the
    acceleration it is asked for; actuators: which keep them, one for each row; empty: an ideal reaction."""

    kind: LoopKind
    frames: tuple[Frame, ...]
    ends: Places
    paths: tuple[tuple[tuple[str, str], ...], ...]
    follow: ProgrammeTable | None
    gains: tuple[tuple[str, str, str], ...] | None
    asked: ProgrammeTable | None
    actuators: tuple[str, ...]

    @property
    def units(self) -> tuple[str, ...]:
        return tuple("m" if length else "rad" for length in self.kind.is_length) * len(self.names)

    @property
    def programmes(self) -> tuple[Programme, ...]:
        return tuple(p for table in (self.follow, self.asked) if table is not None for p in table.programmes)

    @property
    def prescribes(self) -> bool:
        return self.follow is not None or self.led

    @property
    def led(self) -> bool:
        return self.gains is not None

    @property
    def through(self) -> Mapping[str, int]:
        return {name: row for row, name in enumerate(self.actuators)}

    @property
    def coupled_rows(self) -> tuple[np.ndarray, ...]:
        return tuple(self.ends.rows.reshape(2, -1).T)

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        count = len(self.names)
        ends = zip(self.names, self.frames[:count], self.frames[count:], strict=True)
        return tuple(Drawing("point", name, "loop", tuple(pair), value=f"reaction_{name}") for name, *pair in ends)

    def prepare(self, parameters: Mapping[str, Array]) -> LoopNumbers:
        own: Any = {}
        if self.paths[0]:
            columns = {
                name: _column(name, [paths[index][1] for paths in self.paths], parameters)
                for index, (name, _) in enumerate(self.paths[0])
            }
            own = jax.vmap(self.kind.prepare)(columns)
        gains = None
        if self.gains is not None:
            gains = jnp.stack([stacked(paths, parameters) for paths in zip(*self.gains, strict=True)])
        return LoopNumbers(
            own,
            self.ends.offset(parameters),
            None if self.follow is None else self.follow.prepare(parameters),
            gains,
            None if self.asked is None else self.asked.prepare(parameters),
        )

    def _rows(self, numbers: LoopNumbers, poses: Array) -> Array:
        """(n, rows) of poses (2 n, 4, 4) of the ends."""
        count = len(self.names)
        return jax.vmap(self.kind.residual)(numbers.own, poses[:count], poses[count:])

    def _goal(self, numbers: LoopNumbers, t: Array) -> Array:
        return jnp.zeros(()) if self.follow is None else self.follow.values(numbers.follow, t)

    def values(self, numbers: LoopNumbers, at: Any) -> Array:
        found = self._rows(numbers, place_poses(at, self.ends, numbers.offset))
        found = found if self.follow is None else found - self._goal(numbers, at.t)
        return found.reshape(-1)

    def rates(self, numbers: LoopNumbers, at: Any, a: Array, acceleration: Array) -> Rates:
        poses = place_poses(at, self.ends, numbers.offset)
        twist = place_twists(at, self.ends, poses)
        change = apply(se3.adjoint_inverse(poses), acceleration[self.ends.rows])
        hat = se3.hat(twist)
        bend = hat @ hat + se3.hat(change)

        def after(time: Array) -> Array:
            # Right to second order: all that two derivatives at zero ask for.
            return self._rows(numbers, poses + poses @ (time * hat + 0.5 * time**2 * bend))

        found = two_rates(after, jnp.zeros(()))
        if self.follow is not None:
            goal = two_rates(lambda t: self._goal(numbers, t), at.t)
            found = tuple(own - wanted for own, wanted in zip(found, goal, strict=True))  # type: ignore[assignment]
        value, first, second = found
        if numbers.gains is not None:
            second = second + self._law(numbers, at, value, first)
        return Rates(*(part.reshape(-1) for part in (value, first, second)))

    def _law(self, numbers: LoopNumbers, at: Any, value: Array, first: Array) -> Array:
        """(n, rows) what a controller adds to the second rate of the error: its gains, less the acceleration asked."""
        assert numbers.gains is not None
        proportional, derivative, integral = numbers.gains[:, :, None]
        law = derivative * first + proportional * value
        if any(f"{name}.integral" in at.inputs for name in self.names):
            nothing = jnp.zeros(self.rows[0])
            summed = jnp.stack([jnp.asarray(at.inputs.get(f"{name}.integral", nothing)) for name in self.names])
            law = law + integral * summed
        return law if self.asked is None else law - self.asked.values(numbers.asked, at.t)

    def _wrenches(self, numbers: LoopNumbers, at: Any, multipliers: Array) -> tuple[Array, Array]:
        """Poses (2 n, 4, 4) of the ends and body wrenches (2 n, 6) on them."""
        poses = place_poses(at, self.ends, numbers.offset)
        found, pullback = jax.vjp(
            lambda twists: self._rows(numbers, poses + poses @ se3.hat(twists)), jnp.zeros((len(poses), 6))
        )
        return poses, pullback(multipliers.reshape(found.shape))[0]

    def push(self, numbers: LoopNumbers, at: Any, multipliers: Array) -> Push:
        return Push(self.ends.rows, wrench_at(*self._wrenches(numbers, at, multipliers)))

    def reactions(self, numbers: LoopNumbers, at: Any, multipliers: Array) -> dict[str, Array]:
        _, wrench = self._wrenches(numbers, at, multipliers)
        return dict(zip(self.names, wrench[len(self.names) :], strict=True))

    def gap_words(self, rows: np.ndarray) -> str:
        lengths = np.array(self.kind.is_length)
        gap, tilt = np.linalg.norm(rows[lengths]), np.linalg.norm(rows[~lengths])
        return f"open by {1e3 * gap:.4g} mm and {np.degrees(tilt):.4g} deg"


def _column(name: str, refs: Sequence[str], parameters: Mapping[str, Array]) -> Array:
    """(n, ...) numbers by path, or vectors of axes, which are named or numbers too."""
    if name.startswith("axis"):
        return jnp.stack([axis_vector(ref, parameters) for ref in refs])
    return stacked(refs, parameters)


def loops(
    kind: LoopKind,
    plans: Sequence[Loop],
    frames: Sequence[tuple[Frame, Frame]],
    paths: Sequence[tuple[tuple[str, str], ...]],
    shapes: Mapping[str, tuple[int, ...]],
) -> Loops:
    """Loops of one kind, all held, all following or all led. frames: both ends of each; paths: of their axes."""
    ends = (*(first for first, _ in frames), *(second for _, second in frames))
    controls = [plan.control for plan in plans if plan.control is not None]
    size = len(kind.rows)

    def table(programmes: Sequence[Any]) -> ProgrammeTable | None:
        return None if programmes[0] is None else programme_table(programmes, (size,), shapes)

    gains = asked = None
    if controls:
        gains = tuple((c.proportional, c.derivative, c.integral) for c in controls)
        asked = table([control.acceleration for control in controls])
    return Loops(
        names=tuple(plan.name for plan in plans),
        rows=(size,) * len(plans),
        kind=kind,
        frames=ends,
        ends=places(ends),
        paths=tuple(paths),
        follow=table([plan.follow for plan in plans]),
        gains=gains,
        asked=asked,
        actuators=tuple(name for plan in plans for name in plan.through or ()),
    )
