"""The analyses of a robot, solved in order; an equilibrium found earlier is where later ones start."""

import time
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from pliant.cli._output import complain
from pliant.cli._progress import Progress

if TYPE_CHECKING:
    from jax import Array

    from pliant.blueprint import Analysis, Modes, Simulate
    from pliant.description import Robot
    from pliant.results import Result


class Outcome(NamedTuple):
    """One solved analysis. name: unique within the study; seconds: wall time, compilation included;
    real_time_factor: simulated over wall time once compiled (only for simulations long enough to tell)."""

    name: str
    kind: str
    settings: Any  # the analysis
    result: "Result"
    seconds: float
    real_time_factor: float | None = None


class Study:
    """Solves the analyses of one robot."""

    def __init__(self, robot: "Robot", progress: Progress, only: str | None = None) -> None:
        """only: the kind of analysis that will be asked for; by default all."""
        from pliant.model import compile

        if only in (None, "simulate"):
            refuse_what_cannot_be_simulated(robot)
        self.model = compile(robot)
        self.analyses = self.model.structure.analyses
        if only in (None, "simulate"):
            self._refuse_a_ledger_of_jumps(robot)
        self._progress = progress
        self._equilibria: dict[int | None, Outcome] = {}
        self._names: Counter[str] = Counter()

    def _refuse_a_ledger_of_jumps(self, robot: "Robot") -> None:
        from pliant.description import Problem, RobotFileError
        from pliant.mechanics import jumps

        asked = any(analysis.kind == "simulate" and analysis.energy for analysis in self.analyses)  # type: ignore[union-attr]
        if asked and jumps(self.model.structure.gravity, self.model.parameters):
            message = "got true; expected false where gravity jumps: a jump changes the energy at once"
            raise RobotFileError([Problem(robot.name, None, "analyses.simulate.energy", True, message)])

    def solve(self, index: int) -> Iterator[Outcome]:
        """The outcome of one analysis, after that of the equilibrium it starts from if this is not solved yet."""
        settings: Any = self.analyses[index]
        if settings.kind == "statics":
            yield self._statics(index)
            return
        rest = None
        if settings.begins == "statics":
            # A path ends at a load of its own, which need not be the robot's: nothing starts from it.
            earlier: list[Any] = list(self.analyses[:index])
            before = [i for i, other in enumerate(earlier) if other.kind == "statics" and other.path is None]
            position = before[-1] if before else None
            if position not in self._equilibria:
                yield self._statics(position)
            rest = self._equilibria[position]
        yield self._modes(settings, rest) if settings.kind == "modes" else self._simulate(settings, rest)

    def first(self, kind: str) -> int:
        """The position of the first analysis of a kind."""
        return next(index for index, settings in enumerate(self.analyses) if settings.kind == kind)

    def _statics(self, index: int | None) -> Outcome:
        from pliant.analysis import ArcLength, equilibrium, equilibrium_path, quasi_static, without_loads
        from pliant.blueprint import Statics

        settings: Any = Statics(steps=None, drop=(), times=None) if index is None else self.analyses[index]
        with self._progress.waiting("statics"):
            start = time.perf_counter()
            inputs = without_loads(self.model, settings.drop) or None
            result: Result
            if settings.path is not None:
                own = settings.path
                arc_length = ArcLength(step=own.step, points=own.points, branch=own.branch)
                result = equilibrium_path(self.model, [own.to], inputs=inputs, arc_length=arc_length)
            elif settings.times is None:
                result = equilibrium(self.model, steps=settings.steps, inputs=inputs)
            else:
                result = quasi_static(self.model, settings.times, inputs=inputs)
            self._equilibria[index] = self._outcome(settings, result, start)
        return self._equilibria[index]

    def _modes(self, settings: "Modes", rest: Outcome | None) -> Outcome:
        from pliant.analysis import modes, without_loads

        with self._progress.waiting("modes"):
            start = time.perf_counter()
            # The loads that shape the equilibrium also stiffen or soften the robot about it.
            inputs = without_loads(self.model, rest.settings.drop) or None if rest else None
            q, t, _ = _rest(rest)
            about: Any = rest.result if rest is not None and rest.settings.times is None else q
            return self._outcome(settings, modes(self.model, about, count=settings.count, t=t, inputs=inputs), start)

    def _simulate(self, settings: "Simulate", rest: Outcome | None) -> Outcome:
        import jax.numpy as jnp

        from pliant.analysis import without_loads
        from pliant.model import State
        from pliant.simulation import InaccurateWarning, Stepper, simulate

        q, begin, memory = _rest(rest)
        longest = settings.longest_step
        state = State(q, jnp.zeros(self.model.nv), memory) if q is not None else None
        with self._progress.simulating() as clock, warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", RuntimeWarning)
            start = time.perf_counter()
            words = ("rtol", "atol", "adapt", "spectral_radius")
            step = settings.step if longest is None or settings.step is None else (settings.step, longest)
            stepper = Stepper(self.model, settings.stepper, step, **{word: getattr(settings, word) for word in words})
            result = simulate(
                stepper,
                settings.until,
                state=state,
                start=begin,
                save_every=settings.save_every,
                inputs=without_loads(self.model, settings.drop) or None,
                ledger=settings.energy,
                accuracy=settings.accuracy,
                progress=clock,
            )
            outcome = self._outcome(settings, result, start)
        for warning in warned:
            if not issubclass(warning.category, InaccurateWarning):  # which the command itself tells in the end
                complain(str(warning.message))
        return outcome._replace(real_time_factor=clock.real_time_factor)

    def _outcome(self, settings: "Analysis", result: "Result", start: float) -> Outcome:
        import jax

        jax.block_until_ready(result)
        seconds = time.perf_counter() - start
        kind = settings.kind
        self._names[kind] += 1
        name = kind if self._names[kind] == 1 else f"{kind}-{self._names[kind]}"
        return Outcome(name, kind, settings, result, seconds)


def _rest(outcome: Outcome | None) -> "tuple[Array | None, float, Any]":
    """Configuration and time of an equilibrium, and what interactions remember there; of a quasi-static sequence those
    of its last stage, whose clock runs on: the forces that hold the robot there are those of that time."""
    import jax

    if outcome is None:
        return None, 0.0, ()
    times, rest = outcome.settings.times, outcome.result
    at = (rest.q, rest.memory)  # type: ignore[attr-defined]
    q, memory = at if times is None else jax.tree.map(lambda values: values[-1], at)
    return q, 0.0 if times is None else times[-1], memory


def refuse_what_cannot_be_simulated(robot: "Robot") -> None:
    """Bad input that only two parts of a file together show."""
    from pliant.description import Problem, RobotFileError

    description, problems = robot.description, []

    def refuse(path: str, value: Any, message: str) -> None:
        problems.append(Problem(robot.name, None, path, value, message))

    last_time = None
    for analysis in description.analyses:
        if analysis.statics is not None:
            last_time = analysis.statics.times[-1] if analysis.statics.times else None
        if analysis.simulate is None:
            continue
        until = analysis.simulate.until
        if analysis.simulate.from_ == "statics" and last_time is not None and until <= last_time:
            expected = f"a time after {last_time:g} s, the last of the statics that the motion starts from"
            refuse("analyses.simulate.until", until, f"got {until:g} s; expected {expected}")
    if any(analysis.simulate is not None for analysis in description.analyses):
        for actuator in description.actuators:
            # A tendon that jerks taut has no finite tension; how it stretches has to be known.
            if getattr(actuator, "length", None) is not None and getattr(actuator, "stiffness", None) is None:
                expected = 'a "stiffness" (EA, e.g. "20 kN") beside the "length" of a tendon in a simulation'
                refuse(f"actuators.{actuator.name}", actuator.name, f"missing; expected {expected}")
    if problems:
        raise RobotFileError(problems)
