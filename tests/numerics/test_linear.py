import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pliant.numerics import cholesky, cholesky_solve, lu_solve, solve_symmetric_positive


@pytest.fixture(scope="module")
def system():
    generator = np.random.default_rng(7)
    root = generator.normal(size=(3, 5, 5))
    return root @ np.swapaxes(root, 1, 2) + 0.1 * np.eye(5), generator.normal(size=(3, 5, 2))


@pytest.mark.parametrize("solve", [solve_symmetric_positive, lu_solve])
def test_solves_vectors_columns_and_batches(system, solve):
    matrix, b = jnp.asarray(system[0]), jnp.asarray(system[1])
    expected = np.linalg.solve(*system)
    np.testing.assert_allclose(solve(matrix, b), expected, atol=1e-11)
    np.testing.assert_allclose(solve(matrix, b[..., 0]), expected[..., 0], atol=1e-11)
    np.testing.assert_allclose(solve(matrix[0], b[0, :, 1]), expected[0, :, 1], atol=1e-11)


def test_cholesky_factor(system):
    matrix = jnp.asarray(system[0])
    lower = cholesky(matrix)
    np.testing.assert_allclose(lower @ jnp.swapaxes(lower, 1, 2), matrix, atol=1e-13)
    np.testing.assert_array_equal(jnp.triu(lower, 1), 0.0)
    np.testing.assert_allclose(cholesky_solve(lower, matrix), np.broadcast_to(np.eye(5), (3, 5, 5)), atol=1e-11)


def test_failure_is_not_a_number_not_a_wrong_answer():
    indefinite = jnp.diag(jnp.array([1.0, -1.0]))
    assert not np.isfinite(solve_symmetric_positive(indefinite, jnp.ones(2))).any()
    assert not np.isfinite(lu_solve(jnp.zeros((2, 2)), jnp.ones(2))).all()


def test_derivative_by_the_matrix(system):
    matrix, b = jnp.asarray(system[0][0]), jnp.asarray(system[1][0, :, 0])
    direction = matrix @ matrix
    _, tangent = jax.jvp(lambda a: solve_symmetric_positive(a, b), (matrix,), (direction,))
    expected = -np.linalg.solve(matrix, direction @ np.linalg.solve(matrix, b))
    np.testing.assert_allclose(tangent, expected, rtol=1e-9)
