"""A silicone cantilever let go under its weight: explicit against implicit steps (Ishigaki et al., section V-B).

Their conditions: E1 and E2 are explicit, with the smallest and the largest step they could take; I1 and I2 are implicit
with a tight and a loose Newton, I-A has a step that adapts. They do not give the section: here it is 60 x 25 mm, and
the cantilever bends about its x axis, in the direction of the short side, as theirs does. Pliant's explicit stepper is
rk4 (theirs is Euler's) and its Newton has one tolerance.
"""

import json
import time
from typing import Any, NamedTuple

import numpy as np

from pliant.description import Robot
from pliant.model import Model, compile
from pliant.numerics import ResultCode
from pliant.results import Trajectory
from pliant.simulation import simulate
from pliant.validation._case import Clock, Data, Figures, below, shown

LENGTH = 0.9  # m
MATERIAL = {"young": "110 kPa", "poisson": 0.5, "density": 1080.0, "viscosity": "300 Pa*s"}
SECTION = {"rectangle": {"width": "60 mm", "height": "25 mm"}}
FIRST, LONG, SAMPLE = 1.0, 10.0, 0.02  # s
SHORTEST = 4e-6  # s
BAR = 5e-3  # of the length
CONDITIONS: dict[str, dict[str, Any]] = {
    "E1, rk4 4 us": {"stepper": "rk4", "step": SHORTEST},
    "E2, rk4 0.4 ms": {"stepper": "rk4", "step": 4e-4},
    "I1, newmark 4 ms": {"stepper": "newmark", "step": 4e-3},
    "generalised-alpha 4 ms": {"stepper": "generalised-alpha", "step": 4e-3},
    "I-A, newmark 4 to 64 ms by local error": {"stepper": "newmark", "step": (4e-3, 64e-3), "rtol": 1e-3, "atol": 1e-3},
    "I-A, newmark 4 to 64 ms by Newton": {"stepper": "newmark", "step": (4e-3, 64e-3), "adapt": "newton"},
}
WITHOUT_BAR = ("I-A, newmark 4 to 64 ms by Newton",)  # a step that Newton can take may still be too long to be right
TOO_LONG: dict[str, Any] = {"stepper": "rk4", "step": 4e-3}


def cantilever() -> Robot:
    sideways = {"link": "world", "offset": {"rotate": {"x": "-90 deg"}}}
    robot = Robot("silicone-cantilever").material("silicone", **MATERIAL)
    model = {"pcs": {"pieces": 3}}
    return robot.rod("arm", length=LENGTH, section=SECTION, material="silicone", model=model, parent=sideways)


class Run(NamedTuple):
    """A motion, and the seconds it took once compiled."""

    motion: Trajectory
    seconds: float


def run(model: Model, until: float, **settings: Any) -> Run:
    if settings["step"] != SHORTEST:  # which takes so long that what compiling adds does not count
        simulate(model, until, save_every=SAMPLE, throw=False, **settings)
    start = time.perf_counter()
    motion = simulate(model, until, save_every=SAMPLE, throw=False, **settings)
    return Run(motion, time.perf_counter() - start)


def figures(case: str, data: Data) -> Figures:
    clock, model = Clock(), compile(cantilever())
    tight = simulate(model, FIRST, save_every=SAMPLE, stepper="dopri8", rtol=1e-10, atol=1e-12)
    exact = np.asarray(tight.position("arm"))
    runs = {}
    for name, settings in CONDITIONS.items():
        found = runs[name] = run(model, FIRST, **settings)
        distance = np.linalg.norm(np.asarray(found.motion.position("arm")) - exact, axis=1)
        error = float(np.sqrt(np.mean(distance**2))) / LENGTH
        figure = f"rms distance of the tip over {FIRST:g} s from dopri8 with 1e-10 [L]"
        if name in WITHOUT_BAR:
            yield shown(case, name, figure, error, None, clock)
        else:
            yield below(case, name, figure, error, BAR, clock)
        yield from _effort(case, name, found, FIRST, clock)
    found = run(model, LONG, **CONDITIONS["I1, newmark 4 ms"])
    reached = float(found.motion.time[-1])
    yield below(case, "I1, newmark 4 ms", f"time that is missing of {LONG:g} s [s]", LONG - reached, 0.0, clock)
    yield from _effort(case, "I1, newmark 4 ms", found, LONG, clock)
    code = ResultCode(int(simulate(model, FIRST, save_every=SAMPLE, throw=False, **TOO_LONG).code))
    says = 0.0 if code is ResultCode.NOT_FINITE else 1.0
    yield below(case, "rk4 4 ms", "0: it says that it diverges, 1: it does not [1]", says, 0.0, clock)
    if data.out is not None:
        _draw(case, data, runs)


def _effort(case: str, name: str, found: Run, until: float, clock: Clock) -> Figures:
    settings = json.loads(found.motion.provenance)["settings"]
    yield shown(case, name, f"steps of {until:g} s [1]", int(found.motion.steps), None, clock)
    if "residuals" in settings:
        yield shown(case, name, f"evaluations of the residual, {until:g} s [1]", settings["residuals"], None, clock)
        yield shown(case, name, f"matrices, {until:g} s [1]", settings["matrices"], None, clock)
    yield shown(case, name, f"computing time of {until:g} s [s]", found.seconds, None, clock)


def _draw(case: str, data: Data, runs: dict[str, Run]) -> None:
    """Strains of the first piece in time, as the document's Figure 6."""
    from pliant.view import plot_series

    assert data.out is not None
    data.out.mkdir(parents=True, exist_ok=True)
    lines = {name: (np.asarray(found.motion.time), np.asarray(found.motion.q)[:, :6]) for name, found in runs.items()}
    names = ["bend_x [rad/m]", "bend_y [rad/m]", "twist [rad/m]", "shear_x [1]", "shear_y [1]", "stretch [1]"]
    figure = plot_series(lines, names, f"{case}: strains of the first piece")
    figure.savefig(data.out / f"{case}.png", dpi=130)
