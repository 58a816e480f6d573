"""Vibration of a linear system: M a + D v + K x = 0 among the motions with J x = 0, dense or sparse."""

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sparse

from pliant.analysis._modal_sparse import is_symmetric, sparse_damped, sparse_undamped
from pliant.numerics import ResultCode, SolveError
from pliant.results import Stability

_SYMMETRY = 1e-8  # relative; a tangent less symmetric than this carries follower loads
_ROUNDING = 64.0 * float(np.finfo(float).eps)  # of the largest eigenvalue: what rounding may add to any of them
_GROWTH = 1e-12  # per radian; a motion that grows by less neither grows nor decays
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

    - squared: (k,) squared frequencies [rad^2/s^2], ascending; vectors: (n, k), mass-normalised. Where two modes have
      met and flutter, their squares are a complex pair, and their vectors the two parts of one complex shape.
    - damping: (k,) [1/s] what the damping matrix does to each mode alone: 2 zeta omega.
    - eigenvalues: (l,) [1/s] of the damped system, nearest to zero first, conjugates side by side (positive imaginary
      part first); 2 k of them, or one more where the last is a pair. damped_vectors: (n, l) complex, x^H M x = 1, in
      the phase that makes x^T M x real and positive.
    - stability: what motions do, all of them where the matrices are dense.
    """

    squared: np.ndarray
    vectors: np.ndarray
    damping: np.ndarray
    eigenvalues: np.ndarray
    damped_vectors: np.ndarray
    stability: Stability


def modes_from(operators: Operators, count: int, name: str = "the system") -> Vibration:
    """The `count` lowest modes, fewer if there are fewer motions. Large sparse matrices stay sparse: shift-and-invert
    Lanczos finds the modes next to zero, and constraints enter the factored matrix.

    Raises SolveError where the undamped system has no modes because it diverges; `name` says whose. One that flutters
    is told apart by its `stability`. Of sparse matrices that are not symmetric only the modes that were found are
    looked at.
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
        none = np.zeros(0)
        return Vibration(none, nothing, none, none.astype(complex), nothing.astype(complex), Stability.STABLE)
    own = _in_own_basis(mass, stiffness, damping)
    if own.symmetric:
        squared, columns = own.level, np.eye(len(own.level))
        modal_damping = np.diagonal(own.damping)
    else:
        squared, columns = _by_real_part(*scipy.linalg.eig(own.stiffness))
        modal_damping = np.diagonal(np.linalg.solve(columns, own.damping @ columns))
    vectors = _real_shapes(squared, columns)
    vectors = vectors / np.linalg.norm(vectors, axis=0)
    _refuse_unstable(squared, own.basis @ vectors, stiffness, name)
    undamped = _undamped(squared, np.where(np.iscomplex(squared), columns, vectors), kept)
    found = Vibration(
        squared[:kept],
        own.basis @ vectors[:, :kept],
        modal_damping[:kept],
        *undamped,
        Stability.FLUTTERS if np.any(np.iscomplex(squared)) else Stability.STABLE,
    )
    if np.any(np.isnan(damping)):
        return _undefined(found)
    if np.any(damping):
        values, shapes = _first_order(own)
        pairs = _with_conjugates(values, shapes, 2 * kept)
        found = found._replace(
            eigenvalues=pairs[0], damped_vectors=pairs[1], stability=_stability(values, own.smallest_square)
        )
    return found._replace(damped_vectors=_phased(own.basis @ found.damped_vectors, mass))


class _OwnBasis(NamedTuple):
    """Stiffness and damping (n, n) in a mass-normalised basis (n, n) in which the symmetric part of the stiffness is
    diagonal, `level` (n,): the modes themselves, without follower loads. What it leaves has no mixed units, and stiff
    directions stand apart from soft ones."""

    basis: np.ndarray
    level: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    symmetric: bool

    @property
    def smallest_square(self) -> float:
        """Squared eigenvalues below this are those of a motion that nothing holds."""
        return len(self.level) * _ROUNDING * float(np.abs(self.level).max())


def _in_own_basis(mass: np.ndarray, stiffness: np.ndarray, damping: np.ndarray) -> _OwnBasis:
    level, basis = scipy.linalg.eigh(0.5 * (stiffness + stiffness.T), mass)
    own_damping = basis.T @ damping @ basis
    # Measured beside what each pair of directions has itself: a follower load is small beside the stiffest of all.
    skew = 0.5 * np.abs(basis.T @ (stiffness - stiffness.T) @ basis)
    root = np.sqrt(np.abs(level))
    symmetric = bool(np.all(skew <= _SYMMETRY * np.outer(root, root) + _ROUNDING * root.max() ** 2))
    own_stiffness = np.diag(level) if symmetric else basis.T @ stiffness @ basis
    return _OwnBasis(basis, level, own_stiffness, own_damping, symmetric)


def stability_of(mass: np.ndarray, stiffness: np.ndarray, damping: np.ndarray) -> Stability:
    """What the motions of M a + D v + K x = 0 do; damping that is not a number does not count."""
    if not len(mass):
        return Stability.STABLE
    try:
        own = _in_own_basis(mass, stiffness, damping)
    except np.linalg.LinAlgError:  # something moves without mass
        return Stability.UNKNOWN
    if np.any(damping) and not np.any(np.isnan(damping)):
        return _stability(_first_order(own)[0], own.smallest_square)
    squared, columns = _by_real_part(*scipy.linalg.eig(own.stiffness))
    if np.any(np.iscomplex(squared)):
        return Stability.FLUTTERS
    diverges = np.any(negative_squares(squared, own.basis @ columns.real, stiffness))
    return Stability.DIVERGES if diverges else Stability.STABLE


def _stability(values: np.ndarray, smallest_square: float) -> Stability:
    """From all eigenvalues of the first-order system."""
    size = np.abs(values)
    growing = (values.real > _GROWTH * size + _ROUNDING * size.max()) & (size**2 > smallest_square)
    if not np.any(growing):
        return Stability.STABLE
    return Stability.FLUTTERS if np.any(values[growing].imag != 0.0) else Stability.DIVERGES


def _by_real_part(values: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and vectors of an unsymmetric stiffness in order, both real unless modes have met: then their
    eigenvalues are complex pairs, side by side."""
    order = np.argsort(values.real, kind="stable")
    values, columns = values[order], columns[:, order]
    apart = _SYMMETRY * np.abs(values) + _ROUNDING * np.abs(values).max(initial=0.0)
    met = np.abs(values.imag) > apart
    if not np.any(met):
        return values.real, columns.real
    return np.where(met, values, values.real), np.where(met, columns, columns.real)


def _real_shapes(squared: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Columns (n, k) as they are, but the two of a complex pair as its real and its imaginary part."""
    second = np.iscomplex(squared) & (np.imag(squared) < 0.0)
    return np.where(second, np.imag(columns), np.real(columns))


def _refuse_unstable(
    squared: np.ndarray, vectors: np.ndarray, stiffness: Matrix, name: str, below: int | None = None
) -> None:
    """below: how many squared frequencies are known to be negative, found or not."""
    negative = negative_squares(squared, vectors, stiffness)
    if np.any(negative):
        lowest = f"the lowest squared frequency is {squared[negative].real.min():.4g} rad^2/s^2"
    elif below:
        lowest = f"{below} squared frequencies are negative"
    else:
        return
    raise SolveError(
        ResultCode.SINGULAR,
        f"the configuration of {name} is unstable: {lowest}; find an equilibrium first (pliant.equilibrium) and check "
        "its smallest eigenvalue",
    )


def negative_squares(squared: np.ndarray, vectors: np.ndarray, stiffness: Matrix) -> np.ndarray:
    """(k,) which squared frequencies are below zero by more than rounding, which may put those of a free body there.
    vectors (n, k): their modes, of unit mass; what rounding leaves is a share of the terms of x^T K x."""
    size = np.abs(vectors)
    terms = np.sum(size * (abs(stiffness) @ size), axis=0)
    return ~np.iscomplex(squared) & (np.real(squared) < -len(vectors) * _ROUNDING * terms)


def _undamped(squared: np.ndarray, vectors: np.ndarray, kept: int) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and vectors where nothing damps: plus and minus i omega, of modes that have met with a growth."""
    own = np.where(np.iscomplex(squared), squared, np.maximum(squared.real, 0.0))[:kept]
    rates, shapes = 1j * np.sqrt(own.astype(complex)), vectors[:, :kept].astype(complex)
    pairs = np.stack([shapes, shapes.conj()], axis=2).reshape(len(vectors), -1)
    return np.stack([rates, rates.conj()], axis=1).ravel(), pairs


def _undefined(found: Vibration) -> Vibration:
    """Modes of a damping that has no derivative at rest."""
    names = ("damping", "eigenvalues", "damped_vectors")
    return found._replace(**{name: np.full_like(getattr(found, name), np.nan) for name in names})


def _first_order(own: _OwnBasis) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues (2 n,) and vectors (n, 2 n) of the first-order system of (s x, x'), in a basis where the mass is one.
    With s the frequencies, both halves have the same size whatever the mode."""
    floor = np.finfo(float).eps * np.abs(own.level).max()
    scale = np.sqrt(np.maximum(np.abs(own.level), floor if floor > 0.0 else 1.0))
    size = len(own.level)
    first_order = np.block([[np.zeros((size, size)), np.diag(scale)], [-own.stiffness / scale, -own.damping]])
    values, columns = scipy.linalg.eig(first_order)
    return values, columns[:size] / scale[:, None]


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
    left = columns = vectors
    if not symmetric:
        squared, columns = _by_real_part(squared, vectors)
        left = _by_real_part(*sparse_undamped(mass, stiffness.T.tocsc(), rows, kept, symmetric)[:2])[1]
        vectors = _real_shapes(squared, columns)
        vectors = vectors / np.sqrt(np.sum(vectors * (mass @ vectors), axis=0))
    _refuse_unstable(squared, vectors, stiffness, name, below)
    modal_damping = np.diagonal(np.linalg.solve(left.T @ (mass @ columns), left.T @ (damping @ columns)))
    flutters = np.iscomplex(squared)
    found = Vibration(
        squared,
        vectors,
        modal_damping,
        *_undamped(squared, np.where(flutters, columns, vectors), kept),
        Stability.FLUTTERS if np.any(flutters) else Stability.STABLE,
    )
    if np.any(np.isnan(damping.data)):
        return _undefined(found)
    if np.any(damping.data):
        pace = np.sqrt(np.abs(squared[-1])) or 1.0
        values, columns = sparse_damped(mass, stiffness, damping, rows, 2 * kept, pace)
        squares = np.abs(stiffness.diagonal()) / mass.diagonal()
        verdict = _stability(values, mass.shape[0] * np.finfo(float).eps * float(squares.max()))
        values, columns = _with_conjugates(values, columns, 2 * kept)
        found = found._replace(eigenvalues=values, damped_vectors=columns, stability=verdict)
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
