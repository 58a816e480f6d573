"""What touches what: surfaces in the world and on links, the skins of rods, and contacts between two of them."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Self

from pydantic import model_validator

from pliant.blueprint import HERTZ, LINEAR
from pliant.description.language._links import Cylinder, Sphere
from pliant.description.language._places import Along, AxisField, Where
from pliant.description.language.grammar import (
    Checked,
    Length,
    ListOf,
    Meanings,
    NameOf,
    NotAQuantity,
    Part,
    Quantity,
    Triple,
    lacking,
    to_si,
    vector,
    wrong,
)

SHAPE_WORDS = ("plane", "sphere", "cylinder", "capsule", "box")
# Which side of a contact is made of points: the first of these that it has.
POINTED = ("skin", "sphere", "box")
_SLIP_DAMPING = 1.0  # critical


class Exponent(Checked):
    """Of the penetration in the force at a point."""

    expected = "the exponent 1 (a linear force) or 1.5 (Hertz)"

    def check(self, value: Any) -> float:
        try:
            number = to_si(value, "number")
        except NotAQuantity:
            raise wrong(value, self.expected) from None
        if number not in (LINEAR, HERTZ):
            raise wrong(value, self.expected)
        return number

    def json_schema(self) -> dict[str, Any]:
        return {"enum": [1, 1.5]}


class Capsule(Part):
    called = "a cylinder along the local z axis with round ends"
    meanings = Meanings(radius="radius of the capsule", length="length of the capsule between the middles of its ends")
    radius: Length
    length: Length


class SolidSurface(Part):
    """A shape in a frame of its own."""

    called = "a surface"
    meanings = Meanings(plane="direction in which the plane faces", box="sizes of the box along x, y, z")
    name: Annotated[str, NameOf("a name")]
    where: Where
    plane: AxisField | None = None
    sphere: Sphere | None = None
    cylinder: Cylinder | None = None
    capsule: Capsule | None = None
    box: Annotated[Triple, vector("length", above=0)] | None = None

    @model_validator(mode="after")
    def _one_shape(self) -> Self:
        given = [word for word in SHAPE_WORDS if getattr(self, word) is not None]
        if not given:
            raise lacking(f"one of: {', '.join(SHAPE_WORDS)}")
        if len(given) > 1:
            raise wrong(given, f"only one of: {', '.join(SHAPE_WORDS)}")
        return self

    @property
    def word(self) -> str:
        return next(word for word in SHAPE_WORDS if getattr(self, word) is not None)


class Skin(Part):
    """The outside of a rod."""

    called = "the skin of a rod"
    name: Annotated[str, NameOf("a name")]
    along: Along
    word: ClassVar[str] = "skin"


AnySurface = SolidSurface | Skin

Side = Annotated[str, NameOf("the name of a surface or of a rigid link")]


class _Contact(Part):
    called = "a contact"
    meanings = Meanings(
        stiffness="normal stiffness",
        damping="growth of the normal force per rate of penetration",
        smoothing="penetration over which the stiffness grows to its full value",
        friction="coefficient of friction",
        slip_damping="damping (1: critical) of the spring of friction",
    )
    name: Annotated[str, NameOf("a name")]
    between: Annotated[tuple[Side, ...], ListOf("a list of two names of surfaces or of rigid links", size=2)]
    damping: Annotated[float, Quantity("contact damping", least=0)] = 0.0
    friction: Annotated[float, Quantity("friction", least=0)] | None = None
    slip_damping: Annotated[float, Quantity("number", least=0)] = _SLIP_DAMPING

    @model_validator(mode="after")
    def _friction_has_a_damper(self) -> Self:
        if self.friction is None and "slip_damping" in self.model_fields_set:
            raise wrong(self.slip_damping, '"slip_damping" only beside "friction"')
        return self


class LinearContact(_Contact):
    """At points, with a force that grows like the penetration."""

    exponent: Annotated[float, Exponent()] = LINEAR
    stiffness: Annotated[float, Quantity("linear stiffness", above=0)] | None = None
    smoothing: Length | None = None


class HertzContact(_Contact):
    """At points, with Hertz's force."""

    exponent: Annotated[float, Exponent()] = HERTZ
    stiffness: Annotated[float, Quantity("hertz stiffness", above=0)] | None = None


class SkinContact(_Contact):
    """Along the skin of a rod: a stiffness per length."""

    stiffness: Annotated[float, Quantity("modulus", above=0)] | None = None
    smoothing: Length | None = None


AnyContact = LinearContact | HertzContact | SkinContact


def samples_first(words: Sequence[str]) -> tuple[int, int]:
    """Which of two sides, by the words of what they are, is made of points, and which is the surface."""
    ranks = [POINTED.index(word) if word in POINTED else len(POINTED) for word in words]
    return (0, 1) if ranks[0] <= ranks[1] else (1, 0)
