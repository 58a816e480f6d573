"""A soft rod is dropped on a rough floor: everything it loses is accounted for."""

import warnings

import jax.numpy as jnp
import numpy as np

from pliant.description import Robot
from pliant.model import State, compile
from pliant.results import Trajectory
from pliant.simulation import simulate
from pliant.validation._case import Clock, Data, Figures, below

LENGTH, RADIUS, HEIGHT, SPEED = 0.3, 10e-3, 20e-3, 0.5  # m, m/s
MODELS = {"gvs": {"gvs": {"order": 2}}, "pcs": {"pcs": {"pieces": 4}}}
STEP, UNTIL = 2.5e-4, 0.4  # s
TOLERANCE = 1e-3
MOST_STEPS = 64  # in the first touch of a place of the rod


def rod(model: dict) -> Robot:
    lying = {"link": "world", "offset": {"move": [0.0, 0.0, RADIUS + HEIGHT], "rotate": {"y": np.deg2rad(80.0)}}}
    return (
        Robot("contact-ledger")
        .material("silicone", young=5e5, poisson=0.45, density=1100.0, viscosity=200.0)
        .rod(
            "rod",
            length=LENGTH,
            section={"circle": {"radius": RADIUS}},
            material="silicone",
            allow=["bend_y", "stretch"],
            model=model,
            joint="free",
            parent=lying,
        )
        .surface("floor", where="world", plane="z")
        .surface("skin", along={"link": "rod"})
        .contact("ground", between=["skin", "floor"], stiffness="50 kPa", damping=0.5, friction=0.4)
    )


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    for name, words in MODELS.items():
        model = compile(rod(words))
        velocity = np.zeros(model.nv)
        velocity[[coordinate.endswith("position_x") for coordinate in model.velocity_names]] = SPEED
        start = State(jnp.asarray(model.neutral()), jnp.asarray(velocity))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            run = simulate(
                model, UNTIL, stepper="generalised-alpha", step=STEP, save_every=1e-3, state=start, ledger=True
            )
        total, lost = np.asarray(run.energy["total"]), np.asarray(run.energy["dissipated"])
        open_balance = float(np.abs(total - total[0]).max() / lost[-1])
        figure = f"open balance over the energy lost, {lost[-1]:.3g} J [1]"
        yield below(case, name, figure, open_balance, TOLERANCE, clock)
        yield below(case, name, "steps in the first touch [1]", _steps_of_first_touch(run), MOST_STEPS, clock)


def _steps_of_first_touch(run: Trajectory) -> float:
    """Steps for which the place along the rod that touches first does so: others may follow before it is back up."""
    time, height = np.asarray(run.time), np.asarray(run.shape.node_pose)[:, :, 2, 3] - RADIUS
    first = int(np.argmax(height.min(axis=1) < 0.0))
    above = np.flatnonzero(height[first:, np.argmin(height[first])] >= 0.0)
    last = first + int(above[0]) if len(above) else len(time) - 1
    return float(time[last] - time[first]) / STEP
