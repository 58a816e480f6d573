"""A chain of four rings, each of ten links and closed by a hinge, swings for 10 s: do the loops stay closed?

One link of each ring is a soft rod; each ring hangs across the plane of the one above.
"""

import time
from typing import Any

import jax
import numpy as np

from pliant.description import Robot
from pliant.dynamics import constraint_residual
from pliant.model import Model, compile
from pliant.results import Trajectory
from pliant.simulation import simulate
from pliant.validation._case import Clock, Data, Figures, below, compare, shown

RINGS, ARM = 4, 5  # rings, and links in each of the two arms of a ring
LINKS, LOOPS = 40, 4
SOFT = "left-3"
SIDE, THICK = 60e-3, 8e-3  # m
CORNER = 36  # deg: of a regular ring of ten
HINGE = {"revolute": {"axis": "y", "stiffness": 0.03, "damping": 3e-4}}  # N m/rad, N m s/rad
TILT = [{"x": "150 deg"}, {"y": "50 deg"}]  # of the uppermost ring against upwards
MODEL, STEP, UNTIL = "newmark 10 ms", 10e-3, 10.0  # s
DRIFT = 1e-8  # m or rad
FIRST_RUN = 120.0  # s, compiling included


def chain() -> Robot:
    robot = (
        Robot("chain-of-rings")
        .material("plastic", young="2 GPa", poisson=0.35, density=1100)
        .material("rubber", young="2 MPa", poisson=0.45, density=1100, viscosity="200 Pa*s")
    )
    hook, turned = _place("world", 0.0), TILT
    for ring in range(1, RINGS + 1):
        ends = []
        for side, sign in (("left", 1), ("right", -1)):
            end, rotations = hook, [*turned, {"y": f"{-2 * sign * CORNER} deg"}]
            for number in range(1, ARM + 1):
                name = f"{side}-{number}-{ring}"
                parent = {**end, "offset": {**end["offset"], "rotate": rotations}}
                robot = _with_link(robot, name, parent, name.startswith(SOFT))
                end, rotations = _place(name, SIDE), [{"y": f"{sign * CORNER} deg"}]
            ends.append({**end, "offset": {**end["offset"], "rotate": {"y": f"{-2 * sign * CORNER} deg"}}})
        robot = robot.constraint(f"ring-{ring}", between=ends, joint={"revolute": "y"})
        hook, turned = _place(f"left-{ARM}-{ring}", SIDE), [{"y": f"{-2 * CORNER} deg"}, {"z": "90 deg"}]
    return robot


def _place(link: str, along: float) -> dict[str, Any]:
    """A place on a link that reaches so far; at the tip of a rod."""
    return {"link": link, "offset": {"move": [0, 0, 0 if link.startswith(SOFT) else along]}}


def _with_link(robot: Robot, name: str, parent: dict[str, Any], soft: bool) -> Robot:
    if not soft:
        shape = {"box": [THICK, THICK, SIDE]}
        return robot.rigid(name, parent=parent, joint=HINGE, material="plastic", shape=shape, centre=[0, 0, SIDE / 2])
    return robot.rod(
        name,
        parent=parent,
        joint=HINGE,
        length=SIDE,
        section={"circle": {"radius": THICK / 2}},
        material="rubber",
        allow=["bend_y"],
        model={"gvs": {"order": 1, "quadrature": 4}},
    )


def figures(case: str, data: Data) -> Figures:
    clock, robot = Clock(), chain()
    model = compile(robot)
    yield compare(case, MODEL, "links [1]", len(robot.description.links), LINKS, 0.0, clock)
    yield compare(case, MODEL, "closed loops [1]", len(model.structure.constraint_slices), LOOPS, 0.0, clock)
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        motion = simulate(model, UNTIL, stepper="newmark", step=STEP, save_every=STEP, accuracy=None)
        seconds.append(time.perf_counter() - start)
    gaps, tilts = _open_by(model, motion)
    yield below(case, MODEL, f"largest gap of a loop over {UNTIL:g} s [m]", gaps.max(), DRIFT, clock)
    yield below(case, MODEL, f"largest tilt of a loop over {UNTIL:g} s [rad]", tilts.max(), DRIFT, clock)
    yield shown(case, MODEL, "steps [1]", int(motion.steps), None, clock)
    yield below(
        case, MODEL, "compiling, or loading what was compiled before [s]", seconds[0] - seconds[1], FIRST_RUN, clock
    )
    yield shown(case, MODEL, f"computing time of {UNTIL:g} s [s]", seconds[1], None, clock)
    if data.out is not None:
        _draw(case, data, motion, gaps, tilts)


def _open_by(model: Model, motion: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """(n,) what is widest open at each time: places [m] and axes [rad]."""
    rows = np.abs(jax.jit(jax.vmap(constraint_residual, in_axes=(None, 0, 0)))(model, motion.q, motion.time))
    lengths = np.array([unit == "m" for kind in model.structure.constraints for unit in kind.units])
    return rows[:, lengths].max(axis=1), rows[:, ~lengths].max(axis=1)


def _draw(case: str, data: Data, motion: Trajectory, gaps: np.ndarray, tilts: np.ndarray) -> None:
    from pliant.view import plot_series, plot_shape, save_figure

    assert data.out is not None
    height = np.asarray(motion.position(f"left-{ARM}-{RINGS}"))[:, 2]
    lines = {"newmark": (np.asarray(motion.time), np.stack([height, gaps, tilts], -1))}
    labels = ["height of the\nlowest link [m]", "largest gap [m]", "largest tilt [rad]"]
    save_figure(plot_series(lines, labels, f"{case}: {LINKS} links, {LOOPS} loops"), data.out / f"{case}.png")
    save_figure(plot_shape(motion), data.out / f"{case}-shape.png")
