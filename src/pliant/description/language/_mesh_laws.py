"""What the edges of a mesh are: springs along their lines, or beams."""

from typing import Annotated, Any, Self

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from pliant.description.language._places import AxisField
from pliant.description.language._sections import Section
from pliant.description.language._springs import (
    AXIAL_DAMPING,
    AXIAL_REST,
    AXIAL_STIFFNESS,
    BEAM_DAMPING,
    BEAM_STIFFNESS,
    SixActs,
    SixPowers,
    SixRatios,
)
from pliant.description.language.grammar import (
    ACTS_WORD,
    DAMPING_POWER,
    REST_RATIO,
    Each,
    MaterialName,
    Meanings,
    OrInitial,
    Part,
    Word,
    at_field,
    components,
    lacking,
    wrong,
)

One = float | tuple[float, ...]
Six = tuple[Any, ...]  # six numbers, or six for each edge
_EDGE = "edge"


class AxialEdges(Part):
    """Every edge is a spring along its line; the nodes are points."""

    called = "axial edges"
    meanings = Meanings(
        stiffness="stiffness of the edges",
        damping="damping of the edges",
        damping_power="exponent of the rate in the damping of the edges",
        rest_ratio="factor of the rest value of the edges",
        rest="length at which the edges are slack",
    )
    stiffness: Annotated[One, Each(AXIAL_STIFFNESS, _EDGE)] = 0.0
    damping: Annotated[One, Each(AXIAL_DAMPING, _EDGE)] = 0.0
    damping_power: Annotated[float, DAMPING_POWER] = 1.0
    rest: Annotated[One | None, OrInitial(Each(AXIAL_REST, _EDGE))] = None
    rest_ratio: Annotated[float, REST_RATIO] = 1.0
    acts: Annotated[str, ACTS_WORD] = "both"

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        if not self.model_fields_set & {"stiffness", "damping"}:
            raise lacking('a "stiffness" or a "damping"')
        return self


class BeamEdges(Part):
    """Every edge is a beam, known by its six stiffnesses or by its section and material; the nodes turn.

    The components are along the edge (z, with x towards `x_axis`), or those of the first node's axes.
    """

    called = "beam edges"
    meanings = Meanings(
        stiffness="stiffness of the edges",
        damping="damping of the edges",
        damping_power="exponent of the rate in the damping of the edges",
        rest_ratio="factor of the rest value of the edges",
        rest="deformation at which the edges are slack",
        x_axis="direction towards which the edges have their local x",
    )
    stiffness: Annotated[Six, Each(BEAM_STIFFNESS, _EDGE)] | None = None
    damping: Annotated[Six, Each(BEAM_DAMPING, _EDGE)] | None = None
    section: Section | None = None
    material: MaterialName | None = None
    damping_power: SixPowers = (1.0,) * 6
    rest: Annotated[Six | None, OrInitial(Each(components("angle", "length"), _EDGE))] = None
    rest_ratio: SixRatios = (1.0,) * 6
    acts: SixActs = ("both",) * 6
    axes: Annotated[str, Word(("edge", "node"))] = "edge"
    x_axis: AxisField | None = None
    # A mesh does not tell the two ends of an edge apart, so what is the same seen from either is the default.
    frame: Annotated[str, Word(("middle", "first"))] = "middle"

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        numbers = [name for name in ("stiffness", "damping") if getattr(self, name) is not None]
        if self.section is None:
            if not numbers:
                raise lacking('a "stiffness" or a "damping", or a "section" and a "material" that give them')
            if self.material is not None:
                raise at_field("material", self.material, wrong(self.material, 'a "material" only beside a "section"'))
        else:
            self._check_section(numbers)
        if self.x_axis is not None and self.axes == "node":
            error = wrong(self.x_axis, 'an "x_axis" only where the components are along the edge ("axes: edge")')
            raise at_field("x_axis", self.x_axis, error)
        return self

    def _check_section(self, numbers: list[str]) -> None:
        section: Any = self.section
        if numbers:
            raise wrong([*numbers, "section"], 'either a "section" or "stiffness" and "damping", not both')
        if self.material is None and not section.bare:
            raise lacking('a "material" beside the "section"')
        if self.material is not None and section.bare:
            error = wrong(self.material, 'no "material" beside a given section, whose numbers hold as they are')
            raise at_field("material", self.material, error)
        if section.tapers():
            text = "it tapers; expected a section that is the same all along an edge"
            raise at_field("section", None, PydanticCustomError("wrong", "{text}", {"text": text}))
        if self.axes == "node":
            raise at_field("axes", self.axes, wrong(self.axes, "the word edge: a section is that of the edge"))
