"""Lengths between points that coincide."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.lie import so3
from pliant.mechanics import beam_deformation, distance


@pytest.mark.parametrize("apart", [0.0, 1e-13, 1e-3])
def test_the_distance_of_two_points_has_derivatives_wherever_they_are(apart: float) -> None:
    """Zero where they coincide: there is no direction between them."""
    first, second = jnp.zeros(3), apart * jnp.array([0.0, 0.6, 0.8])
    length = lambda place: distance(first, place)[0]  # noqa: E731
    expected = [0.0, 0.6, 0.8] if apart > 1e-12 else [0.0] * 3
    for derivative in (jax.grad(length), jax.jacfwd(length)):
        np.testing.assert_allclose(derivative(second), expected, atol=1e-12)
    assert np.all(np.isfinite(jax.hessian(length)(second)))


def test_a_mesh_whose_nodes_meet_has_derivatives() -> None:
    """A node is moved onto its neighbour; one edge is then without length and without force."""
    text = """
robot: net
gravity: [0, 0, 0]
meshes:
  - {name: net, nodes: [[0, 0, 0], [0.1, 0, 0], [0.3, 0, 0]], edges: [[1, 2], [2, 3]],
     axial: {stiffness: 10, damping: 1}, mass: 1, fixed: [3]}
"""
    model = pliant.compile(pliant.parse(text))
    q, v = jnp.zeros(6).at[0].set(0.1), 0.1 * jnp.arange(6.0)
    by_q = jax.jacfwd(lambda q: pliant.forward_dynamics(model, q, v))(q)
    assert np.all(np.isfinite(by_q)) and np.abs(by_q).max() > 1.0
    assert np.all(np.isfinite(jax.grad(lambda q: pliant.energy(model, q, v)["total"])(q)))


@pytest.mark.parametrize("degrees", [1.0, 90.0, 173.0, 175.0, 179.9999, 180.1, 187.0])
def test_twice_the_vector_of_the_half_angle_through_the_half_turn(degrees: float) -> None:
    """2 sin(angle / 2) along the axis, which turns over at the half turn; so does its derivative."""
    axis = np.array([0.3, -0.5, 0.8]) / np.linalg.norm([0.3, -0.5, 0.8])
    side = 1.0 if degrees < 180.0 else -1.0

    def bend(angle: jax.Array) -> jax.Array:
        return beam_deformation(jnp.eye(3), jnp.zeros(3), so3.about(jnp.asarray(axis), angle), jnp.zeros(3), False)[:3]

    angle = jnp.radians(degrees)
    np.testing.assert_allclose(bend(angle), side * 2.0 * jnp.sin(0.5 * angle) * axis, atol=1e-13)
    np.testing.assert_allclose(jax.jacfwd(bend)(angle), side * jnp.cos(0.5 * angle) * axis, atol=1e-11)


@pytest.mark.parametrize("degrees", [60.0, 119.999, 120.001, 150.0, 179.9999, 180.0, 180.0001, 210.0])
def test_axes_half_way_go_on_through_the_half_turn(degrees: float) -> None:
    """Half of the turn up to 120 degrees; from there the place of the second frame moves on smoothly, as the derivative
    tells, to that in the axes of the first."""
    axis, place = np.array([0.6, 0.0, 0.8]), jnp.array([0.3, -0.2, 0.5])

    def seen(angle: jax.Array) -> jax.Array:
        turn = so3.about(jnp.asarray(axis), angle)
        return beam_deformation(jnp.eye(3), jnp.zeros(3), turn, place, True)[3:]

    angle, small = np.radians(degrees), 1e-5
    if degrees <= 120.0:
        np.testing.assert_allclose(seen(angle), so3.about(jnp.asarray(axis), -0.5 * angle) @ place, atol=1e-14)
    if degrees == 180.0:
        np.testing.assert_allclose(seen(angle), place, atol=1e-14)
    slope = (seen(angle + small) - seen(angle - small)) / (2.0 * small)
    np.testing.assert_allclose(jax.jacfwd(seen)(angle), slope, atol=1e-6)


@pytest.mark.parametrize("frame", ["first", "middle"])
def test_a_node_that_spins_past_the_half_turn_keeps_its_energy(frame: str) -> None:
    text = f"""
robot: two
gravity: [0, 0, 0]
meshes:
  - {{name: two, nodes: [[0, 0, 0], [0.1, 0, 0]], edges: [[1, 2]], fixed: [1], mass: 1e-3, inertia: [1e-7, 1e-7, 1e-7],
     beam: {{stiffness: [5e-4, 5e-4, 5e-4, 5, 5, 20], frame: {frame}}}}}
"""
    model = pliant.compile(pliant.parse(text))
    start = pliant.State(jnp.asarray(model.neutral()), jnp.zeros(6).at[0].set(7.0).at[1].set(1500.0))
    run = pliant.simulate(model, 0.01, stepper="tsit5", rtol=1e-9, atol=1e-11, state=start)
    assert np.asarray(run.q)[:, 0].min() < -0.9
    total = np.asarray(run.energy["total"])
    np.testing.assert_allclose(total, total[0], rtol=1e-6)
