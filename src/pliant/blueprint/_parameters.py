"""What a parameter is: the path by which it is known, and its shape, unit, legal range and meaning."""

import dataclasses
import math
from typing import Any

import numpy as np

# Products of a few numbers beyond these are zero or infinite in double precision: a rod of 1e-170 m has no mass.
_SMALLEST, _LARGEST = 1e-40, 1e40


def lost_in_products(value: Any, low: float, low_open: bool) -> str:
    """Why a number (or an array) that may not be negative cannot be computed with, though it is within its range from
    `low`; empty if it can."""
    if low < 0.0:
        return ""
    sizes = np.asarray(value, dtype=float)
    if low_open and low == 0.0 and np.any((sizes > 0.0) & (sizes < _SMALLEST)):
        return f"below {_SMALLEST:g} products with it vanish"
    return f"above {_LARGEST:g} products with it overflow" if np.any((sizes > _LARGEST) & np.isfinite(sizes)) else ""


class ParameterPath(str):
    """The path of a parameter, where a part of the blueprint has a number: `materials.ecoflex.young`."""

    __slots__ = ()


@dataclasses.dataclass(frozen=True)
class ParameterInfo:
    """What may stand at a path. low and high are legal themselves unless they are open; `nonzero`: zero, or a vector of
    zeros, is not. The unit is SI; where components differ, their units in order. `meaning` is one line."""

    shape: tuple[int, ...]
    unit: str
    meaning: str
    low: float = -math.inf
    high: float = math.inf
    low_open: bool = False
    high_open: bool = False
    nonzero: bool = False

    @property
    def unlimited(self) -> bool:
        """Whether every finite number is legal."""
        return self.low == -math.inf and self.high == math.inf and not self.nonzero

    @property
    def range(self) -> str:
        """The legal values in words, with the unit."""
        if self.unlimited:
            return f"any finite number [{self.unit}]" if self.unit else "any finite number"
        limits = [f"{'greater than' if self.low_open else 'at least'} {self.low:g}"] if self.low > -math.inf else []
        limits += [f"{'less than' if self.high_open else 'at most'} {self.high:g}"] if self.high < math.inf else []
        limits += ["other than 0"] if self.nonzero else []
        return f"{' and '.join(limits)} {self.unit}".strip()

    def allows(self, value: Any) -> bool:
        """Whether all of a value, of any shape, is finite and within the range."""
        array = np.asarray(value, dtype=float)
        above = array > self.low if self.low_open else array >= self.low
        below = array < self.high if self.high_open else array <= self.high
        legal = bool(np.all(np.isfinite(array) & above & below))
        return legal and not (self.nonzero and not np.all(np.any(np.atleast_1d(array) != 0.0, axis=-1)))

    def check(self, name: str, value: Any) -> None:
        """ValueError that names what was given and what is legal."""
        lost = lost_in_products(value, self.low, self.low_open)
        if lost or not self.allows(value):
            array = np.asarray(value, dtype=float)
            given = f"{array:g}" if array.ndim == 0 else np.array2string(array, separator=", ", threshold=12)
            reason = f", and {lost}" if lost else ""
            raise ValueError(
                f"{name}: got {f'{given} {self.unit}'.strip()}{reason}; expected {self.range} ({self.meaning})"
            )

    def within(self, low: Any, high: Any) -> bool:
        """Whether a closed interval, of numbers or of arrays, lies in the range, open ends counted as their limits."""
        return bool(np.all(np.asarray(low) >= self.low) and np.all(np.asarray(high) <= self.high))


def word(field: dataclasses.Field) -> str:
    """The name of a field in files; `from_` stands for `from`, which Python keeps for itself."""
    return field.name.removesuffix("_")


def numbers(part: Any) -> dict[str, ParameterPath]:
    """Every number of a part itself, by the name of its field; those that are not given are left out."""
    found = {word(field): getattr(part, field.name) for field in dataclasses.fields(part)}
    return {name: value for name, value in found.items() if isinstance(value, ParameterPath)}
