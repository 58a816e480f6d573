"""Tendons and chambers of a blueprint as the flattened paths of `interactions`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pliant.blueprint import NO_OFFSET, Actuator, Chamber, Place, RoutePoint, RouteRun, Tendon
from pliant.elements import Rod
from pliant.interactions import Routes, Run

Locate = Callable[[Place], tuple[int, tuple[Any, ...]]]


def marks(actuators: Sequence[Actuator], link: str) -> tuple[set[float], set[float]]:
    """Fractions of a rod where a path has a point, and where a run begins or ends."""
    points, ends = set(), set()
    for item in (item for actuator in actuators for item in actuator.route):
        if isinstance(item, RoutePoint):
            points |= {item.point.at} if item.point.link == link and item.point.at else set()
        elif item.along.link == link:
            ends |= {item.along.from_, item.along.to}
    return points | {end for end in ends if end > 0.0}, ends


class PathBuilder:
    """Collects segments path by path. place: finds the row and the offsets of a place; rows: the first row of a rod."""

    def __init__(
        self, rods: Mapping[str, Rod], rows: Mapping[str, int], lengths: Mapping[str, str], place: Locate
    ) -> None:
        self.rods, self.rows, self.lengths, self.place = rods, rows, lengths, place
        self.runs: list[Run] = []
        self.samples: list[tuple[int, int, float, float, float, int]] = []  # row, run, position, weight, sense, path
        self.points: list[tuple[int, tuple[Any, ...], int, float]] = []  # row, chain, run, position
        self.legs: list[tuple[int, int, int]] = []  # from, to, path
        self.friction: list[tuple[int, str, list[tuple[str, int]], float, float]] = []

    def add(self, index: int, actuator: Tendon | Chamber) -> None:
        """Add one tendon or chamber as path `index`."""
        ordered: list[tuple[str, int]] = []
        gaps = (0.0, 0.0)
        last: tuple[int, float] | None = None  # end point of the item before, and its part of the written run
        for number, item in enumerate(actuator.route):
            if isinstance(item, RoutePoint):
                row, chain = self.place(item.point)
                begin = end = self._point(row, chain, -1, 0.0)
                span = (0.0, 1.0)
                inner: list[tuple[str, int]] = []
            else:
                begin, end, inner, own_gaps = self._run(index, item, actuator)
                span = item.span
                gaps = (own_gaps[0] if number == 0 else gaps[0], own_gaps[1])
            continues = last is not None and last[1] < 1.0 and last[1] == span[0]
            if last is not None and not continues and actuator.kind == "tendon":
                ordered.append(("leg", len(self.legs)))
                self.legs.append((last[0], begin, index))
            ordered += inner
            last = (end, span[1])
            if isinstance(item, RoutePoint):
                gaps = (gaps[0], 0.0)
        if actuator.friction is not None:
            self.friction.append((index, actuator.friction, ordered, *gaps))

    def _point(self, row: int, chain: tuple[Any, ...], run: int, position: float) -> int:
        self.points.append((row, chain, run, position))
        return len(self.points) - 1

    def _run(
        self, index: int, item: RouteRun, actuator: Tendon | Chamber
    ) -> tuple[int, int, list[tuple[str, int]], tuple[float, float]]:
        """Begin and end point, samples in order, and how much of the first and last turn lies outside the samples."""
        along, (first, last) = item.along, item.span
        name, begin, end = along.link, along.from_, along.to
        rod = self.rods[name]
        slope = (last - first) / (end - begin)
        helix = item.helix
        number = len(self.runs)
        self.runs.append(
            Run(
                x=item.x,
                y=item.y,
                helix=(helix.radius, helix.turns, helix.phase) if helix else None,
                length=self.lengths[name],
                slope=slope,
                area=actuator.area,
                radius=actuator.radius,
            )
        )
        low, high = min(begin, end), max(begin, end)
        ends, weights = rod.grid.end.ravel(), rod.strain_weights(low, high).ravel()
        # Padding repeats the last place of a piece without weight.
        fresh = np.diff(ends, prepend=-1.0) > 0.0
        inside = np.flatnonzero(((ends > low) & (ends <= high) & fresh) | (weights > 0.0))
        inside = inside if end > begin else inside[::-1]
        # A lump may stand for a part of the run and lie beyond its end.
        at = np.clip(ends[inside], low, high)
        samples = []
        for row, fraction in zip(inside, at, strict=True):
            samples.append(("sample", len(self.samples)))
            position, sense = first + slope * (fraction - begin), float(np.sign(end - begin))
            self.samples.append(
                (self.rows[name] + int(row), number, float(position), float(weights[row]), sense, index)
            )

        def point(fraction: float, position: float) -> int:
            row, chain = self.place(Place(name, fraction, NO_OFFSET))
            return self._point(row, chain, number, position)

        before = abs((at[0] - begin) / (at[1] - at[0])) if len(at) > 1 and at[1] != at[0] else 0.0
        after = abs((end - at[-1]) / (at[-1] - at[-2])) if len(at) > 1 and at[-1] != at[-2] else 0.0
        return point(begin, first), point(end, last), samples, (float(before), float(after))

    def routes(self, count: int) -> Routes:
        """Everything added, `count` paths."""
        columns = zip(*self.samples, strict=True) if self.samples else ((),) * 6
        rows, runs, positions, weights, senses, paths = (list(column) for column in columns)
        point_rows, chains, point_runs, point_positions = (list(c) for c in zip(*self.points, strict=True))
        legs = np.array(self.legs, dtype=int).reshape(-1, 3)
        start = {"sample": 0, "leg": len(rows)}
        return Routes(
            runs=tuple(self.runs),
            sample_row=np.array(rows, dtype=int),
            sample_run=np.array(runs, dtype=int),
            sample_position=np.array(positions, dtype=float),
            sample_weight=np.array(weights, dtype=float),
            sample_sense=np.array(senses, dtype=float),
            sample_path=np.array(paths, dtype=int),
            point_row=np.array(point_rows, dtype=int),
            point_chain=tuple(chains),
            point_run=np.array(point_runs, dtype=int),
            point_position=np.array(point_positions, dtype=float),
            leg=legs[:, :2],
            leg_path=legs[:, 2],
            count=count,
            friction=tuple(
                (path, coefficient, np.array([start[kind] + i for kind, i in ordered], dtype=int), before, after)
                for path, coefficient, ordered, before, after in self.friction
            ),
        )
