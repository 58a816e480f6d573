"""The analyses of a robot, solved in order; an equilibrium found earlier is where later ones start."""

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from pliant.cli._progress import Progress

if TYPE_CHECKING:
    from pliant.description import Robot
    from pliant.results import Equilibrium, Result

_DEFAULT_STATICS: Mapping[str, Any] = {"kind": "statics", "steps": None, "drop": ()}


class Outcome(NamedTuple):
    """One solved analysis. name: unique within the study; seconds: wall time, compilation included;
    real_time_factor: simulated over wall time once compiled (only for simulations long enough to tell)."""

    name: str
    kind: str
    settings: Mapping[str, Any]
    result: "Result"
    seconds: float
    real_time_factor: float | None = None


class Study:
    """Solves the analyses of one robot."""

    def __init__(self, robot: "Robot", progress: Progress) -> None:
        from pliant.model import compile

        refuse_energy_in_changing_gravity(robot)
        self.model = compile(robot)
        self.analyses = self.model.structure.analyses
        self._progress = progress
        self._equilibria: dict[int | None, Outcome] = {}
        self._names: Counter[str] = Counter()

    def solve(self, index: int) -> Iterator[Outcome]:
        """The outcome of one analysis, after that of the equilibrium it starts from if this is not solved yet."""
        settings = self.analyses[index]
        if settings["kind"] == "statics":
            yield self._statics(index)
            return
        rest = None
        if settings.get("about", settings.get("from")) == "statics":
            before = [i for i, other in enumerate(self.analyses[:index]) if other["kind"] == "statics"]
            position = before[-1] if before else None
            if position not in self._equilibria:
                yield self._statics(position)
            rest = self._equilibria[position]
        yield self._modes(settings, rest) if settings["kind"] == "modes" else self._simulate(settings, rest)

    def first(self, kind: str) -> int:
        """The position of the first analysis of a kind."""
        return next(index for index, settings in enumerate(self.analyses) if settings["kind"] == kind)

    def _statics(self, index: int | None) -> Outcome:
        from pliant.analysis import equilibrium, without_loads

        settings = _DEFAULT_STATICS if index is None else self.analyses[index]
        with self._progress.waiting("statics"):
            start = time.perf_counter()
            inputs = without_loads(self.model, settings["drop"]) or None
            result = equilibrium(self.model, steps=settings["steps"], inputs=inputs)
            self._equilibria[index] = self._outcome(settings, result, start)
        return self._equilibria[index]

    def _modes(self, settings: Mapping[str, Any], rest: Outcome | None) -> Outcome:
        from pliant.analysis import modes, without_loads

        with self._progress.waiting("modes"):
            start = time.perf_counter()
            # The loads that shape the equilibrium also stiffen or soften the robot about it.
            inputs = without_loads(self.model, rest.settings["drop"]) or None if rest else None
            about: Equilibrium | None = rest.result if rest else None  # type: ignore[assignment]
            return self._outcome(settings, modes(self.model, about, count=settings["count"], inputs=inputs), start)

    def _simulate(self, settings: Mapping[str, Any], rest: Outcome | None) -> Outcome:
        import jax.numpy as jnp

        from pliant.analysis import without_loads
        from pliant.model import State
        from pliant.simulation import simulate

        state = State(rest.result.q, jnp.zeros(self.model.nv)) if rest else None  # type: ignore[attr-defined]
        with self._progress.simulating() as clock:
            start = time.perf_counter()
            result = simulate(
                self.model,
                settings["until"],
                state=state,
                stepper=settings["stepper"],
                step=settings["step"],
                save_every=settings["save_every"],
                rtol=settings["rtol"],
                atol=settings["atol"],
                inputs=without_loads(self.model, settings["drop"]) or None,
                ledger=settings["energy"],
                progress=clock,
            )
            outcome = self._outcome(settings, result, start)
        return outcome._replace(real_time_factor=clock.real_time_factor)

    def _outcome(self, settings: Mapping[str, Any], result: "Result", start: float) -> Outcome:
        import jax

        jax.block_until_ready(result)
        seconds = time.perf_counter() - start
        kind = settings["kind"]
        self._names[kind] += 1
        name = kind if self._names[kind] == 1 else f"{kind}-{self._names[kind]}"
        return Outcome(name, kind, settings, result, seconds)


def refuse_energy_in_changing_gravity(robot: "Robot") -> None:
    """Bad input that only the two together show: a field that changes in time does work of its own."""
    from pliant.description import Problem, RobotFileError

    wanted = any(analysis.simulate is not None and analysis.simulate.energy for analysis in robot.description.analyses)
    if wanted and robot.description.gravity.word != "constant":
        message = "got true; expected false where gravity changes in time (the energy balance needs constant gravity)"
        raise RobotFileError([Problem(robot.name, None, "analyses.simulate.energy", True, message)])
