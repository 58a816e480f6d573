"""Springs and dampers between two places of a robot: along the line between two points, or in six components.

Ropes (which only pull) and soft contacts (which only push, along chosen directions) are springs that act on one side.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.blueprint import Spring, numbers
from pliant.interactions._contract import Drawing, Effort, Force, Port, Push
from pliant.interactions._places import Frame, Places, place_poses, place_twists, places, wrench_at
from pliant.interactions._ports import PortTable, port_table
from pliant.lie import se3
from pliant.mechanics import (
    beam_deformation,
    distance,
    power_law,
    power_law_dissipation,
    stacked,
    where_active,
)

_COMPONENTS = ("rotation_x", "rotation_y", "rotation_z", "x", "y", "z")
_UNITS = (("N m", "rad"),) * 3 + (("N", "m"),) * 3


@dataclasses.dataclass(frozen=True)
class SpringKind:
    """Static side of a spring.

    acts: per component always (0), only above rest (1), only below it (-1). initial: which rest values are those of the
    initial configuration. middle: the translation of a beam is measured half-way between its ends. driven: an input
    pushes its ends apart.
    """

    kind: str  # "axial" | "beam"
    acts: tuple[int, ...]
    initial: tuple[bool, ...]
    middle: bool
    driven: bool

    @property
    def components(self) -> int:
        return 1 if self.kind == "axial" else 6

    def measure(self, first: Array, second: Array) -> Array:
        """(n, c) length, or rotation and translation of the second frame seen from the first; poses (n, 4, 4)."""
        if self.kind == "axial":
            # Ends that coincide have no direction between them: there the spring does nothing.
            return distance(first[..., :3, 3], second[..., :3, 3])
        return beam_deformation(
            first[..., :3, :3], first[..., :3, 3], second[..., :3, :3], second[..., :3, 3], self.middle
        )

    def prepare(self, numbers: Mapping[str, Array], first: Array, second: Array) -> dict[str, Array]:
        """Numbers (n, c), the rest values completed by the initial poses (n, 4, 4) of the ends."""
        shape = (first.shape[0], self.components)
        own = {name: jnp.broadcast_to(value.reshape(shape[0], -1), shape) for name, value in numbers.items()}
        rest = own["rest"]
        if any(self.initial):
            rest = jnp.where(jnp.asarray(self.initial), self.measure(first, second), rest)
        return {**own, "rest": rest * own["ratio"]}

    def elastic(self, numbers: Mapping[str, Array], excess: Array) -> Array:
        """(n, c) force that opposes the deformation beyond rest."""
        return where_active(numbers["stiffness"] * excess, excess, self.acts, at_rest=True)

    def damping(self, numbers: Mapping[str, Array], excess: Array, rate: Array) -> Array:
        """(n, c) force that opposes the rate of deformation."""
        return where_active(power_law(numbers["damping"], rate, numbers["power"]), excess, self.acts)

    def energy(self, numbers: Mapping[str, Array], excess: Array) -> Array:
        """(n, c) [J]."""
        return 0.5 * where_active(numbers["stiffness"] * excess**2, excess, self.acts, at_rest=True)

    def dissipation(self, numbers: Mapping[str, Array], excess: Array, rate: Array) -> Array:
        """(n, c) Rayleigh function [W]."""
        return where_active(power_law_dissipation(numbers["damping"], rate, numbers["power"]), excess, self.acts)


@dataclasses.dataclass(frozen=True, eq=False)
class Springs(Force):
    """Springs of one kind between frames, `ends`: their first frames, then their second frames."""

    kind: SpringKind
    names: tuple[str, ...]
    paths: tuple[Mapping[str, str], ...]  # name of a number -> its parameter, per spring
    frames: tuple[Frame, ...]
    ends: Places
    table: PortTable | None  # of the inputs that push the ends apart

    @property
    def ports(self) -> tuple[Port, ...]:
        return () if self.table is None else self.table.ports

    @property
    def efforts(self) -> tuple[Effort, ...]:
        if self.table is None:
            return ()
        if self.kind.components == 1:
            return tuple(Effort(name, "N", "m") for name in self.names)
        return tuple(
            Effort(f"{name}.{component}", *units)
            for name in self.names
            for component, units in zip(_COMPONENTS, _UNITS, strict=True)
        )

    @property
    def coupled_rows(self) -> tuple[np.ndarray, ...]:
        return tuple(self.ends.rows.reshape(2, -1).T)

    @property
    def gap_count(self) -> int:
        return len(self.names) * int(np.count_nonzero(self.kind.acts))

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        first, second = self.frames[: len(self.names)], self.frames[len(self.names) :]
        ends = zip(self.names, first, second, strict=True)
        return tuple(Drawing("line", name, "spring", tuple(pair), value=f"{name}.force") for name, *pair in ends)

    def prepare(self, parameters: Mapping[str, Array], start: Callable[[], Any]) -> Any:
        """Rest values that are to be found are those of the initial configuration."""
        count = len(self.names)
        ends = jnp.broadcast_to(jnp.eye(4), (2 * count, 4, 4))
        if any(self.kind.initial):
            ends = start().frames(self.frames)
        numbers = {name: stacked([own[name] for own in self.paths], parameters) for name in self.paths[0]}
        return SpringNumbers(
            self.kind.prepare(numbers, ends[:count], ends[count:]),
            self.ends.offset(parameters),
            None if self.table is None else self.table.prepare(parameters),
        )

    def _stretch(self, numbers: "SpringNumbers", at: Any) -> "_Stretch":
        count, kind = len(self.names), self.kind
        poses = place_poses(at, self.ends, numbers.offset)

        def excess(twists: Array) -> Array:
            moved = poses + poses @ se3.hat(twists)
            return kind.measure(moved[:count], moved[count:]) - numbers.own["rest"]

        return _Stretch(poses, excess, jnp.zeros((2 * count, 6)))

    def _excess(self, numbers: "SpringNumbers", at: Any) -> Array:
        """(n, c) deformation beyond rest."""
        poses, count = place_poses(at, self.ends, numbers.offset), len(self.names)
        return self.kind.measure(poses[:count], poses[count:]) - numbers.own["rest"]

    def _rate(self, stretch: "_Stretch", at: Any) -> Array:
        """(n, c) rate of the deformation."""
        twists = place_twists(at, self.ends, stretch.poses)
        return jax.jvp(stretch.excess, (stretch.still,), (twists,))[1]

    def energy(self, numbers: "SpringNumbers", at: Any) -> Array:
        return jnp.sum(self.kind.energy(numbers.own, self._excess(numbers, at)))

    def dissipation(self, numbers: "SpringNumbers", at: Any) -> Array:
        stretch = self._stretch(numbers, at)
        return jnp.sum(self.kind.dissipation(numbers.own, stretch.excess(stretch.still), self._rate(stretch, at)))

    def loss(self, numbers: "SpringNumbers", at: Any) -> Array:
        stretch = self._stretch(numbers, at)
        rate = self._rate(stretch, at)
        return jnp.sum(rate * self.kind.damping(numbers.own, stretch.excess(stretch.still), rate))

    def resists(self, numbers: "SpringNumbers", at: Any) -> Push:
        """By virtual work on the deformation, which is shorter than the gradient of the energy by all rows."""
        stretch = self._stretch(numbers, at)
        excess, pullback = jax.vjp(stretch.excess, stretch.still)
        stress = self.kind.elastic(numbers.own, excess)
        if at.moves:
            stress = stress + self.kind.damping(numbers.own, excess, self._rate(stretch, at))
        return Push(self.ends.rows, -wrench_at(stretch.poses, pullback(stress)[0]))

    def gap(self, numbers: "SpringNumbers", at: Any) -> Array:
        """How far the components that act on one side only are from acting."""
        sides = np.array(self.kind.acts)
        return -(self._excess(numbers, at) * sides)[:, sides != 0].reshape(-1)

    def effort(self, numbers: "SpringNumbers", at: Any, unknowns: Array | None = None) -> Array:
        if self.table is None:
            return jnp.zeros(0)
        return at.load_factor * self.table.values(numbers.programmes, at).reshape(-1)

    def travel(self, numbers: "SpringNumbers", at: Any) -> Array:
        """The deformation itself, not that beyond rest."""
        if self.table is None:
            return jnp.zeros(0)
        return (self._excess(numbers, at) + numbers.own["rest"]).reshape(-1)

    def drive(self, numbers: "SpringNumbers", at: Any, effort: Array) -> Push:
        stretch = self._stretch(numbers, at)
        excess, pullback = jax.vjp(stretch.excess, stretch.still)
        return Push(self.ends.rows, wrench_at(stretch.poses, pullback(effort.reshape(excess.shape))[0]))


class SpringNumbers(NamedTuple):
    """own: the numbers (n, c) of the springs by name; offset: of their ends; programmes: of their inputs."""

    own: dict[str, Array]
    offset: Array | None
    programmes: Any


class _Stretch(NamedTuple):
    """Poses (2 n, 4, 4) of the ends, and their deformation beyond rest after small body twists (2 n, 6)."""

    poses: Array
    excess: Callable[[Array], Array]
    still: Array


def springs(
    kind: SpringKind,
    plans: Sequence[Spring],
    frames: Sequence[tuple[Frame, Frame]],
    shapes: Mapping[str, tuple[int, ...]],
) -> Springs:
    """Springs of one kind. frames: both ends of each."""
    ends = (*(first for first, _ in frames), *(second for _, second in frames))
    names = tuple(plan.name for plan in plans)
    table = None
    if kind.driven:
        shape, unit = ((), "N") if kind.components == 1 else ((6,), "N m, N")
        about = "force that pushes the ends of a spring apart"
        table = port_table([Port(plan.name, shape, unit, about, programme=plan.input) for plan in plans], shapes)
    paths = tuple(numbers(plan) for plan in plans)
    return Springs("springs", kind, names, paths, ends, places(ends), table)
