"""An end moment 2 pi EI / L rolls a rod up to a full circle: exact for any model with constant curvature."""

import numpy as np

from pliant.analysis import equilibrium
from pliant.model import compile
from pliant.validation._beams import inextensible
from pliant.validation._case import Clock, Data, Figures, compare

LENGTH, BENDING = 1.0, 1.0
TOLERANCE = 1e-8  # of L
MODELS = {
    "gvs order 0": {"gvs": {"order": 0}},
    "gvs order 3": {"gvs": {"order": 3}},
    "pcs 4 pieces": {"pcs": {"pieces": 4}},
}


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    for name, model in MODELS.items():
        robot = inextensible("roll-up", LENGTH, BENDING, model)
        robot = robot.load("end", where={"link": "rod"}, moment=[0, 2 * np.pi * BENDING / LENGTH, 0], frame="body")
        tip = np.asarray(equilibrium(compile(robot)).position("rod"))
        yield compare(case, name, "tip [m]", tip, np.zeros(3), TOLERANCE, clock, scale=LENGTH)
