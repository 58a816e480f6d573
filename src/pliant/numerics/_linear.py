"""Dense linear solves. One place, so that native code can swap in its own Cholesky and LU.

A right-hand side b is a vector (..., n) when it has one dimension less than the matrix, else columns (..., n, k).
"""

import jax
import jax.numpy as jnp
import numpy as np
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


_ROUNDING = 10.0 * float(np.finfo(float).eps)  # of a diagonal element: what subtractions leave of a pivot that is zero


def blocks_solvable(lower: jax.Array, matrix: jax.Array) -> jax.Array:
    """() 1 of small blocks (..., n, n) with these Cholesky factors; NaN where a pivot of one is zero but for
    rounding."""
    return jnp.where(jnp.all(_diagonal(lower) ** 2 > _ROUNDING * _diagonal(matrix)), 1.0, jnp.nan)


def _diagonal(matrix: jax.Array) -> jax.Array:
    """(..., n); jnp.diagonal asks for the platform, which native code cannot hold."""
    return jnp.sum(matrix * jnp.eye(matrix.shape[-1]), axis=-1)


def cholesky_solve(lower: jax.Array, b: jax.Array) -> jax.Array:
    """x with L L^T x = b, of the shape of b."""
    columns, is_vector = _columns(lower, b)
    forward = linalg.triangular_solve(lower, columns, left_side=True, lower=True)
    x = linalg.triangular_solve(lower, forward, left_side=True, lower=True, transpose_a=True)
    return x[..., 0] if is_vector else x


def checked_cholesky_solve(lower: jax.Array, diagonal: jax.Array, b: jax.Array) -> jax.Array:
    """x (n,) or (n, k) with L L^T x = b; NaN where the matrix, which has this diagonal, is singular but for rounding:
    its smallest eigenvalue then comes out a little above zero or below, and x would be numbers of any size.

    The last pivot does not show it where the motion that has no mass hardly turns the last coordinate: rounding counts
    there by the square of how little. The solution p of L^T p = 1 grows along that motion, and p^T A p is n.
    """
    columns, is_vector = _columns(lower, b)
    if not len(lower):
        return b
    forward = linalg.triangular_solve(lower, columns, left_side=True, lower=True)
    with_probe = jnp.concatenate([forward, jnp.ones((len(lower), 1))], axis=1)
    x = linalg.triangular_solve(lower, with_probe, left_side=True, lower=True, transpose_a=True)
    grown = jnp.sum(diagonal * x[:, -1] ** 2)
    x = jnp.where(grown * _ROUNDING < 1.0, x, jnp.nan)
    return x[:, 0] if is_vector else x[:, :-1]


def lu_solve(matrix: jax.Array, b: jax.Array) -> jax.Array:
    """x with A x = b by LU with partial pivoting, of the shape of b; not finite where A is exactly singular."""
    columns, is_vector = _columns(matrix, b)
    x = jnp.linalg.solve(matrix, columns)
    return x[..., 0] if is_vector else x


def solve_symmetric_positive(matrix: jax.Array, b: jax.Array) -> jax.Array:
    """x with A x = b for symmetric positive definite A; NaN where it is not."""
    return cholesky_solve(cholesky(matrix), b)


def small_cholesky(matrix: jax.Array) -> jax.Array:
    """Cholesky factors of many matrices (..., n, n) of a few rows: unrolled, so that the batch is one fused loop."""
    n = matrix.shape[-1]
    nothing = jnp.zeros_like(matrix[..., 0, 0])
    lower: list[list[jax.Array]] = [[nothing] * n for _ in range(n)]
    for j in range(n):
        pivot = matrix[..., j, j] - sum((lower[j][k] ** 2 for k in range(j)), nothing)
        lower[j][j] = jnp.sqrt(pivot)
        for i in range(j + 1, n):
            inner = sum((lower[i][k] * lower[j][k] for k in range(j)), nothing)
            lower[i][j] = (matrix[..., i, j] - inner) / lower[j][j]
    return jnp.stack([jnp.stack(row, axis=-1) for row in lower], axis=-2)


def small_cholesky_solve(lower: jax.Array, b: jax.Array) -> jax.Array:
    """x (..., n, k) with L L^T x = b, unrolled like `small_cholesky`."""
    n = lower.shape[-1]
    x = [b[..., i, :] for i in range(n)]
    for i in range(n):
        for k in range(i):
            x[i] = x[i] - lower[..., i, k, None] * x[k]
        x[i] = x[i] / lower[..., i, i, None]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            x[i] = x[i] - lower[..., k, i, None] * x[k]
        x[i] = x[i] / lower[..., i, i, None]
    return jnp.stack(x, axis=-2)


_PROXIMAL_WEIGHT = 1e-9  # of the scaled diagonal; small beside any row that matters, large beside round-off
_PROXIMAL_STEPS = 3


def solve_semidefinite(matrix: jax.Array, b: jax.Array) -> jax.Array:
    """x (n,) with A x = b for symmetric A that may be singular, as long as b is in its range: redundant rows share the
    load. Proximal iteration on the matrix scaled to a unit diagonal; a row of zeros gets x = 0."""
    identity = jnp.eye(matrix.shape[0])
    diagonal = jnp.sum(matrix * identity, axis=-1)  # jnp.diagonal asks for the platform, which native code cannot hold
    present = diagonal > 1e-14 * jnp.max(diagonal, initial=1e-300)
    scale = jnp.where(present, 1.0 / jnp.sqrt(jnp.where(present, diagonal, 1.0)), 0.0)
    lower = cholesky(matrix * scale[:, None] * scale + _PROXIMAL_WEIGHT * identity)
    x = jnp.zeros_like(b)
    for _ in range(_PROXIMAL_STEPS):
        x = cholesky_solve(lower, scale * b + _PROXIMAL_WEIGHT * x)
    return scale * x
