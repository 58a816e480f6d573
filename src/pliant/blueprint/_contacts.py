"""What touches: surfaces, the skins of rods, and contacts between them."""

from dataclasses import dataclass
from typing import ClassVar

from pliant.blueprint._parameters import ParameterPath
from pliant.blueprint._places import Place, Stretch
from pliant.blueprint._sections import SurfaceShape

Number = ParameterPath
LINEAR, HERTZ = 1.0, 1.5  # exponents of the penetration in the normal force


@dataclass(frozen=True)
class Surface:
    """A shape that touches, in a frame of its own; a rigid link's shape under the name of the link."""

    kind: ClassVar[str] = "surface"
    name: str
    where: Place
    shape: SurfaceShape


@dataclass(frozen=True)
class Skin:
    """The outside of rods with circular sections, along stretches of them."""

    kind: ClassVar[str] = "skin"
    name: str
    along: tuple[Stretch, ...]


@dataclass(frozen=True)
class Contact:
    """samples: the surface or skin whose points touch the `surface`. exponent: of the penetration, 1 or 1.5 (Hertz);
    stiffness [N/m or N/m^1.5, along a skin N/m^2]: None is that of the materials; smoothing [m]: None is a small part
    of the radius; friction: None is
    none at all; slip_damping: of its spring, 1 is critical."""

    name: str
    samples: str
    surface: str
    exponent: float
    stiffness: Number | None
    damping: Number
    smoothing: Number | None
    friction: Number | None
    slip_damping: Number | None
