"""A leaf of carbon fibre let go from an unnatural shape: three steps, one motion (Ishigaki et al., section V-C).

They give material and mass but neither length, section nor rest shape. Here the leaf is 0.4 m long, 12 mm thick and as
wide as 655 g make it (75.4 mm); at rest it bends by 7.5 rad/m about y, the weak axis of its section: a C of 172
degrees, as blades for running have it. As in the document the six pieces start 0.01 beside their linear strains at rest
and 1 rad/m beside their angular ones, and only the material acts.

Everything but the bending about y relaxes with tau = 3 mu / E = 1 ms, which is as long as the longest step: such a step
leaves 1/3 of a strain where exp(-1) = 0.37 is right. Hence the rows without a bar, which have differences over the
strain that is let go; those with one have it over the peak of the strain itself, which contains the rest shape.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from pliant.description import Robot
from pliant.model import State, compile
from pliant.simulation import Stepper, simulate
from pliant.validation._case import Clock, Data, Figures, below, shown
from pliant.validation.motion._cmtm_runs import Run, complete, diverges, draw_strains, effort, run

YOUNG, DENSITY, MASS = 61.635e9, 1810.0, 0.655  # Pa, kg/m^3, kg
LENGTH, THICKNESS, PIECES = 0.4, 12e-3, 6  # m, m, 1
MATERIAL = {"young": YOUNG, "poisson": 0.3, "density": DENSITY, "viscosity": 20.5e6}
REST = np.array([0.0, 7.5, 0.0, 0.0, 0.0, 1.0])
OFFSET = np.array([1.0, 1.0, 1.0, 0.01, 0.01, 0.01])
SAMPLE, SHOWN = 1e-3, 0.05  # s


class Condition(NamedTuple):
    step: float  # s
    until: float  # s


CONDITIONS = {
    "C1, newmark 1 ms": Condition(1e-3, 1.0),
    "C2, newmark 0.1 ms": Condition(1e-4, 1.0),
    "C3, newmark 0.01 ms": Condition(1e-5, 0.1),
}
BAR = 0.01
TOO_LONG: dict[str, Any] = {"stepper": "rk4", "step": 4e-6}


def leaf() -> Robot:
    width = MASS / (DENSITY * LENGTH * THICKNESS)
    return (
        Robot("leaf")
        .with_gravity([0.0, 0.0, 0.0])
        .material("carbon", **MATERIAL)
        .rod(
            "leaf",
            length=LENGTH,
            section={"rectangle": {"width": THICKNESS, "height": width}},
            material="carbon",
            reference={"bend_y": REST[1]},
            model={"pcs": {"pieces": PIECES}},
        )
    )


def strains(found: Run) -> np.ndarray:
    """(n, pieces, 6)"""
    return np.asarray(found.motion.q).reshape(-1, PIECES, 6) + REST


def figures(case: str, data: Data) -> Figures:
    clock, model = Clock(), compile(leaf())
    begin = State(jnp.tile(jnp.asarray(OFFSET), PIECES), jnp.zeros(model.nv))
    runs = {}
    for name, condition in CONDITIONS.items():
        stepper = Stepper(model, "newmark", condition.step)
        runs[name] = run(stepper, condition.until, state=begin, save_every=SAMPLE)
        yield complete(case, name, runs[name], condition.until, clock)
        yield from effort(case, name, runs[name], condition.until, clock)
    names = list(CONDITIONS)
    for first, second in ((0, 1), (0, 2), (1, 2)):
        yield from _agreement(case, names[first], names[second], runs, clock)
    end = float(np.max(np.abs(strains(runs[names[0]])[-1] - REST)))
    yield below(case, names[0], "largest distance from the rest shape after 1 s [rad/m or 1]", end, 1e-6, clock)
    motion = simulate(model, 0.01, state=begin, save_every=SAMPLE, throw=False, accuracy=None, **TOO_LONG)
    yield diverges(case, "rk4 4 us", motion, clock)
    lines = {name: (np.asarray(found.motion.time), strains(found)[:, 0]) for name, found in runs.items()}
    draw_strains(case, data, lines, SHOWN)


def _agreement(case: str, one: str, other: str, runs: dict[str, Run], clock: Clock) -> Figures:
    mine, theirs = strains(runs[one]), strains(runs[other])
    count = min(len(mine), len(theirs))
    between = f"{one} and {other}"
    parts = (("angular", slice(0, 3), np.linalg.norm(OFFSET[:3])), ("linear", slice(3, 6), np.linalg.norm(OFFSET[3:])))
    for kind, part, offset in parts:
        difference = np.linalg.norm(mine[:count, :, part] - theirs[:count, :, part], axis=-1).max()
        peak = np.linalg.norm(theirs[..., part], axis=-1).max()
        yield below(case, between, f"largest difference over peak, {kind} strain [1]", difference / peak, BAR, clock)
        figure = f"largest difference over what is let go, {kind} strain [1]"
        yield shown(case, between, figure, difference / offset, None, clock)
