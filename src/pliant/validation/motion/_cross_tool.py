"""A two-piece PCS arm released under gravity, against SoRoSim's own tip path (data/cross_tool)."""

import numpy as np

from pliant.library import load
from pliant.model import compile
from pliant.simulation import simulate
from pliant.validation._case import Clock, Data, Figures, below

TOLERANCE = 1e-5  # m, rms
TIP = "tip"


def figures(case: str, data: Data) -> Figures:
    table = data.table(f"cross_tool/{case.removeprefix('cross-tool-')}_pcs_sorosim.csv")
    clock = Clock()
    motion = simulate(compile(load(case)), float(table[-1, 0]), save_every=0.01, rtol=1e-8, atol=1e-10)
    difference = np.asarray(motion.position(TIP)) - table[:, 1:]
    rms = float(np.sqrt(np.mean(np.sum(difference**2, axis=1))))
    yield below(case, "pcs 2 pieces", "rms tip difference from SoRoSim over 3 s [m]", rms, TOLERANCE, clock)
