"""Regular nets: the nodes and edges of grids and blocks."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Edge = tuple[int, int]


def regular_net(
    size: tuple[float, ...], counts: tuple[int, ...], diagonals: bool
) -> tuple[NDArray[np.float64], list[Edge]]:
    """Nodes (n, 3), row by row with x running fastest from the origin, and edges between neighbours, from 0.

    With `diagonals` the two diagonals of every face of a cell are edges too.
    """
    axes = [np.linspace(0.0, length, count) for length, count in zip(size, counts, strict=True)]
    grid = np.meshgrid(*axes, indexing="ij")
    nodes = np.zeros((int(np.prod(counts)), 3))
    for axis, values in enumerate(grid):
        nodes[:, axis] = values.ravel(order="F")
    steps = [tuple(int(axis == along) for axis in range(len(counts))) for along in range(len(counts))]
    # The second diagonal of a face begins at the neighbour along the first of its axes.
    moves = [((0,) * len(counts), step) for step in steps]
    if diagonals:
        for one, other in combinations(steps, 2):
            moves += [((0,) * len(counts), _sum(one, other)), (one, other)]
    strides = np.cumprod([1, *counts[:-1]])
    places = np.stack(np.unravel_index(np.arange(len(nodes)), counts, order="F"), axis=-1)
    pairs = places[:, None, None] + np.array(moves)  # (n, moves, 2, axes): every place takes all moves
    inside = np.all(pairs < np.array(counts), axis=(2, 3))
    return nodes, [(first, second) for first, second in (pairs[inside] @ strides).tolist()]


def _sum(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(one + other for one, other in zip(first, second, strict=True))
