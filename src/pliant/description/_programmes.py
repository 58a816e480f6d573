"""Values that change in time, as data: the kind is a word, its numbers are quantities."""

from itertools import pairwise
from typing import Annotated, Any, Generic, Self, TypeVar

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic_core import PydanticCustomError, core_schema

from pliant.description._part import Choice, Part
from pliant.description._types import (
    Duration,
    Quantity,
    Time,
    Triple,
    is_list,
    is_mapping,
    split_list,
    vector,
    wrong,
)

Value = TypeVar("Value")
ZERO: Triple = (0.0, 0.0, 0.0)


class _Programme(Part, Generic[Value]):
    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        kind = params[0].__metadata__[0].items[0].kind
        return f"{cls.__name__.strip('_')}_{kind.replace(' ', '_')}"


class Step(_Programme[Value], Generic[Value]):
    called = "a step"
    at: Time = 0.0
    to: Value
    from_: Value = Field(default=ZERO, alias="from")  # type: ignore[assignment]


class Ramp(_Programme[Value], Generic[Value]):
    called = "a ramp"
    start: Time = 0.0
    over: Duration
    to: Value
    from_: Value = Field(default=ZERO, alias="from")  # type: ignore[assignment]


class Sine(_Programme[Value], Generic[Value]):
    called = "a sine"
    amplitude: Value
    frequency: Annotated[float, Quantity("frequency", above=0)]
    phase: Annotated[float, Quantity("angle")] = 0.0
    offset: Value = Field(default=ZERO)  # type: ignore[assignment]


class Triangle(_Programme[Value], Generic[Value]):
    called = "a triangle"
    start: Time = 0.0
    rise: Duration
    fall: Duration
    peak: Value


class Pulse(_Programme[Value], Generic[Value]):
    called = "a pulse"
    start: Time = 0.0
    width: Duration
    value: Value


class Times:
    """A list of times, each later than the one before."""

    expected = "a list of two or more times, each later than the one before"

    def check(self, times: tuple[float, ...]) -> tuple[float, ...]:
        for index, (earlier, later) in enumerate(pairwise(times)):
            if later <= earlier:
                raise PydanticCustomError(
                    "wrong",
                    "{text}",
                    {
                        "text": f"item {index + 2} ({later:g} s) is not later than item {index + 1} ({earlier:g} s); "
                        f"expected {self.expected}"
                    },
                )
        return times

    def first(self, value: Any) -> Any:
        value = split_list(value)
        if not is_list(value) or len(value) < 2:
            raise wrong(value, self.expected)
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        one = core_schema.no_info_plain_validator_function(Quantity("time").check)
        return core_schema.no_info_after_validator_function(
            self.check,
            core_schema.chain_schema(
                [
                    core_schema.no_info_plain_validator_function(self.first),
                    core_schema.tuple_schema([one], variadic_item_index=0),
                ]
            ),
        )

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        listed = {"type": "array", "items": Quantity("time").json_schema(), "minItems": 2}
        return {"anyOf": [listed, {"type": "string", "pattern": r"^\s*\["}], "description": self.expected}


class Table(_Programme[Value], Generic[Value]):
    """Straight lines between the points; the first and last value hold before and after."""

    called = "a table"
    times: Annotated[tuple[float, ...], Times()]
    values: tuple[Value, ...]

    @model_validator(mode="after")
    def _equally_long(self) -> Self:
        if len(self.times) != len(self.values):
            raise PydanticCustomError(
                "wrong",
                "{text}",
                {"text": f"got {len(self.times)} times and {len(self.values)} values; expected as many of each"},
            )
        return self


class Programme(Choice, Generic[Value]):
    """A value that may change in time; the value alone is constant."""

    called = "a list of 3 numbers, or a programme"
    constant: Value | None = None
    step: Step[Value] | None = None
    ramp: Ramp[Value] | None = None
    sine: Sine[Value] | None = None
    triangle: Triangle[Value] | None = None
    pulse: Pulse[Value] | None = None
    table: Table[Value] | None = None

    model_parametrized_name = _Programme.__dict__["model_parametrized_name"]

    @classmethod
    def expand(cls, value: Any) -> Any:
        value = split_list(value)
        return super().expand({"constant": value} if is_list(value) else value if is_mapping(value) else None)

    @classmethod
    def short_forms(cls) -> list[dict[str, Any]]:
        number = {"anyOf": [{"type": "number"}, {"type": "string"}]}
        return [
            {"type": "array", "items": number, "minItems": 3, "maxItems": 3},
            {"type": "string", "pattern": r"^\s*\["},
        ]


Acceleration = Programme[Annotated[Triple, vector("acceleration")]]
Force = Programme[Annotated[Triple, vector("force")]]
Moment = Programme[Annotated[Triple, vector("moment")]]
ForcePerLength = Programme[Annotated[Triple, vector("force per length")]]
MomentPerLength = Programme[Annotated[Triple, vector("moment per length")]]
