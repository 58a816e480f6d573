"""Numbers that a user gives, plain (SI) or as texts with a unit."""

import dataclasses
import math
import reprlib
from typing import Any

import jax
import numpy as np

from pliant.blueprint import ParameterInfo

TIME = ParameterInfo((), "s", "a time")
FREQUENCY = ParameterInfo((), "Hz", "a frequency", low=0.0, low_open=True)

_MOST = 10**9  # what is counted: load steps, modes, evaluations. No run ends that has more of them.

_short = reprlib.Repr()
_short.maxstring = _short.maxother = 60


def shown(value: Any) -> str:
    """What was given, in a few words."""
    if isinstance(value, jax.core.Tracer):
        return f"a traced value of shape {value.shape}"
    if isinstance(value, np.ndarray | jax.Array):
        return f"an array of shape {value.shape} ({value.dtype})" if value.ndim else f"{value}"
    if isinstance(value, np.generic):
        return f"{value.item()!r}"
    if value is None or isinstance(value, str | int | float | complex | list | tuple | dict | set):
        return _short.repr(value)
    name = getattr(value, "__qualname__", None)
    return f"{name}, of type {type(value).__name__}" if name else f"a {type(value).__name__}"


def in_si(name: str, value: Any, unit: str) -> Any:
    """The value with every text in it ("300 kPa", ["1 mm", 0.0], "[1, 2] mm") as an SI number of this unit, and all
    else as it is."""
    if isinstance(value, str):
        return _read(name, value, "" if unit == "1" else unit)
    if isinstance(value, list | tuple) and any(isinstance(item, str | list | tuple) for item in value):
        return type(value)(in_si(name, item, unit) for item in value)
    return value


def _read(name: str, text: str, unit: str) -> Any:
    if "," in unit:
        raise ValueError(f"{name} has numbers of several units ({unit}): give plain numbers; got {shown(text)}")
    try:
        # When first needed: a saved model runs where the language layer is absent.
        from pliant.description.language.grammar import NotAQuantity, split_list, to_si_unit
    except ImportError as error:
        raise _no_language(name, text, unit, error) from error
    try:
        parts = split_list(text)
        return to_si_unit(text, unit) if parts is text else [to_si_unit(part, unit) for part in parts]
    except ImportError as error:
        raise _no_language(name, text, unit, error) from error
    except NotAQuantity as error:
        reason = f": {error}" if str(error) else ""
        raise ValueError(
            f"{name} must be {_a_number(unit)}, or a text of a number and its unit; got {shown(text)}{reason}"
        ) from None


def _no_language(name: str, text: str, unit: str, error: ImportError) -> ValueError:
    return ValueError(
        f"{name} was given as {shown(text)}, and texts with units are read by pydantic and pint, of which one is not "
        f"installed here ({error}); give {_a_number(unit)}"
    )


def _a_number(unit: str) -> str:
    return f"a plain number [{unit}]" if unit else "a plain number"


def plain_numbers(name: str, value: Any, expected: str) -> np.ndarray:
    """Numbers of any shape as an array of floats; a TypeError that says what is expected where it is something else."""
    try:
        array = np.asarray(value)
    except ValueError:  # a list of lists of different lengths
        array = np.asarray(None)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be {expected}; got {shown(value)}")
    return array.astype(float, copy=False)


def one_number(name: str, value: Any, legal: ParameterInfo) -> float:
    """One number, SI, whose range the caller looks at."""
    array = plain_numbers(name, in_si(name, value, legal.unit), f"one number, {legal.range} ({legal.meaning})")
    if array.ndim:
        raise TypeError(f"{name} must be one number, {legal.range} ({legal.meaning}); got {shown(value)}")
    return float(array)


def number(name: str, value: Any, legal: ParameterInfo) -> float:
    """One number within its range, SI."""
    found = one_number(name, value, legal)
    _refuse_illegal(name, found, legal)
    return found


def _refuse_illegal(name: str, value: float, legal: ParameterInfo) -> None:
    if not legal.allows(value):
        finite = "" if math.isfinite(value) or legal.unlimited else ", which is not finite"
        raise ValueError(f"{name} must be {legal.range}; got {f'{value!r} {legal.unit}'.strip()}{finite}")


def numbers(name: str, value: Any, legal: ParameterInfo, *, increasing: bool = False) -> list[float]:
    """A list of one or more numbers within their range, SI; each greater than the one before, if asked for."""
    kind = "an increasing list" if increasing else "a list of one or more numbers"
    expected = f"{kind}, each {legal.range} ({legal.meaning})"
    array = plain_numbers(name, in_si(name, value, legal.unit), expected)
    if array.ndim != 1 or not len(array):
        raise ValueError(f"{name} must be {expected}; got {shown(value)}")
    one = dataclasses.replace(legal, shape=())
    for index, item in enumerate(array):
        _refuse_illegal(f"{name}[{index}]", float(item), one)
    if increasing and not np.all(np.diff(array) > 0.0):
        after = int(np.argmin(np.diff(array) > 0.0))
        raise ValueError(
            f"{name} must be {expected}; got {array[after + 1]:g} {legal.unit} after {array[after]:g} {legal.unit}"
        )
    return [float(item) for item in array]


def count(name: str, value: Any, least: int = 1, most: int = _MOST) -> int:
    """A whole number from `least` to `most`."""
    if isinstance(value, jax.core.Tracer):
        raise TypeError(f"{name} must be a whole number that is known while JAX traces; got {shown(value)}")
    plain = value.item() if isinstance(value, np.generic | np.ndarray | jax.Array) and np.ndim(value) == 0 else value
    if isinstance(plain, bool) or not isinstance(plain, int | float):
        raise TypeError(f"{name} must be a whole number of at least {least}; got {shown(value)}")
    if not math.isfinite(plain) or plain != int(plain):
        raise ValueError(f"{name} must be a whole number of at least {least}; got {plain!r}")
    if plain < least:
        raise ValueError(f"{name} must be at least {least}; got {int(plain)}")
    if plain > most:
        raise ValueError(f"{name} must be at most {most:g}; got {plain:g}")
    return int(plain)
