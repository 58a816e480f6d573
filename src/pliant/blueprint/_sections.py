"""Cross-sections of rods and shapes of rigid bodies."""

from dataclasses import dataclass
from typing import ClassVar

from pliant.blueprint._parameters import ParameterPath

Number = ParameterPath


@dataclass(frozen=True)
class Holes:
    """Round holes all along a rod: radius (n,), centre (n, 2)."""

    radius: Number
    centre: Number


@dataclass(frozen=True)
class _Outline:
    """A section known by its outline; every size is () or (2,), base to tip."""

    torsion: str
    shear_factor: Number
    rotary_inertia: bool
    holes: Holes | None


@dataclass(frozen=True)
class Circle(_Outline):
    kind: ClassVar[str] = "circle"
    radius: Number


@dataclass(frozen=True)
class Annulus(_Outline):
    kind: ClassVar[str] = "annulus"
    inner: Number
    outer: Number


@dataclass(frozen=True)
class Rectangle(_Outline):
    """Width along local x, height along local y."""

    kind: ClassVar[str] = "rectangle"
    width: Number
    height: Number


@dataclass(frozen=True)
class Ellipse(_Outline):
    kind: ClassVar[str] = "ellipse"
    semi_x: Number
    semi_y: Number


@dataclass(frozen=True)
class _Bare:
    """A section known by its numbers per length, without a material."""

    torsion: ClassVar[str] = "saint-venant"
    rotary_inertia: ClassVar[bool] = True
    holes: ClassVar[None] = None


@dataclass(frozen=True)
class Given(_Bare):
    """Stiffness and damping (6,) in the order of the strains, mass [kg/m], rotary inertia (3,) [kg m]; the radius is
    for drawing."""

    kind: ClassVar[str] = "given"
    stiffness: Number
    mass: Number
    rotary: Number
    damping: Number
    radius: Number


@dataclass(frozen=True)
class Muscles(_Bare):
    """Actuators on a circle that are all that resists; stroke (2,): length changes at which they stop."""

    kind: ClassVar[str] = "muscles"
    radius: Number
    stiffness: Number
    mass: Number
    damping: Number
    stroke: Number | None


Section = Circle | Annulus | Rectangle | Ellipse | Given | Muscles


@dataclass(frozen=True)
class Box:
    """size (3,)."""

    kind: ClassVar[str] = "box"
    size: Number


@dataclass(frozen=True)
class Sphere:
    kind: ClassVar[str] = "sphere"
    radius: Number


@dataclass(frozen=True)
class Cylinder:
    """Along z."""

    kind: ClassVar[str] = "cylinder"
    radius: Number
    length: Number


@dataclass(frozen=True)
class Capsule:
    """A cylinder along z with round ends; length: between their middles."""

    kind: ClassVar[str] = "capsule"
    radius: Number
    length: Number


@dataclass(frozen=True)
class Torus:
    """A round bar bent round the z axis; radius: of the circle of its axis, bar: of the bar."""

    kind: ClassVar[str] = "torus"
    radius: Number
    bar: Number


@dataclass(frozen=True)
class Ellipsoid:
    """semi_axes (3,) along x, y and z."""

    kind: ClassVar[str] = "ellipsoid"
    semi_axes: Number


@dataclass(frozen=True)
class Plane:
    """Through the origin; normal (3,), of any length, points outwards."""

    kind: ClassVar[str] = "plane"
    normal: Number


@dataclass(frozen=True)
class _Sampled:
    """Known by its distances on a regular grid: coefficients (nx + 2, ny + 2, nz + 2) of cubic B-splines through those
    at nx x ny x nz places, along each axis one in front of the first, at the corner (3,), and one behind the last."""

    coefficients: Number
    corner: Number
    spacing: Number


@dataclass(frozen=True)
class SampledMesh(_Sampled):
    """A closed surface of triangles."""

    kind: ClassVar[str] = "mesh"


@dataclass(frozen=True)
class Heightfield(_Sampled):
    """Heights along z over a rectangle about the origin."""

    kind: ClassVar[str] = "heightfield"


Shape = Box | Sphere | Cylinder | Ellipsoid
SurfaceShape = Plane | Sphere | Cylinder | Capsule | Torus | Box | Ellipsoid | SampledMesh | Heightfield
_ALL = (
    *(Circle, Annulus, Rectangle, Ellipse, Given, Muscles, Box, Sphere, Cylinder, Capsule, Torus, Ellipsoid),
    *(SampledMesh, Heightfield),
)
SOLIDS: dict[str, type] = {kind.kind: kind for kind in _ALL}  # sections and shapes by their words
