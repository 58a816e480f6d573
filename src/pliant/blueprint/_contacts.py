"""What touches: surfaces, the skins of rods, and contacts between them."""

from dataclasses import dataclass
from typing import ClassVar

from pliant.blueprint._parameters import ParameterPath
from pliant.blueprint._places import Place, Stretch
from pliant.blueprint._sections import SurfaceShape

Number = ParameterPath
LINEAR, HERTZ = 1.0, 1.5  # exponents of the penetration in the normal force
# Shapes over which points are spread, and how many: on the axis of a capsule, on each rim of a cylinder, around an
# ellipsoid, on each edge of a box.
FINENESS = {"capsule": 9, "cylinder": 12, "ellipsoid": 12, "box": 3}


@dataclass(frozen=True)
class Surface:
    """A shape that touches, in a frame of its own; a rigid link's shape under the name of the link. hollow: from its
    inside."""

    kind: ClassVar[str] = "surface"
    name: str
    where: Place
    shape: SurfaceShape
    hollow: bool = False


@dataclass(frozen=True)
class Skin:
    """The outside of rods along stretches of them; points: at how many places of each it is asked whether it touches a
    rod."""

    kind: ClassVar[str] = "skin"
    name: str
    along: tuple[Stretch, ...]
    points: tuple[int, ...]


@dataclass(frozen=True)
class Nodes:
    """The nodes of a mesh, as spheres."""

    kind: ClassVar[str] = "nodes"
    name: str
    mesh: str
    radius: Number


AnySurface = Surface | Skin | Nodes


@dataclass(frozen=True)
class Friction:
    """Dry friction with a coefficient, or with one `along` a rod, () or (2,): ahead (towards its tip) and behind, and
    one `across`. law: how the two bear on each other ("ellipse", "slip"), or that they do not ("separate");
    static_ratio: of the coefficients of what sticks to those of what slips; creep [m/s]: None is friction that holds;
    damping: of its spring, 1 is critical; rolling, spin [m]: moments against rolling and against turning about the
    normal, per normal force."""

    coefficient: Number | None
    along: Number | None
    across: Number | None
    law: str
    static_ratio: Number | None
    creep: Number | None
    damping: Number
    rolling: Number | None = None
    spin: Number | None = None

    @property
    def turns(self) -> bool:
        """Whether it resists rolling or spinning."""
        return self.rolling is not None or self.spin is not None


@dataclass(frozen=True)
class Contact:
    """samples: what is made of points that touch the `surface`; a skin that touches itself is both. exponent: of
    the penetration, 1 or 1.5 (Hertz); stiffness [N/m or N/m^1.5, along a skin N/m^2]: None is that of the materials;
    restitution: in place of the damping; smoothing [m]: None is a small part of the radius; friction: None is none at
    all; both: whether points of the surface touch the other side too; fineness: of points that are spread over a
    shape, None is that of `FINENESS`."""

    name: str
    samples: str
    surface: str
    exponent: float
    stiffness: Number | None
    damping: Number
    restitution: Number | None
    smoothing: Number | None
    friction: Friction | None
    both: bool = False
    fineness: int | None = None
