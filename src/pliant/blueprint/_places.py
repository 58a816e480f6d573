"""Where things are: places on links, constant offsets, stretches of rods."""

from dataclasses import dataclass
from typing import ClassVar

from pliant.blueprint._parameters import ParameterPath

Axis = ParameterPath | str  # a direction of three numbers, or x, y, z


@dataclass(frozen=True)
class Turn:
    """A rotation about an axis by an angle [rad]."""

    kind: ClassVar[str] = "turn"
    axis: Axis
    angle: ParameterPath


@dataclass(frozen=True)
class Quaternion:
    """A rotation by w, x, y, z, of any length."""

    kind: ClassVar[str] = "quaternion"
    quaternion: ParameterPath


Rotation = Turn | Quaternion


@dataclass(frozen=True)
class Offset:
    """A constant transform: a translation [m], then rotations, each about the axes left by those before."""

    move: ParameterPath | None
    rotate: tuple[Rotation, ...]

    @property
    def is_identity(self) -> bool:
        """Whether nothing was given."""
        return self.move is None and not self.rotate


NO_OFFSET = Offset(None, ())


@dataclass(frozen=True)
class Place:
    """A place on a link. link: None is the world; at: the fraction of a rod, None on a rigid link and in the world;
    node: of a mesh, from 0; before: the offsets of the named frames that lead there, applied first."""

    link: str | None
    at: float | None
    offset: Offset
    node: int | None = None
    before: tuple[Offset, ...] = ()

    @property
    def position(self) -> float | None:
        """Where on the link: the fraction of a rod, the number of a mesh's node counted from 1."""
        return self.at if self.node is None else float(self.node + 1)

    @property
    def offsets(self) -> tuple[Offset, ...]:
        """All of them, those that are nothing left out."""
        return tuple(offset for offset in (*self.before, self.offset) if not offset.is_identity)


@dataclass(frozen=True)
class Stretch:
    """The part of a rod between two fractions; from > to runs towards its base."""

    link: str
    from_: float
    to: float


@dataclass(frozen=True)
class Frame:
    """A named place whose pose is reported."""

    name: str
    where: Place
