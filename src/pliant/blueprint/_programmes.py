"""Programmes: values that change in time. What each kind has is said here, once.

The fields of a programme are the paths of its numbers. `quantity` says what a number is: a "value" of whatever is
prescribed, a "time", a "duration" (greater than 0), "times" and "values" of a table, a "frequency" or an "angle";
`default` is what it is when it is left out.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from pliant.blueprint._parameters import ParameterInfo, ParameterPath, word


def _number(quantity: str, meaning: str, default: float | None = None) -> dict[str, Any]:
    return {"quantity": quantity, "meaning": meaning, "default": default}


@dataclass(frozen=True)
class Programme:
    """A value prescribed in time. level: the field whose number is a value of the programme, and has its shape."""

    kind: ClassVar[str]
    level: ClassVar[str] = "to"

    @property
    def level_path(self) -> ParameterPath:
        """A path whose number has the unit, the shape and the legal range of the value."""
        return getattr(self, self.level)

    @classmethod
    def value_words(cls) -> tuple[str, ...]:
        """The words of those numbers that are values, not times and the like."""
        own = (number for number in dataclasses.fields(cls) if number.metadata["quantity"] in ("value", "values"))
        return tuple(word(number) for number in own)

    @classmethod
    def levels(cls, numbers: Mapping[str, Any]) -> tuple[Any, ...]:
        """Values between which it stays, from its numbers by word."""
        return tuple(numbers[name] for name in cls.value_words())


@dataclass(frozen=True)
class Constant(Programme):
    """The same at all times."""

    kind = "constant"
    level = "value"
    value: ParameterPath = field(metadata=_number("value", "value"))


@dataclass(frozen=True)
class Step(Programme):
    """One value before a moment, another from then on."""

    kind = "step"
    at: ParameterPath = field(metadata=_number("time", "time of the step", 0.0))
    to: ParameterPath = field(metadata=_number("value", "value after the step"))
    from_: ParameterPath = field(metadata=_number("value", "value before the step", 0.0))


@dataclass(frozen=True)
class Ramp(Programme):
    """A straight line between two values that hold before and after."""

    kind = "ramp"
    start: ParameterPath = field(metadata=_number("time", "time at which the change begins", 0.0))
    over: ParameterPath = field(metadata=_number("duration", "duration of the change"))
    to: ParameterPath = field(metadata=_number("value", "value after the change"))
    from_: ParameterPath = field(metadata=_number("value", "value before the change", 0.0))


@dataclass(frozen=True)
class Ease(Ramp):
    """A ramp that starts and ends without a jump of rate or acceleration."""

    kind = "ease"


@dataclass(frozen=True)
class Sine(Programme):
    """A sine about a value."""

    kind = "sine"
    level = "amplitude"
    amplitude: ParameterPath = field(metadata=_number("value", "amplitude of the sine"))
    frequency: ParameterPath = field(metadata=_number("frequency", "frequency of the sine"))
    phase: ParameterPath = field(metadata=_number("angle", "phase of the sine at time 0", 0.0))
    offset: ParameterPath = field(metadata=_number("value", "mean value of the sine", 0.0))

    @classmethod
    def levels(cls, numbers: Mapping[str, Any]) -> tuple[Any, ...]:
        mean, size = np.asarray(numbers["offset"]), np.abs(numbers["amplitude"])
        return mean - size, mean + size


@dataclass(frozen=True)
class Triangle(Programme):
    """Up from zero to a peak and down again."""

    kind = "triangle"
    level = "peak"
    start: ParameterPath = field(metadata=_number("time", "time at which the rise begins", 0.0))
    rise: ParameterPath = field(metadata=_number("duration", "duration of the rise"))
    fall: ParameterPath = field(metadata=_number("duration", "duration of the fall"))
    peak: ParameterPath = field(metadata=_number("value", "highest value"))

    @classmethod
    def levels(cls, numbers: Mapping[str, Any]) -> tuple[Any, ...]:
        return 0.0, numbers["peak"]


@dataclass(frozen=True)
class Pulse(Programme):
    """A value for a while, zero before and after."""

    kind = "pulse"
    level = "value"
    start: ParameterPath = field(metadata=_number("time", "time at which the pulse begins", 0.0))
    width: ParameterPath = field(metadata=_number("duration", "duration of the pulse"))
    value: ParameterPath = field(metadata=_number("value", "value during the pulse"))

    @classmethod
    def levels(cls, numbers: Mapping[str, Any]) -> tuple[Any, ...]:
        return 0.0, numbers["value"]


@dataclass(frozen=True)
class Table(Programme):
    """Straight lines between points; the first and the last value hold before and after."""

    kind = "table"
    level = "values"
    times: ParameterPath = field(metadata=_number("times", "times of the table, increasing"))
    values: ParameterPath = field(metadata=_number("values", "values of the table, one for each time"))


AnyProgramme = Constant | Step | Ramp | Ease | Sine | Triangle | Pulse | Table
PROGRAMMES: dict[str, type[Programme]] = {
    kind.kind: kind for kind in (Constant, Step, Ramp, Ease, Sine, Triangle, Pulse, Table)
}


def programme_words(kind: str) -> dict[str, Any]:
    """Word in files -> default of each number of a kind; None: it has to be given."""
    return {word(own): own.metadata["default"] for own in dataclasses.fields(PROGRAMMES[kind])}


def programme_at(kind: str, path: str) -> Programme:
    """A programme whose numbers stand below a path, by their words."""
    own = dataclasses.fields(PROGRAMMES[kind])
    return PROGRAMMES[kind](**{number.name: ParameterPath(f"{path}.{word(number)}") for number in own})


# What numbers of a programme are, by their quantity; values are what the programme prescribes.
_QUANTITIES = {
    "time": ParameterInfo((), "s", ""),
    "times": ParameterInfo((), "s", ""),
    "duration": ParameterInfo((), "s", "", low=0.0, low_open=True),
    "frequency": ParameterInfo((), "Hz", "", low=0.0, low_open=True),
    "angle": ParameterInfo((), "rad", ""),
}


def programme_info(kind: str, value: ParameterInfo) -> dict[str, ParameterInfo]:
    """Word in files -> what each number of a kind is. value: what the programme prescribes."""
    return {
        word(own): dataclasses.replace(
            _QUANTITIES.get(own.metadata["quantity"], value), meaning=own.metadata["meaning"]
        )
        for own in dataclasses.fields(PROGRAMMES[kind])
    }
