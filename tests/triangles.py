"""Closed surfaces of triangles as the tests use them: places, and triples of their numbers from 1."""

from typing import Any

import numpy as np

Table = tuple[tuple[Any, ...], ...]


def rows(table: Any) -> Table:
    return tuple(map(tuple, np.asarray(table).tolist()))


def box(size: Any) -> tuple[Table, Table]:
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * np.asarray(size)
    sides = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    return rows(corners), tuple(t for a, b, c, d in sides for t in ((a, b, c), (a, c, d)))


def torus(around: float, tube: float, count: int) -> tuple[Table, Table]:
    """About z, with as many places around as around its tube."""
    u, v = np.meshgrid(*[np.arange(count) * 2.0 * np.pi / count] * 2, indexing="ij")
    ring = around + tube * np.cos(v)
    places = np.stack([ring * np.cos(u), ring * np.sin(u), tube * np.sin(v)], axis=-1).reshape(-1, 3)
    here = np.arange(count * count).reshape(count, count)
    right, up = np.roll(here, -1, axis=0), np.roll(here, -1, axis=1)
    both = np.roll(right, -1, axis=1)
    corners = [np.stack(three, axis=-1).reshape(-1, 3) for three in ((here, right, both), (here, both, up))]
    return rows(places), rows(np.concatenate(corners) + 1)
