"""Newton's method for one implicit step. The matrix is kept from step to step for as long as it serves."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.linalg import lu_factor, lu_solve

from pliant.analysis import conditioned, force_scale
from pliant.dynamics import is_large
from pliant.model import Model
from pliant.simulation._rules import Rule, backward_euler

_TOLERANCE = 1e-9  # residual relative to the forces that have to balance
_SLOW = 0.3  # an iteration that leaves more of the error asks for a new matrix
_MATRICES, _EVALUATIONS = 10, 100  # per step, of the residual
_SHORTEST = 1.0 / 32.0  # of Newton's steps, when the whole one leads away
_OLDEST = 100  # steps with one matrix
_ANOTHER_SPAN = 0.5  # relative change of the span after which a matrix is not worth a try
_STANDING = 1e-6  # m or rad

Balance = Callable[[Array, Rule], Array]


class Memory(NamedTuple):
    """What one step leaves for the next: the factors of the matrix, its absolute values (nv + m, nv + m), the forces of
    elements (nv,) and the span [s^2] for which it was taken, the steps since (-1: there is none), whether the loads
    have just jumped, and how many evaluations of the residual and matrices the run has taken."""

    factors: tuple[Array, Array]
    matrix: Array
    forces: Array
    span: Array
    age: Array
    jumped: Array
    evaluations: Array
    matrices: Array


def no_memory(model: Model) -> Memory:
    """None yet; empty for robots whose matrix is never formed."""
    size, nv = (0, 0) if is_large(model.structure) else (model.nv + model.structure.constraint_count, model.nv)
    factors = (jnp.eye(size), jnp.arange(size, dtype=jnp.int32))
    nothing, zero = jnp.zeros(nv), jnp.int32(0)
    return Memory(
        factors, jnp.zeros((size, size)), nothing, jnp.zeros(()), jnp.int32(-1), jnp.asarray(False), zero, zero
    )


class _Search(NamedTuple):
    """The best iterate so far with its residual, Newton's direction from it, and what to try next: `trial`, which is a
    `fraction` along it. fresh: whether the matrix was taken there. probing: whether the rule is still in question."""

    best: Array
    residual: Array
    error: Array
    direction: Array
    fraction: Array
    trial: Array
    rule: Rule
    memory: Memory
    fresh: Array
    probing: Array
    fell_back: Array
    matrices: Array
    evaluations: Array
    solved: Array


class Solved(NamedTuple):
    """Unknowns (nv + m,) of the step, the rule it was taken by, memory, and whether the root was found."""

    unknown: Array
    rule: Rule
    memory: Memory
    found: Array


def solve_step(
    model: Model,
    balance: Balance,
    tangent: Balance,
    forces: Callable[[], Array],
    rule: Rule,
    multipliers: Array,
    h: Array,
    shortest: Array,
    memory: Memory,
) -> Solved:
    """The acceleration and the multipliers with which balance(unknown, rule) is zero.

    tangent: (nv + m, nv + m) derivative of the balance. forces(): (nv,) sizes of the forces of elements at the start of
    the step. shortest: a step [s] that is not zero, h being zero where only the acceleration is sought. After a jump of
    the loads (memory.jumped) the first Newton step, taken from where the robot goes on at its velocity, tells whether
    the acceleration will last to the end of the step: if not, the step is one of backward Euler's.
    """
    nv = model.nv

    def scale(memory: Memory, unknown: Array) -> Array:
        """(nv + m,) what counts as one unit: forces that have to cancel (reactions among them), and accelerations that
        have to, but no less than what moves a constraint by a micrometre in a step: a robot may stand still."""
        level = force_scale(memory.matrix[:nv, :nv], memory.forces + memory.matrix[:nv] @ jnp.abs(unknown))
        rows = memory.matrix[nv:, :nv] @ jnp.abs(unknown[:nv])
        least = jnp.maximum(jnp.max(rows, initial=0.0), _STANDING / shortest**2)
        return jnp.concatenate([level, jnp.broadcast_to(least, rows.shape)])

    def with_matrix(memory: Memory, unknown: Array, rule: Rule) -> Memory:
        matrix = tangent(unknown, rule)
        factors = lu_factor(conditioned(model, matrix))
        return memory._replace(
            factors=factors, matrix=jnp.abs(matrix), forces=forces(), span=rule.span(h), age=jnp.int32(0)
        )

    def stale(memory: Memory, rule: Rule) -> Array:
        changed = jnp.abs(memory.span - rule.span(h)) > _ANOTHER_SPAN * rule.span(h)
        return (memory.age < 0) | (memory.age > _OLDEST) | changed

    def start_from(search: _Search, unknown: Array, rule: Rule) -> _Search:
        return search._replace(trial=unknown, rule=rule, error=jnp.asarray(jnp.inf), fresh=jnp.asarray(False))

    def iteration(search: _Search) -> _Search:
        rule, old = search.rule, search.memory
        residual = balance(search.trial, rule)
        error = jnp.max(jnp.abs(residual) / scale(old, search.trial))
        error = jnp.where(jnp.isfinite(error), error, jnp.inf)
        begins = jnp.isinf(search.error)
        outdated = begins & stale(old, rule)
        solved = (error <= _TOLERANCE) & (old.age >= 0)
        quick, better = begins | (error <= _SLOW * search.error), error < search.error
        taken = quick | better
        best, residual, error = (
            jnp.where(taken, new, kept)
            for new, kept in ((search.trial, search.best), (residual, search.residual), (error, search.error))
        )
        outdated = outdated & ~solved
        renew = ~solved & (outdated | (~quick & (~search.fresh | better)))
        shorten = ~taken & ~renew
        memory = jax.lax.cond(renew, lambda: with_matrix(old, best, rule), lambda: old)
        direction = jnp.where(shorten, search.direction, lu_solve(memory.factors, residual))
        fraction = jnp.where(shorten, 0.5 * search.fraction, 1.0)
        after = search._replace(
            best=best,
            residual=residual,
            # A new matrix brings a new scale: the error is measured again from the next iterate on.
            error=jnp.where(outdated, jnp.finfo(error.dtype).max, error),
            direction=direction,
            fraction=fraction,
            trial=jnp.where(solved, search.trial, best - fraction * direction),
            memory=memory,
            fresh=renew | (search.fresh & shorten),
            probing=jnp.asarray(False),
            matrices=search.matrices + renew,
            evaluations=search.evaluations + 1,
            solved=solved,
        )
        fleeting = jnp.linalg.norm(after.trial[:nv] - rule.a) > jnp.linalg.norm(rule.a)
        forgetting = jnp.concatenate([jnp.zeros(nv), multipliers])
        after = _choose(search.probing & fleeting & ~solved, start_from(after, forgetting, backward_euler(nv)), after)
        stuck = (fraction < _SHORTEST) & ~search.fell_back
        again = start_from(after, jnp.concatenate([rule.standing(), multipliers]), rule)
        return _choose(stuck, again._replace(fell_back=jnp.asarray(True)), after)

    def going(search: _Search) -> Array:
        stuck = (search.fraction < _SHORTEST) & search.fell_back & ~jnp.isinf(search.error)
        return ~search.solved & (search.matrices < _MATRICES) & (search.evaluations < _EVALUATIONS) & ~stuck

    guess = jnp.concatenate([jnp.where(memory.jumped, rule.standing(), rule.a), multipliers])
    nothing, false, zero = jnp.zeros_like(guess), jnp.asarray(False), jnp.int32(0)
    begin = _Search(
        guess, nothing, jnp.asarray(jnp.inf), nothing, jnp.asarray(1.0), guess, rule, memory, false,
        memory.jumped & (h > 0.0), false, zero, zero, false,
    )  # fmt: skip
    end = jax.lax.while_loop(going, iteration, begin)
    kept = end.memory._replace(
        age=jnp.where(end.solved, end.memory.age + 1, -1),
        jumped=false,
        evaluations=memory.evaluations + end.evaluations,
        matrices=memory.matrices + end.matrices,
    )
    return Solved(end.trial, end.rule, kept, end.solved)


def _choose(first: Array, one: _Search, other: _Search) -> _Search:
    return jax.tree.map(lambda x, y: jnp.where(first, x, y), one, other)
