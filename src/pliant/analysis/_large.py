"""Robots with meshes: statics and tangent matrices without any dense matrix of the size of the robot.

The host iterates; the equations and their derivatives are compiled. Factorisations are SciPy's (SuperLU).
"""

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg
from jax import Array

from pliant.analysis._rounding import unknown_sizes
from pliant.dynamics import (
    colouring,
    constraint_matrix,
    element_forces,
    mass_blocks,
    multiplier_count,
    residual,
    static_balance,
)
from pliant.model import Model, prepare
from pliant.numerics import CERTAIN, FLOOR, ResultCode

_TOLERANCE = 1e-10  # residual relative to the loads
_MAX_ITERATIONS = 60
_HALVINGS = 10
_TRUSTED = 5  # whole steps in a row that may raise the residual
_BATCH = 16  # derivatives taken at once: keeps the memory of a large mesh small
_GIVE = 1e-10  # of the largest stiffness, on the diagonal of the constraints: rows may depend on each other

Inputs = Mapping[str, Array]


def _in_batches(function: Any, seeds: Array) -> Array:
    return jax.lax.map(function, seeds, batch_size=_BATCH)


@jax.jit
def _moved(model: Model, q: Array, dv: Array) -> Array:
    return model.integrate(q, dv)


@jax.jit
def _stiffness_derivatives(
    model: Model, q: Array, multipliers: Array, t: Array, inputs: Inputs | None, factor: Array, memory: Any,
    seeds: Array,
) -> Array:  # fmt: skip
    prepared = prepare(model.structure, model.parameters)

    def forces(dv: Array) -> Array:
        moved = model.integrate(q, dv)
        return static_balance(model, moved, multipliers, t, inputs, factor, prepared, memory)[: model.nv]

    zero = jnp.zeros(model.nv)
    return _in_batches(lambda seed: jax.jvp(forces, (zero,), (seed,))[1], seeds)


@jax.jit
def _damping_derivatives(model: Model, q: Array, t: Array, inputs: Inputs | None, memory: Any, seeds: Array) -> Array:
    prepared = prepare(model.structure, model.parameters)
    zero = jnp.zeros(model.nv)

    def forces(v: Array) -> Array:
        return residual(model, q, v, zero, t, inputs, 1.0, prepared, memory=memory)

    return _in_batches(lambda seed: jax.jvp(forces, (zero,), (seed,))[1], seeds)


def sparse_stiffness(
    model: Model, q: Array, multipliers: Array, t: float, inputs: Inputs | None, factor: float = 1.0, memory: Any = None
) -> sparse.csc_matrix:
    """(nv, nv) tangent of the static forces, reactions included."""
    pattern = colouring(model.structure)
    arguments = (jnp.asarray(t, dtype=jnp.float64), inputs, jnp.asarray(factor, dtype=jnp.float64), memory)
    return pattern.matrix(
        np.asarray(_stiffness_derivatives(model, q, multipliers, *arguments, jnp.asarray(pattern.seeds)))
    )


def sparse_damping(model: Model, q: Array, t: float, inputs: Inputs | None, memory: Any = None) -> sparse.csc_matrix:
    """(nv, nv) derivative of the forces by velocity, at rest."""
    pattern = colouring(model.structure)
    moment = jnp.asarray(t, dtype=jnp.float64)
    return pattern.matrix(
        np.asarray(_damping_derivatives(model, q, moment, inputs, memory, jnp.asarray(pattern.seeds)))
    )


def sparse_mass(model: Model, q: Array) -> sparse.csc_matrix:
    """(nv, nv) symmetric positive definite."""
    rows, columns, values = [], [], []
    for velocities, block in mass_blocks(model, q):
        rows.append(np.broadcast_to(velocities[:, :, None], block.shape).ravel())
        columns.append(np.broadcast_to(velocities[:, None, :], block.shape).ravel())
        values.append(np.asarray(block).ravel())
    places = (np.concatenate(rows), np.concatenate(columns))
    return sparse.csc_matrix((np.concatenate(values), places), shape=(model.nv, model.nv))


def sparse_constraints(model: Model, q: Array) -> sparse.csr_matrix:
    """(m, nv) Jacobian of the constraints."""
    if not model.structure.constraint_count:
        return sparse.csr_matrix((0, model.nv))
    return sparse.csr_matrix(np.asarray(constraint_matrix(model, q)))


def large_configuration(
    model: Model, q0: Array, t: float, inputs: Inputs | None, factor: float, multipliers0: Array, memory: Any = None
) -> tuple[Array, Array, float, int, ResultCode, sparse.csc_matrix]:
    """Equilibrium from a start: configuration, multipliers, relative residual, iterations, code and tangent stiffness.

    Newton with a line search, the linear systems factored as sparse ones."""
    for kind in model.structure.interactions:
        if kind.unknowns:
            raise ValueError(f"a robot as large as {model.name!r} is solved as if it moved, and {kind.motion_refusal}")
    nv, q, multipliers = model.nv, q0, multipliers0
    prepared = prepare(model.structure, model.parameters)

    def balance(q: Array, multipliers: Array) -> np.ndarray:
        return np.asarray(static_balance(model, q, multipliers, t, inputs, factor, prepared, memory))

    value = balance(q, multipliers)
    stored = np.abs(np.asarray(element_forces(model, prepared, q, jnp.zeros(nv))))
    stiffness = sparse_stiffness(model, q, multipliers, t, inputs, factor, memory)
    scale = _scale(stiffness, np.abs(value[:nv]) + stored, multiplier_count(model))
    norm = np.abs(value / scale).max(initial=0.0)
    best, trusted, was_floored = (q, multipliers, norm), 0, False
    for iteration in range(_MAX_ITERATIONS):
        if norm <= _TOLERANCE:
            return q, multipliers, norm, iteration, ResultCode.SUCCESS, stiffness
        rows = sparse_constraints(model, q)
        step = _newton_step(stiffness, rows, value)
        if step is None:
            return *best, iteration, ResultCode.SINGULAR, stiffness
        # As in `newton`: what rounding leaves of the terms is zero, where the step says so too.
        sizes = np.asarray(unknown_sizes(model, prepared, jnp.concatenate([q, multipliers])))
        terms, change = (_terms(stiffness, rows, parts) for parts in (sizes, np.abs(step)))
        floored = bool(np.all(np.abs(value) <= np.maximum(_TOLERANCE * scale, FLOOR * terms)))
        floored = floored and bool(np.all(change <= np.maximum(CERTAIN * terms, _TOLERANCE * scale)))
        if floored and was_floored:
            return q, multipliers, norm, iteration, ResultCode.SUCCESS, stiffness
        was_floored = floored
        share = 1.0
        for _ in range(_HALVINGS):
            tried = _moved(model, q, jnp.asarray(share * step[:nv])), multipliers + jnp.asarray(share * step[nv:])
            value = balance(*tried)
            reached = np.abs(value / scale).max(initial=0.0)
            # Turning a part along the tangent stretches it, and the next step mends that: a few whole steps are taken
            # although the residual rises.
            trusts = share == 1.0 and trusted < _TRUSTED and np.isfinite(reached)
            if reached < (1.0 - 1e-4 * share) * norm or trusts:
                break
            share *= 0.5
        else:
            if floored:
                return q, multipliers, norm, iteration, ResultCode.SUCCESS, stiffness
            return *best, iteration, ResultCode.NOT_CONVERGED, stiffness
        (q, multipliers), norm = tried, reached
        trusted = 0 if norm < best[2] else trusted + 1
        best = (q, multipliers, norm) if norm < best[2] else best
        stiffness = sparse_stiffness(model, q, multipliers, t, inputs, factor, memory)
    return *best, _MAX_ITERATIONS, ResultCode.NOT_CONVERGED, stiffness


def _terms(stiffness: sparse.csc_matrix, rows: sparse.csr_matrix, sizes: np.ndarray) -> np.ndarray:
    """(nv + m,) how large the terms of every equation are for unknowns of these sizes (nv + m,)."""
    nv = stiffness.shape[0]
    held = abs(rows)
    return np.concatenate([abs(stiffness) @ sizes[:nv] + held.T @ sizes[nv:], held @ sizes[:nv]])


def _newton_step(stiffness: sparse.csc_matrix, rows: sparse.csr_matrix, value: np.ndarray) -> np.ndarray | None:
    """The step that takes the balance to zero; None where the matrix is singular."""
    count = rows.shape[0]
    matrix = stiffness
    if count:
        give = _GIVE / np.abs(stiffness.diagonal()).max()
        matrix = sparse.bmat([[stiffness, -rows.T], [rows, give * sparse.identity(count)]], format="csc")
    try:
        step = scipy.sparse.linalg.splu(matrix).solve(-value)
    except RuntimeError:  # SuperLU: the factor is exactly singular
        return None
    return step if np.all(np.isfinite(step)) else None


def _scale(stiffness: sparse.csc_matrix, forces: np.ndarray, constraints: int) -> np.ndarray:
    """What counts as one unit of residual: see `force_scale`; constraints are in metres and radians."""
    weight = np.sqrt(np.abs(stiffness).max(axis=1).toarray().ravel())
    weight = np.maximum(weight, 1e-4 * weight.max(initial=1e-300))
    level = (forces / weight).max(initial=0.0)
    return np.concatenate([weight * (level if level > 0.0 else 1.0), np.ones(constraints)])


def smallest_sparse_eigenvalue(stiffness: sparse.csc_matrix) -> float:
    """Eigenvalue of the tangent stiffness nearest to zero: positive where the equilibrium is stable, unless a much more
    negative one hides behind it."""
    symmetric = 0.5 * (stiffness + stiffness.T)
    found = scipy.sparse.linalg.eigsh(symmetric.tocsc(), k=1, sigma=0.0, which="LM", return_eigenvectors=False)
    return float(found[0])
