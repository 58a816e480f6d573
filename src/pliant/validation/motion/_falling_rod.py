"""A rod falls over on a smooth floor: its middle falls straight down while its end slides away."""

import numpy as np
from scipy.interpolate import CubicSpline

from pliant.description import Robot
from pliant.model import compile
from pliant.simulation import simulate
from pliant.validation._case import Clock, Data, Figures, compare

G, LENGTH, RADIUS, START = 9.81, 0.5, 5e-3, np.deg2rad(5.0)
STIFFNESS = 1e8  # N/m per m of skin
DAMPING = 500.0  # s/m: it does not bounce where it is put down, which would show in its rate
ANGLES = (30.0, 60.0)  # deg
MODELS = {"gvs": {"gvs": {"order": 1}}, "srl": {"srl": {"pieces": 4}}}
UNTIL, TOLERANCE = 0.8, 5e-3


def rod(model: dict) -> Robot:
    """Stiff, on its round end, which the skin has where nothing hangs on it."""
    standing = {"link": "world", "offset": {"move": [0.0, 0.0, RADIUS], "rotate": {"y": START}}}
    return (
        Robot("falling-rod")
        .material("steel", young=2e11, poisson=0.3, density=7800.0)
        .rod(
            "rod",
            length=LENGTH,
            section={"circle": {"radius": RADIUS}},
            material="steel",
            allow=["bend_y"],
            model=model,
            joint="free",
            parent=standing,
        )
        .surface("floor", where="world", plane="z")
        .surface("skin", along={"link": "rod"})
        .contact("ground", between=["skin", "floor"], stiffness=STIFFNESS, damping=DAMPING)
    )


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    for name, model in MODELS.items():
        run = simulate(compile(rod(model)), UNTIL, stepper="generalised-alpha", step=2.5e-4, save_every=5e-3)
        axis = np.asarray(run.frame("rod"))[:, :3, 2]
        angle = CubicSpline(np.asarray(run.time), np.unwrap(np.arctan2(axis[:, 0], axis[:, 2])))
        for degrees in ANGLES:
            end = np.deg2rad(degrees)
            when = angle.solve(end, extrapolate=False)[0]
            found = float(angle(when, 1)) ** 2
            expected = 12.0 * G * (np.cos(START) - np.cos(end)) / (LENGTH * (1.0 + 3.0 * np.sin(end) ** 2))
            figure = f"squared rate at {degrees:g} deg [1/s^2]"
            yield compare(case, name, figure, found, expected, TOLERANCE, clock)
