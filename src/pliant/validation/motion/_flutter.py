"""Beck's column: clamped, under a follower force along its tip tangent. No equilibrium is lost and no tangent stiffness
becomes singular; two modes meet and the column flutters. A trace of internal damping halves the load at which it does.
"""

import numpy as np

from pliant.analysis import equilibrium_path
from pliant.model import Model, compile
from pliant.results import PointKind
from pliant.validation._beams import inextensible
from pliant.validation._case import Clock, Data, Figures, compare

UNDAMPED, DAMPED = 20.05095, 10.939  # P L^2/EI
TOLERANCES = {UNDAMPED: 1e-3, DAMPED: 5e-3}
DAMPING = 1e-4  # bending damping over bending stiffness [s], of a column whose first frequency is 3.5 rad/s
ORDER = 7
LAST = 25.0  # P L^2/EI up to which the path is followed


def column(damping: float) -> Model:
    """A column of unit length, stiffness and mass per length under a unit force along its tip."""
    robot = inextensible("column", 1.0, 1.0, {"gvs": {"order": ORDER}})
    robot = robot.with_value("links.rod.section.given.damping", [damping, damping, 0.0, 0.0, 0.0, 0.0])
    return compile(robot.load("tip", where={"link": "rod"}, force=[0, 0, -1.0], frame="body"))


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    model = column(DAMPING)
    undamped = model.with_parameters({"links.rod.section.given.damping": np.zeros(6)})
    for name, own, expected in (("no damping", undamped, UNDAMPED), ("vanishing damping", model, DAMPED)):
        path = equilibrium_path(own, [LAST], arc_length=True)
        found = next((factor for _, kind, factor in path.marks() if kind is PointKind.FLUTTER), np.inf)
        figure = f"flutter with {name} P L^2/EI"
        yield compare(case, f"gvs order {ORDER}", figure, found, expected, TOLERANCES[expected], clock)
