"""Inverse kinematics in equilibrium: targets from known inputs are found again, bounds hold, failure is told."""

import numpy as np
import pytest

import pliant
from interactions.bench import LENGTH, bench
from pliant import SolveError

OVER = ("pull", "side")
# Every input is given, so that one compiled program serves all tests of the bench.
REST = {"hold": 2 * LENGTH, "spring": 2 * LENGTH, "idle": 0.0, "push.force": [0, 0, 0], "load.force": [0, 0, 0]}


def _where(**tensions):
    inputs = {"pull": 0.0, "side": 0.0, **REST, **tensions}
    return pliant.equilibrium(bench(), inputs={name: np.asarray(x, dtype=float) for name, x in inputs.items()})


def _solve(target, **settings):
    return pliant.inverse_kinematics(bench(), {"pulled": target}, OVER, start=REST, **settings)


def test_a_target_from_known_inputs_is_reached():
    wanted = {"pull": 2.0, "side": 1.0}
    found = _solve(_where(**wanted).position("pulled"))
    assert found.success and found.distance["pulled"] <= 1e-7 and found.at_bound == ()
    for name, value in wanted.items():
        assert float(found.inputs[name]) == pytest.approx(value, rel=1e-4)
        assert float(found.equilibrium.forces.effort[name]) == pytest.approx(float(found.inputs[name]), rel=1e-9)


def test_bounds_hold():
    target = _where(pull=2.0, side=1.0).position("pulled")
    with pytest.raises(SolveError, match=r"pulled stays .* mm away") as failure:
        _solve(target, bounds={"pull": (0.5, 1.5)})
    nearest = failure.value.partial
    assert float(nearest.inputs["pull"]) == pytest.approx(1.5, abs=1e-12) and nearest.at_bound == ("pull",)
    left = np.linalg.norm(np.asarray(nearest.equilibrium.position("pulled")) - np.asarray(target))
    assert nearest.distance["pulled"] == pytest.approx(left, rel=1e-6)


def test_a_target_out_of_reach_is_refused_with_the_distance():
    target = np.array([0.0, 0.0, 1.5 * LENGTH])
    with pytest.raises(SolveError, match="robot 'bench' does not reach its targets: pulled stays 100 mm away"):
        _solve(target)
    found = _solve(target, throw=False)
    assert not found.success and found.distance["pulled"] == pytest.approx(0.5 * LENGTH, rel=1e-4)


@pytest.mark.parametrize(
    ("targets", "settings", "error", "message"),
    [
        ({"pulled": [0, 0]}, {}, ValueError, r"must be a position \(3,\) or a pose \(4, 4\); got shape \(2,\)"),
        ({"hand": [0, 0, 0]}, {}, KeyError, "no frame 'hand'"),
        ({"pulled": [0, 0, 0]}, {"over": ["push"]}, KeyError, "no input 'push'; its inputs are: pull, side"),
        ({"pulled": [0, 0, 0]}, {"over": ["pull"], "bounds": {"pull": (2, 1)}}, ValueError, "2 is not below 1"),
    ],
)
def test_bad_requests_are_refused(targets, settings, error, message):
    with pytest.raises(error, match=message):
        pliant.inverse_kinematics(bench(), targets, **settings)
