"""What ties two places of a robot together beside its tree of joints."""

from typing import Annotated, Self

from pydantic import model_validator

from pliant.description._joints import Tie
from pliant.description._part import Part
from pliant.description._places import Where
from pliant.description._types import ListOf, NameList, NameOf, Word, at_field, lacking, wrong

DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")


class Constraint(Part):
    called = "a constraint"
    name: Annotated[str, NameOf("a name")]
    between: Annotated[tuple[Where, ...], ListOf("a list of two places", size=2)]
    fix: Annotated[tuple[str, ...], NameList("directions", DIRECTIONS, least=1)] | None = None
    joint: Tie | None = None
    frame: Annotated[str, Word(("first", "second", "world"))] | None = None

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if self.fix is None and self.joint is None:
            raise lacking('"fix" (directions that are tied) or a "joint"')
        if self.fix is not None and self.joint is not None:
            raise wrong(["fix", "joint"], 'either "fix" or a "joint", not both')
        if self.joint is not None and self.frame is not None:
            error = wrong(self.frame, '"frame" only beside "fix": the axes of a joint are those of both places')
            raise at_field("frame", self.frame, error)
        return self
