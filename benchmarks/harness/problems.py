"""The problems, in numbers: what Pliant and every peer solve alike. SI units.

World: rods start along +x, gravity points along -y. Strains are listed as (bend_x, bend_y, twist, shear_x, shear_y,
stretch) in axes with the rod along z, as Pliant has them; a peer with the rod along x puts them in its own order.
"""

import csv
import os
from pathlib import Path

import numpy as np

GRAVITY = 9.81

# A silicone cantilever that gravity bends by more than a right angle. Shear factor 1.
LENGTH, RADIUS, YOUNG, POISSON, DENSITY = 0.5, 0.01, 1e6, 0.5, 1000.0
VISCOSITY = 300.0  # Pa s, shear; 3 mu on bending and stretch
SHEAR_MODULUS = YOUNG / (2.0 * (1.0 + POISSON))
# Tip (x, y) at rest, from the two-point boundary-value problem; tests/benchmarks/test_problems.py solves it again.
CANTILEVER_TIP = (0.12388841805, -0.45511010206)

# The forward-dynamics arm: the cantilever in three constant-strain pieces, all six strains.
PIECES, POINTS_PER_PIECE, BATCH = 3, 5, 256

# Flying spaghetti (Simo and Vu-Quoc 1988): free rod from A to B, dead loads at A.
SPAGHETTI_LENGTH, SPAGHETTI_UNTIL, SPAGHETTI_SAVE = 10.0, 7.0, 0.05
SPAGHETTI_A, SPAGHETTI_B = (6.0, 0.0, 0.0), (0.0, 8.0, 0.0)
SPAGHETTI_BENDING, SPAGHETTI_AXIAL = 500.0, 1e4  # N m^2 for bends and twist, N for shears and stretch
SPAGHETTI_MASS, SPAGHETTI_ROTARY = 1.0, 10.0  # kg/m, kg m
SPAGHETTI_RISE = 2.5  # s, and as long to fall
SPAGHETTI_FORCE, SPAGHETTI_MOMENT = (20.0, 0.0, 0.0), (0.0, -100.0, -200.0)  # peaks of the triangle, world


def arm_state(batch: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Strains and their rates (PIECES, 6) of a bent, moving arm; with a batch, (batch, PIECES, 6)."""
    random = np.random.default_rng(0)
    size = np.array([3.0, 3.0, 3.0, 0.05, 0.05, 0.05])  # rad/m and 1: half a right angle per piece, 5 % strain
    shape = (PIECES, 6) if batch is None else (batch, PIECES, 6)
    return size * random.normal(size=shape), size * random.normal(size=shape)


def tip_error(tip: np.ndarray) -> float:
    """Distance of the cantilever's tip from the reference, in lengths of the rod."""
    reference = np.append(CANTILEVER_TIP, 0.0)
    return float(np.linalg.norm(np.asarray(tip)[:3] - reference) / LENGTH)


def spaghetti_error(path: np.ndarray) -> float | None:
    """Root mean square distance of end A (n, 3) from the reference path, in lengths of the rod; None without it."""
    file = reference_folder() / "reference_P4.csv"
    if not file.exists():
        return None
    with file.open(encoding="utf-8") as lines:
        rows = np.array([[float(value) for value in row] for row in list(csv.reader(lines))[1:]])
    if len(path) != len(rows):
        raise ValueError(f"{len(path)} samples; the reference has {len(rows)}")
    return float(np.sqrt(np.mean(np.sum((np.asarray(path) - rows[:, 1:4]) ** 2, axis=1))) / SPAGHETTI_LENGTH)


def reference_folder() -> Path:
    """Where reference paths lie: `peers` beside PLIANT_DATA, or ../shared/peers from the root of the repository."""
    data = os.environ.get("PLIANT_DATA")
    if data:
        return Path(data).parent / "peers"
    return Path(__file__).resolve().parents[2].parent / "shared" / "peers"
