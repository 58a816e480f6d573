"""What ties two places of a robot together beside its tree of joints, or two coordinates of its joints."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Self

from pydantic import SerializeAsAny, create_model, model_validator

from pliant.description.language._joints import VELOCITIES, Tie
from pliant.description.language._places import Where
from pliant.description.language._programmes import Programme, Unsettled
from pliant.description.language.grammar import (
    ByName,
    LinkName,
    ListOf,
    Meanings,
    NameList,
    NameOf,
    Part,
    Quantity,
    Word,
    at_field,
    is_mapping,
    lacking,
    wrong,
)

DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")
# What one number for each direction may be: the kind for a sliding one, the kind for a turning one.
_KINDS = {"follow": ("length", "angle"), "acceleration": ("acceleration", "angular acceleration")}
Name = Annotated[str, NameOf("a name")]
# The values of directions while these are not known.
_Directed = Programme[Annotated[Any, Unsettled(DIRECTIONS)]]


class Control(Part):
    """Instead of holding a direction exactly: its second rate is the acceleration asked for, and gains on the error."""

    called = "a control"
    meanings = Meanings(
        proportional="gain on the error",
        derivative="gain on the rate of the error",
        integral="gain on the integral of the error",
        acceleration="second rate that is asked for",
    )
    proportional: Annotated[float, Quantity("proportional gain", least=0)] = 0.0
    derivative: Annotated[float, Quantity("derivative gain", least=0)] = 0.0
    integral: Annotated[float, Quantity("integral gain", least=0)] = 0.0
    acceleration: SerializeAsAny[_Directed] | None = None

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        if not self.model_fields_set:
            raise lacking('a gain ("proportional", "derivative", "integral") or an "acceleration"')
        return self


class Constraint(Part):
    called = "a constraint"
    meanings = Meanings(follow="place of the directions that are held")
    name: Name
    between: Annotated[tuple[Where, ...], ListOf("a list of two places", size=2)]
    fix: Annotated[tuple[str, ...], NameList("directions", DIRECTIONS, least=1)] | None = None
    joint: Tie | None = None
    frame: Annotated[str, Word(("first", "second", "world"))] | None = None
    follow: SerializeAsAny[_Directed] | None = None
    control: SerializeAsAny[Control] | None = None
    through: Annotated[tuple[str, ...], NameList("names of actuators", least=1)] | None = None

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if self.fix is None and self.joint is None:
            raise lacking('"fix" (directions that are tied) or a "joint"')
        if self.fix is not None and self.joint is not None:
            raise wrong(["fix", "joint"], 'either "fix" or a "joint", not both')
        if self.joint is not None and self.frame is not None:
            error = wrong(self.frame, '"frame" only beside "fix": the axes of a joint are those of both places')
            raise at_field("frame", self.frame, error)
        for word in ("follow", "control"):
            if self.joint is not None and getattr(self, word) is not None:
                error = wrong([word, "joint"], f'"{word}" only beside "fix", whose directions it means')
                raise at_field(word, None, error)
        return self


class Coordinate(Part):
    """One coordinate of a joint; `joint` is the link that the joint carries."""

    called = "a coordinate of a joint"
    joint: LinkName
    coordinate: Name | None = None

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {"joint": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        full = handler.resolve_ref_schema(handler(schema))
        return {"anyOf": [{"type": "string"}, full]}


class CoordinateTie(Part):
    """The first coordinate is `ratio` times the second."""

    called = "a constraint"
    meanings = Meanings(ratio="ratio of the first coordinate to the second")
    name: Name
    tie: Annotated[tuple[Coordinate, ...], ListOf("a list of two coordinates of joints", size=2)]
    ratio: Annotated[float, Quantity("number", nonzero=True)] = 1.0


AnyConstraint = Constraint | CoordinateTie


def per_direction(names: tuple[str, ...], what: str) -> Quantity | ByName:
    """One number for the directions called `names`."""
    items = tuple(Quantity(_KINDS[what][name.startswith("r")]) for name in names)
    return items[0] if len(items) == 1 else ByName(names, items)


def coordinate_of(end: Any, joints: Mapping[str, str]) -> str | None:
    """The coordinate that one end of a tie, as written, means; None where it is none.

    `joints` leads from a link to the kind of its joint.
    """
    link = end.get("joint") if is_mapping(end) else end
    chosen = end.get("coordinate") if is_mapping(end) else None
    names = VELOCITIES.get(joints.get(link, ""), ()) if isinstance(link, str) else ()
    if chosen is None:
        return names[0] if len(names) == 1 else None
    return chosen if chosen in names else None


@cache
def constraint_on(directions: tuple[str, ...]) -> type[Constraint]:
    """The part for a constraint of these directions: the number and the units of what they follow."""
    values = {what: Programme[Annotated[Any, per_direction(directions, what)]] | None for what in _KINDS}
    wanted: Any = (values["acceleration"], None)
    control = create_model("Control", __base__=Control, acceleration=wanted)
    fields: dict[str, Any] = {"follow": (values["follow"], None), "control": (control | None, None)}
    return create_model("Constraint", __base__=Constraint, **fields)


@cache
def tie_of(first: str, second: str) -> type[CoordinateTie]:
    """The part for a tie of two coordinates of these names: the unit of the ratio."""
    turning = [name.startswith("ang") for name in (first, second)]
    if turning[0] == turning[1]:
        return CoordinateTie
    kind = "angle per length" if turning[0] else "length per angle"
    ratio: Any = (Annotated[float, Quantity(kind, nonzero=True)], 1.0)
    return create_model("CoordinateTie", __base__=CoordinateTie, ratio=ratio)
