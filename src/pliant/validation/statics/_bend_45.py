"""The 45 degree bend of Bathe and Bolourchi: a curved rod under a dead tip force out of its plane.

References computed independently with both torsion constants of the square section.
"""

import numpy as np

from pliant.analysis import equilibrium_path
from pliant.description import Robot
from pliant.model import compile
from pliant.validation._case import Clock, Data, Figures, compare, order

RADIUS = 100.0
FORCES = (300.0, 600.0)
REFERENCE = {
    "polar": {300.0: (58.77912, 22.24478, 40.19189), 600.0: (47.15044, 15.68480, 53.47486)},
    "saint-venant": {600.0: (46.89193, 15.55779, 53.60737)},
}
TOLERANCE = 1e-4  # of R, refined
ORDER = 5
PIECES = (4, 8, 16)
PIECEWISE_ORDER = 1.9


def _tips(model: dict, torsion: str) -> np.ndarray:
    # Local x, y, z lie along world y, z, x; bending about local y turns the tangent from world x to world y.
    robot = (
        Robot("bend-45")
        .with_gravity([0, 0, 0])
        .material("steel", young=1e7, poisson=0.0, density=1.0)
        .rod(
            "arc",
            parent={"link": "world", "offset": {"rotate": {"quaternion": [0.5, 0.5, 0.5, 0.5]}}},
            length=RADIUS * np.pi / 4,
            section={"rectangle": {"width": 1.0, "height": 1.0}, "torsion": torsion},
            material="steel",
            reference={"bend_y": 1.0 / RADIUS},
            model=model,
        )
        .load("tip", where={"link": "arc"}, force=[0, 0, FORCES[-1]], frame="world")
    )
    path = equilibrium_path(compile(robot), [0.25, FORCES[0] / FORCES[-1], 0.75, 1.0])
    return np.asarray(path.position("arc"))[[1, 3]]


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    for torsion, references in REFERENCE.items():
        tips = dict(zip(FORCES, _tips({"gvs": {"order": ORDER}}, torsion), strict=True))
        for force, expected in references.items():
            figure = f"tip at {force:g}, {torsion} torsion [m]"
            yield compare(case, f"gvs order {ORDER}", figure, tips[force], expected, TOLERANCE, clock, scale=RADIUS)
    exact = np.array(REFERENCE["polar"][600.0])
    errors = [float(np.linalg.norm(_tips({"pcs": {"pieces": n}}, "polar")[1] - exact)) / RADIUS for n in PIECES]
    yield order(case, "pcs", "tip error at 600 [R]", PIECES, errors, PIECEWISE_ORDER, clock)
