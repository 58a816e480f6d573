"""Order of the implicit steppers: a thrown free rod, and four-bar linkages closed by a loop, planar and spatial.

The rod is the flying spaghetti under loads that rise smoothly. The published ones have kinks, after which shear and
stretch (up to 200 rad/s) vibrate a little, and no step of this case resolves the velocities of that.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pliant.description import Robot
from pliant.library import load
from pliant.model import Model, compile
from pliant.results import Trajectory
from pliant.simulation import Stepper, simulate
from pliant.validation._case import Clock, Data, Figures, order
from pliant.validation.motion._flying_spaghetti import LENGTH, ROBOT

STATED = 1.9
STEPPERS: dict[str, dict[str, Any]] = {
    "newmark": {"kind": "newmark"},
    "generalised-alpha 0.8": {"kind": "generalised-alpha"},
    "generalised-alpha 0.5": {"kind": "generalised-alpha", "spectral_radius": 0.5},
}
SAMPLE = 0.1  # s, a multiple of all steps
RISE = "2.5 s"
CRANK, COUPLER, ROCKER, GROUND = 0.4, 1.0, 0.8, 1.0  # m; every bar weighs 1 kg per metre


class OrderCase(NamedTuple):
    """A robot; what is looked at, by how the names of its frames and velocities begin; the time it moves, the steps
    [s], and what positions are divided by [m]."""

    robot: Robot
    parts: dict[str, str]
    until: float
    steps: np.ndarray
    size: float


def spaghetti() -> Robot:
    robot = load(ROBOT).with_value("links.rod.model", {"gvs": {"order": 3}})
    for load_, peak in (("force", [20, 0, 0]), ("moment", [0, 200, 100])):
        robot = robot.with_value(f"loads.throw.{load_}", {"ease": {"over": RISE, "to": peak}})
    return robot


def four_bars() -> Robot:
    """Side by side: hinges about one direction only, and two hinges that are askew with a coupler on a universal joint
    and a ball between them."""
    robot, hinge = Robot("four-bars"), {"revolute": "y"}
    for name, coupled, closed, ground in (
        ("planar", hinge, hinge, {"move": [GROUND, 0, 0]}),
        ("spatial", {"universal": ["y", "z"]}, "spherical", {"move": [GROUND, 0.3, 0], "rotate": {"z": "50 deg"}}),
    ):
        crank, coupler, rocker = f"{name}-crank", f"{name}-coupler", f"{name}-rocker"
        ends: list[dict[str, Any]] = [{"link": coupler, "offset": {"move": [COUPLER, 0, 0]}}]
        ends += [{"link": rocker, "offset": {"move": [ROCKER, 0, 0]}}]
        robot = (
            robot.rigid(crank, joint=hinge, **_bar(CRANK))
            .rigid(coupler, parent={"link": crank, "offset": {"move": [CRANK, 0, 0]}}, joint=coupled, **_bar(COUPLER))
            .rigid(rocker, parent={"link": "world", "offset": ground}, joint=hinge, **_bar(ROCKER))
            .constraint(f"{name}-tie", between=ends, joint=closed)
            .frame(f"{name}-tip", **ends[0])
            .initial(crank, angle=-1.0)
            .initial(rocker, angle=-1.2)
        )
    return robot


def _bar(length: float) -> dict[str, Any]:
    return {"mass": length, "centre": [length / 2, 0, 0], "inertia": [1e-3, length**3 / 12, length**3 / 12]}


def problems() -> tuple[OrderCase, ...]:
    halved = 0.5 ** np.arange(4)
    bars = {"planar four-bar": "planar", "spatial four-bar": "spatial"}
    return (
        OrderCase(spaghetti(), {"flying spaghetti, gvs order 3": ""}, 3.0, 25e-3 * halved, LENGTH),
        OrderCase(four_bars(), bars, 1.0, 5e-3 * halved, COUPLER),
    )


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    panels: dict[str, dict[str, Any]] = {}
    for problem in problems():
        model = compile(problem.robot)

        def run(model: Model = model, until: float = problem.until, **settings: Any) -> Trajectory:
            return simulate(Stepper(model, **settings), until, save_every=SAMPLE, accuracy=None)

        exact = run(kind="dopri8", rtol=1e-11, atol=1e-12)
        motions = {name: [run(step=step, **settings) for step in problem.steps] for name, settings in STEPPERS.items()}
        for title, part in problem.parts.items():
            lines = panels[title] = {}
            for name, found in motions.items():
                errors = np.array([_errors(motion, exact, part, problem.size) for motion in found])
                for quantity, column in zip(("position", "velocity"), errors.T, strict=True):
                    lines[f"{name}, {quantity}"] = (problem.steps, column)
                    counts = [int(motion.steps) for motion in found]
                    yield order(case, name, f"{title}, {quantity} [1]", counts, column, STATED, clock)
    if data.out is not None:
        _draw(case, data.out, panels)


def _errors(motion: Trajectory, exact: Trajectory, part: str, size: float) -> tuple[float, float]:
    """Largest distance of a frame of that part over a size, and of its velocities over the largest."""
    frames = [index for index, name in enumerate(exact.names.frames) if name.startswith(part)]
    own = [index for index, name in enumerate(exact.names.velocities) if name.startswith(part)]
    places, true_places = (np.asarray(x.shape.frame_pose)[:, frames, :3, 3] for x in (motion, exact))
    rates, true_rates = (np.asarray(x.v)[:, own] for x in (motion, exact))
    off = np.linalg.norm(rates - true_rates, axis=-1).max() / np.linalg.norm(true_rates, axis=-1).max()
    return np.linalg.norm(places - true_places, axis=-1).max() / size, off


def _draw(case: str, out: Path, panels: dict[str, dict[str, Any]]) -> None:
    from pliant.view import plot_convergence, save_figure

    figure = plot_convergence(panels, "largest error [1]")
    for axes, lines in zip(figure.axes, panels.values(), strict=True):
        steps, errors = next(iter(lines.values()))
        below = 0.3 * errors[0] * (steps / steps[0]) ** 2
        axes.loglog(steps, below, color="black", linestyle="--", linewidth=1.0)
        axes.annotate("slope 2", (steps[-1], below[-1]), xytext=(14, 0), textcoords="offset points", va="center")
        axes.set_xticks(steps, [f"{1e3 * step:.3g}" for step in steps], fontsize="small")
        axes.set_xticks([], minor=True)
        axes.set_xlabel("step [ms]")
    save_figure(figure, out / f"{case}.png")
