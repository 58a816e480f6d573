"""The three experiments of Godage et al., section V, with the CoG model, the integral model and a rod of constant
strains: the same arm, pressures and steps. The article's measurements are only in its figures, and it does not print
stiffness, damping and offsets: those of the library's arm are of our choice, so the models are compared with each
other.
"""

import time
from typing import Any

import jax
import numpy as np

from pliant.description import Robot
from pliant.library import load
from pliant.model import compile
from pliant.results import Trajectory
from pliant.simulation import simulate
from pliant.validation._case import Clock, Data, Figures, below, shown

ROBOT, SECTIONS = "three-section-arm", ("base", "middle", "end")
LENGTH = 0.45  # m, of the arm
UNTIL, SAMPLE, STEP = 8.0, 0.02, 2e-3  # s
# Section, muscle (from 1), time [s] and pressure [Pa] of the steps.
EXPERIMENTS = {
    "first": (("end", 3, 0.0, 600e3), ("middle", 2, 3.2, 500e3), ("base", 1, 7.55, 500e3)),
    "second": (("middle", 3, 0.0, 300e3), ("end", 3, 3.3, 500e3)),
    "third": (("end", 3, 0.0, 500e3), ("middle", 3, 2.55, 300e3), ("base", 1, 5.05, 300e3)),
}
MODELS: dict[str, Any] = {
    "cog": {"cog": {}},
    "integral": {"integral": {"quadrature": 5}},
    "pcs": {"pcs": {"pieces": 1, "quadrature": 5}},
}
COG, SAME = 1e-2, 1e-3  # of the arm's length


def robot(model: str, experiment: str) -> Robot:
    arm = load(ROBOT)
    for section in SECTIONS:
        arm = arm.with_value(f"links.{section}.model", MODELS[model])
        pressures: list[Any] = [0.0] * 3
        for name, muscle, at, pressure in EXPERIMENTS[experiment]:
            if name == section:
                pressures[muscle - 1] = {"step": {"at": at, "to": pressure}}
        arm = arm.with_value(f"actuators.{section}.pressure", pressures)
    return arm


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    for experiment in EXPERIMENTS:
        runs, seconds = {}, {}
        for name in MODELS:
            model = compile(robot(name, experiment))
            for _ in range(2):  # the first compiles
                start = time.perf_counter()
                runs[name] = jax.block_until_ready(
                    simulate(model, UNTIL, stepper="newmark", step=STEP, save_every=SAMPLE, accuracy=None)
                )
                seconds[name] = time.perf_counter() - start
        for name, other, bar in (("cog", "integral", COG), ("integral", "pcs", SAME)):
            apart = np.linalg.norm(_tip(runs[name]) - _tip(runs[other]), axis=1) / LENGTH
            label = f"{name} and {other}"
            yield below(case, label, f"{experiment}: largest distance of the tips [L]", apart.max(), bar, clock)
            rms = float(np.sqrt(np.mean(apart**2)))
            yield shown(case, label, f"{experiment}: rms distance of the tips [L]", rms, None, clock)
        for name, own in seconds.items():
            yield shown(case, name, f"{experiment}: computing time of {UNTIL:g} s [s]", own, None, clock)
        _draw(case, data, experiment, runs)


def _tip(motion: Trajectory) -> np.ndarray:
    return np.asarray(motion.position("end"))


def _draw(case: str, data: Data, experiment: str, runs: dict[str, Trajectory]) -> None:
    """Plots like the article's Figures 6 to 8, without what was measured."""
    if data.out is None:
        return
    from matplotlib.figure import Figure

    from pliant.view import save_figure

    figure = Figure(figsize=(8, 9), layout="constrained")
    panels = figure.subplots(len(SECTIONS) + 1, 1, sharex=True)
    styles = {"cog": "-", "integral": "--", "pcs": ":"}
    for axes, section in zip(panels, SECTIONS, strict=False):
        for name, motion in runs.items():
            path = np.asarray(motion.position(section))
            for axis, colour in zip("xyz", ("tab:blue", "black", "tab:red"), strict=True):
                label = f"{axis}, {name}" if section == SECTIONS[0] else None
                axes.plot(motion.time, 1e3 * path[:, "xyz".index(axis)], styles[name], color=colour, label=label)
        axes.set_ylabel(f"tip of {section} [mm]")
    panels[0].legend(ncols=3, fontsize=8)
    for name, other in (("cog", "integral"), ("integral", "pcs")):
        apart = np.linalg.norm(_tip(runs[name]) - _tip(runs[other]), axis=1)
        panels[-1].semilogy(runs[name].time, np.maximum(1e3 * apart, 1e-12), label=f"{name} and {other}")
    panels[-1].set_ylabel("distance of the tips [mm]")
    panels[-1].set_xlabel("time [s]")
    panels[-1].legend(fontsize=8)
    save_figure(figure, data.out / f"{case}-{experiment}.png")
