"""Tendons and chambers of a blueprint as the flattened paths of `interactions`."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pliant.elements import Rod
from pliant.interactions import Routes, Run

Plan = Mapping[str, Any]
Place = Callable[[Plan], tuple[int, tuple[Any, ...]]]


def marks(actuators: list[Plan], link: str) -> tuple[set[float], set[float]]:
    """Fractions of a rod where a path has a point, and where a run begins or ends."""
    points, ends = set(), set()
    for item in (item for actuator in actuators for item in items(actuator)):
        if "point" in item and item["point"]["link"] == link and item["point"]["at"]:
            points.add(item["point"]["at"])
        if "along" in item and item["along"]["link"] == link:
            ends |= {item["along"]["from"], item["along"]["to"]}
    return points | {end for end in ends if end > 0.0}, ends


def items(actuator: Plan) -> list[Plan]:
    return actuator.get("route") or actuator.get("channels") or []


class PathBuilder:
    """Collects segments path by path. place: finds the row and the offsets of a place; rows: the first row of a rod."""

    def __init__(
        self, rods: Mapping[str, Rod], rows: Mapping[str, int], lengths: Mapping[str, str], place: Place
    ) -> None:
        self.rods, self.rows, self.lengths, self.place = rods, rows, lengths, place
        self.runs: list[Run] = []
        self.samples: list[tuple[int, int, float, float, float, int]] = []  # row, run, position, weight, sense, path
        self.points: list[tuple[int, tuple[Any, ...], int, float]] = []  # row, chain, run, position
        self.legs: list[tuple[int, int, int]] = []  # from, to, path
        self.friction: list[tuple[int, str, list[tuple[str, int]], float, float]] = []

    def add(self, index: int, actuator: Plan) -> None:
        """Add one tendon or chamber as path `index`."""
        ordered: list[tuple[str, int]] = []
        gaps = (0.0, 0.0)
        last: tuple[int, float] | None = None  # end point of the item before, and its part of the written run
        for number, item in enumerate(items(actuator)):
            if "point" in item:
                row, chain = self.place(item["point"])
                begin = end = self._point(row, chain, -1, 0.0)
                span = (0.0, 1.0)
                inner: list[tuple[str, int]] = []
            else:
                begin, end, inner, own_gaps = self._run(index, item, actuator)
                span = (item["span"][0], item["span"][1])
                gaps = (own_gaps[0] if number == 0 else gaps[0], own_gaps[1])
            continues = last is not None and last[1] < 1.0 and last[1] == span[0]
            if last is not None and not continues and actuator["kind"] == "tendon":
                ordered.append(("leg", len(self.legs)))
                self.legs.append((last[0], begin, index))
            ordered += inner
            last = (end, span[1])
            if "point" in item:
                gaps = (gaps[0], 0.0)
        if actuator.get("friction") is not None:
            self.friction.append((index, actuator["friction"][1:], ordered, *gaps))

    def _point(self, row: int, chain: tuple[Any, ...], run: int, position: float) -> int:
        self.points.append((row, chain, run, position))
        return len(self.points) - 1

    def _run(
        self, index: int, item: Plan, actuator: Plan
    ) -> tuple[int, int, list[tuple[str, int]], tuple[float, float]]:
        """Begin and end point, samples in order, and how much of the first and last turn lies outside the samples."""
        along, (first, last) = item["along"], item["span"]
        name, begin, end = along["link"], along["from"], along["to"]
        rod = self.rods[name]
        slope = (last - first) / (end - begin)
        helix = item["helix"]
        number = len(self.runs)

        def ref(text: str | None) -> str | None:
            return None if text is None else text[1:]

        self.runs.append(
            Run(
                x=item["x"][1:],
                y=item["y"][1:],
                helix=(helix["radius"][1:], helix["turns"][1:], helix["phase"][1:]) if helix else None,
                length=self.lengths[name],
                slope=slope,
                area=ref(actuator.get("area")),
                radius=ref(actuator.get("radius")),
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
            row, chain = self.place({"link": name, "at": fraction, "offset": {"move": None, "rotate": []}})
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
