"""What drives a robot: tendons, pressure chambers, joints."""

import math
from functools import cache
from typing import Annotated, Any, Self

from pydantic import (
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    SerializeAsAny,
    Tag,
    ValidationError,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError, core_schema

from pliant.description.language._joints import per_velocity
from pliant.description.language._patterns import Around
from pliant.description.language._places import OneOrMore, Where
from pliant.description.language._programmes import Pressure, Programme, TendonLength, Tension, Unsettled, lowest
from pliant.description.language._stress import StressActuator
from pliant.description.language.grammar import (
    Angle,
    Fraction,
    Length,
    LinkName,
    ListOf,
    Meanings,
    Move,
    NameList,
    NameOf,
    Part,
    Quantity,
    Tapering,
    Wanted,
    at_field,
    is_mapping,
    lacking,
    taper,
    wrong,
)

Name = Annotated[str, NameOf("a name")]
FromAxis = Annotated[float | tuple[float, float], taper("length", "[begin, end]")]
FOLLOWS = ("from", "to", "x", "y", "helix")  # the words of a route's item that follows a rod


class Helix(Part):
    """Winds about the axis as the run goes, positive turns from local x towards y: right-handed on a run to the tip.
    `phase` is the angle from local x at the beginning."""

    called = "a helix"
    meanings = Meanings(
        radius="radius of the helix",
        turns="turns of the helix",
        phase="angle at which the helix begins, from local x",
    )
    radius: Tapering
    turns: Annotated[float, Quantity("turns")]
    phase: Angle = 0.0


class Offsets(Part):
    """Along a rod, at a distance from its axis."""

    called = "a run along a rod"
    meanings = Meanings(
        x="distance of the run from the axis along local x",
        y="distance of the run from the axis along local y",
    )
    from_: Fraction = Field(default=0.0, alias="from")
    to: Fraction = 1.0
    x: FromAxis = 0.0
    y: FromAxis = 0.0
    helix: Helix | None = None

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        if self.from_ == self.to:
            raise wrong({"from": self.from_, "to": self.to}, '"from" and "to" to differ')
        return self


class Run(Offsets):
    link: LinkName


class Point(Where):
    """A place through which a tendon goes; `move` is short for an offset that only moves."""

    called = "a place of a tendon's route"
    meanings = Meanings(move="translation of the point")
    move: Move | None = None

    @model_validator(mode="after")
    def _one_move(self) -> Self:
        if self.move is not None and "offset" in self.model_fields_set:
            raise wrong(["move", "offset"], 'either "move" or "offset", not both')
        return self


def _item_kind(value: Any) -> str:
    follows = is_mapping(value) and any(word in value for word in FOLLOWS)
    return "run" if follows or isinstance(value, Run) else "point"


Item = Annotated[Annotated[Run, Tag("run")] | Annotated[Point, Tag("point")], Discriminator(_item_kind)]
_ROUTE = "how the tendon runs along its rod, e.g. {y: 8 mm}, or a list of places and of runs along rods"
Items = Annotated[tuple[Item, ...], ListOf(_ROUTE)]
Route = Annotated[
    Annotated[Offsets, Tag("one")] | Annotated[Items, Tag("list")],
    Discriminator(lambda value: "one" if is_mapping(value) or isinstance(value, Offsets) else "list"),
    Wanted(_ROUTE),
]


class Tendon(Part):
    called = "a tendon"
    link: LinkName | None = None
    route: Route

    @classmethod
    def expand(cls, value: Any) -> Any:
        if is_mapping(value) and "links" in value and "link" not in value:
            return {"link" if key == "links" else key: item for key, item in value.items()}
        return value

    @model_validator(mode="after")
    def _has_a_length(self) -> Self:
        if isinstance(self.route, Offsets):
            if self.link is None:
                raise lacking('a "link" (the rod that the tendon follows), or a list of places as its "route"')
            return self
        if self.link is not None:
            raise wrong(self.link, 'no "link" beside a route of several items, each of which names its own')
        if len(self.route) < 2 and not isinstance(self.route[0], Run):
            raise lacking("two places, or one run along a rod: a tendon has a length")
        return self

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        full = handler.resolve_ref_schema(handler(schema))
        full["properties"]["links"] = full["properties"]["link"]
        return full


class TendonActuator(Part):
    called = "a tendon"
    meanings = Meanings(
        tension="tension",
        length="length to which the tendon is wound",
        friction="coefficient of friction along the route",
        stiffness="stiffness EA",
    )
    name: Name
    tendon: Tendon
    tension: Tension | None = None
    length: TendonLength | None = None
    friction: Annotated[float, Quantity("friction", least=0)] | None = None
    stiffness: Annotated[float, Quantity("tendon stiffness", above=0)] | None = None

    @model_validator(mode="after")
    def _one_drive(self) -> Self:
        if (self.tension is None) == (self.length is None):
            if self.tension is None:
                raise lacking('a "tension" or a "length"')
            raise wrong(["tension", "length"], 'either a "tension" or a "length", not both')
        if self.stiffness is not None and self.length is None:
            error = wrong(self.stiffness, 'no "stiffness" beside a "tension", only beside a "length"')
            raise at_field("stiffness", self.stiffness, error)
        if self.tension is not None and lowest(self.tension) < 0:
            raise _falls("tension", f"{lowest(self.tension):g} N", "at least 0: a tendon cannot push")
        if self.length is not None and lowest(self.length) <= 0:
            raise _falls("length", f"{lowest(self.length):g} m", "greater than 0")
        return self


def _falls(what: str, value: str, limit: str) -> ValidationError:
    cure = 'give the programme a "from" or an "offset"'
    text = f"it falls to {value}; expected a {what} that stays {limit} ({cure})"
    return at_field(what, value, PydanticCustomError("wrong", "{text}", {"text": text}))


class Centre(Part):
    called = "the centre of a chamber"
    meanings = Meanings(x="centre of the channel along local x", y="centre of the channel along local y")
    x: FromAxis = 0.0
    y: FromAxis = 0.0


class Chamber(Part):
    """A round channel along a rod, or several about its axis."""

    called = "a chamber"
    meanings = Meanings(radius="radius of the channels", area="cross-sectional area of the channels")
    link: LinkName
    from_: Fraction = Field(default=0.0, alias="from")
    to: Fraction = 1.0
    centre: Centre | None = None
    around: Around | None = None
    radius: Length | None = None
    area: Annotated[float, Quantity("area", above=0)] | None = None

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if self.from_ >= self.to:
            raise wrong({"from": self.from_, "to": self.to}, '"from" less than "to"')
        if self.radius is None and self.area is None:
            raise lacking('a "radius" or an "area"')
        if self.radius is not None and self.area is not None:
            raise wrong(["radius", "area"], 'either a "radius" or an "area", not both')
        if self.centre is not None and self.around is not None:
            raise wrong(["centre", "around"], 'either a "centre" or "around", not both')
        return self

    def channels(self) -> list[list[tuple[Any, Any]]]:
        """The centres x, y of the channels of each actuator; either may be a pair: at the beginning and at the end."""
        if self.around is not None:
            return [list(group) for group in self.around.centres()]
        return [[(0.0, 0.0) if self.centre is None else (self.centre.x, self.centre.y)]]

    @property
    def round_radius(self) -> float:
        """The radius; of a chamber known by its area, that of the circle of this area."""
        return self.radius if self.radius is not None else math.sqrt((self.area or 0.0) / math.pi)


class ChamberActuator(Part):
    called = "a chamber"
    meanings = Meanings(pressure="pressure")
    name: Name
    chamber: Chamber
    pressure: Annotated[tuple[Pressure, ...], OneOrMore(Pressure.called)]

    @model_validator(mode="after")
    def _as_many(self) -> Self:
        count, given = len(self.names), len(self.pressure)
        if given not in (1, count):
            many = f"one pressure, or {count} (one for each angle)" if count > 1 else "one pressure"
            raise wrong(f"{given} pressures", many)
        return self

    @property
    def names(self) -> list[str]:
        """The actuators that this stands for: one, or one for each angle of a pattern."""
        if self.chamber.around is None:
            return [self.name]
        return [f"{self.name}-{number}" for number in range(1, len(self.chamber.around.angles) + 1)]


# The values of a drive while its joint is not known.
_Drive = Programme[Annotated[Any, Unsettled()]]


class JointDrive(Part):
    """Moves the coordinates of a joint, or pushes them; `joint` is the link that the joint carries."""

    called = "a driven joint"
    meanings = Meanings(
        motion="prescribed coordinates of the joint",
        force="forces or moments on the coordinates of the joint",
    )
    name: Name
    joint: LinkName
    coordinate: Annotated[tuple[str, ...], NameList("coordinates of the joint", least=1)] | None = None
    motion: SerializeAsAny[_Drive] | None = None
    force: SerializeAsAny[_Drive] | None = None

    @model_validator(mode="after")
    def _one_drive(self) -> Self:
        if self.motion is None and self.force is None:
            raise lacking('a "motion" or a "force"')
        if self.motion is not None and self.force is not None:
            raise wrong(["motion", "force"], 'either a "motion" or a "force", not both')
        return self

    @property
    def drive(self) -> str:
        return "force" if self.motion is None else "motion"


Actuator = TendonActuator | ChamberActuator | StressActuator | JointDrive


@cache
def joint_drive(coordinates: tuple[str, ...]) -> type[JointDrive]:
    """The part for a drive of these coordinates: their number and their units."""
    fields: dict[str, Any] = {
        what: (Programme[Annotated[Any, per_velocity(coordinates, what)]] | None, None) for what in ("motion", "force")
    }
    return create_model("JointDrive", __base__=JointDrive, **fields)
