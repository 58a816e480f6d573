"""What a robot is made of: materials, joints, rods, rigid bodies, meshes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pliant.blueprint._parameters import ParameterPath
from pliant.blueprint._places import Axis, Place, Rotation
from pliant.blueprint._sections import Section, Shape

Number = ParameterPath


@dataclass(frozen=True)
class Material:
    """law: hooke, neo-hookean or gent; stretch_limit: of gent only."""

    name: str
    young: Number
    poisson: Number
    density: Number
    viscosity: Number
    law: str
    stretch_limit: Number | None


@dataclass(frozen=True)
class LoopJoint:
    """The joint that closes a loop. kind: fixed, revolute, prismatic, helical, cylindrical, universal, planar,
    spherical or free; axes: two of a universal joint, none of fixed, spherical and free ones, else one (of a planar
    joint its normal); pitch: metres per turn, of a helical joint."""

    kind: str
    axes: tuple[Axis, ...]
    pitch: Number | None


@dataclass(frozen=True)
class Joint(LoopJoint):
    """A joint of the tree, with spring and damper: () for all velocities alike, or (nv,). power: exponent of the
    damping; ratio: factor of the rest value; acts: per velocity only below rest (-1), only above (1), always (0)."""

    stiffness: Number | None
    damping: Number | None
    rest: Number | None
    power: Number | None
    ratio: Number | None
    acts: tuple[int, ...] | None


FIXED = Joint("fixed", (), None, None, None, None, None, None, None)


@dataclass(frozen=True)
class RodModel:
    """How a rod is discretised: the word of a rod model, and its options as they stand in the file, complete."""

    kind: str
    options: Mapping[str, Any]


@dataclass(frozen=True)
class Rod:
    """A rod, or one division of it (`name/1`, `name/2`, ..., each fixed to the tip of the one before). allow: the
    strains it can have, in canonical order; reference: of all six, () or (2,) base to tip; damping_power: None is
    linear; update: None or "mean-stretch"."""

    kind: ClassVar[str] = "rod"
    name: str
    parent: Place
    joint: Joint
    material: str | None
    length: Number
    section: Section
    allow: tuple[str, ...]
    reference: Mapping[str, Number]
    model: RodModel
    damping_power: Number | None
    update: str | None


@dataclass(frozen=True)
class Rigid:
    """A rigid body. mass: None is that of shape and density; inertia about the centre of mass in link axes: ixx iyy izz
    [ixy ixz iyz], None is that of the shape."""

    kind: ClassVar[str] = "rigid"
    name: str
    parent: Place
    joint: Joint
    material: str | None
    mass: Number | None
    shape: Shape | None
    centre: Number
    inertia: Number | None


Link = Rod | Rigid


@dataclass(frozen=True)
class Edges:
    """What the edges of a mesh are. kind: axial (along the line) or beam (six components, rx ry rz x y z, in the axes
    of the first "node", or of the "edge", z along it and x towards xaxis); section: instead of stiffness and damping;
    middle: translations are measured in the mean of the two frames; rest: None is as the nodes lie at the start."""

    kind: str
    stiffness: Number | None
    damping: Number | None
    power: Number
    ratio: Number
    rest: Number | None
    acts: tuple[int, ...]
    middle: bool
    axes: str
    xaxis: Number | None
    section: Section | None
    material: str | None


@dataclass(frozen=True)
class Mesh:
    """Nodes that move by themselves and edges between them, counted from 0. where: of its frame at the start; nodes
    (n, 3) in that frame; inertia: None where nodes are points; fixed: nodes that never move."""

    kind: ClassVar[str] = "mesh"
    joint: ClassVar[Joint] = FIXED
    update: ClassVar[None] = None
    name: str
    where: Place
    nodes: Number
    edges: tuple[tuple[int, int], ...]
    mass: Number
    inertia: Number | None
    fixed: tuple[int, ...]
    edge: Edges

    @property
    def parent(self) -> Place:
        """What its nodes hang on, as a link hangs on its parent."""
        return self.where


@dataclass(frozen=True)
class Initial:
    """Where a link starts: departures of its strains from the reference, coordinates and velocities of its joint."""

    link: str
    strain: Mapping[str, Number]
    strain_rate: Mapping[str, Number]
    rotation: tuple[Rotation, ...]
    angle: Number | None
    rate: Number | None
    displacement: Number | None
    speed: Number | None
    position: Number | None
    angular_velocity: Number | None
    velocity: Number | None
