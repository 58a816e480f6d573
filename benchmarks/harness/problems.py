"""The problems, in numbers: what Pliant and every peer solve alike. SI units.

World: rods start along +x, gravity points along -y. Strains are listed as (bend_x, bend_y, twist, shear_x, shear_y,
stretch) in axes with the rod along z, as Pliant has them; a peer with the rod along x puts them in its own order.
"""

import csv
import os
from dataclasses import dataclass, replace
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

# The cantilever, and the arm, released straight and at rest. After 1.4 s the motion amplifies errors.
RELEASE_UNTIL, RELEASE_SAVE = 2.0, 0.01

# A stiff cantilever of the same length and Poisson's ratio, released alike: peak deflection 0.0093 lengths.
STIFF_RADIUS, STIFF_YOUNG, STIFF_DENSITY = 0.002, 60e9, 1800.0
STIFF_VISCOSITY = 2000.0  # Pa s, shear
STIFF_UNTIL, STIFF_SAVE = 0.2, 0.001

# Flying spaghetti (Simo and Vu-Quoc 1988): free rod from A to B, dead loads at A.
SPAGHETTI_LENGTH, SPAGHETTI_UNTIL, SPAGHETTI_SAVE = 10.0, 7.0, 0.05
SPAGHETTI_A, SPAGHETTI_B = (6.0, 0.0, 0.0), (0.0, 8.0, 0.0)
SPAGHETTI_BENDING, SPAGHETTI_AXIAL = 500.0, 1e4  # N m^2 for bends and twist, N for shears and stretch
SPAGHETTI_MASS, SPAGHETTI_ROTARY = 1.0, 10.0  # kg/m, kg m
SPAGHETTI_RISE = 2.5  # s, and as long to fall
SPAGHETTI_FORCE, SPAGHETTI_MOMENT = (20.0, 0.0, 0.0), (0.0, -100.0, -200.0)  # peaks of the triangle, world


@dataclass(frozen=True)
class Release:
    """A round cantilever of LENGTH along x, released straight and at rest: the rod, the times and the reference."""

    radius: float
    young: float
    density: float
    viscosity: float
    until: float
    save: float
    reference: str  # reference_<this>.csv

    @property
    def shear_modulus(self) -> float:
        return self.young / (2.0 * (1.0 + POISSON))

    @property
    def area(self) -> float:
        return np.pi * self.radius**2

    @property
    def second_moment(self) -> float:
        return np.pi * self.radius**4 / 4.0

    @property
    def samples(self) -> int:
        """Saved times, the start among them."""
        return round(self.until / self.save) + 1

    def errors(self, path: np.ndarray) -> dict[str, float | None]:
        """Errors of the tip's path over all the time and over its first half, in lengths of the rod."""
        return {
            "error": path_error(self.reference, path, LENGTH),
            "first_error": path_error(self.reference, path, LENGTH, until=self.until / 2.0),
        }


RELEASED = Release(RADIUS, YOUNG, DENSITY, VISCOSITY, RELEASE_UNTIL, RELEASE_SAVE, "P2")
RELEASED_LONG = replace(
    RELEASED, until=10.0, save=0.02, reference=""
)  # only of the arm, which has a reference of its own
STIFF = Release(STIFF_RADIUS, STIFF_YOUNG, STIFF_DENSITY, STIFF_VISCOSITY, STIFF_UNTIL, STIFF_SAVE, "P3")


def arm_state(batch: int | None = None, pieces: int = PIECES) -> tuple[np.ndarray, np.ndarray]:
    """Strains and their rates (pieces, 6) of a bent, moving arm; with a batch, (batch, pieces, 6)."""
    random = np.random.default_rng(0)
    size = np.array([3.0, 3.0, 3.0, 0.05, 0.05, 0.05])  # rad/m and 1: half a right angle per piece, 5 % strain
    shape = (pieces, 6) if batch is None else (batch, pieces, 6)
    return size * random.normal(size=shape), size * random.normal(size=shape)


def tip_error(tip: np.ndarray) -> float:
    """Distance of the cantilever's tip from the reference, in lengths of the rod."""
    reference = np.append(CANTILEVER_TIP, 0.0)
    return float(np.linalg.norm(np.asarray(tip)[:3] - reference) / LENGTH)


def rms_distance(path: np.ndarray, reference: np.ndarray) -> float:
    """Root mean square distance of two paths (n, 3) sampled at the same times."""
    return float(np.sqrt(np.mean(np.sum((np.asarray(path) - np.asarray(reference)) ** 2, axis=1))))


def path_error(reference: str, path: np.ndarray, length: float, until: float | None = None) -> float | None:
    """Root mean square distance of a path (n, 2 or 3) from `reference_<reference>.csv`, in lengths, up to a time; None
    without the file. A coordinate that the path or the reference leaves out is zero."""
    file = reference_folder() / f"reference_{reference}.csv"
    if not file.exists():
        return None
    with file.open(encoding="utf-8") as lines:
        rows = np.array([[float(value) for value in row] for row in list(csv.reader(lines))[1:]])
    if len(path) != len(rows):
        raise ValueError(f"{len(path)} samples; the reference has {len(rows)}")
    if not np.isfinite(path).all():
        raise ValueError("the path is not finite")
    kept = slice(None) if until is None else rows[:, 0] <= until * (1.0 + 1e-9)
    return rms_distance(_spatial(path)[kept], _spatial(rows[:, 1:])[kept]) / length


def _spatial(path: np.ndarray) -> np.ndarray:
    return np.pad(path, [(0, 0), (0, 3 - np.shape(path)[1])])


def spaghetti_error(path: np.ndarray) -> float | None:
    """Root mean square distance of end A (n, 3) from the reference path, in lengths of the rod; None without it."""
    return path_error("P4", path, SPAGHETTI_LENGTH)


def reference_folder() -> Path:
    """Where reference paths lie: `peers` beside PLIANT_DATA, or ../shared/peers from the root of the repository."""
    data = os.environ.get("PLIANT_DATA")
    if data:
        return Path(data).parent / "peers"
    return Path(__file__).resolve().parents[2].parent / "shared" / "peers"
