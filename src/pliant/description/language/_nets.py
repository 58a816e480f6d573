"""Regular nets: the nodes and edges of grids and blocks."""

from itertools import combinations, product

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
    strides = [int(np.prod(counts[:axis])) for axis in range(len(counts))]

    def number(place: tuple[int, ...]) -> int:
        return sum(index * stride for index, stride in zip(place, strides, strict=True))

    edges = []
    for reversed_place in product(*(range(count) for count in reversed(counts))):
        place = reversed_place[::-1]
        for begin, end in moves:
            first, second = _sum(place, begin), _sum(place, end)
            if all(index < count for index, count in zip(_highest(first, second), counts, strict=True)):
                edges.append((number(first), number(second)))
    return nodes, edges


def _sum(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(one + other for one, other in zip(first, second, strict=True))


def _highest(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(max(one, other) for one, other in zip(first, second, strict=True))
