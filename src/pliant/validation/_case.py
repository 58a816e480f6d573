"""What a validation case is made of."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Row(NamedTuple):
    """One figure. `error` is compared with `tolerance`; passed is None where the case was skipped for want of data, and
    where a figure stands beside others without a bar of its own (it has a value but no tolerance).

    For an order of convergence `value` is the observed one, `reference` the stated one, `error` the finest error and
    `tolerance` its ceiling.
    """

    case: str
    model: str
    figure: str
    value: float | list[float] | None
    reference: float | list[float] | None
    error: float | None
    tolerance: float | None
    passed: bool | None
    seconds: float


class CaseSkipped(Exception):
    """Raised by a case that lacks its reference data or an optional package; the text says which."""


class Data(NamedTuple):
    """Where measured reference data lies, if anywhere, and the folder for plots, if they are wanted."""

    folder: Path | None
    out: Path | None = None

    def file(self, name: str) -> Path:
        if self.folder is None or not (self.folder / name).is_file():
            raise CaseSkipped(f"needs {name}: set PLIANT_DATA or --data to the folder of reference data")
        return self.folder / name

    def table(self, name: str) -> np.ndarray:
        """Numbers of a CSV file with one header line."""
        return np.loadtxt(self.file(name), delimiter=",", skiprows=1)


def find_data(given: Path | None, out: Path | None = None) -> Data:
    """The folder given, else PLIANT_DATA, else ../shared/data beside the project. out: folder for plots."""
    beside_project = Path(__file__).resolve().parents[4] / "shared" / "data"
    candidates = [given, os.environ.get("PLIANT_DATA"), beside_project]
    folder = next((Path(c) for c in candidates if c), None)
    return Data(folder if folder is not None and folder.is_dir() else None, out)


Figures = Iterator[Row]
Case = Callable[[Data], Figures]


class Clock:
    """Seconds since the last row of a case."""

    def __init__(self) -> None:
        self.last = time.perf_counter()

    def lap(self) -> float:
        now = time.perf_counter()
        seconds, self.last = now - self.last, now
        return seconds


def compare(
    case: str,
    model: str,
    figure: str,
    value: Any,
    reference: Any,
    tolerance: float,
    clock: Clock,
    scale: float | None = None,
) -> Row:
    """Row whose error is the largest distance from the reference, over `scale` (default: the reference's size)."""
    got, expected = np.atleast_1d(np.asarray(value, dtype=float)), np.atleast_1d(np.asarray(reference, dtype=float))
    size = float(np.linalg.norm(expected)) if scale is None else scale
    error = float(np.linalg.norm(got - expected)) / size
    return Row(
        case, model, figure, _plain(got), _plain(expected), error, tolerance, bool(error <= tolerance), clock.lap()
    )


def below(case: str, model: str, figure: str, value: float, limit: float, clock: Clock) -> Row:
    """Row that passes when the value does not exceed the limit."""
    return Row(case, model, figure, float(value), 0.0, float(value), limit, bool(value <= limit), clock.lap())


def with_margin(case: str, model: str, figure: str, value: float, reference: float, margin: float, clock: Clock) -> Row:
    """Row that passes when the value exceeds the reference by no more than a margin."""
    error = float(value - reference)
    return Row(case, model, figure, float(value), reference, error, margin, bool(error <= margin), clock.lap())


def shown(case: str, model: str, figure: str, value: float, reference: float | None, clock: Clock) -> Row:
    """Row of a figure without a bar of its own, printed beside what it may be compared with."""
    error = None if reference is None else float(value - reference)
    return Row(case, model, figure, float(value), reference, error, None, None, clock.lap())


def order(
    case: str, model: str, figure: str, sizes: Sequence[int], errors: Sequence[float], stated: float, clock: Clock
) -> Row:
    """Row for an observed order of convergence in the number of pieces; the finest error must be below 1e-3."""
    observed = float(-np.polyfit(np.log(sizes), np.log(errors), 1)[0])
    ceiling = 1e-3
    return Row(
        case,
        model,
        f"order of {figure}",
        observed,
        stated,
        float(errors[-1]),
        ceiling,
        bool(observed >= stated and errors[-1] <= ceiling),
        clock.lap(),
    )


def falls(
    case: str,
    model: str,
    figure: str,
    orders: Sequence[int],
    errors: Sequence[float],
    stated: float,
    ceiling: float,
    clock: Clock,
) -> Row:
    """Row for an error that falls by a factor with every polynomial order, not with a power of a number of pieces; the
    value is the observed factor per order."""
    observed = float((errors[0] / errors[-1]) ** (1.0 / (orders[-1] - orders[0])))
    passed = observed >= stated and errors[-1] <= ceiling
    return Row(
        case, model, f"factor per order of {figure}", observed, stated, float(errors[-1]), ceiling, passed, clock.lap()
    )


def _plain(values: np.ndarray) -> float | list[float]:
    return float(values[0]) if values.size == 1 else [float(v) for v in values.ravel()]
