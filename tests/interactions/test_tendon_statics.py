"""Tendons at rest: tension against length, slack, stretch, and what is left for the material to carry."""

import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from interactions.bench import BENDING, LENGTH, OFFSET, bench, coordinates

TENSION = 3.0
# The length beside a circle whose curvature is the tendon's moment over the bending stiffness.
CURVATURE = -TENSION * OFFSET / BENDING
PULLED = LENGTH * (1.0 + CURVATURE * OFFSET)
PUSH = np.array([0.02, 0.05, 0.1])


def _rest(model=None, **given):
    """Equilibrium under inputs; what is not given pulls and pushes nothing."""
    slack = {"pull": 0.0, "side": 0.0, "hold": 2 * LENGTH, "spring": 2 * LENGTH, "idle": 0.0}
    loads = {"push.force": np.zeros(3), "load.force": np.zeros(3)}
    inputs = slack | loads | {name.replace("_", "."): value for name, value in given.items()}
    return pliant.equilibrium(model or bench(), inputs={name: np.asarray(x, dtype=float) for name, x in inputs.items()})


def _nodes(rest, rod):
    """Fractions, poses and internal wrenches along a rod."""
    own = np.array(rest.scene.node_link) == rest.scene.links.index(rod)
    fraction = np.array(rest.scene.node_fraction)[own]
    return fraction, np.asarray(rest.shape.node_pose)[own], np.asarray(rest.internal)[own]


def test_tension_bends_to_a_circle_and_length_does_the_same():
    rest = _rest(pull=TENSION, hold=PULLED)
    expected = [CURVATURE, 0, 0, 0, 0, 0]
    np.testing.assert_allclose(coordinates(rest.q, "pulled"), expected, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(coordinates(rest.q, "held"), expected, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(rest.forces.travel["pull"], PULLED, rtol=1e-10)
    np.testing.assert_allclose(rest.forces.effort["hold"], TENSION, rtol=1e-8)
    # The tendon is in tension, so the material is compressed, and bent by the couple of the two.
    _, _, wrench = _nodes(rest, "pulled")
    np.testing.assert_allclose(wrench, [[-TENSION * OFFSET, 0, 0, 0, 0, -TENSION]] * len(wrench), atol=1e-9)
    np.testing.assert_allclose(wrench[:, 0], BENDING * CURVATURE, rtol=1e-9)


def test_a_tendon_longer_than_the_path_is_slack():
    rest = _rest(hold=1.001 * LENGTH, spring=1.001 * LENGTH)
    for name in ("hold", "spring"):
        assert float(rest.forces.effort[name]) == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(rest.q, 0.0, atol=1e-12)
    np.testing.assert_allclose(rest.forces.travel["hold"], LENGTH, rtol=1e-12)


def test_a_stiff_tendon_converges_to_an_inextensible_one():
    stiffness, apart = np.array([1e3, 1e4, 1e5, 1e6]), []
    for value in stiffness:
        rest = _rest(
            bench().with_parameters({"actuators.spring.stiffness": value}), pull=TENSION, hold=PULLED, spring=PULLED
        )
        apart.append(np.abs(coordinates(rest.q, "elastic") - coordinates(rest.q, "held")).max())
        stretched = float(rest.forces.travel["spring"]) / PULLED - 1.0
        np.testing.assert_allclose(rest.forces.effort["spring"], value * stretched, rtol=1e-6)
    slopes = np.diff(np.log10(apart)) / np.diff(np.log10(stiffness))
    np.testing.assert_allclose(slopes[1:], -1.0, atol=0.05)


def test_a_tendon_on_the_axis_of_an_inextensible_rod_does_nothing():
    rng = np.random.default_rng(1)
    for _ in range(3):
        columns = pliant.actuation_matrix(bench(), jnp.asarray(rng.normal(size=bench().nq)))
        np.testing.assert_allclose(columns[:, bench().actuator_names.index("idle")], 0.0, atol=1e-14)
    rest = _rest(idle=50.0, push_force=PUSH, load_force=PUSH)
    np.testing.assert_allclose(coordinates(rest.q, "neutral"), coordinates(rest.q, "plain"), rtol=1e-9, atol=1e-9)
    # The material feels it all the same.
    _, _, loaded = _nodes(rest, "neutral")
    _, _, plain = _nodes(rest, "plain")
    np.testing.assert_allclose(loaded - plain, [[0, 0, 0, 0, 0, -50.0]] * len(plain), atol=1e-7)


def test_internal_wrench_of_a_cantilever():
    rest = _rest(load_force=PUSH)
    _, poses, wrench = _nodes(rest, "plain")
    turn, place = poses[:, :3, :3], poses[:, :3, 3]
    force = np.einsum("kji,j->ki", turn, PUSH)
    moment = np.einsum("kji,kj->ki", turn, np.cross(place[-1] - place, PUSH))
    np.testing.assert_allclose(wrench, np.hstack([moment, force]), atol=1e-9)
    # Nearly straight: moment P (L - s), shear P, tension N.
    shear, tension = 1e-4, 2e-4
    fraction, _, wrench = _nodes(_rest(load_force=[0, shear, tension]), "plain")
    arm = LENGTH * (1.0 - fraction)
    expected = np.outer(arm, [-shear, 0, 0, 0, 0, 0]) + np.array([0, 0, 0, 0, shear, tension])
    np.testing.assert_allclose(wrench, expected, atol=1e-3 * shear)


def test_a_tendon_that_does_not_stretch_is_refused_in_motion():
    model = bench()
    state = model.initial_state()
    for call in (
        lambda: pliant.forward_dynamics(model, state.q, state.v),
        lambda: pliant.linearise(model, state.q),
        lambda: pliant.simulate(model, 0.1),
    ):
        with pytest.raises(
            ValueError, match=r"'bench': in motion the length-driven tendons hold need a stiffness \(EA"
        ):
            call()
