"""The signed distance of a closed surface of triangles, on a grid."""

from functools import lru_cache

import numpy as np

from pliant.description.sampling._grid import BEYOND, Sampled, distances_on, grid_over, sampled_on
from pliant.description.sampling._triangles import SamplingError, Triangles

Table = tuple[tuple[float, ...], ...]
_KEPT = 8  # sampled surfaces: a robot is checked and lowered several times
FINER = 0.5  # spacings between the places by which the nearest triangle is found
_OFF = 0.5  # spacings by which the sampled surface may miss the mesh; it misses edges by 0.2, tips by 0.4
_THIN = 0.1  # spacings outside of the sampled surface, one spacing below a place of the mesh: that is a thin part
_MOST_THIN = 0.25  # of the mesh; edges, beside which it is thin, are a part of it
_ASKED = 20_000  # places of the surface at which that is asked


@lru_cache(maxsize=_KEPT)
def sampled_triangles(vertices: Table, triangles: Table, resolution: float, reach: float) -> Sampled:
    """vertices (n, 3); triangles (m, 3): their numbers, from 1. reach: how far outside distances are wanted."""
    mesh = Triangles(np.array(vertices, dtype=float), np.array(triangles, dtype=np.int64) - 1).merged()
    mesh.check_closed()
    mesh = mesh.turned_outwards()
    around = reach + BEYOND * resolution
    grid = grid_over(mesh.places.min(axis=0) - around, mesh.places.max(axis=0) + around, resolution)
    distance = distances_on(grid, lambda places: mesh.distance(places, FINER * resolution))
    inside = mesh.inside(grid.corner, grid.spacing, grid.shape)
    found = sampled_on(grid, np.where(inside, -distance, distance))
    _check_close(found, mesh)
    return found


def _check_close(found: Sampled, mesh: Triangles) -> None:
    """That the sampled surface is where the mesh is, and has an inside where the mesh has one."""
    places, triangle = mesh.spread(FINER * found.spacing)
    step = -(-len(places) // _ASKED)
    places, triangle = places[::step], triangle[::step]
    below = places - found.spacing * mesh.normals[triangle]
    thin = float(np.mean(found.at(below) > _THIN * found.spacing))
    if thin > _MOST_THIN:
        raise SamplingError(
            f"got a resolution of {found.spacing:g} m, and {thin:.0%} of the mesh is thinner than that; expected a "
            "resolution of at most half the thickness of its thin parts"
        )
    off = float(np.max(np.abs(found.at(np.concatenate([places, mesh.places])))))
    if off > _OFF * found.spacing:
        raise SamplingError(
            f"got a resolution of {found.spacing:g} m, at which the sampled surface is up to {off:.2g} m off the mesh; "
            "expected a finer resolution, or a mesh without such sharp parts"
        )
