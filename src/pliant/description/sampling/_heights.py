"""The signed distance of a surface that is given by its heights over a rectangle, on a grid."""

from functools import lru_cache

import numpy as np

from pliant.description.sampling._grid import BEYOND, Grid, Numbers, Sampled, distances_on, grid_over, sampled_on
from pliant.description.sampling._samples import FINER, Table
from pliant.description.sampling._triangles import Triangles

_KEPT = 8


@lru_cache(maxsize=_KEPT)
def sampled_heights(heights: Table, size: tuple[float, float], resolution: float, reach: float) -> Sampled:
    """heights (n, m): of n places along x and m along y, spread over a rectangle about the origin; level beyond it.
    reach: how far above the surface distances are wanted."""
    z = np.array(heights, dtype=float)
    half = 0.5 * np.array(size)
    around = reach + BEYOND * resolution
    low = np.array([*-half, z.min() - around])
    grid = grid_over(low, np.array([*half, z.max() + around]), resolution)
    # Level beyond the edges, as far as what is there may be the nearest.
    far = 2.0 * around + float(np.ptp(z)) + resolution
    x, y = (np.concatenate([[-h - far], np.linspace(-h, h, n), [h + far]]) for h, n in zip(half, z.shape, strict=True))
    wide = np.pad(z, 1, mode="edge")
    surface = _surface(x, y, wide)
    distance = distances_on(grid, lambda places: surface.distance(places, FINER * resolution))
    below = grid.places[:, 2].reshape(grid.shape) < _height(grid, x, y, wide)[..., None]
    return sampled_on(grid, np.where(below, -distance, distance))


def _surface(x: Numbers, y: Numbers, z: Numbers) -> Triangles:
    """Two triangles for every four neighbours."""
    across, along = np.meshgrid(x, y, indexing="ij")
    places = np.stack([across, along, z], axis=-1).reshape(-1, 3)
    number = np.arange(z.size).reshape(z.shape)
    here, right, ahead, both = (
        number[i : z.shape[0] - 1 + i, j : z.shape[1] - 1 + j].reshape(-1) for j in (0, 1) for i in (0, 1)
    )
    corners = np.concatenate([np.stack([here, right, both], axis=1), np.stack([here, both, ahead], axis=1)])
    return Triangles(places, corners)


def _height(grid: Grid, x: Numbers, y: Numbers, z: Numbers) -> Numbers:
    """(nx, ny) of the triangles over the places of a grid."""
    spots = [grid.corner[i] + grid.spacing * np.arange(grid.shape[i]) for i in range(2)]
    first, second = (
        np.clip(np.searchsorted(axis, spot, side="right") - 1, 0, len(axis) - 2)
        for axis, spot in zip((x, y), spots, strict=True)
    )
    s = ((spots[0] - x[first]) / (x[first + 1] - x[first]))[:, None]
    t = ((spots[1] - y[second]) / (y[second + 1] - y[second]))[None, :]
    i, j = first[:, None], second[None, :]
    here, right, ahead, both = z[i, j], z[i + 1, j], z[i, j + 1], z[i + 1, j + 1]
    return np.where(
        s >= t, here + s * (right - here) + t * (both - right), here + t * (ahead - here) + s * (both - ahead)
    )
