"""Regular grids, and the cubic B-splines that go through what is known at their places."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_banded
from scipy.ndimage import map_coordinates

from pliant.description.sampling._triangles import SamplingError

Numbers = NDArray[np.float64]
MOST_PLACES = 4_000_000  # of a grid
_BYTES = 8  # of a number
_MEGA = 1e6
_NEAR = 6.0  # spacings from the surface
BEYOND = 4  # spacings that a grid goes beyond what it is for: as far as the ends of splines are felt


class Sampled(NamedTuple):
    """Distances on a regular grid, as coefficients (nx + 2, ny + 2, nz + 2) of cubic B-splines through its nx x ny x nz
    places: along each axis one in front of the first place, and one behind the last."""

    corner: tuple[float, float, float]
    spacing: float
    coefficients: Numbers

    def at(self, points: Numbers) -> Numbers:
        """Distances at points (n, 3) inside the grid."""
        place = (points - np.array(self.corner)) / self.spacing + 1.0
        return map_coordinates(self.coefficients, place.T, order=3, prefilter=False, mode="nearest")


class Grid(NamedTuple):
    corner: Numbers
    spacing: float
    shape: tuple[int, int, int]

    @property
    def places(self) -> Numbers:
        """(n, 3), the last axis first."""
        axes = [start + self.spacing * np.arange(n) for start, n in zip(self.corner, self.shape, strict=True)]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)

    def coarse(self) -> "Grid":
        """Every second place, and as far."""
        return Grid(self.corner, 2.0 * self.spacing, tuple(n // 2 + 1 for n in self.shape))  # type: ignore[arg-type]


def grid_over(low: Numbers, high: Numbers, spacing: float) -> Grid:
    """The grid of a box, the same way beyond it on both sides; a SamplingError where that is too many places."""
    cells = np.ceil((high - low) / spacing)
    count = float(np.prod(cells + 1.0))
    if count > MOST_PLACES:
        size = np.prod(high - low) ** (1 / 3)
        finest = spacing * (count / MOST_PLACES) ** (1 / 3)
        while np.prod(np.ceil((high - low) / finest) + 1.0) > MOST_PLACES:
            finest += 0.001 * size
        raise SamplingError(
            f"got a resolution of {spacing:g} m, which needs {count:.3g} places, {count * _BYTES / _MEGA:.3g} MB; "
            f"expected at most {MOST_PLACES:,} places, {MOST_PLACES * _BYTES / _MEGA:g} MB: a resolution of "
            f"{_rounded_up(finest):g} m or more"
        )
    shape = tuple(int(n) + 1 for n in cells)
    beside = 0.5 * (spacing * cells - (high - low))
    return Grid(low - beside, spacing, shape)  # type: ignore[arg-type]


def sampled_on(grid: Grid, values: Numbers) -> Sampled:
    return Sampled(tuple(grid.corner.tolist()), grid.spacing, spline_through(values))


def distances_on(grid: Grid, distance: Callable[[Numbers], Numbers]) -> Numbers:
    """Distances, without a sign, at the places of a grid: near the surface as they are; further away, where they are
    smooth and take more time, from splines through those at every second place."""
    coarse = grid.coarse()
    found = sampled_on(coarse, distance(coarse.places).reshape(coarse.shape)).at(grid.places)
    near = found < _NEAR * grid.spacing
    found[near] = distance(grid.places[near])
    return found.reshape(grid.shape)


def _rounded_up(value: float) -> float:
    """To two digits."""
    step = 10.0 ** (np.floor(np.log10(value)) - 1)
    return float(np.ceil(value / step - 1e-9) * step)


def spline_through(values: Numbers) -> Numbers:
    """Coefficients of cubic B-splines through values at the places of a grid, straight at its ends."""
    for axis in range(values.ndim):
        values = np.moveaxis(_along_first(np.moveaxis(values, axis, 0)), 0, axis)
    return np.ascontiguousarray(values)


def _along_first(values: Numbers) -> Numbers:
    # At a place a spline is (before + 4 own + behind)/6; where it is straight at the end, before - 2 own + behind = 0.
    count = len(values)
    band = np.zeros((3, count))
    band[0, 2:], band[1], band[2, :-2] = 1.0, 4.0, 1.0
    band[1, [0, -1]] = 6.0
    own = solve_banded((1, 1), band, 6.0 * values.reshape(count, -1)).reshape(values.shape)
    return np.concatenate([2.0 * own[:1] - own[1:2], own, 2.0 * own[-1:] - own[-2:-1]])
