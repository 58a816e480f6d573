"""Euler's columns: the dead axial load at which the straight column's smallest tangent eigenvalue crosses zero.

Models of strains only bend; the column of models that move poses (rom, eba) is slender and shortens by a millionth.
"""

import jax.numpy as jnp
import numpy as np
from scipy.optimize import brentq

from pliant.analysis import equilibrium_configuration
from pliant.model import Model, compile
from pliant.validation._beams import inextensible, slender
from pliant.validation._case import Clock, Data, Figures, compare, order, shown
from pliant.validation._refinement import label, refined

CRITICAL = {"clamped-free": 0.25 * np.pi**2, "pinned-pinned": np.pi**2}  # P L^2 / EI
TOLERANCE = 1e-3
BRACKET = (0.5, 1.5)  # of the reference
FINEST = {
    "clamped-free": {"gvs": 6, "pcs": 32, "srl": 32, "ebr": 32, "eba": 32, "rom": 5},
    "pinned-pinned": {"gvs": 6, "pcs": 32, "srl": 32, "ebr": 32, "eba": 64, "rom": 5},
}
# The base of a polynomial pose neither shears nor stretches, and order 5 is its last.
NOT_CLAIMED = ("pinned-pinned", "rom")
PIECES = (8, 16, 32)
PIECEWISE_ORDER = 1.9
POSES = ("rom", "eba")


def _column(word: str, number: int, ends: str) -> Model:
    """A column of unit length and stiffness under a unit load."""
    beam = slender if word in POSES else inextensible
    joint = {"revolute": "y"} if ends == "pinned-pinned" else None
    robot = beam("column", 1.0, 1.0, refined(word, number), joint=joint)
    robot = robot.load("weight", where={"link": "rod"}, force=[0, 0, -1.0], frame="world")
    if ends == "pinned-pinned":
        robot = robot.constraint("guide", between=[{"link": "rod"}, {"link": "world"}], fix=["x"], frame="world")
    return compile(robot)


def critical_load(model: Model, expected: float) -> float:
    """P L^2/EI."""

    def smallest_eigenvalue(load: float) -> float:
        straight = equilibrium_configuration(model, model.neutral(), load_factor=jnp.asarray(load))
        return straight.smallest_eigenvalue(model)

    low, high = (part * expected for part in BRACKET)
    return float(brentq(smallest_eigenvalue, low, high, rtol=1e-9))


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    for ends, expected in CRITICAL.items():
        figure = f"{ends} critical load P L^2/EI"
        for word, number in FINEST[ends].items():
            found = critical_load(_column(word, number, ends), expected)
            if (ends, word) == NOT_CLAIMED:
                yield shown(case, label(word, number), f"{figure}, not claimed", found, expected, clock)
                continue
            yield compare(case, label(word, number), figure, found, expected, TOLERANCE, clock)
            if ends == "clamped-free" and number == PIECES[-1]:
                coarser = [critical_load(_column(word, pieces, ends), expected) for pieces in PIECES[:-1]]
                errors = [abs(value / expected - 1.0) for value in (*coarser, found)]
                yield order(case, word, f"{ends} critical load", PIECES, errors, PIECEWISE_ORDER, clock)
