"""Lengths between points that coincide."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.mechanics import distance


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
