"""Equilibrium, load paths and what they say when they fail."""

import functools

import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant import ResultCode, SolveError
from pliant.validation._beams import slender
from robots import arm, block


def test_equilibrium_balances_and_reports():
    rest = pliant.equilibrium(arm())
    assert int(rest.code) == ResultCode.SUCCESS and float(rest.residual) <= 1e-10
    assert float(rest.smallest_eigenvalue) > 0 and int(rest.iterations) < 20
    still = jnp.zeros(4)
    np.testing.assert_allclose(pliant.residual(arm(), rest.q, still, still), 0.0, atol=1e-9)
    assert float(rest.position("ball")[2]) < -0.01 and float(rest.position("ball")[1]) > 0.01


def test_load_steps_and_path_end_in_the_same_place():
    direct = pliant.equilibrium(arm())
    stepped = pliant.equilibrium(arm(), steps=4)
    path = pliant.equilibrium_path(arm(), [0.25, 0.5, 1.0])
    # Easy load steps double the increment: four quarters take three steps.
    assert int(stepped.load_steps) == 3
    np.testing.assert_allclose(stepped.q, direct.q, rtol=1e-8)
    np.testing.assert_allclose(path.q[-1], direct.q, rtol=1e-8)
    assert path.position("ball").shape == (3, 3)


def test_a_robot_that_cannot_rest_says_so():
    inputs = {"push.force": jnp.array([1.0, 0.0, 0.0])}
    with pytest.raises(SolveError, match=r"robot 'block' reached 0 of its load"):
        pliant.equilibrium(block(), inputs=inputs)
    kept = pliant.equilibrium(block(), inputs=inputs, throw=False)
    assert int(kept.code) != ResultCode.SUCCESS


def test_bad_requests_are_refused():
    with pytest.raises(ValueError, match="steps must be at least 1; got 0"):
        pliant.equilibrium(arm(), steps=0)
    with pytest.raises(KeyError, match=r"no input 'pull\.torque'; its inputs are: pull\.force, pull\.moment"):
        pliant.equilibrium(arm(), inputs={"pull.torque": jnp.zeros(3)})
    with pytest.raises(KeyError, match="no frame 'hand'; its frames are: rod, ball"):
        pliant.jacobian(arm(), jnp.zeros(4), "hand")


def test_modes_are_eigenvalues_of_the_linearisation():
    rest = pliant.equilibrium(arm())
    found = pliant.modes(arm(), rest, count=4)
    undamped = arm().with_parameters({"materials.rubber.viscosity": 0.0})
    state_space = pliant.linearise(undamped, rest.q)
    rates = np.sort(np.abs(np.linalg.eigvals(np.asarray(state_space.A)).imag))[::2]
    np.testing.assert_allclose(np.sort(found.frequency), rates, rtol=1e-6)
    np.testing.assert_allclose(state_space.offset, 0.0, atol=1e-6)
    assert state_space.B.shape == (8, 3) and state_space.C.shape == (6, 8)
    mass = np.asarray(pliant.mass_matrix(arm(), rest.q))
    np.testing.assert_allclose(found.vectors.T @ mass @ found.vectors, np.eye(4), atol=1e-9)


def test_unstable_configuration_has_no_modes():
    upside_down = arm().with_parameters({"gravity": [-3000.0, 0.0, 0.0]})
    with pytest.raises(SolveError, match="unstable"):
        pliant.modes(upside_down, jnp.zeros(4), inputs={"pull.force": jnp.zeros(3)})


@functools.cache
def _slender():
    """A rod of two nodes with poses of their own, which hardly stretches: 1 m, 1 N m^2, pulled aside by 1 N."""
    return pliant.compile(
        slender("slender", 1.0, 1.0, {"eba": {"pieces": 2}}).load("tip", where={"link": "rod"}, force=[1.0, 0.0, 0.0])
    )


def _tip(slenderness, loads):
    """Where the tip is at the last of the loads [N], and the most iterations that one of them took."""
    axial = 4.0 / slenderness**2
    section = {"links.rod.section.given.stiffness": [1.0, 1.0, 1.0, 0.5 * axial, 0.5 * axial, axial]}
    model, iterations = _slender().with_parameters(section), 0
    q = jnp.asarray(model.neutral())
    for load in loads:
        found = pliant.pure.equilibrium(model, q, load_factor=jnp.asarray(load))
        assert int(found.code) == ResultCode.SUCCESS, (slenderness, load, float(found.residual))
        q, iterations = found.q, max(iterations, int(found.iterations))
    return np.asarray(pliant.forward_kinematics(model, q)["rod"])[:3, 3], iterations


def test_newton_ends_at_the_rounding_of_a_rod_that_hardly_stretches():
    """Forces of 1 N are differences of lengths times 4e10 N: no residual of 1e-10 is to be had, on any machine."""
    loads = np.linspace(0.0, 2.0, 41)[1:]
    stiff, iterations = _tip(1e-5, loads)
    reference, _ = _tip(1e-3, loads)
    np.testing.assert_allclose(stiff, reference, atol=5e-6)
    assert iterations <= 10


@functools.cache
def _thread(word="pcs"):
    """A rod of one piece that sticks out of a wall."""
    return pliant.compile(
        pliant.Robot("thread")
        .material("rubber", young=1e5, poisson=0.4, density=1000.0)
        .rod(
            "rod",
            parent={"link": "world", "offset": {"rotate": {"y": "90 deg"}}},
            length=0.1,
            section={"circle": {"radius": 0.01}},
            material="rubber",
            allow=["bend_y"],
            model={word: {"pieces": 1}},
        )
    )


@pytest.mark.parametrize("radius", [1e-12, 1e-20])
def test_a_rod_too_thin_for_its_weight_is_named(radius):
    """Its equations have a root in which it is coiled up 1e15 times."""
    thin = _thread().with_parameters({"links.rod.section.circle.radius": radius})
    with pytest.raises(SolveError, match=r"would turn rod 'rod' by .* rad between two of its points.*Check its radius"):
        pliant.equilibrium(thin)
    kept = pliant.equilibrium(thin, throw=False)
    assert int(kept.code) != ResultCode.SUCCESS and np.abs(kept.q).max() < 1e4
    assert int(pliant.pure.equilibrium(thin, jnp.zeros(1)).code) != ResultCode.SUCCESS


def test_a_thin_rod_hangs_and_is_not_coiled_up():
    """Of a hair of 10 um Newton's first step is many turns long; the load is walked up instead."""
    hair = _thread().with_parameters({"links.rod.section.circle.radius": 1e-5})
    rest = pliant.equilibrium(hair)
    assert int(rest.code) == ResultCode.SUCCESS and 0.0 < abs(float(rest.q[0])) * 0.1 < np.pi
    assert float(rest.position("rod")[2]) < -0.05
