"""The static side of a compiled robot: who hangs on whom, and where each number lives."""

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np
from jax import Array

from pliant.blueprint import Analysis, Blueprint, Initial, ParameterInfo, Programme
from pliant.constraints import Constraint
from pliant.elements import Element, RigidBody, Rod
from pliant.interactions import Effort, Force, Frame, Port, drives
from pliant.mechanics import Chain
from pliant.model._tree import Tree

NumberPaths = tuple[tuple[str, str], ...]  # (name inside the element, parameter path)
# Parameters of the moment from all parameters, the mean stretch of every rod by name, and time; only changes return.
Update = Callable[[Mapping[str, Array], Mapping[str, Array], Array], Mapping[str, Array]]


@dataclasses.dataclass(frozen=True, eq=False)
class Member:
    """One element of one link, with the row it hangs on (0 is the world) and the offset between."""

    link: str
    element: Element
    numbers: NumberPaths
    q_start: int
    v_start: int
    parent_row: int
    chain: Chain
    update: bool = False  # whether a rod's stiffness follows its mean stretch


@dataclasses.dataclass(frozen=True, eq=False)
class Group:
    """Members with the same element, evaluated together: rows [row_start, row_start + n P m) of the tree."""

    element: Element
    members: tuple[Member, ...]
    row_start: int

    @property
    def rod(self) -> Rod | None:
        """The element where it is a rod."""
        return cast(Rod, self.element) if self.element.is_rod else None

    @functools.cached_property
    def q_index(self) -> np.ndarray:
        return np.array([np.arange(m.q_start, m.q_start + self.element.nq) for m in self.members])

    @functools.cached_property
    def v_index(self) -> np.ndarray:
        return np.array([np.arange(m.v_start, m.v_start + self.element.nv) for m in self.members])

    @property
    def segment_count(self) -> int:
        return len(self.members) * self.element.segments

    @property
    def width(self) -> int:
        """Velocities per segment."""
        return self.element.nv // self.element.segments

    @property
    def row_count(self) -> int:
        return self.segment_count * self.element.rows_per_segment

    def holds(self, rows: np.ndarray) -> bool:
        """Whether one of these rows is of this group."""
        return bool(np.any((rows >= self.row_start) & (rows < self.row_start + self.row_count)))

    @property
    def rows(self) -> slice:
        """Rows of this group in arrays that leave the world out."""
        return slice(self.row_start - 1, self.row_start - 1 + self.row_count)


@dataclasses.dataclass(frozen=True, eq=False)
class Body:
    """A rigid link's body."""

    link: str
    body: RigidBody
    numbers: NumberPaths
    row: int
    chain: Chain


@dataclasses.dataclass(frozen=True, eq=False)
class Link:
    """How the generic path walks the robot: parent, place on it, offsets, then joint and rod (either may be absent)."""

    name: str
    parent: int | None
    at: float | None
    offsets: Chain
    joint: Member | None
    rod: Member | None
    body: int | None


@dataclasses.dataclass(frozen=True, eq=False)
class Structure:
    """Everything about a robot that is not a number. Equal texts, shapes of parameters and user code give equal
    structures, so a robot that is compiled twice shares its traced functions."""

    text: str
    shapes: tuple[tuple[str, tuple[int, ...]], ...]  # of the parameters, by path
    name: str
    nq: int
    nv: int
    links: tuple[Link, ...]
    groups: tuple[Group, ...]
    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...]
    nodes: tuple[Frame, ...]
    node_fractions: tuple[float, ...]
    interactions: tuple[Force, ...]  # what acts on the robot, kind by kind
    constraints: tuple[Constraint, ...]  # what ties it down, kind by kind
    actuator_names: tuple[str, ...]
    load_ports: tuple[str, ...]
    gravity: Programme
    extras: tuple[Force, ...]  # those of the interactions that are a user's
    bases: tuple[Any, ...]
    rods: tuple[Any, ...]  # rod models that are a user's
    initial: tuple[Initial, ...]
    analyses: tuple[Analysis, ...]  # settings, not part of `text`: changing one traces nothing anew
    tree: Tree
    blueprint: Blueprint  # what it was built from
    update: Update | None = None

    @functools.cached_property
    def _key(self) -> tuple[Any, ...]:
        return self.text, self.shapes, self.extras, self.bases, self.rods, self.update

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Structure) and (self is other or self._key == other._key)

    @property
    def members(self) -> tuple[Member, ...]:
        return tuple(member for group in self.groups for member in group.members)

    @functools.cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        members = sorted(self.members, key=lambda member: member.q_start)
        return tuple(f"{member.link}.{name}" for member in members for name in member.element.coordinate_names())

    @functools.cached_property
    def velocity_names(self) -> tuple[str, ...]:
        members = sorted(self.members, key=lambda member: member.v_start)
        return tuple(f"{member.link}.{name}" for member in members for name in member.element.velocity_names())

    @property
    def moves_poses(self) -> bool:
        """Whether coordinates are poses instead of strains (`Element.moves_poses`) somewhere."""
        return any(group.element.moves_poses for group in self.groups)

    @property
    def parts(self) -> tuple[Force | Constraint, ...]:
        """What acts on the robot and what ties it down."""
        return (*self.interactions, *self.constraints)

    @functools.cached_property
    def ports(self) -> dict[str, Port]:
        """Everything that may come from outside, by name: of actuators, of loads, of a user's forces."""
        found = {port.name: port for part in self.parts for port in part.ports}
        ports = {name: found.pop(name) for name in (*self.actuator_names, *self.load_ports)} | found
        limits = self.port_limits
        return {
            name: dataclasses.replace(port, low=limits[name].low, high=limits[name].high) if name in limits else port
            for name, port in ports.items()
        }

    @functools.cached_property
    def port_limits(self) -> dict[str, ParameterInfo]:
        """What is legal at the ports whose values are limited: as the robot language says, or a user's force."""
        found = {}
        for port in (port for part in self.parts for port in part.ports):
            own = ParameterInfo(port.shape, port.unit, port.about, port.low, port.high)
            if port.programme is not None and port.programme.level_path in self.blueprint.parameters:
                told = self.blueprint.parameters[port.programme.level_path]
                own = dataclasses.replace(told, shape=own.shape, unit=own.unit, meaning=own.meaning)
            if own.low > -np.inf or own.high < np.inf:
                found[port.name] = own
        return found

    @functools.cached_property
    def efforts(self) -> dict[str, tuple[Effort, ...]]:
        """Per actuator, in the order of their names, the numbers with which it acts."""
        found = [effort for part in self.parts for effort in part.efforts]
        return {
            name: tuple(effort for effort in found if drives(self.ports[name], effort)) for name in self.actuator_names
        }

    @functools.cached_property
    def reported(self) -> dict[str, str]:
        """Figures that interactions report, and their units."""
        return {name: unit for kind in self.interactions for name, unit in kind.reported.items()}

    @functools.cached_property
    def programmes(self) -> tuple[Programme, ...]:
        """All that the robot does in time by itself."""
        return (self.gravity, *(programme for part in self.parts for programme in part.programmes))

    @functools.cached_property
    def constraint_slices(self) -> dict[str, slice]:
        """Rows of each constraint, by name, in the vector of constraints."""
        slices: dict[str, slice] = {}
        start = 0
        for kind in self.constraints:
            slices |= {name: slice(start + own.start, start + own.stop) for name, own in kind.slices.items()}
            start += kind.count
        return slices

    @functools.cached_property
    def constraint_kinds(self) -> dict[str, Constraint]:
        """The kind of each constraint, by its name."""
        return {name: kind for kind in self.constraints for name in kind.names}

    @property
    def constraint_count(self) -> int:
        return sum(kind.count for kind in self.constraints)

    @property
    def unknown_count(self) -> int:
        """Forces that statics finds with the configuration: of constraints, then of interactions."""
        return self.constraint_count + sum(interaction.unknowns for interaction in self.interactions)

    @property
    def has_gaps(self) -> bool:
        """Whether anything acts on one side only, so that steps have to land where it begins to."""
        elements = any(group.element.gap_count for group in self.groups)
        return elements or any(kind.gap_count for kind in self.interactions)

    @property
    def softens(self) -> bool:
        """Whether statics is helped by softer contacts on the way."""
        return any(kind.softens for kind in self.interactions)

    @property
    def adds_inertia(self) -> bool:
        """Whether an interaction has inertia."""
        return any(kind.adds_inertia for kind in self.interactions)

    @property
    def prescribes(self) -> bool:
        """Whether a joint or a loop is moved as a programme or a controller says, which takes work."""
        return any(kind.prescribes for kind in self.constraints)

    @functools.cached_property
    def walked(self) -> tuple[str, ...]:
        """Ports that go from where the robot stands to where it shall be while its loads grow."""
        return tuple(name for name, port in self.ports.items() if port.walked)

    @functools.cached_property
    def worked(self) -> dict[str, int]:
        """Actuators that work for a constraint: name -> the row whose multiplier is the effort."""
        rows: dict[str, int] = {}
        start = 0
        for kind in self.constraints:
            rows |= {name: start + row for name, row in kind.through.items()}
            start += kind.count
        return rows

    @functools.cached_property
    def led(self) -> dict[str, slice]:
        """Per constraint that a controller leads: its rows among all such rows."""
        slices: dict[str, slice] = {}
        start = 0
        for kind in self.constraints:
            if kind.led:
                slices |= {name: slice(start + own.start, start + own.stop) for name, own in kind.slices.items()}
                start += kind.count
        return slices

    @functools.cached_property
    def held(self) -> np.ndarray | None:
        """(m,) 1 for rows that are held exactly, 0 for those that a controller leads; None when all are held."""
        if not self.led:
            return None
        return np.concatenate([np.full(kind.count, 0.0 if kind.led else 1.0) for kind in self.constraints])

    def frame_index(self, name: str) -> int:
        for index, frame in enumerate(self.frames):
            if frame.name == name:
                return index
        known = ", ".join(frame.name for frame in self.frames)
        raise KeyError(f"robot {self.name!r} has no frame {name!r}; its frames are: {known}")
