"""Steps that are ten times too long are refused, cut or marked, and right ones are not: on random small robots.

Every robot is first moved by an explicit stepper with tight tolerances. The longest step with which the tip stays
within 1 % of the size of that motion, while shorter ones do so too, is h. A run with 10 h (or one step, where that is
longer than the run) has to fail, or to carry the code INACCURATE, or to be right after all, because its steps were cut
at a touch. A run with a step that leaves at most 0.7 % has to be a plain success: at 1 % itself an estimate may fall on
either side.

    python -m fuzz.steps --count 50 --seed 1
    python -m fuzz.steps --seed 1 --only 7
"""

import argparse
import sys
import time
import warnings
from typing import NamedTuple

import numpy as np

import pliant
from fuzz.step_robots import STRUCTURES, Subject, subject
from pliant.numerics import ResultCode
from pliant.results import Trajectory

BAR = 0.01  # of the size of the motion: the error that is allowed
RIGHT = 0.007  # and the one that must not be marked
TOO_LONG = 10.0
_SAMPLES, _FEWEST = 50, 10
_DENSE = 40  # samples of the reference for each of these
_FINER = 1.25  # from one step that is tried to the next
_ENOUGH = 3  # steps one after the other whose errors are small: the longest of them is taken
_MOST = 400_000  # steps


class Answer(NamedTuple):
    """What a run with a step [s] came to: its code, the error of its tip over the size of the motion, its estimates."""

    step: float
    code: ResultCode
    error: float
    estimate: dict[str, float]

    @property
    def passes(self) -> bool:
        return self.code is ResultCode.SUCCESS

    def __str__(self) -> str:
        told = ", ".join(f"{name} {100 * value:.2g} %" for name, value in self.estimate.items())
        return f"{self.step:.3g} s {self.code.name} error {100 * self.error:.2g} % (estimated: {told})"


class Study(NamedTuple):
    """One robot: a run with the right step and one with a step that is too long."""

    subject: Subject
    right: Answer
    long: Answer

    @property
    def fault(self) -> str:
        if not self.right.passes:
            return "the right step is marked"
        if self.long.passes and self.long.error > BAR:
            return "the step that is too long is not marked"
        return ""


class Reference:
    """The motion of the tip with tight tolerances."""

    def __init__(self, given: Subject) -> None:
        self._given = given
        until = given.until
        tight = {"rtol": 1e-9, "atol": 1e-11, "save_every": until / (_SAMPLES * _DENSE)}
        motion = pliant.simulate(given.model, until, **tight)
        self._time, self._tip = np.asarray(motion.time), _tip(motion)
        self.size = float(np.linalg.norm(self._tip - self._tip[0], axis=1).max())

    def answer(self, step: float, accuracy: float | None) -> Answer:
        """A run with this step. It is sampled at most as often as it steps: a sample ends a step."""
        given = self._given
        save_every = max(given.until / _SAMPLES, given.until / max(1, int(given.until / step * (1 + 1e-9))))
        stepper = pliant.Stepper(given.model, given.kind, step)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            motion = pliant.simulate(stepper, given.until, save_every=save_every, accuracy=accuracy, throw=False)
        code, times = ResultCode(int(motion.code)), np.asarray(motion.time)
        estimate = {name: float(value) for name, value in motion.estimated_error.items()}
        with np.errstate(all="ignore"):
            off = float(np.linalg.norm(_tip(motion) - self._at(times), axis=1).max() / self.size)
        whole = times[-1] >= given.until * (1 - 1e-9) and np.isfinite(off)
        return Answer(step, code, off if whole else np.inf, estimate)

    def _at(self, times: np.ndarray) -> np.ndarray:
        from scipy.interpolate import CubicSpline

        return CubicSpline(self._time, self._tip)(times)


def _tip(motion: Trajectory) -> np.ndarray:
    return np.asarray(motion.shape.frame_pose)[:, 0, :3, 3]


def longest_step(reference: Reference, until: float, bar: float, first: float) -> Answer:
    """The longest step, from `first` [s] down, with which the error stays below the bar."""
    good: list[Answer] = []
    step = first
    while until / step < _MOST:
        found = reference.answer(step, None)
        good = [*good, found] if found.error <= bar else []
        if len(good) == _ENOUGH:
            return good[0]
        step = step / (_FINER if found.error < 10.0 * bar else _FINER**2)
    raise RuntimeError(f"no step gives {100 * bar:g} %")


def study(given: Subject) -> Study:
    reference = Reference(given)
    first = given.until / _FEWEST
    longest = longest_step(reference, given.until, BAR, first)
    right = longest if longest.error <= RIGHT else longest_step(reference, given.until, RIGHT, longest.step / _FINER)
    long = reference.answer(min(TOO_LONG * longest.step, given.until), BAR)
    return Study(given, reference.answer(right.step, BAR), long)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.steps", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--count", type=int, default=50, help="robots to try")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, metavar="CASE", help="try this robot only")
    given = parser.parse_args(words)
    pliant.configure()
    began, faults = time.monotonic(), 0
    # One structure after the other, so that its programs are compiled once and may then be forgotten.
    order = sorted(range(given.count), key=lambda index: (index % len(STRUCTURES), index))
    for index in order if given.only is None else [given.only]:
        found = study(subject(given.seed, index))
        faults += bool(found.fault)
        of = f"case {index} ({found.subject.structure}, {found.subject.kind}, {found.subject.until:.3g} s)"
        print(
            f"{of}: right {found.right}; long {found.long}{' FAULT: ' + found.fault if found.fault else ''}", flush=True
        )
    print(f"{given.count} robots of seed {given.seed} in {time.monotonic() - began:.0f} s: {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
