"""Newton's method for one implicit step. The matrix is kept from step to step for as long as it serves, and learns."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.linalg import lu_factor, lu_solve

from pliant.analysis import conditioned, force_weight, scale_by
from pliant.dynamics import is_large
from pliant.model import Model
from pliant.simulation.stepping._rules import Rule

_SLOW = 0.9  # an iteration that leaves more of the error asks for a new matrix; that costs as much as dozens of them
_MATRICES, _EVALUATIONS = 10, 100  # per step, of the residual; as many again from rest
_FIRST, _STANDING_START, _FROM_REST = 0, 1, 2  # starts of a search
_NEAR_REST = 10.0  # times the accelerations that were tried: those that stop a robot which is worth a start from rest
_SHORTEST = 1.0 / 32.0  # of Newton's steps, when the whole one leads away
_OLDEST = 100  # steps with one matrix
_ANOTHER_SPAN = 0.5  # relative change of the span after which a matrix is not worth a try
_TRUSTED = 0.1  # of the answer one expects; less makes the update large
_STANDING = 1e-6  # m or rad
_ROUNDING = 16.0 * float(np.finfo(float).eps)  # of a velocity, some operations after it was taken
_WORK_OF_MATRIX = 20  # evaluations of the residual that take as long as a matrix, about

Balance = Callable[[Array, Rule], Array]


class NewtonCache(NamedTuple):
    """What one step leaves for the next: the inverse of the matrix, its absolute values (nv + m, nv + m), the weights
    of forces (nv,) that follow from it, the forces of elements (nv,) and the span [s^2] for which it was taken, the
    steps since (-1: there is none), and how many evaluations of the residual and matrices the run has taken."""

    inverse: Array
    matrix: Array
    weight: Array
    forces: Array
    span: Array
    age: Array
    evaluations: Array
    matrices: Array


def empty_cache(model: Model) -> NewtonCache:
    """None yet; empty for robots whose matrix is never formed."""
    size, nv = (0, 0) if is_large(model.structure) else (model.nv + model.structure.constraint_count, model.nv)
    # NumPy's, which the first jitted call puts on the device all at once.
    zero, none = np.int32(0), np.int32(-1)
    matrices, weight, forces = (np.eye(size), np.zeros((size, size))), np.ones(nv), np.zeros(nv)
    empty: Any = (*matrices, weight, forces, np.zeros(()), none, zero, zero)
    return NewtonCache(*empty)


def rounding_over(tolerance: Array) -> Array:
    """By what a size is multiplied so that the tolerance of it is what rounding leaves of it."""
    return _ROUNDING / tolerance


def work_of(before: NewtonCache, after: NewtonCache) -> Array:
    """What a step took, in evaluations of the residual; one where they are not counted."""
    evaluations, matrices = after.evaluations - before.evaluations, after.matrices - before.matrices
    return 1 + evaluations + _WORK_OF_MATRIX * matrices


class _Search(NamedTuple):
    """The best iterate so far with its residual, Newton's direction from it, and what to try next: `trial`, which is a
    `fraction` along it. fresh: whether the matrix was taken there; start: from where it has begun."""

    best: Array
    residual: Array
    error: Array
    direction: Array
    fraction: Array
    trial: Array
    cache: NewtonCache
    fresh: Array
    start: Array
    matrices: Array
    evaluations: Array
    solved: Array


class Solved(NamedTuple):
    """Unknowns (nv + m,) of the step, cache, and whether the root was found."""

    unknown: Array
    cache: NewtonCache
    found: Array


def solve_step(
    model: Model,
    balance: Balance,
    tangent: Balance,
    forces: Callable[[], Array],
    rule: Rule,
    guess: Array,
    v: Array,
    h: Array,
    cache: NewtonCache,
    tolerance: Array,
) -> Solved:
    """The acceleration and the multipliers with which balance(unknown, rule) is zero, near a guess (nv + m,).

    tangent: (nv + m, nv + m) derivative of the balance. forces(): (nv,) sizes of the forces of elements at the start of
    the step; v (nv,): the velocity there. tolerance: of the residual, relative to the forces that have to balance.

    When no fraction of Newton's steps helps it begins again: from where the robot goes on at its velocity; then from
    where it stops. There a damper of a power less than one is steepest, and Newton's steps from there, each with a new
    matrix, do not pass its root; from a fast one they do, and farther each time if the power is less than a half.
    """
    nv = model.nv

    def scale(cache: NewtonCache, unknown: Array, residual: Array) -> Array:
        """(nv + m,) what counts as one unit: forces that have to cancel (reactions among them), and accelerations that
        have to, but no less than what moves a constraint by a micrometre in a step: a robot may stand still.

        The residual counts among the forces: where nothing else is known yet, nothing is in balance. So does what is
        lost by rounding the velocity, as dampers feel it; it is all that is left in a motion that has become steady."""
        rounded = rounding_over(tolerance) * jnp.abs(v) / (h * rule.gamma * rule.share)
        forces = cache.forces + cache.matrix[:nv] @ jnp.abs(unknown) + jnp.abs(residual[:nv])
        level = scale_by(cache.weight, forces + cache.matrix[:nv, :nv] @ rounded)
        rows = cache.matrix[nv:, :nv] @ jnp.abs(unknown[:nv])
        least = jnp.maximum(jnp.max(rows, initial=0.0), _STANDING / h**2)
        return jnp.concatenate([level, jnp.broadcast_to(least, rows.shape)])

    def with_matrix(cache: NewtonCache, unknown: Array) -> NewtonCache:
        matrix = tangent(unknown, rule)
        return cache._replace(
            inverse=lu_solve(lu_factor(conditioned(model, matrix)), jnp.eye(len(matrix))),
            matrix=jnp.abs(matrix),
            weight=force_weight(matrix[:nv, :nv]),
            forces=forces(),
            span=rule.span(h),
            age=jnp.int32(0),
        )

    def stale(cache: NewtonCache) -> Array:
        changed = jnp.abs(cache.span - rule.span(h)) > _ANOTHER_SPAN * rule.span(h)
        return (cache.age < 0) | (cache.age > _OLDEST) | changed

    def iteration(search: _Search) -> _Search:
        old = search.cache
        residual = balance(search.trial, rule)
        error = jnp.max(jnp.abs(residual) / scale(old, search.trial, residual))
        error = jnp.where(jnp.isfinite(error), error, jnp.inf)
        begins = jnp.isinf(search.error)
        outdated = begins & stale(old)
        solved = (error <= tolerance) & (old.age >= 0)
        quick, better = begins | (error <= _SLOW * search.error), error < search.error
        taken = quick | better
        best, residual, error = (
            jnp.where(taken, new, kept)
            for new, kept in ((search.trial, search.best), (residual, search.residual), (error, search.error))
        )
        outdated = outdated & ~solved
        from_rest = (search.start == _FROM_REST) & taken
        renew = ~solved & (outdated | from_rest | (~quick & (~search.fresh | better)))
        shorten = ~taken & ~renew
        newton = old.inverse @ residual
        # The direction it had was the inverse times the residual it had.
        step, left = _secant(old, search.trial - search.best, newton - search.direction, residual, taken & ~begins)

        def renewed() -> tuple[NewtonCache, Array]:
            cache = with_matrix(old, best)
            return cache, cache.inverse @ residual

        def learnt() -> tuple[NewtonCache, Array]:
            return old._replace(inverse=old.inverse + jnp.outer(*step)), newton + left

        cache, direction = jax.lax.cond(renew, renewed, learnt)
        fraction = jnp.where(shorten, 0.5 * search.fraction, 1.0)
        # A new matrix brings a new scale: the error is measured again from the next iterate on.
        error = jnp.where(outdated, jnp.finfo(error.dtype).max, error)
        # From rest every matrix is new, and the error is compared by its own.
        error = jnp.where(renew & from_rest, jnp.max(jnp.abs(residual) / scale(cache, best, residual)), error)
        trial = jnp.where(solved, search.trial, best - fraction * direction)
        # Nothing is to be found at rest by a robot that does not come near it in the step.
        rates = jnp.abs(guess[:nv]) + jnp.abs(best[:nv])
        near_rest = jnp.any(jnp.abs(rule.stopping(v, h)) <= _NEAR_REST * rates)
        no_way = fraction < _SHORTEST
        spent = (search.matrices + renew >= _MATRICES) | (search.evaluations + 1 >= _EVALUATIONS)
        stands = ~solved & no_way & ~spent & (search.start == _FIRST)
        stops = ~solved & ~stands & (no_way | spent) & (search.start < _FROM_REST) & near_rest
        again = jnp.where(stands, rule.standing(), rule.stopping(v, h))
        anew = stands | stops
        return _Search(
            best=best,
            residual=residual,
            error=jnp.where(anew, jnp.inf, error),
            direction=direction,
            fraction=jnp.where(anew, 1.0, fraction),
            trial=jnp.where(anew, jnp.concatenate([again, guess[nv:]]), trial),
            cache=cache,
            fresh=~anew & (renew | (search.fresh & shorten)),
            start=jnp.where(stops, _FROM_REST, jnp.where(stands, _STANDING_START, search.start)).astype(jnp.int32),
            matrices=search.matrices + renew,
            evaluations=search.evaluations + 1,
            solved=solved,
        )

    def going(search: _Search) -> Array:
        limit = jnp.where(search.start == _FROM_REST, 2, 1)
        spent = (search.matrices >= limit * _MATRICES) | (search.evaluations >= limit * _EVALUATIONS)
        stuck = (search.fraction < _SHORTEST) & ~jnp.isinf(search.error)
        return ~search.solved & ~spent & ~stuck

    nothing, false, zero = jnp.zeros_like(guess), jnp.asarray(False), jnp.int32(0)
    begin = _Search(
        guess, nothing, jnp.asarray(jnp.inf), nothing, jnp.asarray(1.0), guess, cache, false, zero, zero, zero, false
    )
    end = jax.lax.while_loop(going, iteration, begin)
    kept = end.cache._replace(
        age=jnp.where(end.solved, end.cache.age + 1, -1),
        evaluations=cache.evaluations + end.evaluations,
        matrices=cache.matrices + end.matrices,
    )
    return Solved(end.trial, kept, end.solved)


def _secant(
    cache: NewtonCache, change: Array, answer: Array, residual: Array, answered: Array
) -> tuple[tuple[Array, Array], Array]:
    """Two vectors whose outer product brings the inverse up to date after the unknowns changed and the residual
    answered: Broyden's update, the smallest one that agrees with both, as measured by the work of the change; and what
    it does to the residual. answer: times the inverse; answered: whether it did."""
    own = np.arange(len(change))
    weighted = cache.matrix[own, own] * change
    found, expected = weighted @ answer, weighted @ change
    trusted = answered & (found > _TRUSTED * expected)
    # By infinity where it is not: so a scalar is chosen, and not a matrix.
    row = (weighted @ cache.inverse) / jnp.where(trusted, found, jnp.inf)
    missed = change - answer
    return (missed, row), missed * (row @ residual)
