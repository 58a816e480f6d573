"""What the two motions of Ishigaki et al. have in common: timed runs, their effort, and strains against time."""

import json
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from pliant.numerics import ResultCode
from pliant.results import Trajectory
from pliant.simulation import Stepper, simulate
from pliant.validation._case import Clock, Data, Figures, Row, below, shown

STRAINS = ["bend_x [rad/m]", "bend_y [rad/m]", "twist [rad/m]", "shear_x [1]", "shear_y [1]", "stretch [1]"]
_COMPILED_FIRST = 100_000  # steps; a longer run takes so much time that what compiling adds does not count


class Run(NamedTuple):
    """A motion, and the seconds it took once compiled."""

    motion: Trajectory
    seconds: float


def run(stepper: Stepper, until: float, **settings: Any) -> Run:
    step, longest = stepper.settings.lengths(until)
    if until / (longest or step or until) < _COMPILED_FIRST:
        simulate(stepper, until, throw=False, accuracy=None, **settings)
    start = time.perf_counter()
    motion = simulate(stepper, until, throw=False, accuracy=None, **settings)
    return Run(motion, time.perf_counter() - start)


def effort(case: str, name: str, found: Run, until: float, clock: Clock) -> Figures:
    settings = json.loads(found.motion.provenance)["settings"]
    yield shown(case, name, f"steps of {until:g} s [1]", int(found.motion.steps), None, clock)
    if "residuals" in settings:
        yield shown(case, name, f"evaluations of the residual, {until:g} s [1]", settings["residuals"], None, clock)
        yield shown(case, name, f"matrices, {until:g} s [1]", settings["matrices"], None, clock)
    yield shown(case, name, f"computing time of {until:g} s [s]", found.seconds, None, clock)


def complete(case: str, name: str, found: Run, until: float, clock: Clock) -> Row:
    """A run that ends early must not pass by having little to compare."""
    left = until - float(found.motion.time[-1])
    return below(case, name, f"time that is missing of {until:g} s [s]", left, 1e-9 * until, clock)


def diverges(case: str, name: str, motion: Trajectory, clock: Clock) -> Row:
    """An explicit stepper whose step is too long has to say that it failed."""
    says = 0.0 if ResultCode(int(motion.code)) is ResultCode.NOT_FINITE else 1.0
    return below(case, name, "0: it says that it diverges, 1: it does not [1]", says, 0.0, clock)


def draw_strains(case: str, data: Data, runs: Mapping[str, tuple[np.ndarray, np.ndarray]], until: float) -> None:
    """Strains (n, 6) of the first piece against time (n,), as the document's Figures 6 and 8."""
    from pliant.view import plot_series, save_figure

    if data.out is None:
        return
    lines = {name: (time[time <= until], strain[time <= until]) for name, (time, strain) in runs.items()}
    figure = plot_series(lines, STRAINS, f"{case}: strains of the first piece")
    save_figure(figure, data.out / f"{case}.png")
