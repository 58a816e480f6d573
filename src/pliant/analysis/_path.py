"""A path of equilibria through limit points: the length of its steps, and what is special along it."""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from scipy.optimize import brentq

from pliant.analysis._arc_length import Ahead, Loading, Metric, Place, load_alone, metric_at, step_ahead
from pliant.analysis._stability import Verdict, verdict_at
from pliant.arguments import count, number
from pliant.blueprint import ParameterInfo
from pliant.dynamics import multiplier_count, remembered_at_rest
from pliant.model import Model
from pliant.numerics import ResultCode
from pliant.results import PointKind, Stability

_STEP = ParameterInfo((), "", "a share of the whole load", low=0.0, low_open=True)
_MOST_BRANCHES = 1000
_SMALLEST = 2.0**-14  # of the first step; below it the path has ended
_SHARPEST = 0.9  # cosine of the largest turn of the path within one step
_STRAIGHT = 0.98  # cosine from which on the next step is longer
_CORNER = 2.0**-8  # of the first step: a path that still turns sharply within it has a corner
_GROWTH = 1.5
_EASY_ITERATIONS = 5
_LONGEST = 0.1  # of the whole load in one step
_EXACT = 1e-10  # of a step: how well special points are placed
_ASIDE = (0.0, -1e-9, 1e-9, -1e-7, 1e-7, -1e-5, 1e-5)  # of a step: where else a point is looked for
_BESIDE = 1e-4  # of a step: how far from a limit point its two sides are looked at


@dataclasses.dataclass(frozen=True)
class ArcLength:
    """How a load path is followed through its limit points.

    step: length of the first step; 1 is the whole load, or what it would do to the robot if it kept the stiffness
    that it has without load. Steps grow and shrink as the path allows. points: at most so many. branch: 2 leaves the
    path at its second bifurcation for the branch that crosses it there, -2 for the other half of that branch; 0 stays.
    """

    step: float = 0.05
    points: int = 500
    branch: int = 0

    def __post_init__(self) -> None:
        number("step of ArcLength", self.step, _STEP)
        count("points of ArcLength", self.points, least=2)
        count("branch of ArcLength", self.branch, least=-_MOST_BRANCHES, most=_MOST_BRANCHES)


class PathPoint(NamedTuple):
    """An equilibrium of the path, its direction there (n + 1,), what it is, and what interactions remember."""

    found: Ahead
    direction: np.ndarray
    verdict: Verdict
    kind: PointKind
    memory: Any

    @property
    def factor(self) -> float:
        return float(self.found.place.factor)


class Lost(Exception):
    """Newton's method lost the path; it carries the code and where it ended."""

    def __init__(self, code: ResultCode, found: Ahead) -> None:
        self.code, self.found = code, found
        super().__init__(code.message)


class PathWalk:
    """Follows one path of equilibria from a configuration without load. After `points` is exhausted, `code` tells how
    it ended; iterations: of Newton's method, in all; bifurcations: met before it was left for a branch."""

    def __init__(
        self, model: Model, q: Any, loading: Loading, factors: Sequence[float], settings: ArcLength, memory: Any,
        longest: float = np.inf,
    ) -> None:  # fmt: skip
        """factors: where points are wanted; the path ends where it first comes to the last of them. longest: change of
        the load factor in one step."""
        self.model, self.loading, self.settings, self.memory = model, loading, settings, memory
        self.factors, self.whole = list(factors), max(abs(factor) for factor in factors)
        self.longest = min(longest, _LONGEST * self.whole)
        self.code, self.iterations = ResultCode.SUCCESS, 0
        self._start = Place(jnp.asarray(q), jnp.zeros(multiplier_count(model)), jnp.zeros(()))
        self._metric = Metric(np.zeros(0))
        self.bifurcations = 0

    def points(self) -> Iterator[PathPoint]:
        """The points in order; where the path is lost they end, and `code` says why."""
        passed = 0
        try:
            for point in self._walk():
                yield point
                passed += 1
                if point.factor == self.factors[-1]:
                    if not self.on_branch:
                        self.code = ResultCode.NOT_CONVERGED
                    return
                if passed == self.settings.points:
                    self.code = ResultCode.MAX_STEPS
                    return
        except Lost as lost:
            self.code = lost.code
            if passed == 0:
                unknown = Verdict(float("nan"), 0, True, Stability.UNKNOWN)
                yield PathPoint(lost.found, np.zeros(0), unknown, PointKind.ORDINARY, self.memory)

    @property
    def on_branch(self) -> bool:
        """Whether the branch that was asked for was reached, if any was."""
        return self.bifurcations >= abs(self.settings.branch)

    def _walk(self) -> Iterator[PathPoint]:
        point = self._first()
        yield point
        arc, branched = self.settings.step, False
        while True:
            segment, arc = self._step(point, arc)
            for passed in segment.points():
                yield passed
                if passed.kind is PointKind.BIFURCATION and not branched:
                    self.bifurcations += 1
                    if self.bifurcations == abs(self.settings.branch):
                        branched, arc = True, self.settings.step
                        point = self._branch(passed)
                        break
            else:
                point = segment.end
            self.memory = point.memory
            yield point

    def _first(self) -> PathPoint:
        """The robot without load. The direction in which the load grows towards the first of the factors."""
        nothing = np.zeros(self.model.nv + multiplier_count(self.model) + 1)
        found = self._ahead(self._start, load_alone(self.model), 0.0, nothing)
        sense = 1.0 if self.factors[0] >= 0.0 else -1.0
        self._metric = metric_at(self.model, found, self.whole)
        return self._point(found, sense * np.asarray(found.direction))

    def _ahead(self, base: Place, along: np.ndarray, arc: float, move: np.ndarray) -> Ahead:
        # Memory is left out where there is none: the program is then the one that other callers have compiled.
        known = (self.memory,) if self.memory else ()
        found = step_ahead(self.model, self.loading, base, jnp.asarray(along), arc, jnp.asarray(move), *known)
        self.iterations += int(found.iterations)
        code = ResultCode(int(found.code))
        if code is ResultCode.SUCCESS and not np.all(np.isfinite(found.direction)):
            code = ResultCode.SINGULAR
        if code is not ResultCode.SUCCESS:
            raise Lost(code, found)
        return found

    def _point(self, found: Ahead, direction: np.ndarray, kind: PointKind = PointKind.ORDINARY) -> PathPoint:
        place, t = found.place, float(self.loading.t)
        ports, memory = self.loading.ports(place.factor), self.memory
        verdict = verdict_at(self.model, found.solution, t, ports, memory or None)
        if memory:
            memory = remembered_at_rest(self.model, place.q, t, ports, place.factor, memory)
        return PathPoint(found, self._metric.unit(direction), verdict, kind, memory)

    def at(self, base: PathPoint, arc: float, move: np.ndarray) -> PathPoint:
        """The point of the path an arc from another."""
        found = self._ahead(base.found.place, self._metric.weight * base.direction, arc, move)
        return self._point(found, np.asarray(found.direction))

    def at_factor(self, near: PathPoint, factor: float) -> PathPoint:
        """The point with exactly this load factor next to one that nearly has it."""
        change = factor - near.factor
        found = self._ahead(near.found.place, load_alone(self.model), change, change * load_alone(self.model))
        direction = np.asarray(found.direction)
        sense = np.sign(self._metric.product(direction, near.direction)) or 1.0
        exact = found._replace(place=found.place._replace(factor=jnp.asarray(factor)))
        return self._point(exact, sense * direction)

    def between(self, first: PathPoint, second: PathPoint) -> np.ndarray:
        """(n + 1,) the way from one point to another."""
        one, two = first.found.place, second.found.place
        parts = (self.model.difference(two.q, one.q), two.multipliers - one.multipliers, two.factor - one.factor)
        return np.concatenate([np.atleast_1d(np.asarray(part)) for part in parts])

    def _step(self, point: PathPoint, arc: float) -> tuple["Segment", float]:
        """The path from a point on, and how long the next step may be. A step is cut where Newton's method fails or
        the path turns too much in it to be sure that it is the same path."""
        first = self.settings.step
        steep = abs(point.direction[-1])
        arc = min(arc, self.longest / steep if steep > 0.0 else np.inf)
        while True:
            lost: Lost | None = None
            try:
                end = self.at(point, arc, arc * point.direction)
                straightness = self._metric.product(point.direction, end.direction)
                if straightness >= _SHARPEST or arc <= _CORNER * first:
                    easy = int(end.found.iterations) <= _EASY_ITERATIONS and straightness >= _STRAIGHT
                    return Segment(self, point, end, arc), arc * _GROWTH if easy else arc
            except Lost as failure:
                lost = failure
            arc *= 0.5
            if lost is not None and arc < _SMALLEST * first:
                raise lost

    def _branch(self, crossing: PathPoint) -> PathPoint:
        """The first point of the branch that crosses the path at a bifurcation."""
        stiffness, free = crossing.found.solution.free_stiffness(self.model)
        if crossing.verdict.symmetric:
            values, vectors = np.linalg.eigh(0.5 * (stiffness + stiffness.T))
        else:
            values, vectors = np.linalg.eig(stiffness)
        shape = np.real(vectors[:, np.argmin(np.abs(values))])
        along = np.zeros_like(crossing.direction)
        along[: self.model.nv] = free @ (shape * np.sign(shape[np.argmax(np.abs(shape))]))
        along = along - self._metric.product(along, crossing.direction) * crossing.direction
        side = crossing._replace(direction=np.sign(self.settings.branch) * self._metric.unit(along))
        arc = self.settings.step
        while True:
            try:
                return self.at(side, arc, arc * side.direction)
            except Lost:
                arc *= 0.5
                if arc < _SMALLEST * self.settings.step:
                    raise


def _departure(factor: float) -> Callable[[PathPoint], float]:
    return lambda point: point.factor - factor


class Segment:
    """The path between two points, an arc apart; what lies between is found when it is asked for."""

    def __init__(self, walk: PathWalk, begin: PathPoint, end: PathPoint, arc: float) -> None:
        self.walk, self.begin, self.end, self.arc = walk, begin, end, arc
        self._known: dict[float, PathPoint] = {0.0: begin, arc: end}

    def at(self, arc: float) -> PathPoint:
        """The point at an arc; Newton's method starts between the nearest points that are known."""
        if arc not in self._known:
            below = max(known for known in self._known if known < arc)
            above = min(known for known in self._known if known > arc)
            low, high = self._known[below], self._known[above]
            share = (arc - below) / (above - below)
            move = self.walk.between(self.begin, low) + share * self.walk.between(low, high)
            self._known[arc] = self.walk.at(self.begin, arc, move)
        return self._known[arc]

    def points(self) -> Iterator[PathPoint]:
        """Special points, and those at factors that were asked for, in order and without the two ends; after the last
        of the factors there are none."""
        special = sorted(self._special(), key=lambda found: found[0])
        before = 0.0
        for arc, kind in [*special, (self.arc, PointKind.ORDINARY)]:
            yield from (self.walk.at_factor(self.at(stop), factor) for stop, factor in self._stops(before, arc))
            if arc < self.arc:
                yield self.at(arc)._replace(kind=kind)
            elif kind is not PointKind.ORDINARY:
                self.end = self.end._replace(kind=kind)
            before = arc

    def _stops(self, low: float, high: float) -> list[tuple[float, float]]:
        """Arcs, in order, at which the path comes by a factor that was asked for, between two without a limit."""
        ends = self.at(low).factor, self.at(high).factor
        within = {factor for factor in self.walk.factors if (factor - ends[0]) * (factor - ends[1]) < 0.0}
        return sorted((self._root(_departure(factor), low, high), factor) for factor in within)

    def _special(self) -> list[tuple[float, PointKind]]:
        """Arcs and kinds of the limit points, bifurcations and onsets of flutter inside."""
        begin, end = self.begin, self.end
        found, edges = [], [0.0, self.arc]
        if begin.direction[-1] * end.direction[-1] < 0.0:
            limit = self._root(lambda point: float(point.direction[-1]), 0.0, self.arc)
            found.append((limit, PointKind.LIMIT))
            aside = _BESIDE * self.arc
            edges = [0.0, max(limit - aside, 0.0), min(limit + aside, self.arc), self.arc]
        for low, high in zip(edges[::2], edges[1::2], strict=True):
            found += [(arc, PointKind.BIFURCATION) for arc in self._crossings(low, high)]
        if end.verdict.stability is Stability.FLUTTERS and begin.verdict.stability is not Stability.FLUTTERS:
            found.append((self._onset(), PointKind.FLUTTER))
        return found

    def _crossings(self, low: float, high: float) -> list[float]:
        """Arcs between two without a limit point at which the tangent stiffness is singular."""
        if high <= low:
            return []
        before, after = (self.at(arc).verdict for arc in (low, high))
        changed = abs(after.negative - before.negative)
        if not before.symmetric or not after.symmetric:
            # Two real eigenvalues that meet and leave the axis are no singularity.
            changed %= 2
        least = min(before.negative, after.negative)
        arcs = [self._root(self._eigenvalue(least + index), low, high) for index in range(changed)]
        # Directions that become soft together are one bifurcation.
        return [arc for index, arc in enumerate(arcs) if index == 0 or arc - arcs[index - 1] > 1e-6 * self.arc]

    def _eigenvalue(self, index: int) -> Callable[[PathPoint], float]:
        """The real eigenvalue of the tangent stiffness with so many below it."""

        def value(point: PathPoint) -> float:
            stiffness, _ = point.found.solution.free_stiffness(self.walk.model)
            if point.verdict.symmetric:
                return float(np.linalg.eigvalsh(0.5 * (stiffness + stiffness.T))[index])
            values = np.linalg.eigvals(stiffness)
            nearest = float(np.abs(values).min())
            return nearest if point.verdict.negative <= index else -nearest

        return value

    def _root(self, function: Callable[[PathPoint], float], low: float, high: float) -> float:
        """The arc of a known point at which a function is zero, or next to it: where the path has no direction, as in a
        bifurcation, Newton's method is lost."""
        ends = [function(self.at(arc)) for arc in (low, high)]
        if ends[1] == 0.0 or ends[0] * ends[1] > 0.0:
            return high
        try:
            found = float(brentq(lambda arc: function(self._beside(arc)), low, high, xtol=_EXACT * self.arc))
        except Lost:
            return high
        return min((arc for arc in self._known if low <= arc <= high), key=lambda arc: abs(arc - found))

    def _beside(self, arc: float) -> PathPoint:
        """The point at an arc, or the nearest to it that Newton's method finds."""
        for aside in _ASIDE:
            try:
                return self.at(min(max(arc + aside * self.arc, 0.0), self.arc))
            except Lost as failure:
                lost = failure
        raise lost

    def _onset(self) -> float:
        """The arc at which flutter begins: what tells of it has no slope there, so by halving."""
        low, high = 0.0, self.arc
        try:
            while high - low > _EXACT * self.arc:
                middle = 0.5 * (low + high)
                if self.at(middle).verdict.stability is Stability.FLUTTERS:
                    high = middle
                else:
                    low = middle
        except Lost:
            pass
        return high
