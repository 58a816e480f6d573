"""The static side of a compiled robot: who hangs on whom, and where each number lives."""

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from jax import Array

from pliant.elements import Element, RigidBody
from pliant.interactions import (
    Actuator,
    DistributedLoad,
    Force,
    JointActuator,
    LoopKind,
    PathActuator,
    PointLoad,
    Routes,
    SpringKind,
    StressActuator,
)
from pliant.model._offsets import Offset
from pliant.model._tree import Tree

Chain = tuple[Offset, ...]
Numbers = tuple[tuple[str, str], ...]  # (name inside the element, parameter path)
# Parameters of the moment from all parameters, the mean stretch of every rod by name, and time; only changes return.
Update = Callable[[Mapping[str, Array], Mapping[str, Array], Array], Mapping[str, Array]]


@dataclasses.dataclass(frozen=True, eq=False)
class Member:
    """One element of one link, with the row it hangs on (0 is the world) and the offset between."""

    link: str
    element: Element
    numbers: Numbers
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

    @property
    def rows(self) -> slice:
        """Rows of this group in arrays that leave the world out."""
        return slice(self.row_start - 1, self.row_start - 1 + self.row_count)


@dataclasses.dataclass(frozen=True, eq=False)
class Frame:
    """A frame fixed to the end of a row; `where` says the same in the words of the file (docs/blueprint.md)."""

    name: str
    row: int
    chain: Chain
    where: Mapping[str, Any]


@dataclasses.dataclass(frozen=True, eq=False)
class Body:
    """A rigid link's body."""

    link: str
    body: RigidBody
    numbers: Numbers
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
class Loop:
    """A closed loop between two frames."""

    name: str
    kind: LoopKind
    numbers: Numbers
    first: Frame
    second: Frame
    follow: Mapping[str, Any] | None = None  # programme of where the directions held shall be; None: at zero
    control: Mapping[str, Any] | None = None  # gains and acceleration (docs/blueprint.md); None: held exactly
    through: tuple[str, ...] = ()  # actuators whose efforts do it, one for each row; empty: an ideal reaction


@dataclasses.dataclass(frozen=True, eq=False)
class Tie:
    """Two coordinates of joints that go together: the first is `ratio` (a parameter path) times the second."""

    name: str
    coordinates: tuple[int, int]  # indices into q
    velocities: tuple[int, int]  # indices into v
    ratio: str


@dataclasses.dataclass(frozen=True, eq=False)
class Spring(Actuator):
    """A spring between two frames; where it is driven, its name is a port and its programme that of the file."""

    kind: SpringKind
    numbers: Numbers
    first: Frame
    second: Frame


@dataclasses.dataclass(frozen=True, eq=False)
class Structure:
    """Everything about a robot that is not a number. Equal texts and extras give equal structures, so a robot that is
    compiled twice shares its traced functions."""

    text: str
    name: str
    nq: int
    nv: int
    links: tuple[Link, ...]
    groups: tuple[Group, ...]
    bodies: tuple[Body, ...]
    frames: tuple[Frame, ...]
    nodes: tuple[Frame, ...]
    node_fractions: tuple[float, ...]
    point_loads: tuple[PointLoad, ...]
    point_load_frames: tuple[Frame, ...]
    distributed_loads: tuple[DistributedLoad, ...]
    path_actuators: tuple[PathActuator, ...]  # in the order of the paths of `routes`
    routes: Routes | None
    joint_actuators: tuple[JointActuator, ...]
    stress_actuators: tuple[StressActuator, ...]
    loops: tuple[Loop, ...]
    ties: tuple[Tie, ...]
    springs: tuple[Spring, ...]
    gravity: Mapping[str, Any]
    extras: tuple[Force, ...]
    bases: tuple[Any, ...]
    initial: tuple[Mapping[str, Any], ...]
    analyses: tuple[Mapping[str, Any], ...]  # settings, not part of `text`: changing one traces nothing anew
    tree: Tree
    update: Update | None = None

    def __hash__(self) -> int:
        return hash((self.text, self.extras, self.bases, self.update))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Structure)
            and self.text == other.text
            and self.extras == other.extras
            and self.bases == other.bases
            and self.update == other.update
        )

    @property
    def members(self) -> tuple[Member, ...]:
        return tuple(member for group in self.groups for member in group.members)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        members = sorted(self.members, key=lambda member: member.q_start)
        return tuple(f"{member.link}.{name}" for member in members for name in member.element.coordinate_names())

    @property
    def velocity_names(self) -> tuple[str, ...]:
        members = sorted(self.members, key=lambda member: member.v_start)
        return tuple(f"{member.link}.{name}" for member in members for name in member.element.velocity_names())

    @functools.cached_property
    def loop_groups(self) -> tuple[tuple[Loop, ...], ...]:
        """Loops of the same kind, evaluated together."""
        groups: dict[Any, list[Loop]] = {}
        for loop in self.loops:
            groups.setdefault((loop.kind, tuple(name for name, _ in loop.numbers)), []).append(loop)
        return tuple(tuple(group) for group in groups.values())

    @functools.cached_property
    def spring_groups(self) -> tuple[tuple[Spring, ...], ...]:
        """Springs of the same kind, evaluated together."""
        groups: dict[Any, list[Spring]] = {}
        for spring in self.springs:
            groups.setdefault(spring.kind, []).append(spring)
        return tuple(tuple(group) for group in groups.values())

    @property
    def motions(self) -> tuple[JointActuator, ...]:
        """Joints whose motion is prescribed."""
        return tuple(actuator for actuator in self.joint_actuators if actuator.drive == "motion")

    @property
    def constraint_slices(self) -> dict[str, slice]:
        """Rows of each loop, of each prescribed motion, then of each tie, in the vector of constraints."""
        slices, start = {}, 0
        sizes = [(loop.name, len(loop.kind.rows)) for group in self.loop_groups for loop in group]
        sizes += [(motion.name, len(motion.velocities)) for motion in self.motions]
        sizes += [(tie.name, 1) for tie in self.ties]
        for name, size in sizes:
            slices[name] = slice(start, start + size)
            start += size
        return slices

    @property
    def constraint_count(self) -> int:
        loops = sum(len(loop.kind.rows) for loop in self.loops)
        return loops + sum(len(motion.velocities) for motion in self.motions) + len(self.ties)

    @property
    def prescribes(self) -> bool:
        """Whether a joint or a loop is moved as a programme or a controller says, which takes work."""
        led = any(loop.follow is not None or loop.control is not None for loop in self.loops)
        return led or bool(self.motions)

    @functools.cached_property
    def worked(self) -> dict[str, int]:
        """Actuators that work for a constraint: name -> the row whose multiplier is the effort."""
        rows = {}
        for loop in self.loops:
            start = self.constraint_slices[loop.name].start
            rows.update({name: start + index for index, name in enumerate(loop.through)})
        return rows

    @property
    def led(self) -> dict[str, slice]:
        """Per loop that a controller leads: its rows among all such rows."""
        slices, start = {}, 0
        for group in self.loop_groups:
            for loop in group:
                if loop.control is not None:
                    slices[loop.name] = slice(start, start + len(loop.kind.rows))
                    start += len(loop.kind.rows)
        return slices

    @functools.cached_property
    def held(self) -> np.ndarray | None:
        """(m,) 1 for rows that are held exactly, 0 for those that a controller leads; None when all are held."""
        if all(loop.control is None for loop in self.loops):
            return None
        held = np.ones(self.constraint_count)
        for loop in self.loops:
            if loop.control is not None:
                held[self.constraint_slices[loop.name]] = 0.0
        return held

    def joint_of(self, link: str) -> Member:
        """The joint of a link that moves."""
        return next(own.joint for own in self.links if own.name == link and own.joint is not None)

    @property
    def inextensible(self) -> tuple[PathActuator, ...]:
        """Tendons driven by length that do not stretch: their tension is an unknown."""
        return tuple(actuator for actuator in self.path_actuators if actuator.inextensible)

    def frame_index(self, name: str) -> int:
        for index, frame in enumerate(self.frames):
            if frame.name == name:
                return index
        known = ", ".join(frame.name for frame in self.frames)
        raise KeyError(f"robot {self.name!r} has no frame {name!r}; its frames are: {known}")
