"""What touches what: surfaces in the world and on links, the skins of rods, and contacts between two of them."""

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple, Self

from pydantic import model_validator

from pliant.blueprint import HERTZ, LINEAR
from pliant.description.language._links import Cylinder, Sphere
from pliant.description.language._places import Along, AxisField, Where
from pliant.description.language._rods import Piece, stretches
from pliant.description.language._sampled_surfaces import SAMPLED_WORDS, SurfaceHeights, SurfaceMesh
from pliant.description.language._sections import Section, ends
from pliant.description.language.grammar import (
    Checked,
    Length,
    ListOf,
    Meanings,
    NameOf,
    NotAQuantity,
    Part,
    Quantity,
    Switch,
    Triple,
    WholeNumber,
    Word,
    is_mapping,
    lacking,
    taper,
    to_si,
    vector,
    wrong,
)

SHAPE_WORDS = ("plane", "sphere", "cylinder", "capsule", "torus", "box", "ellipsoid", *SAMPLED_WORDS)
FRICTION_LAWS = ("ellipse", "separate", "slip")
# Which side of a contact is made of points: the first of these that it has.
POINTED = ("skin", "nodes", "sphere", "capsule", "ellipsoid", "cylinder", "box")
LINES = ("skin", "nodes")  # they are nothing else
_FINEST = 24
_SLIP_DAMPING = 1.0  # critical
_SPACING = 0.25  # radii: what crosses between two places is felt a 250th of a radius too late
MOST_POINTS = 4000  # of a skin that touches rods


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


class Torus(Part):
    called = "a ring about the local z axis"
    meanings = Meanings(
        radius="radius of the circle along the middle of the ring's bar", bar="radius of the ring's bar"
    )
    radius: Length
    bar: Length

    @model_validator(mode="after")
    def _a_hole(self) -> Self:
        if self.bar >= self.radius:
            raise wrong(self.bar, f'a "bar" thinner than the "radius" of {self.radius:g} m: a ring has a hole')
        return self


class SolidSurface(Part):
    """A shape in a frame of its own."""

    called = "a surface"
    meanings = Meanings(
        plane="direction in which the plane faces",
        box="sizes of the box along x, y, z",
        ellipsoid="semi-axes of the ellipsoid along x, y, z",
    )
    name: Annotated[str, NameOf("a name")]
    where: Where
    plane: AxisField | None = None
    sphere: Sphere | None = None
    cylinder: Cylinder | None = None
    capsule: Capsule | None = None
    torus: Torus | None = None
    box: Annotated[Triple, vector("length", above=0)] | None = None
    ellipsoid: Annotated[Triple, vector("length", above=0)] | None = None
    mesh: SurfaceMesh | None = None
    heightfield: SurfaceHeights | None = None
    hollow: Switch = False

    @model_validator(mode="after")
    def _an_inside(self) -> Self:
        if self.hollow and (self.plane is not None or self.heightfield is not None):
            raise wrong(self.hollow, '"hollow" only for shapes with an inside; turn the plane round instead')
        return self

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
    meanings = Meanings(spacing="distance of the places at which the skin touches rods")
    name: Annotated[str, NameOf("a name")]
    along: Along
    spacing: Length | None = None
    word: ClassVar[str] = "skin"


class Nodes(Part):
    """Those of a mesh, as spheres."""

    called = "the nodes of a mesh"
    meanings = Meanings(radius="radius of the nodes")
    name: Annotated[str, NameOf("a name")]
    nodes: Annotated[str, NameOf("the name of a mesh")]
    radius: Length
    word: ClassVar[str] = "nodes"


AnySurface = SolidSurface | Skin | Nodes

Side = Annotated[str, NameOf("the name of a surface or of a rigid link")]
Between = Annotated[tuple[Side, ...], ListOf("a list of two names of surfaces or of rigid links", size=2)]


class Friction(Part):
    """Dry friction; a coefficient may stand alone."""

    called = "a friction coefficient, or the fields of a friction"
    meanings = Meanings(
        coefficient="coefficient of friction",
        static_ratio="ratio of the static to the kinetic coefficient",
        creep="speed below which what should stick creeps",
        rolling="moment against rolling per normal force",
        spin="moment against turning about the normal per normal force",
    )
    coefficient: Annotated[float, Quantity("friction", least=0)] | None = None
    static_ratio: Annotated[float, Quantity("number", least=1)] | None = None
    creep: Annotated[float, Quantity("velocity", above=0)] | None = None
    rolling: Annotated[float, Quantity("length", least=0)] | None = None
    spin: Annotated[float, Quantity("length", least=0)] | None = None

    @classmethod
    def expand(cls, value: Any) -> Any:
        return value if is_mapping(value) else {"coefficient": value}

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        full = handler.resolve_ref_schema(handler(schema))
        return {"anyOf": [{"type": "number"}, {"type": "string"}, full]}

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.coefficient is None and not self.directed:
            raise lacking('a "coefficient"')
        if self.creep is not None and self.static_ratio is not None:
            raise wrong(self.static_ratio, 'no "static_ratio" beside "creep": what creeps never sticks')
        for name in ("rolling", "spin"):
            if self.creep is not None and getattr(self, name) is not None:
                raise wrong(getattr(self, name), f'no "{name}" beside "creep": it has a memory, as friction that holds')
        return self

    @property
    def directed(self) -> bool:
        return False

    @property
    def alone(self) -> bool:
        """Whether it may be written as a number."""
        return self.model_fields_set == {"coefficient"}


class SkinFriction(Friction):
    """That of a rod's skin may depend on the direction."""

    meanings = Meanings(
        along="coefficient of friction along the rod",
        across="coefficient of friction across the rod",
    )
    along: (
        Annotated[float | tuple[float, float], taper("friction", "[towards the tip, towards the base]", least=0)] | None
    ) = None
    across: Annotated[float, Quantity("friction", least=0)] | None = None
    law: Annotated[str, Word(FRICTION_LAWS)] = FRICTION_LAWS[0]

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.directed and self.coefficient is not None:
            raise wrong(self.coefficient, 'a "coefficient", or one "along" and one "across"')
        for name in ("along", "across"):
            if self.directed and getattr(self, name) is None:
                raise lacking(f'"along" and "across" together: "{name}" is not given')
        if not self.directed and "law" in self.model_fields_set:
            raise wrong(self.law, '"law" only beside "along" and "across"')
        return self

    @property
    def directed(self) -> bool:
        return self.along is not None or self.across is not None


class _Contact(Part):
    called = "a contact"
    meanings = Meanings(
        stiffness="normal stiffness",
        damping="growth of the normal force per rate of penetration",
        restitution="ratio of the speeds after and before the touch",
        smoothing="penetration over which the stiffness grows to its full value",
        slip_damping="damping (1: critical) of the spring of friction",
    )
    name: Annotated[str, NameOf("a name")]
    between: Between
    damping: Annotated[float, Quantity("contact damping", least=0)] = 0.0
    restitution: Annotated[float, Quantity("number", least=0.05, most=1)] | None = None
    friction: Friction | None = None
    slip_damping: Annotated[float, Quantity("number", least=0)] = _SLIP_DAMPING

    @property
    def sides(self) -> tuple[str, str]:
        """The names of both sides."""
        first, second = self.between
        return first, second

    @model_validator(mode="after")
    def _friction_has_a_damper(self) -> Self:
        if self.friction is None and "slip_damping" in self.model_fields_set:
            raise wrong(self.slip_damping, '"slip_damping" only beside "friction"')
        if self.friction is not None and self.friction.creep is not None and "slip_damping" in self.model_fields_set:
            raise wrong(self.slip_damping, 'no "slip_damping" beside a friction that creeps: it has no spring')
        return self

    @model_validator(mode="after")
    def _damped_once(self) -> Self:
        if self.restitution is not None and "damping" in self.model_fields_set:
            raise wrong(self.damping, 'a "damping" or a "restitution", not both')
        return self


class _PointContact(_Contact):
    samples: Annotated[int, WholeNumber("how fine the points of a shape are", 2, _FINEST)] | None = None


class LinearContact(_PointContact):
    """At points, with a force that grows like the penetration."""

    exponent: Annotated[float, Exponent()] = LINEAR
    stiffness: Annotated[float, Quantity("linear stiffness", above=0)] | None = None
    smoothing: Length | None = None


class HertzContact(_PointContact):
    """At points, with Hertz's force."""

    exponent: Annotated[float, Exponent()] = HERTZ
    stiffness: Annotated[float, Quantity("hertz stiffness", above=0)] | None = None


class SkinContact(_Contact):
    """Along the skin of a rod: a stiffness per length."""

    between: Between | None = None  # type: ignore[assignment]  # within a skin there is none
    within: Annotated[str, NameOf("the name of a skin, which touches itself")] | None = None
    stiffness: Annotated[float, Quantity("modulus", above=0)] | None = None
    smoothing: Length | None = None
    friction: SkinFriction | None = None

    @model_validator(mode="after")
    def _two_sides(self) -> Self:
        if self.between is None and self.within is None:
            raise lacking('"between" two sides, or "within" one skin')
        if self.between is not None and self.within is not None:
            raise wrong(self.within, '"between" two sides, or "within" one skin, not both')
        return self

    @property
    def sides(self) -> tuple[str, str]:
        return super().sides if self.within is None else (self.within, self.within)


AnyContact = LinearContact | HertzContact | SkinContact


def skin_points(skin: Skin, pieces: Sequence[Piece]) -> tuple[int, ...]:
    """For each division along a skin, at how many places it is asked whether it touches a rod."""
    found = []
    for piece, begin, end, _ in stretches(pieces, skin.along.from_, skin.along.to):
        circle = piece.section.circle
        finest = _SPACING * min(ends(circle.radius)) if circle is not None else piece.length
        spacing = finest if skin.spacing is None else skin.spacing
        found.append(max(math.ceil((end - begin) * piece.length / spacing - 1e-9), 1))
    return tuple(found)


def radius_of(side: Any, pieces: Sequence[Piece]) -> float:
    """How far the points of a side of a contact reach: a surface, a rigid link, or a skin of these pieces."""
    shape = getattr(side, "shape", side)
    if shape.word == "skin":
        return max((_half_width(piece.section) for piece in pieces), default=0.0)
    if shape.word == "ellipsoid":
        return max(shape.ellipsoid)
    if shape.word == "nodes":
        return shape.radius
    return getattr(shape, shape.word).radius if shape.word in ("sphere", "capsule") else 0.0


def _half_width(section: Section) -> float:
    """The largest of a section that has an outline."""
    sizes = {"circle": ("radius",), "annulus": ("outer",), "ellipse": ("semi_x", "semi_y")}.get(section.word, ())
    if section.rectangle is not None:
        return 0.5 * max(*ends(section.rectangle.width), *ends(section.rectangle.height))
    return max((max(ends(getattr(section.chosen, name))) for name in sizes), default=0.0)


def reach_of(surface: SolidSurface, contacts: Sequence[AnyContact], radius: Callable[[str], float]) -> float:
    """How far outside of a surface its distance matters: up to the radius of what touches it."""
    others = [name for contact in contacts for name in contact.sides if surface.name in contact.sides]
    return 0.0 if surface.hollow else max((radius(name) for name in others if name != surface.name), default=0.0)


class Ways(NamedTuple):
    """Which of two sides is made of points, and whether the other one is too, each touching the other's surface."""

    samples: int
    both: bool

    @property
    def surface(self) -> int:
        return 1 - self.samples


def ways(words: Sequence[str], hollow: Sequence[bool]) -> Ways | None:
    """How two sides touch, by the words of what they are and whether they touch from their inside; None: they cannot.

    One point is enough for a sphere; the spheres of a capsule touch an ellipsoid as it is. Any two others may meet
    where one has no points, or between them: both sides have points then."""
    pointed = [word in POINTED and not inside for word, inside in zip(words, hollow, strict=True)]
    if not any(pointed) or all(word in LINES for word in words):
        return Ways(0, False) if list(words) == ["skin", "skin"] else None
    ranks = [POINTED.index(word) if able else len(POINTED) for word, able in zip(words, pointed, strict=True)]
    first = 0 if ranks[0] <= ranks[1] else 1
    alone = not all(pointed) or words[first] in (*LINES, "sphere") or words[1 - first] == "ellipsoid"
    return Ways(first, not alone)
