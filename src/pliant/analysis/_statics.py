"""Static equilibrium as one pure solve: Newton with line search on everything that is zero at rest."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
import scipy.sparse as sparse
from jax import Array

from pliant.analysis._large import smallest_sparse_eigenvalue
from pliant.analysis._rounding import unknown_sizes
from pliant.dynamics import (
    element_forces,
    first_memory,
    multiplier_count,
    remembered_at_rest,
    shaped,
    static_balance,
    stiffness_matrix,
)
from pliant.model import Model, Prepared, prepare, softened
from pliant.numerics import ResultCode, lu_solve, newton

_TOLERANCE = 1e-10  # residual relative to the loads
_MAX_ITERATIONS = 40
_SOFTEST = 1e-4  # a direction softer than this, in roots of stiffness, counts as this stiff
_GIVE = 1e-7  # of a typical compliance: what a constraint may yield per iteration
_STIFF_ENOUGH = 1e-3  # of the stiffest direction
_TRUSTED_STEPS = 5  # of a robot that moves poses; see `newton`
_MOST_TURNS = 1e9  # rad between two points of a rod: its pose is then known to 1e-7 and no better

Inputs = Mapping[str, Array]


class Easing(NamedTuple):
    """What makes equilibrium easier to find: contacts with a share of their stiffness, and a force that holds the robot
    near a configuration, `held` (nv, nv) [N/m, N m/rad] times its distance."""

    share: Array
    held: Array
    near: Array


class StaticSolution(NamedTuple):
    """Raw solution: q (nq,), multipliers (m + n,) of the constraints and tensions of tendons held to a length, relative
    residual, Newton iterations, ResultCode, and the tangent of all equations (nv + m + n square); of a large robot the
    tangent stiffness alone, sparse. turn: by how much a rod turned between two of its points since the start [rad];
    memory: what interactions remember there."""

    q: Array
    multipliers: Array
    residual: Array
    iterations: Array
    code: Array
    tangent: Array
    turn: Any = 0.0
    memory: Any = ()

    def smallest_eigenvalue(self, model: Model) -> float:
        """Smallest real part of the eigenvalues of the tangent stiffness among motions that the constraints allow; of a
        large robot, the eigenvalue nearest to zero."""
        if sparse.issparse(self.tangent):
            return smallest_sparse_eigenvalue(self.tangent)
        stiffness, _ = self.free_stiffness(model)
        if not np.all(np.isfinite(stiffness)):
            return float("nan")
        return float(np.linalg.eigvals(stiffness).real.min(initial=np.inf))

    def free_stiffness(self, model: Model) -> tuple[np.ndarray, np.ndarray]:
        """Tangent stiffness (f, f) among the motions that the constraints allow, and these motions (nv, f)."""
        tangent = np.asarray(self.tangent)
        if not np.all(np.isfinite(tangent)):
            return tangent[: model.nv, : model.nv], np.eye(model.nv)
        free = _free_motions(model, tangent, self.multipliers)
        return free.T @ tangent[: model.nv, : model.nv] @ free, free


def _free_motions(model: Model, tangent: np.ndarray, multipliers: Array) -> np.ndarray:
    """(nv, f) orthonormal motions that keep loops closed, driven joints in place and taut tendons at their length."""
    nv, m = model.nv, model.structure.constraint_count
    taut = [nv + m + i for i in range(len(multipliers) - m) if multipliers[m + i] > 0.0]
    rows = tangent[[*range(nv, nv + m), *taut], :nv]
    if rows.size == 0:
        return np.eye(nv)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return scipy.linalg.null_space(rows / np.where(lengths > 0.0, lengths, 1.0), rcond=1e-9)


def constrained_stiffness(
    model: Model, q: Array, t: float = 0.0, inputs: Inputs | None = None, memory: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Tangent stiffness (nv, nv) with what the reactions of an equilibrium q add to it, and the free motions (nv, f).
    The reactions are those that balance the other forces best."""
    count = multiplier_count(model)
    # Left out where nothing is remembered: the programs are then those that other callers have compiled.
    known = {"memory": memory} if memory else {}
    if count == 0:
        return np.asarray(stiffness_matrix(model, q, t, inputs, **known)), np.eye(model.nv)
    pulled = np.asarray(_tangent(model, q, jnp.zeros(count), t, inputs, **known))[: model.nv, model.nv :]
    forces = np.asarray(static_balance(model, q, jnp.zeros(count), t, inputs, **known))[: model.nv]
    multipliers = jnp.asarray(np.linalg.lstsq(pulled, -forces, rcond=1e-12)[0])
    tangent = np.asarray(_tangent(model, q, multipliers, t, inputs, **known))
    return tangent[: model.nv, : model.nv], _free_motions(model, tangent, multipliers)


@jax.jit
def _tangent(
    model: Model, q: Array, multipliers: Array, t: Array | float, inputs: Inputs | None, memory: Any = None
) -> Array:
    prepared = prepare(model.structure, model.parameters)
    x = jnp.concatenate([q, multipliers])

    def balance(dx: Array) -> Array:
        moved = _moved(model, x, dx)
        return static_balance(model, moved[: model.nq], moved[model.nq :], t, inputs, 1.0, prepared, memory)

    return jax.jacfwd(balance)(jnp.zeros(model.nv + multipliers.shape[0]))


def force_scale(tangent: Array, forces: Array) -> Array:
    """(nv,) what counts as one unit of residual for each velocity.

    Velocities have mixed units. Dividing a force by the root of its stiffness gives the root of an energy, which can
    be compared; the largest of the forces (nv,) that have to balance sets the level.
    """
    return scale_by(force_weight(tangent), forces)


def force_weight(tangent: Array) -> Array:
    """(nv,) roots of the stiffness of each velocity."""
    weight = jnp.sqrt(jnp.max(jnp.abs(tangent), axis=1, initial=0.0))
    stiffest = jnp.max(weight, initial=0.0)
    return jnp.where(stiffest > 0.0, jnp.maximum(weight, _SOFTEST * stiffest), 1.0)


def scale_by(weight: Array, forces: Array) -> Array:
    """`force_scale` with weights that are known."""
    level = jnp.max(forces / weight, initial=0.0)
    return weight * jnp.where(level > 0.0, level, 1.0)


@jax.jit
@shaped
def equilibrium_configuration(
    model: Model,
    q0: Array,
    t: Array | float = 0.0,
    inputs: Inputs | None = None,
    load_factor: Array | float = 1.0,
    multipliers: Array | None = None,
    memory: Any = None,
) -> StaticSolution:
    """Equilibrium from a start q0 (and multipliers), as a pure function: jit, vmap, and derivatives of q by every
    parameter, input, load factor and by `memory` through the implicit function theorem.

    memory: what interactions remember (default: what they do at first). It stays as it is while the equilibrium is
    found; the `memory` of what is returned is what they remember there, for the next load step.

    Check `code` before using q, and `tangent` when there may be several equilibria: Newton ends in one of them, not
    necessarily a stable one. `equilibrium` does both for you.
    """
    start = jnp.zeros(multiplier_count(model)) if multipliers is None else multipliers
    time, factor = (jnp.asarray(value, dtype=jnp.float64) for value in (t, load_factor))
    found = _solve(model, q0, start, time, inputs, factor, memory, None)
    before = memory or first_memory(model.structure)
    if not before:
        return found
    return found._replace(memory=remembered_at_rest(model, found.q, time, inputs, factor, before))


@jax.jit
def eased_configuration(
    model: Model, q0: Array, t: Array, inputs: Inputs | None, load_factor: Array, multipliers: Array, memory: Any,
    easing: Easing,
) -> StaticSolution:  # fmt: skip
    """That of a robot which is eased."""
    return _solve(model, q0, multipliers, t, inputs, load_factor, memory, easing)


def _moved(model: Model, x: Array, dx: Array) -> Array:
    """Configuration and multipliers x (nq + m + n,) moved by dx (nv + m + n,)."""
    return jnp.concatenate([model.integrate(x[: model.nq], dx[: model.nv]), x[model.nq :] + dx[model.nv :]])


def largest_turn(model: Model, prepared: Prepared, change: Array) -> Array:
    """() [rad]: by how much a change (nq,) of the coordinates turns a rod between two of its points, at most."""
    largest = jnp.zeros(())
    for group, numbers in zip(model.structure.groups, prepared.elements, strict=True):
        largest = jnp.maximum(largest, jnp.max(jax.vmap(group.element.largest_turn)(numbers, change[group.q_index])))
    return largest


def conditioned(model: Model, tangent: Array) -> Array:
    """The tangent with a little give in the constraints, so that rows that depend on each other share the load instead
    of making it singular. Newton's residual is exact, so what it converges to is not changed."""
    nv, m = model.nv, model.structure.constraint_count
    if m == 0:
        return tangent
    stiffness = jnp.max(jnp.abs(tangent[:nv, :nv]), axis=1)
    highest = jnp.max(stiffness)
    # A direction without stiffness of its own must not count as infinitely compliant, or its constraint would yield.
    stiffness = jnp.where(highest > 0.0, jnp.maximum(stiffness, _STIFF_ENOUGH * highest), 1.0)
    compliance = jnp.sum(tangent[nv : nv + m, :nv] ** 2 / stiffness, axis=1)
    largest = jnp.max(compliance)
    compliance = jnp.where(largest > 0.0, jnp.maximum(compliance, _STIFF_ENOUGH * largest), 1.0)
    rows = np.arange(nv, nv + m)
    return tangent.at[rows, rows].add(_GIVE * compliance)


@jax.custom_jvp
def _solve(
    model: Model, q0: Array, multipliers0: Array, t: Array, inputs: Inputs | None, load_factor: Array, memory: Any,
    easing: Easing | None,
) -> StaticSolution:  # fmt: skip
    prepared = _prepared(model, easing)
    nq, nv = model.nq, model.nv

    def residual(x: Array) -> Array:
        return _balance(model, prepared, x, t, inputs, load_factor, memory, easing)

    x0 = jnp.concatenate([q0, multipliers0])
    stored = element_forces(model, prepared, q0, jnp.zeros(nv))

    def scale(tangent: Array, balance: Array) -> Array:
        # What loads and weight are, whether or not the multipliers of the start already balance them.
        loads = balance[:nv] - tangent[:nv, nv:] @ multipliers0 - stored
        forces = jnp.abs(loads) + jnp.abs(stored)
        # Constraints are lengths and angles: a metre and a radian are one.
        return jnp.concatenate([force_scale(tangent[:nv, :nv], forces), jnp.ones(multiplier_count(model))])

    found = newton(
        residual,
        x0,
        conditioned=lambda tangent: conditioned(model, tangent),
        retract=lambda x, dx: _moved(model, x, dx),
        scale=scale,
        magnitude=lambda x: unknown_sizes(model, prepared, x),
        size=nv + multiplier_count(model),
        tolerance=_TOLERANCE,
        max_iterations=_MAX_ITERATIONS,
        trust=_TRUSTED_STEPS if model.structure.moves_poses else 0,
    )
    q, multipliers = found.x[:nq], found.x[nq:]
    whole, turn = (largest_turn(model, prepared, change) for change in (q, q - q0))
    # Where a rod turns so often that rounding leaves nothing of its pose, a residual of zero is an accident.
    lost = (found.code == ResultCode.SUCCESS) & (whole > _MOST_TURNS)
    code = jnp.where(lost, jnp.int32(ResultCode.NOT_CONVERGED), found.code)
    return StaticSolution(q, multipliers, found.residual_norm, found.iterations, code, found.jacobian, turn)


def _prepared(model: Model, easing: Easing | None) -> Prepared:
    prepared = prepare(model.structure, model.parameters)
    return prepared if easing is None else softened(model.structure, prepared, easing.share)


def _balance(
    model: Model, prepared: Prepared, x: Array, t: Array, inputs: Inputs | None, load_factor: Array, memory: Any,
    easing: Easing | None,
) -> Array:  # fmt: skip
    """Everything that is zero in equilibrium."""
    q = x[: model.nq]
    balance = static_balance(model, q, x[model.nq :], t, inputs, load_factor, prepared, memory)
    if easing is None:
        return balance
    return balance.at[: model.nv].add(easing.held @ model.difference(q, easing.near))


@_solve.defjvp
def _solve_jvp(primals: tuple, tangents: tuple) -> tuple[StaticSolution, StaticSolution]:
    """The residual stays zero: K dx + dr = 0 with dr its change at fixed q. The start has no influence."""
    model, _, _, *rest = primals
    model_rate, _, _, *rest_rate = tangents
    found = _solve(*primals)
    x = jnp.concatenate([found.q, found.multipliers])

    def residual(x: Array, model: Model, *rest: Any) -> Array:
        return _balance(model, _prepared(model, rest[-1]), x, *rest)

    _, change = jax.jvp(lambda model, *rest: residual(x, model, *rest), (model, *rest), (model_rate, *rest_rate))
    # Evaluated anew rather than taken from `found`, so that second derivatives see how it depends on q.
    tangent = jax.jacfwd(lambda dx: residual(_moved(model, x, dx), model, *rest))(jnp.zeros_like(change))
    dx = -lu_solve(conditioned(model, tangent), change)
    _, x_rate = jax.jvp(lambda dx: _moved(model, x, dx), (jnp.zeros_like(dx),), (dx,))
    still = jax.tree.map(_no_rate, found)
    return found, still._replace(q=x_rate[: model.nq], multipliers=x_rate[model.nq :])


def _no_rate(value: Array) -> Any:
    """Zero tangent: what says how the solve went is not differentiated."""
    if jnp.issubdtype(value.dtype, jnp.floating):
        return jnp.zeros_like(value)
    return np.zeros(value.shape, dtype=jax.dtypes.float0)
