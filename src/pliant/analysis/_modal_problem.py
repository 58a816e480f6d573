"""Vibration of a linear system: M a + D v + K x = 0 among the motions with J x = 0, dense or sparse."""

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sparse

from pliant.analysis._modal_sparse import is_symmetric, sparse_damped, sparse_undamped
from pliant.numerics import ResultCode, SolveError

_SYMMETRY = 1e-8  # relative; a tangent less symmetric than this carries follower loads
_UNSTABLE = -1e-9  # of the largest squared frequency; round-off may put the zero modes of a free body below zero
_DEPENDENT = 1e-9  # of the largest: a row of constraints smaller than this follows from the others
_SMALL = 200  # velocities up to which sparse matrices are solved as dense ones
_MOST_SHARE = 3  # a third of all modes: an iteration that finds more costs more than the dense solve

Matrix = Any  # a numpy array or one of scipy's sparse ones, which have no types


class Operators(NamedTuple):
    """mass, stiffness, damping (n, n) and rows of constraints (m, n), all dense or all sparse. The mass is symmetric
    positive definite; follower loads make the stiffness unsymmetric. Damping is NaN where it has no derivative."""

    mass: Matrix
    stiffness: Matrix
    damping: Matrix
    constraints: Matrix | None = None


class Vibration(NamedTuple):
    """The k lowest modes, and the slowest damped ones.

    - squared: (k,) squared frequencies [rad^2/s^2], ascending; vectors: (n, k), mass-normalised.
    - damping: (k,) [1/s] what the damping matrix does to each mode alone: 2 zeta omega.
    - eigenvalues: (l,) [1/s] of the damped system, nearest to zero first, conjugates side by side (positive imaginary
      part first); 2 k of them, or one more where the last is a pair. damped_vectors: (n, l) complex, x^H M x = 1, in
      the phase that makes x^T M x real and positive.
    """

    squared: np.ndarray
    vectors: np.ndarray
    damping: np.ndarray
    eigenvalues: np.ndarray
    damped_vectors: np.ndarray


def modes_from(operators: Operators, count: int, name: str = "the system") -> Vibration:
    """The `count` lowest modes, fewer if there are fewer motions. Large sparse matrices stay sparse: shift-and-invert
    Lanczos finds the modes next to zero, and constraints enter the factored matrix.

    Raises SolveError where the undamped system is unstable or flutters; `name` says whose. Of sparse matrices that are
    not symmetric only the modes that were found are looked at.
    """
    size = operators.mass.shape[0]
    if sparse.issparse(operators.mass) and size > max(_SMALL, _MOST_SHARE * count):
        return _sparse_modes(operators, count, name)
    mass, stiffness, damping, constraints = (_dense(matrix) for matrix in operators)
    if constraints is None or not constraints.size:
        return _dense_modes(mass, stiffness, damping, count, name)
    free = scipy.linalg.null_space(_unit_rows(constraints), rcond=_DEPENDENT)
    mass, stiffness, damping = (free.T @ matrix @ free for matrix in (mass, stiffness, damping))
    found = _dense_modes(mass, stiffness, damping, count, name)
    return found._replace(vectors=free @ found.vectors, damped_vectors=free @ found.damped_vectors)


def _dense(matrix: Matrix) -> Any:
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def _unit_rows(rows: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0.0, lengths, 1.0)


def _dense_modes(mass: np.ndarray, stiffness: np.ndarray, damping: np.ndarray, count: int, name: str) -> Vibration:
    kept = min(count, len(mass))
    if kept == 0:
        nothing = np.zeros((len(mass), 0))
        return Vibration(np.zeros(0), nothing, np.zeros(0), np.zeros(0, complex), nothing.astype(complex))
    # A mass-normalised basis in which the symmetric part is diagonal: the modes themselves, without follower loads.
    # What it leaves has no mixed units, and stiff directions stand apart from soft ones.
    level, basis = scipy.linalg.eigh(0.5 * (stiffness + stiffness.T), mass)
    own_damping = basis.T @ damping @ basis
    if is_symmetric(stiffness, _SYMMETRY):
        own_stiffness, squared, vectors = np.diag(level), level, np.eye(len(level))
        modal_damping = np.diagonal(own_damping)
    else:
        own_stiffness = basis.T @ stiffness @ basis
        values, columns = scipy.linalg.eig(own_stiffness)
        squared, vectors = _real_modes(values, columns, name)
        vectors = vectors / np.linalg.norm(vectors, axis=0)
        modal_damping = np.diagonal(np.linalg.solve(vectors, own_damping @ vectors))
    _refuse_unstable(squared, name)
    first = vectors[:, :kept]
    found = Vibration(squared[:kept], basis @ first, modal_damping[:kept], *_undamped(squared, first, kept))
    if np.any(np.isnan(damping)):
        return _undefined(found)
    if np.any(damping):
        found = found._replace(**_damped(level, own_stiffness, own_damping, kept))
    return found._replace(damped_vectors=_phased(basis @ found.damped_vectors, mass))


def _real_modes(values: np.ndarray, columns: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues in order and real vectors of an unsymmetric stiffness."""
    order = np.argsort(values.real)
    values, columns = values[order], columns[:, order]
    if np.any(np.abs(values.imag) > _SYMMETRY * np.abs(values.real).max()):
        raise SolveError(ResultCode.SINGULAR, f"{name} flutters under its follower loads: no undamped modes")
    return values.real, columns.real


def _refuse_unstable(squared: np.ndarray, name: str, below: int | None = None) -> None:
    """below: how many squared frequencies are known to be negative, found or not."""
    if squared.min() < _UNSTABLE * max(np.abs(squared).max(), 1.0):
        lowest = f"the lowest squared frequency is {squared.min():.4g} rad^2/s^2"
    elif below:
        lowest = f"{below} squared frequencies are negative"
    else:
        return
    raise SolveError(
        ResultCode.SINGULAR,
        f"the configuration of {name} is unstable: {lowest}; find an equilibrium first (pliant.equilibrium) and check "
        "its smallest eigenvalue",
    )


def _undamped(squared: np.ndarray, vectors: np.ndarray, kept: int) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and vectors where nothing damps: plus and minus i omega."""
    rates = 1j * np.sqrt(np.maximum(squared[:kept], 0.0))
    return np.stack([rates, -rates], axis=1).ravel(), np.repeat(vectors[:, :kept], 2, axis=1).astype(complex)


def _undefined(found: Vibration) -> Vibration:
    """Modes of a damping that has no derivative at rest."""
    names = ("damping", "eigenvalues", "damped_vectors")
    return found._replace(**{name: np.full_like(getattr(found, name), np.nan) for name in names})


def _damped(level: np.ndarray, stiffness: np.ndarray, damping: np.ndarray, kept: int) -> dict[str, np.ndarray]:
    """Eigenvalues of the first-order system of (s x, x'), in a basis where the mass is one. With s the frequencies,
    both halves have the same size whatever the mode."""
    floor = np.finfo(float).eps * np.abs(level).max()
    scale = np.sqrt(np.maximum(np.abs(level), floor if floor > 0.0 else 1.0))
    size = len(level)
    first_order = np.block([[np.zeros((size, size)), np.diag(scale)], [-stiffness / scale, -damping]])
    values, columns = scipy.linalg.eig(first_order)
    values, vectors = _with_conjugates(values, columns[:size] / scale[:, None], 2 * kept)
    return {"eigenvalues": values, "damped_vectors": vectors}


def _with_conjugates(values: np.ndarray, vectors: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The first `count` in order of magnitude (one more where a pair would be cut), conjugates side by side."""
    half = np.flatnonzero(values.imag >= 0.0)
    half = half[np.argsort(np.abs(values[half]), kind="stable")]
    order: list[int] = []
    conjugated: list[bool] = []
    for index in half:
        if len(order) >= count:
            break
        members = [False] if values[index].imag == 0.0 else [False, True]
        order += [int(index)] * len(members)
        conjugated += members
    flip = np.array(conjugated, dtype=bool)
    picked, columns = values[order], vectors[:, order]
    return np.where(flip, picked.conj(), picked), np.where(flip, columns.conj(), columns)


def _phased(vectors: np.ndarray, mass: Matrix) -> np.ndarray:
    """Complex vectors (n, l) of length one in the mass, turned to be as real as they can be."""
    weighed = mass @ vectors
    turn = np.exp(-0.5j * np.angle(np.sum(vectors * weighed, axis=0)))
    return vectors * (turn / np.sqrt(np.sum(vectors.conj() * weighed, axis=0).real))


def _sparse_modes(operators: Operators, count: int, name: str) -> Vibration:
    mass, stiffness, damping = (sparse.csc_array(matrix) for matrix in operators[:3])
    rows = _independent_rows(operators.constraints, mass.shape[0])
    kept = min(count, mass.shape[0] - rows.shape[0])
    symmetric = is_symmetric(stiffness, _SYMMETRY)
    squared, vectors, below = sparse_undamped(mass, stiffness, rows, kept, symmetric)
    left = vectors
    if not symmetric:
        squared, vectors = _real_modes(squared, vectors, name)
        left = _real_modes(*sparse_undamped(mass, stiffness.T.tocsc(), rows, kept, symmetric)[:2], name)[1]
        vectors = vectors / np.sqrt(np.sum(vectors * (mass @ vectors), axis=0))
    _refuse_unstable(squared, name, below)
    modal_damping = np.diagonal(np.linalg.solve(left.T @ (mass @ vectors), left.T @ (damping @ vectors)))
    found = Vibration(squared, vectors, modal_damping, *_undamped(squared, vectors, kept))
    if np.any(np.isnan(damping.data)):
        return _undefined(found)
    if np.any(damping.data):
        pace = np.sqrt(squared[-1]) if squared[-1] > 0.0 else 1.0
        values, columns = sparse_damped(mass, stiffness, damping, rows, 2 * kept, pace)
        values, columns = _with_conjugates(values, columns, 2 * kept)
        found = found._replace(eigenvalues=values, damped_vectors=columns)
    return found._replace(damped_vectors=_phased(found.damped_vectors, mass))


def _independent_rows(constraints: Matrix, size: int) -> sparse.csr_array:
    """Unit rows, those that follow from others left out: a factorisation needs full rank."""
    if constraints is None or constraints.shape[0] == 0:
        return sparse.csr_array((0, size))
    rows = sparse.csr_array(constraints)
    used = np.unique(rows.indices)
    dense = _unit_rows(rows[:, used].toarray())
    triangle, pivots = scipy.linalg.qr(dense.T, mode="r", pivoting=True)
    rank = int(np.sum(np.abs(np.diagonal(triangle)) > _DEPENDENT * np.abs(triangle[0, 0])))
    chosen = sparse.csr_array(dense[pivots[:rank]])
    return sparse.csr_array((chosen.data, used[chosen.indices], chosen.indptr), shape=(rank, size))
