"""Cross-sections of rods: outlines, holes, and sections known by their numbers."""

from typing import Annotated, Self

from pydantic import model_validator

from pliant.description.language._patterns import Around, Centres
from pliant.description.language._places import OneOrMore
from pliant.description.language.grammar import (
    STRAINS,
    Choice,
    Length,
    Meanings,
    Part,
    Quantity,
    Switch,
    Tapering,
    Triple,
    Vector,
    Word,
    lacking,
    vector,
    wrong,
)

Six = tuple[float, float, float, float, float, float]


class Circle(Part):
    called = "a circle"
    meanings = Meanings(radius="radius of the circular section")
    radius: Tapering


class Annulus(Part):
    called = "an annulus"
    meanings = Meanings(inner="inner radius of the section", outer="outer radius of the section")
    inner: Tapering
    outer: Tapering

    @model_validator(mode="after")
    def _hollow(self) -> Self:
        if any(inner >= outer for inner, outer in zip(ends(self.inner), ends(self.outer), strict=True)):
            raise wrong({"inner": self.inner, "outer": self.outer}, "an inner radius less than the outer radius")
        return self


class Rectangle(Part):
    """`width` along the local x axis, `height` along the local y axis."""

    called = "a rectangle"
    meanings = Meanings(
        width="width of the section along local x",
        height="height of the section along local y",
    )
    width: Tapering
    height: Tapering


class Ellipse(Part):
    called = "an ellipse"
    meanings = Meanings(
        semi_x="semi-axis of the section along local x",
        semi_y="semi-axis of the section along local y",
    )
    semi_x: Tapering
    semi_y: Tapering


def _six(words: str, bending: str, axial: str) -> Vector:
    items = (Quantity(bending, least=0),) * 3 + (Quantity(axial, least=0),) * 3
    return Vector(items, (6,), wanted=f"6 {words}, none negative, in the order {', '.join(STRAINS)}")


class Given(Part):
    """A cross-section known by its numbers per length rather than by its shape."""

    called = "a given section"
    meanings = Meanings(
        stiffness="stiffness of the section against its six strains",
        mass="mass per length",
        rotary="rotary inertia per length about local x, y, z",
        damping="damping of the section's six strains",
        radius="radius for drawing",
    )
    stiffness: Annotated[Six, _six("stiffnesses", "bending stiffness", "axial stiffness")]
    mass: Annotated[float, Quantity("mass per length", above=0)]
    rotary: Annotated[Triple, vector("rotary inertia", least=0)]
    damping: Annotated[Six, _six("dampings", "bending damping", "axial damping")] = (0.0,) * 6
    radius: Length | None = None


_STROKE = Vector(
    (Quantity("length"),) * 2, (2,), wanted="two length changes: of the shortest muscle and of the longest"
)


class Muscles(Part):
    """Actuators evenly on a circle, which are all that resists: `stiffness` is that of all of them together against
    stretch (of n actuators with k newton per metre each over the length L: n k L), and so is `damping`; they resist
    bending by what their distance from the axis makes of it. The mass fills the circle. A muscle at an end of its
    `stroke` (length changes; models cog and integral) is stopped by what is fifty times as stiff as itself."""

    called = "a section of muscles"
    meanings = Meanings(
        radius="distance of the muscles from the axis",
        stiffness="stiffness of all muscles together against stretch",
        mass="mass per length",
        damping="damping of all muscles together",
        stroke="length changes at which a muscle stops",
    )
    radius: Length
    stiffness: Annotated[float, Quantity("axial stiffness", above=0)]
    mass: Annotated[float, Quantity("mass per length", above=0)]
    damping: Annotated[float, Quantity("axial damping", least=0)] = 0.0
    stroke: Annotated[tuple[float, float], _STROKE] | None = None


class Holes(Part):
    """Round holes that run all along the rod."""

    called = "holes"
    meanings = Meanings(radius="radii of the holes", at="centres of the holes")
    radius: Annotated[tuple[Length, ...], OneOrMore(Quantity("length", above=0).expected)]
    around: Around | None = None
    at: Centres | None = None

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        if self.around is None and self.at is None:
            raise lacking('"around" (centres on a circle) or "at" (a list of [x, y])')
        if self.around is not None and self.at is not None:
            raise wrong(["around", "at"], 'either "around" or "at", not both')
        count = len(self.centres)
        if len(self.radius) not in (1, count):
            raise wrong(f"{len(self.radius)} radii", f"one radius, or {count} (one for each hole)")
        return self

    @property
    def radii(self) -> tuple[float, ...]:
        return self.radius if len(self.radius) > 1 else self.radius * len(self.centres)

    @property
    def centres(self) -> tuple[tuple[float, float], ...]:
        if self.around is None:
            return self.at or ()
        return tuple(centre for group in self.around.centres() for centre in group)


class Section(Choice):
    called = "a cross-section"
    meanings = Meanings(shear_factor="share of the area that carries shear")
    beside = ("holes",)
    circle: Circle | None = None
    annulus: Annulus | None = None
    rectangle: Rectangle | None = None
    ellipse: Ellipse | None = None
    given: Given | None = None
    muscles: Muscles | None = None
    torsion: Annotated[str, Word(("saint-venant", "polar"))] = "saint-venant"
    shear_factor: Annotated[float, Quantity("number", above=0)] = 1.0
    rotary_inertia: Switch = True
    holes: Holes | None = None

    @model_validator(mode="after")
    def _nothing_to_correct(self) -> Self:
        beside = sorted(self.model_fields_set & {"torsion", "shear_factor", "rotary_inertia", "holes"})
        if self.bare and beside:
            raise wrong(beside, f"nothing beside a section of kind {self.word}: its numbers hold as they are")
        return self

    @property
    def bare(self) -> bool:
        """Whether it is known by its numbers, without a material."""
        return self.given is not None or self.muscles is not None

    def tapers(self) -> bool:
        return any(isinstance(value, tuple) for _, value in self.chosen) and not self.bare


def ends(value: float | tuple[float, float]) -> tuple[float, float]:
    """Base and tip value of something that may taper."""
    return value if isinstance(value, tuple) else (value, value)
