"""Springs and dampers between two places: along the line between them, or in all six components."""

from typing import Annotated, Any, ClassVar, Self

from pydantic import model_validator

from pliant.description.language._places import Where
from pliant.description.language._programmes import Programme
from pliant.description.language.grammar import (
    ACTS_WORD,
    COMPONENTS,
    DAMPING_POWER,
    REST_RATIO,
    AllInitial,
    ByName,
    ListOf,
    Meanings,
    NameOf,
    OrInitial,
    Part,
    Quantity,
    Word,
    components,
    lacking,
)

AXIAL_STIFFNESS = Quantity("linear stiffness", least=0)
AXIAL_DAMPING = Quantity("linear damping", least=0)
AXIAL_REST = Quantity("length", least=0)
BEAM_STIFFNESS = components("joint stiffness", "linear stiffness", least=0)
BEAM_DAMPING = components("joint damping", "linear damping", least=0)
_BEAM_REST = ByName(
    COMPONENTS,
    (OrInitial(Quantity("angle")),) * 3 + (OrInitial(Quantity("length")),) * 3,
    default=None,
    common=AllInitial(),
)

Six = tuple[float, ...]
SixPowers = Annotated[Six, ByName(COMPONENTS, (DAMPING_POWER,) * 6, default=1.0, common=DAMPING_POWER)]
SixRatios = Annotated[Six, ByName(COMPONENTS, (REST_RATIO,) * 6, default=1.0, common=REST_RATIO)]
SixActs = Annotated[tuple[str, ...], ByName(COMPONENTS, (ACTS_WORD,) * 6, default="both", common=ACTS_WORD)]


class AxialLaw(Part):
    """Along the line between two points; `rest` is a length."""

    called = "an axial spring"
    meanings = Meanings(
        stiffness="stiffness",
        damping="damping",
        damping_power="exponent of the rate in the damping",
        rest="length at which it is slack",
        rest_ratio="factor of the rest value",
    )
    stiffness: Annotated[float, AXIAL_STIFFNESS] = 0.0
    damping: Annotated[float, AXIAL_DAMPING] = 0.0
    damping_power: Annotated[float, DAMPING_POWER] = 1.0
    rest: Annotated[float | None, OrInitial(AXIAL_REST)] = None
    rest_ratio: Annotated[float, REST_RATIO] = 1.0
    acts: Annotated[str, ACTS_WORD] = "both"


class BeamLaw(Part):
    """Six components: how the second place lies and turns, seen from the first."""

    called = "a beam spring"
    meanings = Meanings(
        stiffness="stiffness",
        damping="damping",
        damping_power="exponent of the rate in the damping",
        rest="deformation at which it is slack",
        rest_ratio="factor of the rest value",
    )
    stiffness: Annotated[Six, BEAM_STIFFNESS] = (0.0,) * 6
    damping: Annotated[Six, BEAM_DAMPING] = (0.0,) * 6
    damping_power: SixPowers = (1.0,) * 6
    rest: Annotated[tuple[float | None, ...], _BEAM_REST] = (None,) * 6
    rest_ratio: SixRatios = (1.0,) * 6
    acts: SixActs = ("both",) * 6
    frame: Annotated[str, Word(("first", "middle"))] = "first"


class _Spring(Part):
    called = "a spring"
    meanings = Meanings(force="force that pushes the ends apart")
    kind: ClassVar[str]
    name: Annotated[str, NameOf("a name")]
    between: Annotated[tuple[Where, ...], ListOf("a list of two places", size=2)]

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        law: Any = getattr(self, self.kind)
        if getattr(self, "force", None) is None and not law.model_fields_set & {"stiffness", "damping"}:
            raise lacking(f'a "stiffness" or a "damping" in "{self.kind}", or a "force"')
        return self


class AxialSpring(_Spring):
    kind = "axial"
    axial: AxialLaw
    force: Programme[Annotated[float, Quantity("push")]] | None = None


class BeamSpring(_Spring):
    kind = "beam"
    beam: BeamLaw
    force: Programme[Annotated[Six, components("moment", "force")]] | None = None


AnySpring = AxialSpring | BeamSpring
