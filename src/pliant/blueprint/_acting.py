"""What acts on a robot and what ties it down: loads, actuators, springs, closed loops, couplings of coordinates."""

from dataclasses import dataclass
from typing import ClassVar

from pliant.blueprint._links import LoopJoint
from pliant.blueprint._parameters import ParameterPath
from pliant.blueprint._places import Place, Stretch
from pliant.blueprint._programmes import AnyProgramme

Number = ParameterPath


@dataclass(frozen=True)
class Load:
    """A force and a moment at a place, or along a rod (then per metre; one item for each division, all of the same name
    and numbers). frame: whose axes, "world" or "body"."""

    name: str
    where: Place | None
    along: Stretch | None
    force: AnyProgramme
    moment: AnyProgramme
    frame: str


@dataclass(frozen=True)
class RoutePoint:
    """A place through which a tendon goes, offset included; straight lines run between the ends of successive items."""

    kind: ClassVar[str] = "point"
    point: Place


@dataclass(frozen=True)
class Helix:
    """Winds about the axis of a rod: radius () or (2,), turns, phase [rad] from local x."""

    radius: Number
    turns: Number
    phase: Number


@dataclass(frozen=True)
class RouteRun:
    """Follows a rod. x, y: distance from its axis, () or (2,) at the beginning and the end of the run, a helix added;
    span: the part [0, 1] of the run as written that this item is."""

    kind: ClassVar[str] = "run"
    along: Stretch
    span: tuple[float, float]
    x: Number
    y: Number
    helix: Helix | None


RouteItem = RoutePoint | RouteRun


@dataclass(frozen=True)
class Tendon:
    """drive: a "tension" [N] or a "length" [m]; friction: capstan coefficient, the drive pulls at the first item;
    stiffness: EA [N], beside a length only."""

    kind: ClassVar[str] = "tendon"
    area: ClassVar[None] = None
    radius: ClassVar[None] = None
    name: str
    route: tuple[RouteItem, ...]
    drive: str
    value: AnyProgramme
    friction: Number | None
    stiffness: Number | None


@dataclass(frozen=True)
class Chamber:
    """Channels along a rod under one pressure; each has the radius or the area given."""

    kind: ClassVar[str] = "chamber"
    drive: ClassVar[str] = "pressure"
    friction: ClassVar[None] = None
    stiffness: ClassVar[None] = None
    name: str
    channels: tuple[RouteRun, ...]
    radius: Number | None
    area: Number | None
    value: AnyProgramme

    @property
    def route(self) -> tuple[RouteItem, ...]:
        """Where it runs; its channels lie side by side."""
        return self.channels


@dataclass(frozen=True)
class Stress:
    """Moments and forces (6,) [N m, N], in the order of the strains, that sections make within themselves."""

    kind: ClassVar[str] = "stress"
    drive: ClassVar[str] = "stress"
    route: ClassVar[tuple] = ()
    name: str
    along: tuple[Stretch, ...]
    value: AnyProgramme


@dataclass(frozen=True)
class JointDrive:
    """drive: a "force" on some velocities of a joint, or their prescribed "motion"; coordinates: indices into them."""

    kind: ClassVar[str] = "joint"
    route: ClassVar[tuple] = ()
    name: str
    link: str
    coordinates: tuple[int, ...]
    drive: str
    value: AnyProgramme


Actuator = Tendon | Chamber | Stress | JointDrive


@dataclass(frozen=True)
class Spring:
    """kind: axial (along the line between two places) or beam (six components, rx ry rz x y z, the second place seen
    from the first; middle: from the mean of both). rest_initial: which rest values are those of the initial
    configuration; acts: only below rest (-1), only above (1), always (0); input: a force that pushes the ends apart."""

    kind: str
    name: str
    between: tuple[Place, Place]
    stiffness: Number
    damping: Number
    power: Number
    ratio: Number
    rest: Number
    rest_initial: tuple[bool, ...]
    acts: tuple[int, ...]
    middle: bool
    input: AnyProgramme | None


@dataclass(frozen=True)
class Control:
    """Leads a direction instead of holding it (TMTDyn Eq. 41): acceleration asked for, and gains on the error."""

    acceleration: AnyProgramme | None
    proportional: Number
    derivative: Number
    integral: Number


@dataclass(frozen=True)
class Loop:
    """Two places tied by a joint, or in directions `fix` (out of x y z rx ry rz) of a frame ("first", "second",
    "world"). follow: where the directions shall be, None: zero; control: None: held exactly; through: the actuators
    that do it, None: an ideal reaction."""

    kind: ClassVar[str] = "loop"
    name: str
    between: tuple[Place, Place]
    joint: LoopJoint | None
    fix: tuple[str, ...] | None
    frame: str
    follow: AnyProgramme | None
    control: Control | None
    through: tuple[str, ...] | None


@dataclass(frozen=True)
class JointCoordinate:
    """A coordinate of the joint of a link, by its index."""

    link: str
    coordinate: int


@dataclass(frozen=True)
class Coupling:
    """The first coordinate is `ratio` times the second."""

    kind: ClassVar[str] = "coupling"
    name: str
    tie: tuple[JointCoordinate, JointCoordinate]
    ratio: Number


Constraint = Loop | Coupling
