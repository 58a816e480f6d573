"""Energy over 100 s with implicit steps: a beam without damping let go, and the flying spaghetti after its throw.

Newmark's method, and generalised-alpha with a spectral radius of 1, which is the same method, keep energy in a band
where the steps resolve the motion. With longer steps they may gain, as they do in nonlinear problems, until Newton
fails; below 1 generalised-alpha then loses.
"""

from typing import Any, NamedTuple

import numpy as np

from pliant.description import Robot
from pliant.library import load
from pliant.model import Model, compile
from pliant.simulation import Stepper, simulate
from pliant.validation._case import Clock, Data, Figures, below, shown
from pliant.validation.motion import _energy, _flying_spaghetti

UNTIL, SAMPLE = 100.0, 0.1  # s
BAND = 5e-3  # of the peak kinetic energy
TREND = 0.5  # over the run, of the largest change
AGREE = 1e-6  # of the peak kinetic energy
DAMPED, SAME = "generalised-alpha 0.8", "generalised-alpha 1.0"
STEPPERS: dict[str, dict[str, Any]] = {
    "newmark": {"kind": "newmark"},
    SAME: {"kind": "generalised-alpha", "spectral_radius": 1.0},
    DAMPED: {"kind": "generalised-alpha", "spectral_radius": 0.8},
}
THROWN = 5.0  # s: the loads on the spaghetti are over
LONG_STEP = 20e-3  # s: 4 rad of the beam's fastest vibration, a twist of 214 rad/s; 5 ms are 1 rad


def beam() -> Robot:
    return load(_energy.ROBOT).with_value("links.beam.model", {"pcs": {"pieces": 2}})


def spaghetti() -> Robot:
    robot = load(_flying_spaghetti.ROBOT).with_value("links.rod.model", {"gvs": {"order": 3}})
    return robot.with_value("links.rod.allow", _flying_spaghetti.ANGULAR)


class Kept(NamedTuple):
    """Change of the energy over the peak kinetic one, (n,) at times (n,) [s]; NaN before energy is conserved,
    and after a run has failed."""

    time: np.ndarray
    change: np.ndarray

    @property
    def largest(self) -> float:
        return float(np.nanmax(np.abs(self.change)))

    @property
    def gain(self) -> float:
        return float(np.nanmax(self.change))

    @property
    def trend(self) -> float:
        """Over the whole run, by the straight line through the changes."""
        known = np.isfinite(self.change)
        return float(np.polyfit(self.time[known] / UNTIL, self.change[known], 1)[0])


def kept(model: Model, step: float, since: float, settings: dict[str, Any], throw: bool = True) -> Kept:
    motion = simulate(Stepper(model, step=step, **settings), UNTIL, save_every=SAMPLE, throw=throw, accuracy=None)
    time, total = SAMPLE * np.arange(round(UNTIL / SAMPLE) + 1), np.full(round(UNTIL / SAMPLE) + 1, np.nan)
    total[: len(motion.time)] = motion.energy["total"]
    total = np.where(time < since - 0.5 * SAMPLE, np.nan, total)
    first = total[np.isfinite(total)][0]
    return Kept(time, (total - first) / np.asarray(motion.energy["kinetic"]).max())


def figures(case: str, data: Data) -> Figures:
    clock, found = Clock(), {}
    bar = compile(beam())
    for title, model, step, since in (
        ("beam, pcs 2 pieces, 5 ms", bar, 5e-3, 0.0),
        ("flying spaghetti, gvs kirchhoff order 3, 25 ms", compile(spaghetti()), 25e-3, THROWN),
    ):
        for name, settings in STEPPERS.items():
            run = found[title, name] = kept(model, step, since, settings)
            if name == SAME:
                off = float(np.nanmax(np.abs(run.change - found[title, "newmark"].change)))
                yield below(case, name, f"{title}: largest difference from newmark [1]", off, AGREE, clock)
                continue
            yield below(case, name, f"{title}: largest gain over the peak kinetic energy [1]", run.gain, BAND, clock)
            yield below(case, name, f"{title}: largest change of either sign [1]", run.largest, BAND, clock)
            if name == DAMPED:
                yield below(case, name, f"{title}: trend over the run [1]", run.trend, 0.0, clock)
            else:
                trend = abs(run.trend) / run.largest
                yield below(case, name, f"{title}: trend over the run, of the largest change [1]", trend, TREND, clock)
    title = f"beam, pcs 2 pieces, {1e3 * LONG_STEP:g} ms"
    for name in ("newmark", DAMPED):
        run = found[title, name] = kept(bar, LONG_STEP, 0.0, STEPPERS[name], throw=name == DAMPED)
        gain = f"{title}: largest gain over the peak kinetic energy [1]"
        if name == DAMPED:
            yield below(case, name, gain, run.gain, BAND, clock)
        else:
            yield shown(case, name, gain, run.gain, None, clock)
    if data.out is not None:
        _draw(case, data, found)


def _draw(case: str, data: Data, found: dict[tuple[str, str], Kept]) -> None:
    from pliant.view import plot_series, save_figure

    assert data.out is not None
    titles = list(dict.fromkeys(title for title, _ in found))
    lines = {}
    for name, label in (("newmark", f"newmark, {SAME}"), (DAMPED, DAMPED)):
        runs = [found[title, name] for title in titles]
        lines[label] = runs[0].time, np.stack([run.change for run in runs], axis=-1)
    labels = [title.replace(", ", "\n") for title in titles]
    figure = plot_series(lines, labels, f"{case}: change of energy, of the peak kinetic one")
    figure.set_size_inches(11.0, 8.0)
    save_figure(figure, data.out / f"{case}.png")
