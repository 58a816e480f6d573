"""The result of an identification."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant.model import Model
from pliant.optimisation._uncertainty import correlation

# Unit of a parameter by how its path ends; the rest are SI numbers of whatever they are.
_UNITS = {
    "young": "Pa",
    "poisson": "1",
    "density": "kg/m^3",
    "viscosity": "Pa s",
    "length": "m",
    "radius": "m",
    "width": "m",
    "height": "m",
    "move": "m",
    "route.x": "m",
    "route.y": "m",
    "mass": "kg",
    "gravity": "m/s^2",
    "force": "N",
    "tension": "N",
    "moment": "N m",
    "pressure": "Pa",
}


def _unit(name: str) -> str:
    path = "." + name.partition("[")[0]
    return next((unit for ending, unit in _UNITS.items() if path.endswith(f".{ending}")), "SI")


@dataclass(frozen=True, repr=False)
class Identification:
    """Parameters that make a model agree with measurements; `print` shows them as a table.

    - ``parameters``: {path: value}, SI; ``model``: the model with them.
    - ``predicted``, ``residuals``: of the shape of the measurements; residuals are measured minus predicted.
    - ``measurements``: how many had a weight; ``rms``: root mean square of their residuals, in their unit.
    - ``names``: the n unknown numbers, in the order of the arrays below; ``link.offset[1]`` is element 1 of a vector.
    - ``covariance`` (n, n), ``standard_errors`` {path: value}: nan for a number at a bound (those of the others hold
      with it fixed there), infinite for one that the data do not determine.
    - ``cost``: half the sum of the losses; ``iterations``: steps taken; ``evaluations``: predictions made.
    - ``success`` and ``message``: how the search ended. ``notes``: what to know before using the numbers.
    """

    parameters: Mapping[str, Any]
    model: Model
    predicted: np.ndarray
    residuals: np.ndarray
    measurements: int
    rms: float
    names: tuple[str, ...]
    covariance: np.ndarray
    standard_errors: Mapping[str, Any]
    cost: float
    iterations: int
    evaluations: int
    success: bool
    message: str
    notes: tuple[str, ...]

    @property
    def correlation(self) -> np.ndarray:
        """(n, n) correlation of the unknowns."""
        return correlation(self.covariance)

    def __str__(self) -> str:
        values = np.concatenate([np.ravel(value) for value in self.parameters.values()])
        errors = np.concatenate([np.ravel(value) for value in self.standard_errors.values()])
        width = max(len("parameter"), *(len(name) for name in self.names))
        lines = [
            f"robot {self.model.name!r}: {self.message} "
            f"{self.iterations} iterations, {self.measurements} measurements, rms residual {self.rms:.4g}",
            f"{'parameter':<{width}}  {'value':>12}  {'standard error':>14}  unit",
        ]
        for name, value, error in zip(self.names, values, errors, strict=True):
            lines.append(f"{name:<{width}}  {value:>12.6g}  {error:>14.3g}  {_unit(name)}")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    __repr__ = __str__
