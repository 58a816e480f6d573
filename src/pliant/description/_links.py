"""What exists: materials, rigid bodies and rods, how they hang on their parents, how a rod is discretised."""

from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import AfterValidator, Field, GetJsonSchemaHandler, model_validator
from pydantic_core import core_schema

from pliant.description._part import Choice, Nothing, Part
from pliant.description._places import Angle, AxisField, Parent
from pliant.description._types import (
    STRAINS,
    Length,
    MaterialName,
    Move,
    NameList,
    NameOf,
    Quantity,
    Switch,
    Tapering,
    Triple,
    Vector,
    WholeNumber,
    Word,
    is_list,
    is_mapping,
    lacking,
    taper,
    vector,
    wrong,
)

Six = tuple[float, float, float, float, float, float]
DEFAULT_BASIS = "legendre"
DEFAULT_ORDER = 3
DEFAULT_PIECES = 4
_ORDER = WholeNumber("a polynomial order", 0, 20)


class Material(Part):
    called = "a material"
    young: Annotated[float, Quantity("modulus", above=0)]
    poisson: Annotated[float, Quantity("number", above=-1, most=0.5)]
    density: Annotated[float, Quantity("density", above=0)]
    viscosity: Annotated[float, Quantity("viscosity", least=0)] = 0.0


class Circle(Part):
    called = "a circle"
    radius: Tapering


class Annulus(Part):
    called = "an annulus"
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
    width: Tapering
    height: Tapering


class Ellipse(Part):
    called = "an ellipse"
    semi_x: Tapering
    semi_y: Tapering


def _six(words: str, bending: str, axial: str) -> Vector:
    items = (Quantity(bending, least=0),) * 3 + (Quantity(axial, least=0),) * 3
    return Vector(items, (6,), wanted=f"6 {words}, none negative, in the order {', '.join(STRAINS)}")


class Given(Part):
    """A cross-section known by its numbers per length rather than by its shape."""

    called = "a given section"
    stiffness: Annotated[Six, _six("stiffnesses", "bending stiffness", "axial stiffness")]
    mass: Annotated[float, Quantity("mass per length", above=0)]
    rotary: Annotated[Triple, vector("rotary inertia", least=0)]
    damping: Annotated[Six, _six("dampings", "bending damping", "axial damping")] = (0.0,) * 6
    radius: Length | None = None


class Section(Choice):
    called = "a cross-section"
    circle: Circle | None = None
    annulus: Annulus | None = None
    rectangle: Rectangle | None = None
    ellipse: Ellipse | None = None
    given: Given | None = None
    torsion: Annotated[str, Word(("saint-venant", "polar"))] = "saint-venant"
    shear_factor: Annotated[float, Quantity("number", above=0)] = 1.0
    rotary_inertia: Switch = True

    @model_validator(mode="after")
    def _nothing_to_correct(self) -> Self:
        beside = sorted(self.model_fields_set & {"torsion", "shear_factor", "rotary_inertia"})
        if self.given is not None and beside:
            raise wrong(beside, "nothing beside a given section: its numbers hold as they are")
        return self


class Sphere(Part):
    called = "a sphere"
    radius: Length


class Cylinder(Part):
    called = "a cylinder along the local z axis"
    radius: Length
    length: Length


class Shape(Choice):
    called = "a shape"
    box: Annotated[Triple, vector("length", above=0)] | None = None
    sphere: Sphere | None = None
    cylinder: Cylinder | None = None


class Revolute(Part):
    called = "a revolute joint"
    axis: AxisField
    stiffness: Annotated[float, Quantity("joint stiffness", least=0)] | None = None
    damping: Annotated[float, Quantity("joint damping", least=0)] | None = None
    rest: Angle | None = None

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {"axis": value} if isinstance(value, str) or is_list(value) else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        full = handler.resolve_ref_schema(handler(schema))
        return {"anyOf": [full["properties"]["axis"], full]}


class Joint(Choice):
    called = "a joint"
    fixed: Nothing | None = None
    revolute: Revolute | None = None
    spherical: Nothing | None = None
    free: Nothing | None = None


class ByStrain:
    """One value for all strains allowed, or one for each strain named."""

    def __init__(self, one: WholeNumber | Word, example: str) -> None:
        self.one = one
        self.expected = f"{one.expected}, or by strain such as {example}"

    def check(self, value: Any) -> Any:
        if not is_mapping(value):
            # A value of the right kind but out of range needs no hint at the other form.
            if isinstance(value, int | str) and not isinstance(value, bool):
                return self.one.check(value)
            raise wrong(value, self.expected)
        for strain, own in value.items():
            Word(STRAINS).check(strain)
            self.one.check(own)
        return {strain: value[strain] for strain in STRAINS if strain in value}

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        one = self.one.json_schema()
        many = {"type": "object", "properties": dict.fromkeys(STRAINS, one), "additionalProperties": False}
        return {"anyOf": [one, many], "description": self.expected}


_PIECES = WholeNumber("a number of pieces", 1, 1000)
_BASIS = Word(("legendre", "monomial", "chebyshev", "piecewise"))
QuadraturePoints = Annotated[int, WholeNumber("a number of quadrature points", 1, 100)]


class Gvs(Part):
    """Strains are polynomials (or another basis) of the arclength."""

    called = "the numbers of the model gvs"
    order: Annotated[int | dict[str, int], ByStrain(_ORDER, "{bend_x: 3, stretch: 1}")] = DEFAULT_ORDER
    basis: Annotated[str | dict[str, str], ByStrain(_BASIS, "{bend_x: chebyshev}")] = DEFAULT_BASIS
    pieces: Annotated[int, _PIECES] = 1
    quadrature: QuadraturePoints | None = None


class Pcs(Part):
    """Strains are constant over each of several pieces of equal length."""

    called = "the numbers of the model pcs"
    pieces: Annotated[int, _PIECES] = DEFAULT_PIECES
    quadrature: QuadraturePoints | None = None


class Model(Choice):
    called = "a rod model"
    gvs: Gvs | None = None
    pcs: Pcs | None = None


_CURVATURE = taper("curvature")
_STRAIN = taper("strain")
Curvature = Annotated[float | tuple[float, float], _CURVATURE]
LinearStrain = Annotated[float | tuple[float, float], _STRAIN]


class Reference(Part):
    """The strains of the unloaded rod; straight, unsheared and unstretched unless said otherwise."""

    called = "reference strains"
    bend_x: Curvature = 0.0
    bend_y: Curvature = 0.0
    twist: Curvature = 0.0
    shear_x: LinearStrain = 0.0
    shear_y: LinearStrain = 0.0
    stretch: Annotated[float | tuple[float, float], taper("strain", above=0)] = 1.0


def _possible_inertia(inertia: tuple[float, ...]) -> tuple[float, ...]:
    xx, yy, zz, xy, xz, yz = (*inertia, 0.0, 0.0, 0.0)[:6]
    smallest, middle, largest = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if smallest <= 0:
        raise wrong(list(inertia), "an inertia whose three principal moments are greater than 0")
    # A thin plate has largest = smallest + middle exactly, so rounding is forgiven.
    if largest > (smallest + middle) * (1 + 1e-9):
        raise wrong(list(inertia), "an inertia that a body can have: no principal moment exceeds the sum of the others")
    return inertia


Inertia = Annotated[
    tuple[float, ...],
    Vector(
        (Quantity("inertia"),),
        (3, 6),
        wanted="moments of inertia [ixx, iyy, izz] or [ixx, iyy, izz, ixy, ixz, iyz] about the centre of mass",
    ),
    AfterValidator(_possible_inertia),
]


class Link(Part):
    name: Annotated[str, NameOf("a name")]
    parent: Parent = Field(default_factory=Parent)
    joint: Joint = Field(default_factory=lambda: Joint(fixed=Nothing()))


class Rod(Link):
    called = "a rod"
    kind: Literal["rod"]
    length: Length
    section: Section
    material: MaterialName | None = None
    allow: Annotated[tuple[str, ...], NameList("strains", STRAINS, least=1)] = STRAINS
    reference: Reference = Field(default_factory=Reference)
    model: Model = Field(default_factory=lambda: Model(gvs=Gvs()))

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.section.given is None and self.material is None:
            raise lacking('a "material" (only a section of kind given does without)')
        if self.section.given is not None and self.material is not None:
            raise wrong(self.material, 'no "material" beside a given section, whose numbers hold as they are')
        return self


class Rigid(Link):
    called = "a rigid link"
    kind: Literal["rigid"]
    material: MaterialName | None = None
    shape: Shape | None = None
    mass: Annotated[float, Quantity("mass", above=0)] | None = None
    centre: Move = (0.0, 0.0, 0.0)
    inertia: Inertia | None = None

    @model_validator(mode="after")
    def _has_mass_and_inertia(self) -> Self:
        from_density = self.shape is not None and self.material is not None
        if self.mass is not None and self.material is not None:
            raise wrong(["mass", "material"], 'either a "mass" or a "material" whose density gives it, not both')
        if self.mass is None and not from_density:
            raise lacking('a "mass", or a "shape" and a "material" that give it')
        if self.inertia is None and self.shape is None:
            raise lacking('an "inertia", or a "shape" that gives it')
        return self


def ends(value: float | tuple[float, float]) -> tuple[float, float]:
    """Base and tip value of something that may taper."""
    return value if isinstance(value, tuple) else (value, value)
