"""Surfaces of triangles: whether they are closed, how far points are from them, and on which side."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]
_NEAREST = 8  # samples of the surface whose triangles may be the nearest
_AT_ONCE = 50_000  # points
_ASIDE = 1e-7  # of a spacing, by which lines miss edges and corners that lie on the grid


class SamplingError(ValueError):
    """Why a surface cannot be sampled, in one sentence."""


@dataclass(frozen=True, eq=False)
class Triangles:
    """Places (n, 3) and corners (m, 3): triples of their indices, in order seen from outside."""

    places: Numbers
    corners: Indices

    @cached_property
    def points(self) -> Numbers:
        """(m, 3, 3) the corners' places."""
        return self.places[self.corners]

    def merged(self) -> "Triangles":
        """Equal places are one; triangles that are a line or a point are left out."""
        places, index = np.unique(self.places, axis=0, return_inverse=True)
        corners = index.reshape(-1)[self.corners]
        first, second, third = corners.T
        return Triangles(places, corners[(first != second) & (second != third) & (third != first)])

    def check_closed(self) -> None:
        """That every edge belongs to two triangles which see it the other way round."""
        ends = np.concatenate([self.corners[:, [0, 1]], self.corners[:, [1, 2]], self.corners[:, [2, 0]]])
        ways = np.where(ends[:, 0] < ends[:, 1], 1, -1)
        edges, index = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True)
        sides, turns = np.zeros(len(edges), dtype=int), np.zeros(len(edges), dtype=int)
        np.add.at(sides, index.reshape(-1), 1)
        np.add.at(turns, index.reshape(-1), ways)
        open_edges = edges[sides % 2 == 1]
        if len(open_edges):
            holes = _loops(open_edges)
            raise SamplingError(
                f"got a mesh with {holes} hole{'s' if holes > 1 else ''} ({len(open_edges)} edges of one triangle); "
                "expected a closed mesh"
            )
        if np.any(turns):
            raise SamplingError(
                f"got a mesh whose triangles are turned both ways (at {np.count_nonzero(turns)} edges); expected "
                "triangles that all show the same side outwards"
            )

    @property
    def volume(self) -> float:
        first, second, third = np.moveaxis(self.points, 1, 0)
        return float(np.sum(first * np.cross(second, third))) / 6.0

    @property
    def normals(self) -> Numbers:
        """(m, 3) outwards, of length 1."""
        first, second, third = np.moveaxis(self.points, 1, 0)
        across = np.cross(second - first, third - first)
        return across / np.maximum(np.linalg.norm(across, axis=1), 1e-300)[:, None]

    def turned_outwards(self) -> "Triangles":
        return self if self.volume > 0.0 else Triangles(self.places, self.corners[:, ::-1])

    def spread(self, spacing: float) -> tuple[Numbers, Indices]:
        """Places all over the surface, the middles of patches not longer than `spacing`, and the triangle of each."""
        lengths = np.linalg.norm(self.points - np.roll(self.points, -1, axis=1), axis=2)
        longest = np.argmax(lengths, axis=1)
        own = np.arange(len(longest))
        start, end, top = (self.points[own, (longest + i) % 3] for i in range(3))
        base = lengths[own, longest]
        doubled = np.linalg.norm(np.cross(end - start, top - start), axis=1)
        # Rows along the longest side.
        rows = np.maximum(np.ceil(doubled / np.maximum(base, 1e-300) / spacing), 1.0).astype(int)
        triangle = np.repeat(own, rows)
        up = (_counted(rows) + 0.5) / rows[triangle]
        along = np.ceil(base[triangle] * (1.0 - up) / spacing).astype(int)
        row = np.repeat(np.arange(len(triangle)), along)
        share = (_counted(along) + 0.5) / along[row]
        of, up = triangle[row], up[row][:, None]
        across = start[of] + share[:, None] * (end - start)[of]
        return (1.0 - up) * across + up * top[of], of

    def distance(self, points: Numbers, spacing: float) -> Numbers:
        """(n,) distances of points, without a sign. The nearest triangle is looked for among those of the nearest
        places of the surface `spacing` apart."""
        places, triangle = self.spread(spacing)
        tree = KDTree(places)
        found = np.empty(len(points))
        count = min(_NEAREST, len(places))
        for begin in range(0, len(points), _AT_ONCE):
            part = points[begin : begin + _AT_ONCE]
            _, nearest = tree.query(part, k=count)
            near = triangle[np.reshape(nearest, (len(part), count))]
            every = _distances(np.repeat(part, count, axis=0), self.points[near.reshape(-1)])
            found[begin : begin + _AT_ONCE] = every.reshape(-1, count).min(axis=1)
        return found

    def inside(self, corner: Numbers, spacing: float, shape: tuple[int, int, int]) -> NDArray[np.bool_]:
        """Which places of a grid are inside a closed surface: how often the line from below has gone in rather than
        out."""
        column, height, way = self._crossings(corner, spacing, shape[:2])
        level = np.clip(np.ceil((height - corner[2]) / spacing), 0, shape[2]).astype(np.int64)
        entered = np.zeros((shape[0] * shape[1], shape[2] + 1), dtype=np.int32)
        np.add.at(entered, (column, level), way)
        return (np.cumsum(entered[:, :-1], axis=1) > 0).reshape(shape)

    def _crossings(self, corner: Numbers, spacing: float, shape: tuple[int, int]) -> tuple[Indices, Numbers, Indices]:
        """Where vertical lines through the grid cross triangles: line, height, and 1 into the surface, -1 out of it."""
        place = (self.points[:, :, :2] - corner[:2]) / spacing + _ASIDE * np.array([1.0, np.sqrt(0.5)])
        low = np.maximum(np.ceil(place.min(axis=1)).astype(np.int64), 0)
        high = np.minimum(np.floor(place.max(axis=1)).astype(np.int64), np.array(shape) - 1)
        wide = np.maximum(high - low + 1, 0)
        counts = wide[:, 0] * wide[:, 1]
        of = np.repeat(np.arange(len(counts)), counts)
        number = _counted(counts)
        line = low[of] + np.stack([number // np.maximum(wide[of, 1], 1), number % np.maximum(wide[of, 1], 1)], axis=1)
        # Twice the areas of the parts into which a line cuts its triangle; those at an edge are the same number, but
        # for the sign, for both its triangles.
        areas = []
        for second, third in ((1, 2), (2, 0), (0, 1)):
            one, other = self.corners[of, second], self.corners[of, third]
            swapped = one > other
            begin = np.where(swapped[:, None], place[of, third], place[of, second])
            end = np.where(swapped[:, None], place[of, second], place[of, third])
            to, edge = line - begin, end - begin
            area = edge[:, 0] * to[:, 1] - edge[:, 1] * to[:, 0]
            areas.append(np.where(swapped, -area, area))
        shares = np.stack(areas, axis=1)
        hit = np.all(shares > 0.0, axis=1) | np.all(shares < 0.0, axis=1)
        shares, of, line = shares[hit], of[hit], line[hit]
        whole = np.sum(shares, axis=1)
        height = np.sum(shares * self.points[of, :, 2], axis=1) / whole
        return line[:, 0] * shape[1] + line[:, 1], height, np.where(whole < 0.0, 1, -1)


def _counted(counts: Indices) -> Indices:
    """0, 1, ... within each of the counts."""
    return np.arange(int(np.sum(counts))) - np.repeat(np.cumsum(counts) - counts, counts)


def _loops(edges: Indices) -> int:
    """How many parts edges hang together in."""
    names, ends = np.unique(edges, return_inverse=True)
    first, second = ends.reshape(-1, 2).T
    graph = coo_array((np.ones(len(first)), (first, second)), shape=(len(names), len(names)))
    return int(connected_components(graph, directed=False)[0])


def _distances(point: Numbers, corners: Numbers) -> Numbers:
    """(n,) distances of points (n, 3) from triangles (n, 3, 3)."""
    square = np.full(len(point), np.inf)
    for index in range(3):
        begin = corners[:, index]
        edge, to = corners[:, (index + 1) % 3] - begin, point - begin
        share = np.clip(_dot(edge, to) / np.maximum(_dot(edge, edge), 1e-300), 0.0, 1.0)
        beside = to - share[:, None] * edge
        square = np.minimum(square, _dot(beside, beside))
    first, second, third = corners[:, 0], corners[:, 1], corners[:, 2]
    normal = np.cross(second - first, third - first)
    above = np.ones(len(point), dtype=bool)
    for begin, end in ((first, second), (second, third), (third, first)):
        above &= _dot(np.cross(end - begin, point - begin), normal) >= 0.0
    height = _dot(point - first, normal) ** 2 / np.maximum(_dot(normal, normal), 1e-300)
    return np.sqrt(np.where(above & (_dot(normal, normal) > 0.0), np.minimum(height, square), square))


def _dot(first: Numbers, second: Numbers) -> Numbers:
    return np.einsum("ni,ni->n", first, second)
