"""A silicone cantilever let go under its weight: explicit against implicit steps (Ishigaki et al., section V-B).

Their conditions: E1 and E2 are explicit, with the smallest and the largest step they could take; I1 and I2 are implicit
with a tight and a loose Newton, I-A has a step that adapts. They do not give the section: here it is 60 x 25 mm, and
the cantilever bends about its x axis, in the direction of the short side, as theirs does. Pliant's explicit stepper is
rk4 (theirs is Euler's); its Newton stops at a residual of 1e-9 of the forces, the loose one at 1e-3.
"""

from typing import Any

import numpy as np

from pliant.description import Robot
from pliant.model import compile
from pliant.simulation import Stepper, simulate
from pliant.validation._case import Clock, Data, Figures, below, shown
from pliant.validation.motion._cmtm_runs import complete, diverges, draw_strains, effort, run

LENGTH = 0.9  # m
MATERIAL = {"young": "110 kPa", "poisson": 0.5, "density": 1080.0, "viscosity": "300 Pa*s"}
SECTION = {"rectangle": {"width": "60 mm", "height": "25 mm"}}
FIRST, LONG, SAMPLE = 1.0, 10.0, 0.02  # s
BAR = 5e-3  # of the length
CONDITIONS: dict[str, dict[str, Any]] = {
    "E1, rk4 4 us": {"kind": "rk4", "step": 4e-6},
    "E2, rk4 0.4 ms": {"kind": "rk4", "step": 4e-4},
    "I1, newmark 4 ms": {"kind": "newmark", "step": 4e-3},
    "I2, newmark 4 ms, loose": {"kind": "newmark", "step": 4e-3, "newton_tolerance": 1e-3},
    "generalised-alpha 4 ms": {"kind": "generalised-alpha", "step": 4e-3},
    "I-A, newmark 4 to 64 ms by local error": {"kind": "newmark", "step": (4e-3, 64e-3), "rtol": 1e-3, "atol": 1e-3},
    "I-A, newmark 4 to 64 ms by Newton": {"kind": "newmark", "step": (4e-3, 64e-3), "adapt": "newton"},
}
WITHOUT_BAR = ("I-A, newmark 4 to 64 ms by Newton",)  # a step that Newton can take may still be too long to be right
TOO_LONG: dict[str, Any] = {"stepper": "rk4", "step": 4e-3}


def cantilever() -> Robot:
    sideways = {"link": "world", "offset": {"rotate": {"x": "-90 deg"}}}
    robot = Robot("silicone-cantilever").material("silicone", **MATERIAL)
    model = {"pcs": {"pieces": 3}}
    return robot.rod("arm", length=LENGTH, section=SECTION, material="silicone", model=model, parent=sideways)


def figures(case: str, data: Data) -> Figures:
    clock, model = Clock(), compile(cantilever())
    tight = simulate(model, FIRST, save_every=SAMPLE, stepper="dopri8", rtol=1e-10, atol=1e-12)
    exact = np.asarray(tight.position("arm"))
    runs = {}
    for name, settings in CONDITIONS.items():
        found = runs[name] = run(Stepper(model, **settings), FIRST, save_every=SAMPLE)
        distance = np.linalg.norm(np.asarray(found.motion.position("arm")) - exact, axis=1)
        error = float(np.sqrt(np.mean(distance**2))) / LENGTH
        figure = f"rms distance of the tip over {FIRST:g} s from dopri8 with 1e-10 [L]"
        if name in WITHOUT_BAR:
            yield shown(case, name, figure, error, None, clock)
        else:
            yield below(case, name, figure, error, BAR, clock)
        yield from effort(case, name, found, FIRST, clock)
    found = run(Stepper(model, **CONDITIONS["I1, newmark 4 ms"]), LONG, save_every=SAMPLE)
    yield complete(case, "I1, newmark 4 ms", found, LONG, clock)
    yield from effort(case, "I1, newmark 4 ms", found, LONG, clock)
    yield diverges(
        case, "rk4 4 ms", simulate(model, FIRST, save_every=SAMPLE, throw=False, accuracy=None, **TOO_LONG), clock
    )
    lines = {name: (np.asarray(found.motion.time), np.asarray(found.motion.q)[:, :6]) for name, found in runs.items()}
    draw_strains(case, data, lines, FIRST)
