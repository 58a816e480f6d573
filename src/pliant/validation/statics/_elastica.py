"""Cantilever with a dead tip load: the elastica.

References: tip deflection and reach from elliptic integrals, digits computed independently. Models of strains leave all
but bending out. Nodes with poses of their own (eba) cannot: their rod is slender instead. The polynomial pose (rom)
does not claim this case: on so slender a rod it locks, because the stretch of a polynomial curve is no polynomial.
"""

from typing import Any

import jax.numpy as jnp
import numpy as np

from pliant.analysis import equilibrium_configuration, equilibrium_path
from pliant.description import Robot
from pliant.dynamics import forward_kinematics
from pliant.model import compile
from pliant.numerics import ResultCode, SolveError
from pliant.validation._beams import inextensible, slender
from pliant.validation._case import Clock, Data, Figures, compare, order
from pliant.validation._refinement import refined

LOADS = (1.0, 2.0, 5.0, 10.0)  # P L^2 / EI
DEFLECTION = (0.30172077, 0.49345748, 0.71379152, 0.81060902)
REACH = (0.94356676, 0.83935828, 0.61237164, 0.44500440)
TOLERANCE = 2e-5
PIECES = (8, 16, 32)
PIECEWISE_ORDER = 1.9  # second order, measured between coarse grids
LOAD_STEPS = {"pcs": 1, "srl": 1, "ebr": 1, "eba": 100}  # a slender rod of poses is stiff to all but small turns


def _robot(model: dict[str, Any]) -> Robot:
    beam = slender if "eba" in model else inextensible
    robot = beam("elastica", 1.0, 1.0, model)
    return robot.load("tip", where={"link": "rod"}, force=[1.0, 0, 0], frame="world")


def _error(word: str, pieces: int) -> float:
    """Distance of the tip from its reference at the largest load."""
    model = compile(_robot(refined(word, pieces)))
    q = jnp.asarray(model.neutral())
    for load in np.linspace(0.0, LOADS[-1], LOAD_STEPS[word] + 1)[1:]:
        found = equilibrium_configuration(model, q, load_factor=jnp.asarray(load))
        code, q = ResultCode(int(found.code)), found.q
        if code is not ResultCode.SUCCESS:
            raise SolveError(code, f"{word} with {pieces} pieces at P L^2/EI = {load:g}")
    tip = np.asarray(forward_kinematics(model, q)["rod"])[:3, 3]
    return float(np.linalg.norm(tip[[0, 2]] - (DEFLECTION[-1], REACH[-1])))


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    tips = np.asarray(equilibrium_path(compile(_robot(refined("gvs", 4))), LOADS).position("rod"))
    for load, tip, deflection, reach in zip(LOADS, tips, DEFLECTION, REACH, strict=True):
        figure = f"tip at P L^2/EI = {load:g} [L]"
        yield compare(case, "gvs order 4", figure, tip[[0, 2]], (deflection, reach), TOLERANCE, clock, scale=1.0)
    for word in LOAD_STEPS:
        errors = [_error(word, pieces) for pieces in PIECES]
        yield order(case, word, "tip error at P L^2/EI = 10 [L]", PIECES, errors, PIECEWISE_ORDER, clock)
