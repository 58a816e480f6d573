"""A net of straight wires: what a CAD file is to a mesh of masses and springs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np

from pliant.description.language.grammar import Problem, RobotFileError

_ROTATION_ERROR = 1e-6  # largest entry of R R^T - 1: what a matrix written with seven digits has
_FARTHEST = 1e40  # m: far beyond any robot, and squares of distances stay finite
_DECIMALS = 9  # of lengths in metres that errors show


class NetStatistics(NamedTuple):
    """What a net measures: `low` and `high` are the corners of its box, lengths are in metres."""

    nodes: int
    edges: int
    parts: int
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    shortest: float
    longest: float
    total: float


@dataclass(frozen=True, eq=False)
class WireNet:
    """Nodes (n, 3) [m] and the edges between them, as pairs of indices that count from 0.

    The label of a node, which plots and tables show, is its index + 1. `source` is what errors call the net.
    """

    nodes: np.ndarray
    edges: tuple[tuple[int, int], ...]
    source: str = "wire net"

    def __post_init__(self) -> None:
        nodes = np.array(self.nodes, dtype=np.float64)
        edges = tuple((int(first), int(second)) for first, second in self.edges)
        object.__setattr__(self, "nodes", nodes)
        object.__setattr__(self, "edges", edges)
        nodes.setflags(write=False)
        if nodes.ndim != 2 or nodes.shape[1] != 3:
            self._refuse("nodes", nodes.shape, f"got the shape {nodes.shape}; expected (n, 3)")
        near = (np.abs(nodes) <= _FARTHEST).all(axis=1)
        if not near.all():
            index = int(np.argmin(near))
            expected = f"expected finite numbers of at most {_FARTHEST:g} m"
            self._refuse("nodes", None, f"node {index + 1} is at {_point(nodes[index])}; {expected}")
        for number, (first, second) in enumerate(edges, start=1):
            if first == second or not (0 <= first < len(nodes) and 0 <= second < len(nodes)):
                message = f"got {first} to {second}; expected two different indices from 0 to {len(nodes) - 1}"
                self._refuse(f"edge {number}", (first, second), message)

    @property
    def labels(self) -> tuple[int, ...]:
        """The number of every node as plots show it: 1, 2, ..."""
        return tuple(range(1, len(self.nodes) + 1))

    @property
    def lengths(self) -> np.ndarray:
        """Length of every edge (m,) [m]."""
        first, second = self._ends()
        return np.linalg.norm(self.nodes[second] - self.nodes[first], axis=1)

    def merged(self, tolerance: float) -> "WireNet":
        """The net with nodes no farther apart than `tolerance` [m] made one, and edges between the same nodes too.

        A node stays where it first appears and takes in what lies about it there, so that the numbers follow the order
        of the nodes and a row of close nodes is not drawn together into one. An edge whose two ends would be one node
        is refused.
        """
        if not 0 <= tolerance <= _FARTHEST:
            expected = f"expected a length of 0 or more, at most {_FARTHEST:g} m"
            self._refuse("tolerance", tolerance, f"got {tolerance:g} m; {expected}")
        from scipy.spatial import cKDTree

        tree = cKDTree(self.nodes)
        owner = np.full(len(self.nodes), -1)
        kept: list[int] = []
        for index, place in enumerate(self.nodes):
            if owner[index] < 0:
                near = np.asarray(tree.query_ball_point(place, tolerance))
                owner[near[owner[near] < 0]] = len(kept)
                kept.append(index)
        first, second = (owner[ends] for ends in self._ends())
        self._refuse_collapsed(np.flatnonzero(first == second), tolerance)
        edges: dict[tuple[int, int], tuple[int, int]] = {}
        for pair in zip(first.tolist(), second.tolist(), strict=True):
            edges.setdefault((min(pair), max(pair)), pair)
        return WireNet(self.nodes[kept], tuple(edges.values()), self.source)

    def transformed(self, rotation: Any, translation: Any = (0.0, 0.0, 0.0)) -> "WireNet":
        """The net turned by `rotation` (3, 3) about the origin and then moved by `translation` (3,) [m]."""
        turn, move = np.asarray(rotation, dtype=float), np.asarray(translation, dtype=float)
        if turn.shape != (3, 3) or move.shape != (3,):
            message = f"got the shapes {turn.shape} and {move.shape}; expected (3, 3) and (3,)"
            self._refuse("rotation, translation", None, message)
        if not (np.abs(turn @ turn.T - np.eye(3)).max() <= _ROTATION_ERROR and np.linalg.det(turn) > 0):
            self._refuse("rotation", turn.tolist(), "its rows are not the axes of a right-handed frame")
        return WireNet(self.nodes @ turn.T + move, self.edges, self.source)

    def edge_counts(self) -> np.ndarray:
        """How many edges end at every node (n,)."""
        return np.bincount(np.concatenate(self._ends()), minlength=len(self.nodes))

    def single_edge_nodes(self) -> tuple[int, ...]:
        """Indices of nodes where a single edge ends, which TMTDyn's mesh import takes as fixed to the ground."""
        return tuple(np.flatnonzero(self.edge_counts() == 1).tolist())

    def meeting_order(self) -> tuple[int, ...]:
        """Indices of nodes with two edges or more, in the order in which a second edge reaches them.

        TMTDyn numbers its bodies so (Algorithm 2): they are body 1, 2, ... after those that the robot had before.
        """
        seen: set[int] = set()
        met: dict[int, None] = {}
        for index in (end for edge in self.edges for end in edge):
            if index in seen:
                met.setdefault(index)
            seen.add(index)
        return tuple(met)

    def statistics(self) -> NetStatistics:
        """Counts and measures of a net that has edges."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        first, second = self._ends()
        count = len(self.nodes)
        joined = coo_array((np.ones(len(first)), (first, second)), shape=(count, count))
        lengths = self.lengths
        low, high = (tuple(float(value) for value in corner) for corner in (self.nodes.min(0), self.nodes.max(0)))
        return NetStatistics(
            nodes=count,
            edges=len(self.edges),
            parts=int(connected_components(joined, directed=False)[0]),
            low=(low[0], low[1], low[2]),
            high=(high[0], high[1], high[2]),
            shortest=float(lengths.min()),
            longest=float(lengths.max()),
            total=float(lengths.sum()),
        )

    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        pairs = np.array(self.edges, dtype=int).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]

    def _refuse_collapsed(self, collapsed: np.ndarray, tolerance: float) -> None:
        if not len(collapsed):
            return
        lengths = self.lengths
        number = int(collapsed[np.argmin(lengths[collapsed])])
        first, second = (_point(self.nodes[end]) for end in self.edges[number])
        others = f" ({len(collapsed) - 1} longer edges too)" if len(collapsed) > 1 else ""
        cure = "a smaller tolerance" if lengths[number] > 0 else "edges that have a length"
        message = (
            f"from {first} to {second} m is {lengths[number]:.4g} m long, and a tolerance of {tolerance:g} m makes its "
            f"two ends one node{others}; expected {cure}"
        )
        self._refuse(f"edge {number + 1}", float(lengths[number]), message)

    def _refuse(self, path: str, value: Any, message: str) -> NoReturn:
        raise RobotFileError([Problem(self.source, None, path, value, message)])


def net_of_lines(lines: Iterable[Sequence[Any]], source: str) -> WireNet:
    """The net of broken lines, each a sequence of points (k, 3) [m], that do not touch each other yet.

    Nodes stand in order of appearance and may lie on one another: `WireNet.merged` ties them.
    """
    points: list[Any] = []
    edges: list[tuple[int, int]] = []
    for line in lines:
        start = len(points)
        points.extend(line)
        edges.extend((index, index + 1) for index in range(start, len(points) - 1))
    return WireNet(np.array(points, dtype=float).reshape(-1, 3), tuple(edges), source)


def _point(place: np.ndarray) -> str:
    rounded = (round(float(value), _DECIMALS) + 0.0 for value in place)  # + 0.0 makes -0.0 read 0.0
    return f"({', '.join(f'{value:.6g}' for value in rounded)})"
