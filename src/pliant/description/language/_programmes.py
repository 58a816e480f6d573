"""Values that change in time, as data: the kind is a word, its numbers are quantities."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError, core_schema

from pliant.blueprint import PROGRAMMES
from pliant.blueprint import Programme as Defined
from pliant.description.language.grammar import (
    ByName,
    Checked,
    Choice,
    Duration,
    ListOf,
    Part,
    Quantity,
    Time,
    Triple,
    Vector,
    is_list,
    is_mapping,
    split_list,
    vector,
)

Value = TypeVar("Value")


@dataclass(frozen=True)
class Unsettled(Checked):
    """A value whose number and units depend on another part, while that part is not known; it may be by `names`."""

    names: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        return "directions" if self.names else "value"

    @property
    def expected(self) -> str:
        return f"a number, or a list of one number for each {'direction' if self.names else 'coordinate'}"

    def check(self, value: Any) -> Any:
        return value

    def json_schema(self) -> dict[str, Any]:
        number: dict[str, Any] = {"anyOf": [{"type": "number"}, {"type": "string"}]}
        named = {"type": "object", "properties": dict.fromkeys(self.names, number), "additionalProperties": False}
        return {"anyOf": [number, {"type": "array", "items": number}, *([named] if self.names else [])]}


def _mark(params: tuple[Any, ...]) -> Any:
    """The annotation that checks the values of a programme; None while it is still open."""
    return params[0].__metadata__[0] if params and hasattr(params[0], "__metadata__") else None


class _Programme(Part, Generic[Value]):
    """How a programme is written. What its numbers are, and which of them has the shape of its value, is said where it
    is defined, in the blueprint; a test holds the fields and their defaults equal to those there."""

    @classmethod
    def defined(cls) -> type[Defined] | None:
        """The kind of programme, by the name of its part; None of what is no kind yet."""
        return next((PROGRAMMES[word] for base in cls.__mro__ if (word := base.__name__.lower()) in PROGRAMMES), None)

    @classmethod
    def meaning(cls, name: str) -> str:
        kind = cls.defined()
        return "" if kind is None else str(kind.__dataclass_fields__[name].metadata["meaning"])

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        mark = _mark(params)
        items = getattr(mark, "items", (mark,))
        kinds = [getattr(item, "kind", "value").replace(" ", "_") for item in items]
        # Values of the same kinds may have other names: those of a wrench and of a stress.
        return "_".join([cls.__name__.strip("_"), *kinds, *getattr(mark, "names", ())])

    @model_validator(mode="after")
    def _zero_where_left_out(self) -> Self:
        kind = self.defined()
        shape = None if kind is None else getattr(self, kind.level)
        # A value left out is zero, in the shape of this one.
        for name, value in self:
            if value is None:
                # The part is frozen from here on.
                object.__setattr__(self, name, (0.0,) * len(shape) if isinstance(shape, tuple) else 0.0)
        return self


class Step(_Programme[Value], Generic[Value]):
    called = "a step"
    at: Time = 0.0
    to: Value
    from_: Value | None = Field(default=None, alias="from")


class Ramp(_Programme[Value], Generic[Value]):
    called = "a ramp"
    start: Time = 0.0
    over: Duration
    to: Value
    from_: Value | None = Field(default=None, alias="from")


class Ease(Ramp[Value], Generic[Value]):
    """A ramp that starts and ends without a jump of rate or acceleration."""

    called = "an ease"


class Sine(_Programme[Value], Generic[Value]):
    called = "a sine"
    amplitude: Value
    frequency: Annotated[float, Quantity("frequency", above=0)]
    phase: Annotated[float, Quantity("angle")] = 0.0
    offset: Value | None = None


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


class Times(ListOf):
    """A list of times, each later than the one before."""

    def __init__(self, least: int) -> None:
        count = {1: "one", 2: "two"}[least]
        super().__init__(f"a list of {count} or more times, each later than the one before", least, text=True)

    def increasing(self, times: tuple[float, ...]) -> tuple[float, ...]:
        for index, (earlier, later) in enumerate(pairwise(times)):
            if later <= earlier:
                text = f"item {index + 2} ({later:g} s) is not later than item {index + 1} ({earlier:g} s)"
                raise PydanticCustomError("wrong", "{text}", {"text": f"{text}; expected {self.expected}"})
        return times

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        listed = super().__get_pydantic_core_schema__(source, handler)
        return core_schema.no_info_after_validator_function(self.increasing, listed)


class Table(_Programme[Value], Generic[Value]):
    """Straight lines between the points; the first and last value hold before and after."""

    called = "a table"
    times: Annotated[tuple[Time, ...], Times(2)]
    values: Annotated[tuple[Value, ...], ListOf("a list of values, as many as times", text=True)]

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

    called = "a value, or a programme"
    mark: ClassVar[Any] = None
    constant: Value | None = None
    step: Step[Value] | None = None
    ramp: Ramp[Value] | None = None
    ease: Ease[Value] | None = None
    sine: Sine[Value] | None = None
    triangle: Triangle[Value] | None = None
    pulse: Pulse[Value] | None = None
    table: Table[Value] | None = None

    model_parametrized_name = _Programme.__dict__["model_parametrized_name"]

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        cls.mark = _mark(cls.__pydantic_generic_metadata__["args"])
        if cls.mark is not None:
            bare = isinstance(cls.mark, Vector) and not cls.mark.wanted
            plain = f"a list of {cls.mark.sizes[0]} numbers" if bare else cls.mark.expected
            cls.called = f"{plain}, or a programme"

    @classmethod
    def expand(cls, value: Any) -> Any:
        value = split_list(value)
        if is_mapping(value):
            by_name = any(key in getattr(cls.mark, "names", ()) for key in value)
            return {"constant": value} if by_name else super().expand(value)
        several = isinstance(cls.mark, Vector | ByName)
        return {"constant": value} if is_list(value) or not several else None

    @classmethod
    def short_forms(cls) -> list[dict[str, Any]]:
        number: dict[str, Any] = {"anyOf": [{"type": "number"}, {"type": "string"}]}
        size = cls.mark.sizes[0] if isinstance(cls.mark, Vector) else None
        if isinstance(cls.mark, Quantity):
            return [number]
        if isinstance(cls.mark, ByName | Unsettled):
            alternatives: list[dict[str, Any]] = cls.mark.json_schema()["anyOf"]
            return alternatives
        return [
            {"type": "array", "items": number, "minItems": size, "maxItems": size},
            {"type": "string", "pattern": r"^\s*\["},
        ]


Acceleration = Programme[Annotated[Triple, vector("acceleration")]]
Force = Programme[Annotated[Triple, vector("force")]]
Moment = Programme[Annotated[Triple, vector("moment")]]
ForcePerLength = Programme[Annotated[Triple, vector("force per length")]]
MomentPerLength = Programme[Annotated[Triple, vector("moment per length")]]
Tension = Programme[Annotated[float, Quantity("tension", least=0)]]
TendonLength = Programme[Annotated[float, Quantity("length", above=0)]]
Pressure = Programme[Annotated[float, Quantity("pressure")]]


def lowest(programme: Choice) -> float:
    """The least value that a programme of one number ever takes."""
    part = programme.chosen
    if programme.word == "constant":
        return float(part)
    numbers = {info.alias or name: getattr(part, name) for name, info in type(part).model_fields.items()}
    return float(min(np.min(level) for level in PROGRAMMES[programme.word].levels(numbers)))
