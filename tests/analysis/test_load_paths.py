"""Load paths through limit points, bifurcations and flutter, against closed forms of robots with one or two joints."""

import functools

import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant import ArcLength, Robot, SolveError
from pliant.results import PointKind, Stability
from pliant.validation.statics._limit_point import LOAD, truss, truss_limit, truss_load

_MASSLESS = [1e-9, 1e-9, 1e-9]  # kg m^2
HINGE = 2.0  # N m/rad


@functools.cache
def _truss():
    return pliant.compile(truss())


def _bar(mass, stiffness):
    """A bar of 1 m with its mass at its end, on a sprung hinge."""
    hinge = {"revolute": {"axis": "y", "stiffness": stiffness, "damping": 0.0}}
    return {"mass": mass, "inertia": _MASSLESS, "centre": [0, 0, 1.0], "joint": hinge}


@functools.cache
def _strut():
    """An upright bar on a hinge under a dead weight of one unit: k a = P l sin a."""
    return pliant.compile(
        Robot("strut")
        .with_gravity([0, 0, 0])
        .rigid("bar", **_bar(1.0, HINGE))
        .load("weight", where={"link": "bar", "offset": {"move": [0, 0, 1.0]}}, force=[0, 0, -1.0])
    )


@functools.cache
def _ziegler():
    """Ziegler's pendulum: two bars, of 2 kg and 1 kg, and a unit force that pushes along the second and turns with
    it."""
    end = {"offset": {"move": [0, 0, 1.0]}}
    return pliant.compile(
        Robot("ziegler")
        .with_gravity([0, 0, 0])
        .rigid("lower", **_bar(2.0, 1.0))
        .rigid("upper", parent={"link": "lower", **end}, **_bar(1.0, 1.0))
        .load("push", where={"link": "upper", **end}, force=[0, 0, -1.0], frame="body")
    )


def _damped_ziegler(damping):
    names = [name for name in _ziegler().parameters if name.endswith("damping")]
    return _ziegler().with_parameters({name: damping for name in names})


def _marks(path):
    return [(kind, factor) for _, kind, factor in path.marks()]


def test_a_truss_snaps_through_along_its_closed_form():
    path = pliant.equilibrium_path(_truss(), [1.0], arc_length=True)
    height = np.asarray(path.position("point"))[:, 2]
    load = LOAD * np.asarray(path.factors)
    np.testing.assert_allclose(load, truss_load(height), atol=1e-9 * truss_limit())
    assert height[0] > 0.0 > height[-1] and float(path.factors[-1]) == 1.0
    (up, highest), (down, lowest) = _marks(path)
    assert up is down is PointKind.LIMIT
    np.testing.assert_allclose([LOAD * highest, LOAD * lowest], [truss_limit(), -truss_limit()], rtol=1e-9)
    # Unstable between the limits, and only there.
    between = np.abs(height) < np.asarray(path.position("point"))[path.marks()[0][0], 2] * (1.0 - 1e-6)
    np.testing.assert_array_equal(np.asarray(path.stability)[between], Stability.DIVERGES)
    beyond = np.abs(load) > 1.001 * truss_limit()
    np.testing.assert_array_equal(np.asarray(path.stability)[beyond], Stability.STABLE)
    assert 20 < len(load) < 120


def test_a_path_comes_by_a_factor_as_often_as_there_are_equilibria():
    middle = 0.5 * truss_limit() / LOAD
    path = pliant.equilibrium_path(_truss(), [middle, 1.0], arc_length=True)
    there = np.asarray(path.factors) == middle
    assert there.sum() == 3
    np.testing.assert_array_equal(
        np.asarray(path.stability)[there], [Stability.STABLE, Stability.DIVERGES, Stability.STABLE]
    )


def test_without_arc_length_a_limit_is_where_the_path_ends():
    with pytest.raises(SolveError, match="of its load"):
        pliant.equilibrium_path(_truss(), [0.9 * truss_limit() / LOAD, 1.1 * truss_limit() / LOAD])


@pytest.mark.parametrize("branch", [1, -1])
def test_a_branch_leaves_the_path_where_the_strut_buckles(branch):
    path = pliant.equilibrium_path(_strut(), [1.5 * HINGE], arc_length=ArcLength(branch=branch))
    ((kind, factor),) = _marks(path)
    assert kind is PointKind.BIFURCATION
    np.testing.assert_allclose(factor, HINGE, rtol=1e-8)
    at = path.marks()[0][0]
    angle, load = np.asarray(path.q)[at + 1 :, 0], np.asarray(path.factors)[at + 1 :]
    assert len(angle) > 3 and np.all(branch * angle > 0.0)
    np.testing.assert_allclose(load, HINGE * angle / np.sin(angle), rtol=1e-9)
    assert np.all(np.asarray(path.stability)[at + 1 :] == Stability.STABLE)


def test_a_path_that_stays_is_unstable_beyond_its_bifurcation():
    path = pliant.equilibrium_path(_strut(), [1.5 * HINGE], arc_length=True)
    assert [kind for kind, _ in _marks(path)] == [PointKind.BIFURCATION]
    np.testing.assert_allclose(path.q, 0.0, atol=1e-12)
    beyond = np.asarray(path.factors) > 1.001 * HINGE
    np.testing.assert_array_equal(np.asarray(path.stability)[beyond], Stability.DIVERGES)


@pytest.mark.parametrize(("damping", "load"), [(0.0, 3.5 - np.sqrt(2.0)), (1e-4, 41.0 / 28.0)])
def test_flutter_begins_where_the_modes_of_zieglers_pendulum_meet(damping, load):
    """Its tangent stiffness stays regular; a trace of damping lowers the load by a third (Ziegler's paradox)."""
    path = pliant.equilibrium_path(_damped_ziegler(damping), [3.0], arc_length=True)
    ((kind, factor),) = _marks(path)
    assert kind is PointKind.FLUTTER
    np.testing.assert_allclose(factor, load, rtol=1e-6)
    expected = np.where(np.asarray(path.factors) < factor * (1.0 - 1e-6), Stability.STABLE, Stability.FLUTTERS)
    np.testing.assert_array_equal(path.stability, expected)


def test_modes_of_a_robot_that_flutters_tell_the_complex_pair():
    model = _ziegler().with_parameters({"loads.push.force": [0.0, 0.0, -2.5]})
    rest = pliant.equilibrium(model)
    assert int(rest.stability) == Stability.FLUTTERS and rest.summary()["stable"] is False
    found = pliant.modes(model, rest)
    told = found.summary()
    assert told["stable"] is False and told["stability"] == "flutters"
    stiffness, mass = (
        np.asarray(function(model, rest.q)) for function in (pliant.stiffness_matrix, pliant.mass_matrix)
    )
    squares = np.linalg.eigvals(np.linalg.solve(mass, stiffness))
    rates = 1j * np.sqrt(squares)
    expected = np.concatenate([rates, rates.conj()])
    np.testing.assert_allclose(np.sort_complex(found.eigenvalues), np.sort_complex(expected), rtol=1e-9)
    growing = expected[np.argmax(expected.real)]
    assert growing.real > 0.1
    np.testing.assert_allclose(found.frequency, abs(growing.imag), rtol=1e-9)
    ratio = growing.real / abs(growing)
    np.testing.assert_allclose(np.sort(found.damping_ratio), [-ratio, ratio], rtol=1e-9)
    left = mass @ found.damped_vectors * found.eigenvalues**2 + stiffness @ found.damped_vectors
    np.testing.assert_allclose(left, 0.0, atol=1e-9)


def test_below_its_load_the_pendulum_is_stable_though_its_tangent_is_not_symmetric():
    found = pliant.modes(_ziegler(), jnp.zeros(2))
    assert int(found.stability) == Stability.STABLE and np.all(np.asarray(found.frequency) > 0.0)
    assert found.summary()["stable"] is True


def test_bad_paths_are_refused():
    with pytest.raises(ValueError, match="step of ArcLength must be greater than 0; got -1"):
        ArcLength(step=-1.0)
    with pytest.raises(ValueError, match="that does not end with 0"):
        pliant.equilibrium_path(_strut(), [0.0], arc_length=True)
    short = pliant.equilibrium_path(_strut(), [1.0], arc_length=ArcLength(points=3), throw=False)
    assert int(short.code[-1]) == pliant.ResultCode.MAX_STEPS and len(short.factors) == 3
    with pytest.raises(SolveError, match=r"over 3 points to the load factor 0\.\d+ and not to 1"):
        pliant.equilibrium_path(_strut(), [1.0], arc_length=ArcLength(points=3))


def test_a_branch_that_is_not_met_is_told():
    """The strut buckles once below this load; a path without the second branch is not the second branch."""
    with pytest.raises(SolveError, match=r"met 1 bifurcations up to the load factor .* branch=2 asks for more"):
        pliant.equilibrium_path(_strut(), [1.5 * HINGE], arc_length=ArcLength(branch=2))
