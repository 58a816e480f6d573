"""What a path is, from the annotations of the language: unit, legal range, meaning."""

import math
from typing import Any, get_args

from pliant.blueprint import ParameterInfo

_OWNERS = {
    "materials": "the material {}",
    "links": "the link {}",
    "meshes": "the mesh {}",
    "frames": "the frame {}",
    "loads": "the load {}",
    "actuators": "the actuator {}",
    "constraints": "the constraint {}",
    "springs": "the spring {}",
    "surfaces": "the surface {}",
    "contacts": "the contact {}",
    "initial": "the link {} at the start",
}


def marks_of(field: Any) -> list[Any]:
    """The annotations of a field that check its values, outer ones first, wherever in its type they stand."""
    return [*field.metadata, *_inside(field.annotation)]


def _inside(annotation: Any) -> list[Any]:
    found = list(getattr(annotation, "__metadata__", ()))
    # A programme checks its values by its own mark.
    found += [annotation.mark] if getattr(annotation, "mark", None) is not None else []
    return found + [mark for inner in get_args(annotation) if inner not in found for mark in _inside(inner)]


def parameter_info(path: str, shape: tuple[int, ...], marks: list[Any], meaning: str) -> ParameterInfo:
    """meaning: what it is, without whose it is."""
    quantities = next(mark.quantities for mark in marks if hasattr(mark, "quantities"))
    units = dict.fromkeys(quantity.unit for quantity in quantities)
    lows = [(-math.inf, False) if own.least is None else (own.least, False) for own in quantities if own.above is None]
    lows += [(own.above, True) for own in quantities if own.above is not None]
    low, low_open = min(lows)
    high = max(math.inf if own.most is None else own.most for own in quantities)
    nonzero = any(getattr(mark, "nonzero", False) for mark in (*marks, *quantities))
    return ParameterInfo(
        shape=shape,
        unit=", ".join(unit for unit in units if unit),
        meaning=f"{meaning}{_whose(path)}",
        low=low,
        high=high,
        low_open=low_open,
        nonzero=nonzero,
    )


def _whose(path: str) -> str:
    words = path.split(".")
    if words[0] not in _OWNERS:
        return ""
    owner = _OWNERS[words[0]].format(words[1])
    return f" of division {words[3]} of {owner}" if words[2:3] == ["divisions"] else f" of {owner}"
