"""SoRoSim Test 3: a free flexible rod kicked by dead loads at its tip (Simo and Vu-Quoc).

Reference: an independent code (data/beams/flying_spaghetti_3d.csv); by momentum, the centre of mass keeps y and z.
"""

import numpy as np

from pliant.library import load
from pliant.model import Model, compile
from pliant.simulation import simulate
from pliant.validation._case import Clock, Data, Figures, below

ROBOT = "flying-spaghetti"
LENGTH = 10.0
ANGULAR = ["bend_x", "bend_y", "twist"]
MODELS = {  # strains, model, tolerance of L
    "gvs kirchhoff order 2 (15 dof)": (ANGULAR, {"gvs": {"order": 2}}, 3e-2),
    "gvs six strains order 5": ([*ANGULAR, "shear_x", "shear_y", "stretch"], {"gvs": {"order": 5}}, 1e-3),
    "pcs 16 pieces": ([*ANGULAR, "shear_x", "shear_y", "stretch"], {"pcs": {"pieces": 16, "quadrature": 3}}, 1e-2),
}


def _robot(allow: list[str], model: dict) -> Model:
    robot = load(ROBOT)
    return compile(robot.with_value("links.rod.allow", allow).with_value("links.rod.model", model))


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    table = data.table("beams/flying_spaghetti_3d.csv")
    for name, (allow, model, tolerance) in MODELS.items():
        motion = simulate(_robot(allow, model), 7.0, save_every=0.05, rtol=1e-7, atol=1e-9)
        worst = max(
            np.linalg.norm(np.asarray(motion.position(frame)) - table[:, columns], axis=1).max()
            for frame, columns in (("base", slice(1, 4)), ("rod", slice(7, 10)))
        )
        yield below(
            case,
            name,
            "largest distance of base and tip from the reference over 7 s [L]",
            worst / LENGTH,
            tolerance,
            clock,
        )
        nodes = np.asarray(motion.shape.node_pose)[:, :, :3, 3]
        fractions = np.asarray(motion.scene.node_fraction)
        # The rod is uniform, so the mean over its length is the centre of mass.
        centre = np.trapezoid(nodes, fractions, axis=1) if name.startswith("pcs") else _mean(nodes, fractions)
        off = np.abs(centre[:, 1:] - centre[0, 1:]).max() / LENGTH
        yield below(case, name, "centre of mass off its plane y, z [L]", off, 1e-3, clock)


def _mean(nodes: np.ndarray, fractions: np.ndarray) -> np.ndarray:
    """Mean along the rod of the polynomial through all nodes (spectral, the nodes being Gauss points and the ends)."""
    fit = np.polynomial.legendre.legvander(2 * fractions - 1, len(fractions) - 1)
    mean_of_each = np.zeros(len(fractions))
    mean_of_each[0] = 1.0
    return np.einsum("k,nkc->nc", np.linalg.solve(fit.T, mean_of_each), nodes)
