"""Ctrl-C is answered while a run computes, with a sentence and the code 130, and what was computed is kept."""

import subprocess
import sys

import numpy as np
import pytest
from interrupts import LONGEST, interrupted, longest_by_the_clock, simulating

import pliant
from cli.cli_helpers import TINY
from pliant.numerics import ResultCode

# A robot on which compiling takes a second, in Python: native steps are no option of the command line. The samples are
# so far apart that a chunk of them would take hours.
_PYTHON = """
import sys
import pliant
from pliant.cli._progress import Progress

pliant.configure()
bar = {"mass": 1.0, "inertia": [1e-2, 1e-2, 1e-2], "centre": [0, 0, 0.3], "joint": {"revolute": "y"}}
model = pliant.compile(pliant.Robot("bar").rigid("bar", **bar).initial("bar", angle=1.0))
step = (1e-5, 2e-5) if sys.argv[2] == "adaptive" else 1e-5
try:
    with Progress(wanted=True).simulating() as clock:
        pliant.simulate(
            model, 9e3, stepper="newmark", step=step, save_every=1e3, backend=sys.argv[1], accuracy=None, progress=clock
        )
except pliant.SolveError as error:
    print(error.code.name, len(error.partial.time), str(error))
    sys.exit(130)
"""


def _check(answer):
    assert answer.code == 130, answer.said
    assert answer.computed < LONGEST and answer.seconds < longest_by_the_clock(), answer[:2]


def _compiled(robot, *options):
    """Have everything compiled that a long run needs: XLA cannot be interrupted, and is not what is tested here."""
    command = [sys.executable, *map(str, simulating(robot, *options, "--until", "6", "--save-every", "0.01"))]
    assert subprocess.run(command, capture_output=True, check=False).returncode in (0, 1)  # inaccurate, perhaps


def test_the_command_line_answers_and_keeps_what_it_has(tmp_path):
    (tmp_path / "tiny.yaml").write_text(TINY, encoding="utf-8")
    _compiled(tmp_path / "tiny.yaml")
    command = simulating(tmp_path / "tiny.yaml", "--until", "2e3", "--save-every", "0.01", "--out", tmp_path / "out")
    answer = interrupted(command, later=0.2)
    _check(answer)
    assert "The solve was interrupted; what was computed so far is kept. newmark stopped after t = " in answer.said
    kept = pliant.load_result(tmp_path / "out" / "simulate-partial.nc")
    assert "What was computed until then is in" in answer.said
    assert int(kept.code) == int(ResultCode.INTERRUPTED)
    assert len(kept.time) > 1 and np.all(np.isfinite(kept.q))


@pytest.mark.parametrize("backend", ["native", pytest.param("jax", marks=pytest.mark.long)])
@pytest.mark.parametrize("steps", ["fixed", pytest.param("adaptive", marks=pytest.mark.long)])
def test_a_run_answers_between_two_samples(backend, steps):
    """A hundred million steps lie between two samples."""
    answer = interrupted(["-c", _PYTHON, backend, steps], later=2.0)
    _check(answer)
    assert "INTERRUPTED 1 " in answer.said


# The slowest of the library: with closed loops, and with the most coordinates.
@pytest.mark.long
@pytest.mark.parametrize("robot", ["fin-ray", "four-bar", "hybrid-arm", "ur-tentacle"])
def test_robots_of_the_library_answer(robot):
    own = ["--stepper", "newmark", "--step", "0.005"]
    _compiled(robot, *own)
    _check(interrupted(simulating(robot, "--until", "1000", "--save-every", "0.05", *own), later=1.0))
