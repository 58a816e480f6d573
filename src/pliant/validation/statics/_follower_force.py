"""SoRoSim Test 1: cantilever with a follower tip force across its tangent.

References: independent solution of the inextensible rod; SoRoSim uses order 4 and 15 Gauss points.
"""

import numpy as np

from pliant.analysis import equilibrium_path
from pliant.model import compile
from pliant.validation._beams import inextensible
from pliant.validation._case import Clock, Data, Figures, compare, order

LENGTH, BENDING = 100.0, 3.5e7  # m, N m^2
FORCES = (20e3, 70e3, 130e3)  # N
REFERENCE = ((92.02005, 75.39193), (72.42899, 33.01577), (75.86114, -47.85898))  # (L - x, z) [m]
TOLERANCES = {4: 1e-2, 8: 2e-4}  # of L, by order
QUADRATURE = {4: 15, 8: 30}  # Gauss points: SoRoSim's 15, and twice that where the order resolves more
PIECES = (16, 32, 64)
PIECEWISE_ORDER = 1.9
STEP = 10e3  # N between the points of the load path


def _tips(model: dict) -> np.ndarray:
    """(L - x, z) at the three forces."""
    robot = inextensible("follower", LENGTH, BENDING, model)
    robot = robot.load("tip", where={"link": "rod"}, force=[1.0, 0, 0], frame="body")
    forces = np.arange(STEP, FORCES[-1] + STEP, STEP)
    path = equilibrium_path(compile(robot), [float(force) for force in forces])
    tips = np.asarray(path.position("rod"))
    rows = [int(np.argmin(np.abs(forces - force))) for force in FORCES]
    return np.stack([LENGTH - tips[rows, 2], tips[rows, 0]], axis=1)


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    for degree, tolerance in TOLERANCES.items():
        tips = _tips({"gvs": {"order": degree, "quadrature": QUADRATURE[degree]}})
        for force, tip, expected in zip(FORCES, tips, REFERENCE, strict=True):
            figure = f"tip (L - x, z) at {force / 1e3:g} kN [m]"
            yield compare(case, f"gvs order {degree}", figure, tip, expected, tolerance, clock, scale=LENGTH)
    at_last = [_tips({"pcs": {"pieces": pieces, "quadrature": 2}})[-1] for pieces in PIECES]
    errors = [float(np.linalg.norm(tip - REFERENCE[-1])) / LENGTH for tip in at_last]
    yield order(case, "pcs", "tip error at 130 kN [L]", PIECES, errors, PIECEWISE_ORDER, clock)
