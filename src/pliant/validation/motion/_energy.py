"""SoRoSim Test 4: a horizontal cantilever released with a bending strain; energy must balance."""

import numpy as np

from pliant.library import load
from pliant.model import Model, compile
from pliant.simulation import simulate
from pliant.validation._case import Clock, Data, Figures, below, compare

ROBOT = "sorosim-energy-beam"
INITIAL_ENERGY = 0.01217367  # J
DAMPED = {"materials.rubber.viscosity": 11.2e3}  # Pa s
DRIFT = 1e-6  # of the peak kinetic energy
UNTIL, SAMPLES = 5.0, 0.01  # s


def _run(model: Model, **settings):
    return simulate(model, UNTIL, save_every=SAMPLES, **settings)


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    model = compile(load(ROBOT))
    free = _run(model, stepper="dopri8", rtol=1e-9, atol=1e-11)
    elastic, kinetic = np.asarray(free.energy["elastic"]), np.asarray(free.energy["kinetic"])
    total = np.asarray(free.energy["total"])
    yield compare(case, "gvs order 3", "initial strain energy [J]", elastic[0], INITIAL_ENERGY, 1e-6, clock)
    drift = np.abs(total - total[0]).max() / kinetic.max()
    yield below(case, "gvs order 3", "undamped drift over peak kinetic energy, dopri8 [1]", drift, DRIFT, clock)
    damped = _run(model.with_parameters(DAMPED), stepper="newmark", step=2e-3)
    rises = np.diff(np.asarray(damped.energy["total"])).max() / total[0]
    yield below(case, "gvs order 3", "largest rise of the damped energy over the initial [1]", rises, 0.0, clock)
    implicit = _run(model, stepper="newmark", step=1e-3)
    error = np.asarray(implicit.energy["total"]) - total[0]
    band = np.abs(error).max()
    yield below(
        case,
        "gvs order 3",
        "undamped band over peak kinetic energy, newmark 1 ms [1]",
        band / kinetic.max(),
        0.05,
        clock,
    )
    slope = abs(np.polyfit(np.asarray(implicit.time) / UNTIL, error, 1)[0])
    yield below(
        case, "gvs order 3", "trend of newmark's energy over the run, of its band [1]", slope / band, 0.5, clock
    )
