"""Compiled programs take memory mappings, and a process may have only so many: they are forgotten before the limit."""

import gc
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

import pliant
from pliant.numerics import _programs, expect_programs_of, forget_programs_when_many

MAPS = Path("/proc/self/maps")
MOST_MEGABYTES = 3000  # resident, of a process that has seen a thousand structures
BALL = {"mass": 1.0, "inertia": [1.0, 1.0, 1.0], "centre": [0.0, 0.0, 1.0]}


@pytest.fixture
def cleared(monkeypatch):
    """How often programs were forgotten; they are not, for the sake of the other tests."""
    times = []
    monkeypatch.setattr(jax, "clear_caches", lambda: times.append(1))
    monkeypatch.setattr(_programs, "_expected", set())
    return times


def test_programs_are_forgotten_before_the_limit(cleared, monkeypatch, tmp_path):
    (tmp_path / "maps").write_text("one mapping\n" * 100)
    (tmp_path / "limit").write_text("200\n")
    monkeypatch.setattr(_programs, "_MAPPINGS", tmp_path / "maps")
    monkeypatch.setattr(_programs, "_LIMIT", tmp_path / "limit")
    forget_programs_when_many()
    assert not cleared
    (tmp_path / "limit").write_text("150\n")
    for name in ("a", "b", "b", "a"):  # a robot that was seen before is not looked at again
        pliant.compile(pliant.Robot(name).rigid("ball", **BALL, joint={"revolute": "y"}))
    assert len(cleared) == 3, "at a, at b, and at a once more, whose programs were forgotten with b"
    jax.jit(lambda x: [expect_programs_of(7), x][1])(1.0)
    assert len(cleared) == 3, "not while something is traced"


def test_without_mappings_to_count_robots_are_counted(cleared, monkeypatch, tmp_path):
    monkeypatch.setattr(_programs, "_MAPPINGS", tmp_path / "none")
    for structure in range(4 * _programs._MOST_STRUCTURES):
        expect_programs_of(structure % (2 * _programs._MOST_STRUCTURES))
    assert len(cleared) == 3
    monkeypatch.setattr(_programs, "_LIMIT", tmp_path / "none")
    assert _programs._limit() == 65_530


_STRUCTURES = """
import resource, sys
from pathlib import Path
import jax, numpy as np, pliant

def held():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Path("/proc/self/maps").read_bytes().count(b"\\n"), pages * resource.getpagesize() / 1e6

joints = ("revolute", "prismatic", "cylindrical", "universal", "planar", "spherical")
axes = {"revolute": {"axis": "y"}, "prismatic": {"axis": "x"}, "cylindrical": {"axis": "z"}, "planar": {"axis": "z"},
        "universal": {"axes": ["x", "y"]}, "spherical": {}}
body = {"mass": 1.0, "inertia": [1.0, 2.0, 3.0], "centre": [0.1, 0.2, 0.3]}
for index in range(int(sys.argv[1])):
    joint = joints[index % len(joints)]
    robot = pliant.Robot(f"robot{index}").rigid(f"body{index}", **body, joint={joint: axes[joint]})
    model = pliant.compile(robot)
    q = model.neutral()
    a = np.asarray(pliant.forward_dynamics(model, q, np.zeros(model.nv)))
    assert np.all(np.isfinite(a)) and model.nv <= 3
    if index % 20 == 19:
        print(index + 1, *held(), flush=True)
"""


@pytest.mark.long
@pytest.mark.skipif(not MAPS.exists(), reason="the system does not tell the mappings of a process")
def test_a_thousand_structures_in_one_process():
    """At 276 mappings each the process ended after about 235 of them."""
    words = [sys.executable, "-c", _STRUCTURES, "1000"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    rows = [tuple(float(word) for word in line.split()) for line in done.stdout.splitlines()]
    limit = int(Path("/proc/sys/vm/max_map_count").read_text())
    mappings, megabytes = max(row[1] for row in rows), max(row[2] for row in rows)
    assert rows[-1][0] == 1000 and mappings < 0.8 * limit
    early, late = (max(row[2] for row in rows if first < row[0] <= last) for first, last in ((0, 500), (500, 1000)))
    assert late < 1.2 * early and megabytes < MOST_MEGABYTES, (early, late)


def test_forgotten_programs_are_compiled_again(monkeypatch, tmp_path):
    """What was compiled before gives the same numbers after, and its mappings are given back."""
    model = pliant.compile(pliant.Robot("forgotten").rigid("ball", **BALL, joint={"revolute": "y"}))
    q, v = jnp.ones(1), jnp.zeros(1)
    before = pliant.forward_dynamics(model, q, v)
    (tmp_path / "limit").write_text("10\n")
    monkeypatch.setattr(_programs, "_LIMIT", tmp_path / "limit")
    forget_programs_when_many()
    gc.collect()
    assert jnp.array_equal(pliant.forward_dynamics(model, q, v), before)
