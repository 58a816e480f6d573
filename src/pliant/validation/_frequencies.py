"""Frequencies of a uniform cantilever under three beam theories, each with the strains and inertia it assumes."""

import numpy as np

from pliant.analysis import modes
from pliant.description import Robot
from pliant.model import compile
from pliant.validation._case import Clock, Data, Figures, compare, order

THEORIES = {  # strains, rotary inertia, first three frequencies [rad/s]
    "Euler-Bernoulli": (["bend_x", "bend_y"], False, (4.44744661, 27.87167217, 78.04148913)),
    "Rayleigh": (["bend_x", "bend_y"], True, (4.44332, 27.6926, 76.8622)),
    "Timoshenko": (["bend_x", "bend_y", "shear_x", "shear_y"], True, (4.43101945, 27.17745924, 73.6739111)),
}
TOLERANCE = 1e-3
ORDER = 6
PIECES = (4, 8, 16)
PIECEWISE_ORDER = 1.9


def _frequencies(model: dict, allow: list[str], rotary_inertia: bool) -> np.ndarray:
    robot = (
        Robot("cantilever")
        .with_gravity([0, 0, 0])
        .material("rubber", young=1e6, poisson=0.5, density=1000.0)
        .rod(
            "beam",
            length=0.5,
            section={"circle": {"radius": 0.02}, "rotary_inertia": rotary_inertia},
            material="rubber",
            allow=allow,
            model=model,
        )
    )
    # Every frequency of a round beam is double.
    return np.asarray(modes(compile(robot), count=6).frequency)[::2]


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    for theory, (allow, rotary_inertia, expected) in THEORIES.items():
        found = _frequencies({"gvs": {"order": ORDER}}, allow, rotary_inertia)
        for index, (value, reference) in enumerate(zip(found, expected, strict=True)):
            figure = f"{theory} frequency {index + 1} [rad/s]"
            yield compare(case, f"gvs order {ORDER}", figure, value, reference, TOLERANCE, clock)
    allow, rotary_inertia, expected = THEORIES["Euler-Bernoulli"]
    errors = [abs(_frequencies({"pcs": {"pieces": n}}, allow, rotary_inertia)[0] / expected[0] - 1) for n in PIECES]
    yield order(case, "pcs", "Euler-Bernoulli frequency 1", PIECES, errors, PIECEWISE_ORDER, clock)
