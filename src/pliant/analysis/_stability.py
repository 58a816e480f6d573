"""Whether a robot at rest stays there: from its tangent stiffness, with inertia and damping where these decide."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import scipy.sparse as sparse
from jax import Array

from pliant.analysis._large import sparse_constraints
from pliant.analysis._modal_problem import negative_squares, stability_of
from pliant.analysis._modal_sparse import is_symmetric, negative_count
from pliant.analysis._statics import StaticSolution
from pliant.dynamics import damping_matrix, mass_matrix
from pliant.model import Model
from pliant.results import Stability

_SYMMETRY = 1e-8  # of what two directions have themselves; a tangent less symmetric than this carries follower loads
_ROUNDING = 64.0 * float(np.finfo(float).eps)  # of the stiffest direction

Inputs = Mapping[str, Array]


class Verdict(NamedTuple):
    """The smallest real part of the eigenvalues of the tangent stiffness, how many of its real eigenvalues are
    negative, whether it is symmetric, and what follows for small motions."""

    smallest_eigenvalue: float
    negative: int
    symmetric: bool
    stability: Stability


def verdict_at(model: Model, found: StaticSolution, t: float, inputs: Inputs | None, memory: Any = None) -> Verdict:
    """What becomes of small motions about a static solution. A symmetric tangent decides alone: where it is positive
    definite nothing grows, whatever the masses. Follower loads can make a robot flutter that no tangent shows."""
    if sparse.issparse(found.tangent):
        return _sparse_verdict(model, found)
    stiffness, free = found.free_stiffness(model)
    if not np.all(np.isfinite(stiffness)):
        return Verdict(float("nan"), 0, True, Stability.UNKNOWN)
    if not len(stiffness):
        return Verdict(np.inf, 0, True, Stability.STABLE)
    if carries_no_followers(stiffness):
        values, vectors = np.linalg.eigh(0.5 * (stiffness + stiffness.T))
        negative = int(np.sum(negative_squares(values, vectors, stiffness)))
        return Verdict(float(values[0]), negative, True, Stability.DIVERGES if negative else Stability.STABLE)
    values = np.linalg.eigvals(stiffness)
    negative = int(np.sum((values.imag == 0.0) & (values.real < 0.0)))
    known = {"memory": memory} if memory else {}
    mass = np.asarray(mass_matrix(model, found.q, t=t))
    damping = np.asarray(damping_matrix(model, found.q, jnp.zeros(model.nv), t, inputs, **known))
    damping = np.where(np.isfinite(damping), damping, np.nan)
    inertia, resistance = (free.T @ matrix @ free for matrix in (mass, damping))
    return Verdict(float(values.real.min()), negative, False, stability_of(inertia, stiffness, resistance))


def carries_no_followers(stiffness: np.ndarray) -> bool:
    """Whether a tangent stiffness is symmetric, measured beside what each pair of directions has itself: a follower
    load may be small beside the stiffest of all."""
    root = np.sqrt(np.abs(stiffness).max(axis=1))
    skew = 0.5 * np.abs(stiffness - stiffness.T)
    return bool(np.all(skew <= _SYMMETRY * np.outer(root, root) + _ROUNDING * root.max() ** 2))


def _sparse_verdict(model: Model, found: StaticSolution) -> Verdict:
    """By the signs of the pivots of one factorisation."""
    stiffness = sparse.csc_array(found.tangent)
    smallest = found.smallest_eigenvalue(model)
    symmetric = is_symmetric(stiffness, _SYMMETRY)
    rows = sparse.csr_array(sparse_constraints(model, found.q))
    try:
        negative = negative_count(stiffness, rows) if symmetric else None
    except RuntimeError:  # SuperLU: a motion that nothing holds
        negative = None
    if negative is None:
        return Verdict(smallest, 0, symmetric, Stability.UNKNOWN)
    return Verdict(smallest, negative, symmetric, Stability.DIVERGES if negative else Stability.STABLE)
