"""One robot solved with every rod model, each at several refinements: figures, errors, times, observed convergence.

The reference is gvs of high order. Every rod of the robot gets the same model and number. A rod that a model cannot
hold (rom and eba move whole poses) is no error: the row says why.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.analysis import equilibrium, quasi_static, without_loads
from pliant.blueprint import Simulate, Statics
from pliant.description import Description, Problem, Robot, RobotFileError
from pliant.model import Model, State, compile
from pliant.numerics import SolveError, forget_programs_when_many
from pliant.results import Result
from pliant.simulation import simulate
from pliant.validation._refinement import BY_ORDER, label, refined, refinement

MODELS = ("gvs", "pcs", "rom", "srl", "ebr", "eba")
REFERENCE = ("gvs", 6)
_PIECES = (4, 8, 16)
NUMBERS: Mapping[str, tuple[int, ...]] = {
    "gvs": (1, 2, 3), "rom": (2, 3, 4, 5), "pcs": _PIECES, "srl": _PIECES, "ebr": _PIECES, "eba": _PIECES
}  # fmt: skip
LONGEST_MOTION = 1.0  # s
_MOTION_STEPS = 200  # of a motion whose step the file does not fix
_SAMPLES = 50
_NOISE = 1e-9  # of the length: errors below it are those of the solvers, not of the models

Said = Callable[[str], None]


@dataclass(frozen=True)
class ModelRow:
    """A robot solved with one model. number: order or pieces; problem: why there are no figures, or empty.

    place, end: of the frame at rest and at the end of the motion [m]; error, end_error: their distance from the
    reference; seconds, motion_seconds: of a solve once compiled; compile_seconds: what the first one took beyond that.
    """

    model: str
    number: int
    problem: str = ""
    not_for_this_rod: bool = False
    dof: int | None = None
    place: tuple[float, ...] | None = None
    end: tuple[float, ...] | None = None
    error: float | None = None
    end_error: float | None = None
    seconds: float | None = None
    motion_seconds: float | None = None
    compile_seconds: float | None = None
    rest: Result | None = None

    @property
    def refinement(self) -> str:
        return refinement(self.model, self.number)


@dataclass(frozen=True)
class Comparison:
    """The rows of all models at all refinements. length: of the rods from the world to the frame [m]; motion: its
    duration [s], or None where only the robot at rest was asked for."""

    robot: str
    frame: str
    length: float
    motion: float | None
    reference: ModelRow
    rows: tuple[ModelRow, ...]

    def of(self, model: str) -> tuple[ModelRow, ...]:
        return tuple(row for row in self.rows if row.model == model)

    def observed(self, model: str, moving: bool = False) -> float | None:
        """Observed order of convergence in the number of pieces; for gvs and rom, which converge faster than any such
        order, the factor by which the error falls with every order. None where errors are noise or too few."""
        figures = [(row.number, row.end_error if moving else row.error) for row in self.of(model)]
        known = [(number, error) for number, error in figures if error is not None and error > _NOISE * self.length]
        if len(known) < 2:
            return None
        numbers, errors = (np.array(column, dtype=float) for column in zip(*known, strict=True))
        if model in BY_ORDER:
            return float(np.exp(-np.polyfit(numbers, np.log(errors), 1)[0]))
        return float(-np.polyfit(np.log(numbers), np.log(errors), 1)[0])

    def measure(self, model: str) -> str:
        """What `observed` is for a model."""
        return "factor per order" if model in BY_ORDER else "order"


def compare_models(
    robot: Robot,
    models: Sequence[str] = MODELS,
    *,
    frame: str | None = None,
    dynamic: bool = False,
    numbers: Mapping[str, Sequence[int]] | None = None,
    say: Said = lambda text: None,
) -> Comparison:
    """Solve the robot with every model.

    frame: whose position is compared (default: the last of the file, else the tip of its last rod). dynamic: whether
    also a motion, of the file's first `simulate` (at most LONGEST_MOTION, with newmark, for the same step in all
    models). numbers: orders or pieces of a model, instead of NUMBERS. say: told what is
    being solved.
    """
    unknown = [model for model in models if model not in MODELS]
    if unknown:
        raise ValueError(f"unknown rod model {', '.join(unknown)}; the rod models are: {', '.join(MODELS)}")
    chosen = _frame(robot, frame)
    task = _Task(robot, chosen, dynamic)
    asked = {model: tuple((numbers or {}).get(model, NUMBERS[model])) for model in models}
    say(label(*REFERENCE))
    reference = task.solve(*REFERENCE, throw=True)
    rows = tuple(_measured(row, reference) for row in _rows(task, asked, say))
    return Comparison(
        robot.name, chosen, reach(robot.description, chosen), task.duration, _measured(reference, reference), rows
    )


def with_model(robot: Robot, word: str, number: int) -> Robot:
    """The robot with all its rods, and their divisions, of one model."""
    for link in robot.description.links:
        if link.kind == "rod":
            for path in {f"links.{link.name}.model", *(piece.paths["model"] for piece in link.pieces)}:
                robot = robot.with_value(path, refined(word, number))
    return robot


def reach(description: Description, frame: str) -> float:
    """Length of the rods between the world and a frame [m]; of all rods where there are none between."""
    links = {link.name: link for link in description.links}
    places = {place.name: place.link for place in description.frames}
    lengths = {name: sum(piece.length for piece in link.pieces) for name, link in links.items() if link.kind == "rod"}
    total, at = 0.0, frame
    while at in links or at in places:
        total += lengths.get(at, 0.0)
        at = links[at].parent.link if at in links else places[at]
    return total or sum(lengths.values())


def _frame(robot: Robot, given: str | None) -> str:
    description = robot.description
    rods = [link.name for link in description.links if link.kind == "rod"]
    frames = [place.name for place in description.frames]

    def refuse(path: str, value: str | None, message: str) -> RobotFileError:
        return RobotFileError([Problem(robot.name, None, path, value, message)])

    if not rods:
        raise refuse("links", None, "no rod whose models could be compared; expected a link of kind rod")
    if given is None:
        return frames[-1] if frames else rods[-1]
    known = [*frames, *(link.name for link in description.links)]
    if given not in known:
        raise refuse("frames", given, f'no frame named "{given}"; expected one of: {", ".join(known)}')
    return given


def _rows(task: "_Task", asked: Mapping[str, Sequence[int]], say: Said) -> Iterator[ModelRow]:
    for model, numbers in asked.items():
        for number in numbers:
            say(label(model, number))
            row = task.solve(model, number)
            forget_programs_when_many()
            yield row
            if row.not_for_this_rod:
                break


def _measured(row: ModelRow, reference: ModelRow) -> ModelRow:
    def distance(place: tuple[float, ...] | None, exact: tuple[float, ...] | None) -> float | None:
        return None if place is None or exact is None else float(np.linalg.norm(np.subtract(place, exact)))

    return replace(row, error=distance(row.place, reference.place), end_error=distance(row.end, reference.end))


class _Task:
    """What is solved with every model: the first statics of the file, and its first motion."""

    def __init__(self, robot: Robot, frame: str, dynamic: bool) -> None:
        self.robot, self.frame = robot, frame
        analyses = robot.blueprint()[0].analyses
        statics = [analysis for analysis in analyses if isinstance(analysis, Statics)]
        motions = [analysis for analysis in analyses if isinstance(analysis, Simulate)]
        self._statics = statics[0] if statics else Statics(steps=None, drop=(), times=None)
        self._motion = motions[0] if motions else None
        self.begin = float((self._statics.times or (0.0,))[-1])
        self._from_rest = self._motion is not None and self._motion.begins == "statics"
        start = self.begin if self._from_rest else 0.0
        until = start + LONGEST_MOTION if self._motion is None else self._motion.until
        self.duration = min(until - start, LONGEST_MOTION) if dynamic else None
        self._start = start

    def solve(self, word: str, number: int, throw: bool = False) -> ModelRow:
        row = ModelRow(word, number)
        try:
            model = compile(with_model(self.robot, word, number))
        except RobotFileError as error:
            if throw:
                raise
            return replace(row, problem=error.problems[0].message, not_for_this_rod=True)
        try:
            return self._solved(row, model)
        except SolveError as error:
            if throw:
                raise
            return replace(row, dof=model.nv, problem=str(error))

    def _solved(self, row: ModelRow, model: Model) -> ModelRow:
        (rest, q, place), first, seconds = _timed(lambda: self._at_rest(model))
        row = replace(
            row, dof=model.nv, place=place, seconds=seconds, compile_seconds=max(first - seconds, 0.0), rest=rest
        )
        if self.duration is None:
            return row
        end, first, moving = _timed(lambda: self._moved(model, q))
        spent = (row.compile_seconds or 0.0) + max(first - moving, 0.0)
        return replace(row, end=end, motion_seconds=moving, compile_seconds=spent)

    def _at_rest(self, model: Model) -> tuple[Result, Array, tuple[float, ...]]:
        inputs = without_loads(model, self._statics.drop) or None
        times = self._statics.times
        if times:
            sequence = quasi_static(model, times, inputs=inputs)
            return sequence, sequence.q[-1], _plain(sequence.position(self.frame)[-1])
        rest = equilibrium(model, steps=self._statics.steps, inputs=inputs)
        return rest, rest.q, _plain(rest.position(self.frame))

    def _moved(self, model: Model, q: Array) -> tuple[float, ...]:
        duration = self.duration or LONGEST_MOTION
        motion = simulate(
            model,
            self._start + duration,
            state=State(q, jnp.zeros(model.nv)) if self._from_rest else None,
            start=self._start,
            stepper="newmark",
            step=(self._motion and self._motion.step) or duration / _MOTION_STEPS,
            save_every=duration / _SAMPLES,
            inputs=without_loads(model, self._motion.drop if self._motion else ()) or None,
        )
        return _plain(motion.position(self.frame)[-1])


def _plain(place: Array) -> tuple[float, ...]:
    return tuple(float(x) for x in np.asarray(place))


def _timed(solve: Callable[[], Any]) -> tuple[Any, float, float]:
    """The result, the seconds of the first call, which compiles, and of a second."""
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        result = jax.block_until_ready(solve())
        seconds.append(time.perf_counter() - start)
    return result, seconds[0], seconds[1]
