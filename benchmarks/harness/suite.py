"""What a suite measures: figures, the processes that give them, and what follows from them."""

import json
import math
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from harness import child, environments

Values = dict[str, Any]


@dataclass(frozen=True)
class Figure:
    """One number of a suite. `key`: its name in the line its process prints."""

    name: str
    unit: str
    meaning: str
    key: str = ""


@dataclass(frozen=True)
class Measurement:
    """Figures from one process: a case of Pliant, or a problem of a peer."""

    name: str
    module: str
    arguments: tuple[str, ...]
    figures: tuple[Figure, ...]
    peer: str | None = None
    processes: int = 1  # so many, and the best time of each kind: compiling happens once in each


@dataclass(frozen=True)
class CommandMeasurement:
    """Figures from whole processes of the `pliant` command, measured from outside."""

    name: str
    measure: Callable[[child.Checkout], Values]
    figures: tuple[Figure, ...]
    peer: str | None = None


@dataclass(frozen=True)
class Derived:
    """A figure computed from raw results, name of measurement -> what its process printed; None where one is absent."""

    figure: Figure
    compute: Callable[[Mapping[str, Values]], float | None]
    peer: str | None = None


@dataclass(frozen=True)
class Suite:
    measurements: tuple[Measurement | CommandMeasurement, ...]
    derived: tuple[Derived, ...] = ()
    columns: tuple[str, ...] = ()  # last words of names of figures, to be the columns of its table on a page

    @property
    def figures(self) -> list[tuple[Figure, str | None]]:
        """Every figure with the peer that it needs, if any."""
        measured = [(figure, m.peer) for m in self.measurements for figure in m.figures]
        return measured + [(d.figure, d.peer) for d in self.derived]


@dataclass
class Results:
    """figure -> number, figure -> why it is missing, and measurement -> everything its process reported. `earlier`:
    figure -> number of the earlier checkout, where one was measured beside this one."""

    values: dict[str, float | None] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    raw: dict[str, Values] = field(default_factory=dict)
    earlier: dict[str, float] = field(default_factory=dict)


def measure(
    suite: Suite,
    peers: list[str],
    only: str | None,
    tell: Callable[[str], None],
    beside: child.Checkout | None = None,
    rounds: int = 1,
    here: child.Checkout = child.HERE,
) -> Results:
    """Run the suite's processes one after the other. `beside`: an earlier checkout, whose own processes take turns with
    these, `rounds` times; the best time of each counts."""
    results = Results()
    for measurement in suite.measurements:
        if only is not None and only not in measurement.name:
            reason: str | None = "left out by --only"
        elif measurement.peer is not None and measurement.peer not in peers:
            reason = f"{measurement.peer} left out by --peer"
        else:
            tell(measurement.name)
            checkouts = [here] if beside is None or measurement.peer else [here, beside]
            reason = _measure(measurement, results, checkouts, rounds)
        for figure in measurement.figures:
            value = None if reason else results.raw[measurement.name].get(figure.key)
            _note(results, figure, value, reason or "no reference data" if value is None else None)
    for derived in suite.derived:
        value = derived.compute(results.raw)
        _note(results, derived.figure, value, "a figure it follows from is missing" if value is None else None)
    return results


def _note(results: Results, figure: Figure, value: float | None, reason: str | None) -> None:
    results.values[figure.name] = value
    if reason:
        results.missing[figure.name] = reason


def _measure(
    measurement: Measurement | CommandMeasurement, results: Results, checkouts: list[child.Checkout], rounds: int
) -> str | None:
    """Put what the processes reported into results.raw, or say why there is nothing."""
    turns = 1 if measurement.peer else rounds
    if isinstance(measurement, Measurement):
        turns = max(turns, measurement.processes)
    try:
        runs = [[_run(measurement, checkout) for checkout in checkouts] for _ in range(turns)]
    except MeasurementFailed as failure:
        return str(failure)
    here, *there = (_best(measurement, list(of_one)) for of_one in zip(*runs, strict=True))
    results.raw[measurement.name] = here
    for values in there:
        results.earlier |= {f.name: values[f.key] for f in measurement.figures if values.get(f.key) is not None}
    return None


def _run(measurement: Measurement | CommandMeasurement, checkout: child.Checkout) -> Values:
    if isinstance(measurement, CommandMeasurement):
        return measurement.measure(checkout)
    return _run_module(measurement, checkout)


def _best(measurement: Measurement | CommandMeasurement, runs: list[Values]) -> Values:
    times = [figure.key for figure in measurement.figures if figure.unit == "s" and figure.key in runs[0]]
    return runs[0] | {key: min(run[key] for run in runs) for key in times}


class MeasurementFailed(Exception):
    """A process that did not end well, or whose answer cannot be read."""


def _run_module(measurement: Measurement, checkout: child.Checkout) -> Values:
    python = checkout.python if measurement.peer is None else environments.python_of(measurement.peer)
    if python is None:
        raise MeasurementFailed(f"no environment: python benchmarks/run.py --setup-peer {measurement.peer}")
    # A cache folder of its own: what the process calls compiling is compiling.
    with tempfile.TemporaryDirectory(prefix="pliant-benchmark-") as cache:
        command = [str(python), "-m", measurement.module, *measurement.arguments]
        outcome = child.run(command, child.empty_caches(cache), folder=checkout.benchmarks)
    return read_outcome(outcome)


def read_outcome(outcome: child.Outcome) -> Values:
    """The line of JSON a case printed, with the memory of its process."""
    if outcome.code != 0:
        raise MeasurementFailed(outcome.complaint)
    lines = outcome.output.strip().splitlines()
    try:
        values = json.loads(lines[-1]) if lines else None
    except json.JSONDecodeError:
        values = None
    if not isinstance(values, dict):
        raise MeasurementFailed("printed no line of JSON")
    bad = [key for key, value in values.items() if isinstance(value, float) and not math.isfinite(value)]
    if bad:
        raise MeasurementFailed(f"not finite: {', '.join(bad)}")
    return values | {"peak_memory": outcome.peak_memory}
