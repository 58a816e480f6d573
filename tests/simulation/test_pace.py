"""Calls of a run last as long as is wanted, and its results do not depend on where they end."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.simulation import _pace
from pliant.simulation._pace import Pace

_BAR = {"inertia": [1e-2, 1e-2, 1e-2], "centre": [0, 0, 0.3], "joint": {"revolute": "y"}}


@pytest.fixture(scope="module")
def double():
    robot = pliant.Robot("double").rigid("upper", mass=1.0, **_BAR)
    robot = robot.rigid("lower", mass=0.5, parent={"link": "upper", "offset": {"move": [0, 0, 0.6]}}, **_BAR)
    robot = robot.initial("upper", angle=2.0).load("push", where={"link": "lower"}, force=[0, 0, 0])
    return pliant.compile(robot)


@pytest.fixture(scope="module")
def bouncer():
    """A mass between a stop and a rope, whose touches cut steps."""

    def side(rest, acts):
        return {"stiffness": {"z": 2e3}, "damping": {"z": 1.0}, "rest": {"z": rest}, "acts": {"z": acts}}

    return pliant.compile(
        pliant.Robot("bouncer")
        .with_gravity([0, 0, 0])
        .rigid("mass", mass=1.0, inertia=[1e-3] * 3, joint={"prismatic": "z"})
        .initial("mass", speed=1.0)
        .spring("rope", between=["world", "mass"], beam=side(0.1, "tension"))
        .spring("stop", between=["world", "mass"], beam=side(-0.1, "compression"))
    )


def _law(t, state):
    return {"push.force": jnp.array([jnp.sin(5.0 * t) - 0.3 * state.v[0], 0.0, 0.0])}


_TIMES = np.linspace(0.0, 0.5, 21)
_TABLE = {"push.force": (_TIMES, np.stack([np.sin(7.0 * _TIMES), 0.0 * _TIMES, 0.0 * _TIMES], axis=1))}
_LONG = pytest.mark.long
WAYS = {
    "newmark": ("double", {"stepper": "newmark", "step": 2e-3}),
    "newmark between few samples": ("double", {"stepper": "newmark", "step": 2e-3, "save_every": 0.25}),
    "a law that is held": ("double", {"stepper": "newmark", "step": 2e-3, "inputs": _law, "rate": 20.0}),
    "a table": ("double", {"stepper": "newmark", "step": 2e-3, "inputs": _TABLE}),
    "rk4": ("double", {"stepper": "rk4", "step": 2e-3}),
    "tsit5": ("double", {"stepper": "tsit5"}),
    "tsit5 with a law that is held": ("double", {"stepper": "tsit5", "inputs": _law, "rate": 20.0}),
    "adapted by error": ("double", {"stepper": "newmark", "step": (1e-4, 1e-2)}),
    "native newmark": ("double", {"stepper": "newmark", "step": 2e-3, "backend": "native"}),
    "native tsit5": ("double", {"stepper": "tsit5", "backend": "native"}),
    "touches": ("bouncer", {"stepper": "newmark", "step": 5e-3}),
    "touches and rk4": ("bouncer", {"stepper": "rk4", "step": 5e-3}),
    "touches and adapted steps": ("bouncer", {"stepper": "newmark", "step": (1e-5, 1e-2)}),
}
QUICK = ("newmark", "native tsit5")


@pytest.mark.parametrize("way", [pytest.param(way, marks=() if way in QUICK else _LONG) for way in WAYS])
def test_the_bits_do_not_depend_on_where_calls_end(way, request, monkeypatch):
    robot, settings = WAYS[way]
    model = request.getfixturevalue(robot)
    random = np.random.default_rng(3)

    def bits(budget):
        monkeypatch.setattr(Pace, "budget", property(lambda pace: budget()))
        run = pliant.simulate(model, 0.5, **{"save_every": 0.01, **settings})
        parts = (run.time, run.q, run.v, run.energy, run.forces, run.steps, run.estimated_error)
        return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(parts)]

    whole = bits(lambda: 1 << 30)
    assert bits(lambda: 1) == whole, "every step a call of its own"
    assert bits(lambda: int(random.integers(1, 300))) == whole


def test_a_checkpoint_between_two_samples_goes_on_in_the_same_bits(double, tmp_path, monkeypatch):
    monkeypatch.setattr(Pace, "budget", property(lambda pace: 100))
    settings = {"stepper": "newmark", "step": 2e-3, "save_every": 0.25, "checkpoint_every": 0.0}
    whole = pliant.simulate(double, 0.5, **settings)

    def stop(t, until):
        if t > 0.1:
            raise KeyboardInterrupt

    path = tmp_path / "run.npz"
    part = pliant.simulate(double, 0.5, checkpoint=path, progress=stop, throw=False, **settings)
    assert len(part.time) == 1 and part.code == pliant.numerics.ResultCode.INTERRUPTED and path.exists()
    (tmp_path / f".run.npz.{32 * '0'}.partial").write_bytes(b"of a process that was killed")
    again = pliant.simulate(double, 0.5, checkpoint=path, **settings)
    assert np.array_equal(again.q, whole.q) and np.array_equal(again.v, whole.v) and again.steps == whole.steps
    assert not list(tmp_path.iterdir())


def test_an_interrupted_run_is_the_beginning_of_the_whole_one(double):
    settings = {"stepper": "newmark", "step": 5e-3, "save_every": 5e-3}

    def stop(t, until):
        if t > 3.0:
            raise KeyboardInterrupt

    whole = pliant.simulate(double, 5.0, **settings)
    with pytest.raises(pliant.SolveError, match=r"interrupted.* newmark stopped after t = .* are kept") as ended:
        pliant.simulate(double, 5.0, progress=stop, **settings)
    part = ended.value.partial
    count = len(part.time)
    assert 600 < count < 1001
    for name in ("total", "kinetic"):
        np.testing.assert_array_equal(part.energy[name], whole.energy[name][:count])
    np.testing.assert_array_equal(part.q, whole.q[:count])


def test_calls_become_as_long_as_is_wanted(monkeypatch):
    """A program that takes 1 ms for each unit of work, then 4 ms; its first call compiles for 5 s."""
    now = [0.0]
    monkeypatch.setattr(_pace.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(_pace, "_seconds_each", {})

    def call(pace, each, compiling=0.0):
        with pace.measured() as done:
            work = pace.budget
            now[0] += compiling + work * each
            done.append(work)
        return work * each

    pace = Pace("program")
    assert call(pace, 1e-3, compiling=5.0) < 0.1
    assert [call(pace, 1e-3) for _ in range(3)][1:] == pytest.approx([_pace.SECONDS] * 2, rel=0.01)
    assert call(pace, 4e-3) == pytest.approx(4 * _pace.SECONDS, rel=0.01) and 4 * _pace.SECONDS < 2.0
    assert call(pace, 4e-3) == pytest.approx(_pace.SECONDS, rel=0.02)
    assert call(Pace("program"), 4e-3) == pytest.approx(_pace.SECONDS, rel=0.02), "the next run knows it"
    sudden = Pace("another")
    call(sudden, 1e-9, compiling=1.0)
    grown = [sudden.budget for _ in range(3) if call(sudden, 1e-9)]
    assert grown == [16 * 32, 16**2 * 32, 16**3 * 32], "not at once, however fast the first ones were"
