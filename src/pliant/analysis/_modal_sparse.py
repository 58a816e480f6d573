"""Modes of large sparse systems: one factorisation, then Lanczos or Arnoldi on the inverse next to zero."""

from collections.abc import Callable

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg

from pliant.numerics import ResultCode, SolveError

_SHIFT = 1e-10  # of the mean stiffness per mass: lets a free body, whose stiffness is singular, be factored
_GIVE = 1e-8  # of a typical compliance: what constraints may yield where only signs are counted
_SEED = 0  # of the vector that the iteration starts from: the same result in every run

Solve = Callable[[np.ndarray], np.ndarray]


def is_symmetric(matrix: np.ndarray | sparse.sparray, tolerance: float) -> bool:
    return abs(matrix - matrix.T).max() <= tolerance * abs(matrix).max()


def sparse_undamped(
    mass: sparse.csc_array, stiffness: sparse.csc_array, rows: sparse.csr_array, count: int, symmetric: bool
) -> tuple[np.ndarray, np.ndarray, int | None]:
    """Squared frequencies (k,) next to zero, vectors (n, k) with rows @ vectors = 0, and, of a symmetric stiffness, how
    many squared frequencies are negative (None: not known)."""
    shift = -_typical_square(mass, stiffness)
    shifted = (stiffness - shift * mass).tocsc()
    solve = _solver(shifted, rows)
    size = mass.shape[0]
    if not symmetric:
        operator = linalg.LinearOperator((size, size), matvec=lambda b: solve(mass @ b), dtype=float)
        values, vectors = _arnoldi(operator, count, _start(operator))
        return shift + 1.0 / values, vectors, None
    inverse = linalg.LinearOperator((size, size), matvec=solve, dtype=float)
    # Starting inside the constraints keeps every iterate there.
    start = solve(mass @ np.random.default_rng(_SEED).normal(size=size))
    try:
        values, vectors = linalg.eigsh(stiffness, count, M=mass, sigma=shift, OPinv=inverse, v0=start)
    except linalg.ArpackError as error:
        raise _stalled(error) from error
    return values, vectors, negative_count(shifted, rows)


def sparse_damped(
    mass: sparse.csc_array,
    stiffness: sparse.csc_array,
    damping: sparse.csc_array,
    rows: sparse.csr_array,
    count: int,
    pace: float,
) -> tuple[np.ndarray, np.ndarray]:
    """At least `count` eigenvalues next to zero, and vectors, of (l^2 M + l D + K) x = 0 with rows @ x = 0.

    Arnoldi on the inverse of the first-order system of (x, y), y = l x, about a shift s: with b = (x, M y),
    (s^2 M + s D + K) x+ = -M y - D x - s M x and y+ = x + s x+. pace: a typical l, so that both halves are comparable.
    """
    shift = np.sqrt(_typical_square(mass, stiffness))
    solve = _solver((shift**2 * mass + shift * damping + stiffness).tocsc(), rows)
    size = mass.shape[0]

    def step(state: np.ndarray) -> np.ndarray:
        x, y = state[:size], pace * state[size:]
        ahead = -solve(mass @ (y + shift * x) + damping @ x)
        return np.concatenate([ahead, (x + shift * ahead) / pace])

    operator = linalg.LinearOperator((2 * size, 2 * size), matvec=step, dtype=float)
    # One pair more than asked for, so that the last one is whole.
    wanted = min(count + 2, 2 * (size - rows.shape[0]))
    values, vectors = _arnoldi(operator, wanted, step(step(_start(operator))))
    return shift + 1.0 / values, vectors[:size]


def _typical_square(mass: sparse.csc_array, stiffness: sparse.csc_array) -> float:
    typical = float(np.mean(np.abs(stiffness.diagonal()) / mass.diagonal()))
    return _SHIFT * (typical if typical > 0.0 else 1.0)


def _start(operator: linalg.LinearOperator) -> np.ndarray:
    return operator @ np.random.default_rng(_SEED).normal(size=operator.shape[0])


def _arnoldi(operator: linalg.LinearOperator, count: int, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The `count` largest eigenvalues."""
    count = min(count, operator.shape[0] - 2)
    subspace = min(operator.shape[0], max(4 * count, 40))  # pairs next to each other converge slowly in fewer
    try:
        return linalg.eigs(operator, count, v0=start, ncv=subspace)
    except linalg.ArpackError as error:
        raise _stalled(error) from error


def _stalled(error: Exception) -> SolveError:
    return SolveError(ResultCode.NOT_CONVERGED, f"the iteration for the modes did not converge ({error})")


def _solver(matrix: sparse.csc_array, rows: sparse.csr_array) -> Solve:
    """b -> x with matrix x + rows^T l = b and rows x = 0."""
    size, level = matrix.shape[0], abs(matrix).max()
    # Rows of unit length beside a stiffness of 1e6 N/m would be lost to the pivots.
    augmented = sparse.block_array([[matrix, level * rows.T], [level * rows, None]]) if rows.shape[0] else matrix
    try:
        factors = linalg.splu(augmented.tocsc())
    except RuntimeError as error:
        raise SolveError(ResultCode.SINGULAR, f"the matrix of the modes cannot be factored ({error})") from error
    tail = np.zeros(rows.shape[0])
    return lambda b: factors.solve(np.concatenate([b, tail]))[:size]


def negative_count(matrix: sparse.csc_array, rows: sparse.csr_array) -> int | None:
    """How many eigenvalues of a symmetric matrix among the motions with rows x = 0 are negative: by Sylvester's law the
    negative pivots, less one for each row. None where elimination had to leave the diagonal."""
    if rows.shape[0]:
        # With a little give the matrix has pivots on its diagonal in any order, if it is stable.
        give = sparse.eye_array(rows.shape[0]) * (-_GIVE / abs(matrix).max())
        matrix = sparse.block_array([[matrix, rows.T], [rows, give]]).tocsc()
    factors = linalg.splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    if np.any(factors.perm_r != factors.perm_c):
        return None
    return int(np.sum(factors.U.diagonal() < 0.0)) - rows.shape[0]
