"""Cantilever with a dead tip load: the elastica.

References: tip deflection and reach from elliptic integrals, digits computed independently.
"""

import jax.numpy as jnp
import numpy as np

from pliant.analysis import equilibrium_configuration, load_path
from pliant.dynamics import forward_kinematics
from pliant.model import compile
from pliant.validation._beams import inextensible
from pliant.validation._case import Clock, Data, Figures, compare, order

LOADS = (1.0, 2.0, 5.0, 10.0)  # P L^2 / EI
DEFLECTION = (0.30172077, 0.49345748, 0.71379152, 0.81060902)
REACH = (0.94356676, 0.83935828, 0.61237164, 0.44500440)
TOLERANCE = 2e-5
PIECES = (4, 8, 16, 32)
PIECEWISE_ORDER = 1.9  # second order, measured between coarse grids


def _robot(model: dict):
    return inextensible("elastica", 1.0, 1.0, model).load(
        "tip", where={"link": "rod"}, force=[1.0, 0, 0], frame="world"
    )


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    path = load_path(compile(_robot({"gvs": {"order": 4}})), LOADS)
    tips = np.asarray(path.position("rod"))
    for load, tip, deflection, reach in zip(LOADS, tips, DEFLECTION, REACH, strict=True):
        figure = f"tip at P L^2/EI = {load:g} [L]"
        yield compare(case, "gvs order 4", figure, tip[[0, 2]], (deflection, reach), TOLERANCE, clock, scale=1.0)
    errors = []
    for pieces in PIECES:
        model = compile(_robot({"pcs": {"pieces": pieces, "quadrature": 2}}))
        found = equilibrium_configuration(model, model.neutral(), load_factor=jnp.asarray(LOADS[-1]))
        tip = np.asarray(forward_kinematics(model, found.q)["rod"])[:3, 3]
        errors.append(float(np.linalg.norm(tip[[0, 2]] - (DEFLECTION[-1], REACH[-1]))))
    yield order(case, "pcs", "tip error at P L^2/EI = 10 [L]", PIECES, errors, PIECEWISE_ORDER, clock)
