"""A run that is killed and started again ends in the same bits."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pliant
from little_room import little_room

_RUN = """
import os, signal, sys
import numpy as np
import pliant

pliant.configure()

def die(t, until):
    if sys.argv[2] == "die" and t > 0.5 * until:
        os.kill(os.getpid(), signal.SIGKILL)

bar = {"inertia": [1e-2, 1e-2, 1e-2], "centre": [0, 0, 0.3], "joint": {"revolute": "y"}}
robot = pliant.Robot("double").rigid("upper", mass=1.0, **bar)
robot = robot.rigid("lower", mass=0.5, parent={"link": "upper", "offset": {"move": [0, 0, 0.6]}}, **bar)
robot = robot.initial("upper", angle=2.0)
run = pliant.simulate(
    pliant.compile(robot), 6.0, stepper="newmark", step=2e-3, save_every=0.02, progress=die,
    checkpoint=sys.argv[1] + "/run.npz", checkpoint_every=0.0,
)
np.save(sys.argv[1] + "/q.npy", np.asarray(run.q))
"""


def _start(folder: Path, how: str) -> int:
    return subprocess.run([sys.executable, "-c", _RUN, str(folder), how], check=False).returncode


def test_killed_in_the_middle_it_ends_in_the_same_bits(tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    assert _start(whole, "live") == 0
    assert _start(broken, "die") == -signal.SIGKILL
    assert (broken / "run.npz").exists() and not (broken / "q.npy").exists()
    assert _start(broken, "live") == 0
    assert not (broken / "run.npz").exists()
    expected, found = np.load(whole / "q.npy"), np.load(broken / "q.npy")
    assert expected.shape == (301, 2) and np.array_equal(expected, found)


def test_the_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    bar = {"mass": 1.0, "inertia": [1e-2] * 3, "centre": [0, 0, 0.3]}
    model = pliant.compile(pliant.Robot("bar").rigid("bar", joint={"revolute": "y"}, **bar).initial("bar", angle=2.0))
    path = tmp_path / "run.npz"

    def stop(t: float, until: float) -> None:
        raise KeyboardInterrupt

    settings = {"stepper": "rk4", "step": 1e-2, "save_every": 0.02, "checkpoint": path, "checkpoint_every": 0.0}
    partial = pliant.simulate(model, 4.0, progress=stop, throw=False, **settings)
    assert path.exists() and float(partial.time[-1]) < 4.0 and os.listdir(tmp_path) == ["run.npz"]
    with pytest.raises(ValueError, match="another run"):
        pliant.simulate(model.with_parameters({"links.bar.mass": 2.0}), 4.0, **settings)
    whole = path.read_bytes()
    for spoiled in (b"", whole[:-1], whole[:300], whole[:700] + b"\x00" + whole[701:], b"no checkpoint" * 30):
        path.write_bytes(spoiled)
        with pytest.raises(ValueError, match=r"run\.npz: .*; remove the file to start from the beginning") as refused:
            pliant.simulate(model, 4.0, **settings)
        assert "pickle" not in str(refused.value) and path.read_bytes() == spoiled
    path.write_bytes(whole)
    assert float(pliant.simulate(model, 4.0, **settings).time[-1]) == 4.0
    (tmp_path / "file").write_text("x")
    with pytest.raises(OSError, match=r"file: cannot be written .*choose another name"):
        pliant.simulate(model, 4.0, **{**settings, "checkpoint": tmp_path / "file" / "run.npz"})
    # A disk that is full in the middle does not end the run. (What it needs is compiled by now.)
    with little_room(500), pytest.warns(RuntimeWarning, match=r"run\.npz: cannot be written .* The run goes on"):
        assert float(pliant.simulate(model, 4.0, **settings).time[-1]) == 4.0
    assert sorted(os.listdir(tmp_path)) == ["file"]
