"""Dense linear solves. One place, so that native code can swap in its own Cholesky and LU.

A right-hand side b is a vector (..., n) when it has one dimension less than the matrix, else columns (..., n, k).
"""

import jax
import jax.numpy as jnp
from jax.lax import linalg


def _columns(matrix: jax.Array, b: jax.Array) -> tuple[jax.Array, bool]:
    """b as columns (..., n, k), and whether it came as a vector."""
    is_vector = b.ndim == matrix.ndim - 1
    return (b[..., None] if is_vector else b), is_vector


def cholesky(matrix: jax.Array) -> jax.Array:
    """Lower factor L (..., n, n) with L L^T = A; NaN where A is not positive definite.

    A must be symmetric; only its lower triangle is read.
    """
    return linalg.cholesky(matrix, symmetrize_input=False)


def cholesky_solve(lower: jax.Array, b: jax.Array) -> jax.Array:
    """x with L L^T x = b, of the shape of b."""
    columns, is_vector = _columns(lower, b)
    forward = linalg.triangular_solve(lower, columns, left_side=True, lower=True)
    x = linalg.triangular_solve(lower, forward, left_side=True, lower=True, transpose_a=True)
    return x[..., 0] if is_vector else x


def lu_solve(matrix: jax.Array, b: jax.Array) -> jax.Array:
    """x with A x = b by LU with partial pivoting, of the shape of b; not finite where A is exactly singular."""
    columns, is_vector = _columns(matrix, b)
    x = jnp.linalg.solve(matrix, columns)
    return x[..., 0] if is_vector else x


def solve_symmetric_positive(matrix: jax.Array, b: jax.Array) -> jax.Array:
    """x with A x = b for symmetric positive definite A; NaN where it is not."""
    return cholesky_solve(cholesky(matrix), b)
