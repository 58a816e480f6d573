"""Which numbers of a model are unknown, between which bounds, and of what size."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from pliant.arguments import in_si, plain_numbers, shown
from pliant.blueprint import ParameterInfo
from pliant.model import Model

Bounds = Mapping[str, tuple[Any, Any] | None]
Shapes = tuple[tuple[str, tuple[int, ...]], ...]


def split(shapes: Shapes, numbers: Any) -> dict[str, Any]:
    """{path: array} of a vector that holds them one after the other."""
    parts, at = {}, 0
    for path, shape in shapes:
        size = int(np.prod(shape))
        parts[path] = numbers[at : at + size].reshape(shape)
        at += size
    return parts


class Unknowns:
    """The unknown numbers in one vector x, each over its unit, so that moduli of 1e5 and offsets of 1e-3 are alike.

    `start`, `low`, `high`, `unit` are (n,); the first three are over the unit.
    """

    def __init__(self, model: Model, over: Bounds, start: Mapping[str, Any], scale: Mapping[str, Any]) -> None:
        if not over:
            raise ValueError("over= names no parameter")
        for path in (*start, *scale):
            if path not in over:
                raise KeyError(f"{path!r} has a start or a scale, but over= names only {', '.join(over)}")
        given = model.with_parameters({path: start.get(path, model.parameters.get(path)) for path in over}).parameters
        self.shapes: Shapes = tuple((path, given[path].shape) for path in over)
        rows = [
            _bounds_and_unit(path, np.asarray(given[path]), over[path], scale.get(path), model.parameter_info[path])
            for path in over
        ]
        values, self._least, self._most, self.unit = (
            np.concatenate([np.ravel(part) for part in column]) for column in zip(*rows, strict=True)
        )
        self.start, self.low, self.high = values / self.unit, self._least / self.unit, self._most / self.unit

    @property
    def names(self) -> tuple[str, ...]:
        def of(path: str, shape: tuple[int, ...]) -> Iterator[str]:
            for index in np.ndindex(shape):
                yield f"{path}[{', '.join(map(str, index))}]" if shape else path

        return tuple(name for path, shape in self.shapes for name in of(path, shape))

    def by_path(self, numbers: np.ndarray) -> dict[str, Any]:
        """{path: float or array} of numbers in the order of the unknowns."""
        return {path: value if value.ndim else float(value) for path, value in split(self.shapes, numbers).items()}

    def parameters(self, x: np.ndarray) -> dict[str, Any]:
        # Rounding must not carry a number over its bound.
        return self.by_path(np.clip(x * self.unit, self._least, self._most))

    def text(self, x: np.ndarray) -> str:
        return ", ".join(f"{name} = {value:.6g}" for name, value in zip(self.names, x * self.unit, strict=True))


def _bounds_and_unit(
    path: str, value: np.ndarray, bounds: tuple[Any, Any] | None, unit: Any, info: ParameterInfo
) -> list[np.ndarray]:
    """Value, lower and upper bound and unit of a parameter, all of its shape. Bounds that are not given are those of
    what is legal."""
    if bounds is not None and not (isinstance(bounds, tuple | list) and len(bounds) == 2):
        raise ValueError(f"the bounds of {path} must be (low, high) or None; got {shown(bounds)}")
    low, high = bounds if bounds is not None else (None, None)
    low, high = (
        np.broadcast_to(_number(path, default if bound is None else bound, info), value.shape)
        for bound, default in ((low, info.low), (high, info.high))
    )
    if not np.all(np.isfinite(value)):
        raise ValueError(f"{path} starts at {value}, which is not finite")
    if not np.all(low < high):
        raise ValueError(f"the bounds of {path} must be (low, high) with low below high; got ({low}, {high})")
    if not info.within(low, high):
        raise ValueError(f"the bounds of {path}, ({low}, {high}), go beyond {info.range} ({info.meaning})")
    if not np.all((low <= value) & (value <= high)):
        raise ValueError(f"{path} starts at {value}, outside its bounds ({low}, {high}); give start=")
    if unit is None:
        size = np.abs(value).max(initial=0.0)
        unit = np.minimum(size if size > 0.0 else np.inf, high - low)
        if not np.all(np.isfinite(unit)):
            raise ValueError(f"{path} starts at zero and has no bounds to tell its size; give them, or scale=")
    unit = np.broadcast_to(_number(path, unit, info), value.shape)
    if not np.all((unit > 0.0) & np.isfinite(unit)):
        raise ValueError(f"the scale of {path} must be positive; got {unit}")
    return [value, low, high, unit]


def _number(path: str, value: Any, info: ParameterInfo) -> np.ndarray:
    """A bound or a scale, SI or a text with a unit."""
    return plain_numbers(path, in_si(path, value, info.unit), f"numbers{f' [{info.unit}]' if info.unit else ''}")
