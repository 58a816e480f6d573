"""Values of a port that a user writes down: constants, tables, programmes, checked as those of robot files are."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np

from pliant.arguments import did_you_mean, in_si, is_traced, plain_numbers, shown
from pliant.blueprint import PROGRAMMES, ParameterInfo, programme_info, programme_words
from pliant.interactions import Port


def as_programme(port: Port, value: Any) -> tuple[str, dict[str, Any]]:
    """A constant, a table or a programme as its kind and its numbers by word."""
    if isinstance(value, Mapping):
        return _programme(port, value)
    if isinstance(value, tuple) and len(value) == 2 and not (port.shape == (2,) and np.ndim(value[0]) == 0):
        return "table", _table(port, *value)
    who = f"input {port.name!r}"
    array = _plain_or_traced(who, value, port.unit)
    if array.shape != port.shape or not (is_traced(array) or np.all(np.isfinite(array))):
        raise ValueError(f"{who}: expected {_finite_numbers(port)}; got {shown(value)}")
    return "constant", {"value": array}


def _finite_numbers(port: Port) -> str:
    return "one finite number" if port.shape == () else f"{port.shape[0]} finite numbers"


def _programme(port: Port, value: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """A programme in the words of the robot file, checked as there."""
    who = f"input {port.name!r}"
    if len(value) != 1 or next(iter(value)) not in PROGRAMMES:
        near = did_you_mean(next(iter(value), ""), PROGRAMMES)
        raise ValueError(f"{who}: expected one programme out of {', '.join(PROGRAMMES)}; got {list(value)}{near}")
    kind, given = next(iter(value.items()))
    if kind == "constant" and not isinstance(given, Mapping):
        given = {"value": given}  # as in files
    words = programme_words(kind)
    if not isinstance(given, Mapping):
        raise ValueError(f"{who}: a {kind} has {', '.join(words)}; got {shown(given)}")
    missing = [name for name, default in words.items() if given.get(name, default) is None]
    if missing or not given.keys() <= words.keys():
        lacks = f" without {', '.join(missing)}" if missing else ""
        raise ValueError(f"{who}: a {kind} has {', '.join(words)}; got {', '.join(given) or 'nothing'}{lacks}")
    info = programme_info(kind, ParameterInfo(port.shape, "" if port.unit == "1" else port.unit, port.about))
    if kind == "table":
        return kind, _table(port, given["times"], given["values"])
    fields = {}
    for name, default in words.items():
        place = f"{who}: {kind}.{name}"
        number = _plain_or_traced(place, given.get(name, default), info[name].unit)
        # What is left out is zero, in the shape of the others.
        if number.shape != info[name].shape and name in given:
            expected = _finite_numbers(dataclasses.replace(port, shape=info[name].shape))
            raise ValueError(f"{place}: expected {expected}; got {shown(given[name])}")
        if not is_traced(number):
            info[name].check(place, number)
        fields[name] = number
    return kind, fields


def _table(port: Port, times: Any, values: Any) -> dict[str, Any]:
    """Straight lines between two or more points."""
    who = f"input {port.name!r}"
    times, values = _plain_or_traced(who, times, "s"), _plain_or_traced(who, values, port.unit)
    shape = (*times.shape[:1], *port.shape)
    listed = times.ndim == 1 and len(times) > 1 and values.shape == shape
    if not listed or not (is_traced(times) or _rise(times)):
        row = ", ".join(["N", *(str(size) for size in port.shape)])
        raise ValueError(
            f"{who}: a table is (times (N,), values ({row})) with two or more finite, increasing times; "
            f"got shapes {times.shape} and {values.shape}"
        )
    if not is_traced(values) and not np.all(np.isfinite(values)):
        raise ValueError(f"{who}: the values of a table must be finite; got {shown(values.tolist())}")
    return {"times": times, "values": values}


def _rise(times: np.ndarray) -> bool:
    return bool(np.all(np.isfinite(times)) and np.all(np.diff(times) > 0.0))


def _plain_or_traced(who: str, value: Any, unit: str) -> Any:
    """A NumPy array, or what stands for one while a function is traced."""
    plain = in_si(who, value, unit)
    return jnp.asarray(plain, dtype=jnp.float64) if is_traced(plain) else plain_numbers(who, plain, "numbers")
