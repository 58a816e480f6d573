"""Newton's method with a backtracking line search, in plain lax so that it can be batched and made native."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from ._linear import lu_solve
from ._result import ResultCode

Residual = Callable[[jax.Array], jax.Array]

# Sufficient decrease and step reduction of the line search (Nocedal and Wright, Numerical Optimization, section 3.1).
ARMIJO_FRACTION = 1e-4
STEP_REDUCTION = 0.5
MAX_HALVINGS = 8

# An iteration that can no longer improve (step below round-off, or no decrease along the Newton direction) has reached
# the noise of its own residual. It is accepted if the residual is within this factor of the tolerance.
STAGNATION_FACTOR = 1e3
ROUND_OFF = 8.0 * float(np.finfo(float).eps)

# What rounding leaves of terms that cancel, in units of their size: a few operations stand between x and each of them.
FLOOR = 16.0 * float(np.finfo(float).eps)
# A residual at that floor is a solution only where Newton's correction leaves the terms as they are, to this share.
CERTAIN = 1e-6

_RUNNING = -1


class NewtonResult(NamedTuple):
    """Where Newton ended: the last accepted x, max |r| / scale and the Jacobian there, and a ResultCode as int32."""

    x: jax.Array
    residual_norm: jax.Array
    iterations: jax.Array
    code: jax.Array
    jacobian: jax.Array


class _Search(NamedTuple):
    """x is the last accepted iterate, step the Newton step from it, fraction how much of it is being tried; ahead and
    ahead_step are the same of the last iterate taken on trust, of which there have been `trusted` since x. floored:
    whether the residual at x is no more than rounding leaves of it; certain: whether the step from x is small."""

    x: jax.Array
    jacobian: jax.Array
    step: jax.Array
    ahead: jax.Array
    ahead_step: jax.Array
    trusted: jax.Array
    fraction: jax.Array
    merit: jax.Array
    norm: jax.Array
    scale: jax.Array
    floored: jax.Array
    certain: jax.Array
    iterations: jax.Array
    halvings: jax.Array
    code: jax.Array


def _add(x: jax.Array, dx: jax.Array) -> jax.Array:
    return x + dx


def newton(
    residual: Residual,
    x0: jax.Array,
    *,
    jacobian: Callable[[jax.Array], jax.Array] | None = None,
    conditioned: Callable[[jax.Array], jax.Array] | None = None,
    retract: Callable[[jax.Array, jax.Array], jax.Array] = _add,
    scale: jax.Array | float | Callable[[jax.Array, jax.Array], jax.Array] = 1.0,
    magnitude: Callable[[jax.Array], jax.Array] | None = None,
    size: int | None = None,
    tolerance: float = 1e-10,
    max_iterations: int = 50,
    line_search: bool = True,
    trust: int = 0,
) -> NewtonResult:
    """Solve residual(x) = 0 for as many unknowns as equations.

    residual maps x to (n,). retract(x, dx) moves x by dx (n,), which lets x live on a manifold with more numbers than
    dimensions. jacobian(x) is d residual(retract(x, dx)) / d dx at dx = 0, (n, n); by default forward-mode derivative.
    conditioned(jacobian) is solved with instead of the Jacobian itself, for equations that depend on each other.
    scale, scalar or (n,), is what counts as 1 in the residual (its units), or a function of Jacobian and residual at x0
    that gives it; converged when max |r| / scale <= tolerance. size: n, where the caller knows it (saves a trace).

    Rounding may leave more than the tolerance of a residual whose terms nearly cancel. The terms are as large as
    |Jacobian| times magnitude(x), (n,): the sizes of the numbers in x that stand behind each unknown (|x| where
    retract is the sum; without it nothing is known of the floor). Where a whole step from an iterate at that floor
    leads to the floor again, the better of the two is the solution, provided that the step itself is small: at a
    singular place a residual that is nearly zero says nothing of x.

    trust: so many whole steps the line search takes although the residual rises, before it goes back and shortens the
    first of them (watchdog; Nocedal and Wright, section 15.6). It helps where a step along the tangent violates stiff
    equations of second order, as turning a rod stretches it: they would shorten every step, and the next one mends it.

    Residual and Jacobian are evaluated together, once per trial, in one place: a trial that the line search rejects
    wastes a Jacobian, but the program holds the user's function only once and compiles several times faster.
    """
    size = jax.eval_shape(residual, x0).shape[0] if size is None else size
    sizes = jnp.abs if magnitude is None and retract is _add else magnitude

    def linearised(x: jax.Array) -> tuple[jax.Array, jax.Array]:
        if jacobian is not None:
            return residual(x), jacobian(x)

        def moved(dx: jax.Array) -> tuple[jax.Array, jax.Array]:
            r = residual(retract(x, dx))
            return r, r

        matrix, r = jax.jacfwd(moved, has_aux=True)(jnp.zeros(size))
        return r, matrix

    def body(search: _Search) -> _Search:
        ahead = (search.trusted > 0) & (search.fraction == 1.0)
        begin, along = (
            jnp.where(ahead, there, here)
            for there, here in ((search.ahead, search.x), (search.ahead_step, search.step))
        )
        trial = retract(begin, search.fraction * along)
        r, matrix = linearised(trial)
        first = search.iterations == 0
        given = scale(matrix, r) if callable(scale) else jnp.broadcast_to(scale, r.shape)
        unit = jnp.where(first, given, search.scale)
        merit, norm = 0.5 * jnp.sum((r / unit) ** 2), jnp.max(jnp.abs(r / unit))
        # Along the Newton direction the merit's slope is -2 merit. A NaN merit compares false, hence is rejected.
        bound = (1.0 - 2.0 * ARMIJO_FRACTION * search.fraction) * search.merit
        accepted = (merit <= bound) if line_search else jnp.isfinite(merit)
        step = lu_solve(matrix if conditioned is None else conditioned(matrix), -r)
        step_finite = jnp.all(jnp.isfinite(step))
        floor, certain = _rounding(matrix, step, None if sizes is None else sizes(trial), tolerance * unit)
        floored = jnp.all(jnp.abs(r) <= jnp.maximum(tolerance * unit, floor))
        # Without an earlier iterate, or without a line search, there is nothing shorter to try.
        no_retreat = first | (not line_search)
        # Whole steps only; after the first shortened one there is none until a trial is accepted.
        go_on = (
            ~accepted & (search.fraction == 1.0) & (search.trusted < trust) & step_finite & jnp.isfinite(merit) & ~first
        )
        exhausted = ~accepted & ~go_on & ((search.halvings >= MAX_HALVINGS) | no_retreat)
        below_round_off = jnp.max(jnp.abs(step)) <= ROUND_OFF * jnp.max(jnp.abs(trial))
        best = jnp.where(accepted, norm, search.norm)
        settled = floored & search.floored & search.certain & ~ahead & (search.fraction == 1.0)
        # Of the iterate that is kept.
        floored, certain = (
            jnp.where(accepted, new, old) for new, old in ((floored, search.floored), (certain, search.certain))
        )
        stalled = (accepted & below_round_off) | exhausted
        at_noise = stalled & certain & ((best <= STAGNATION_FACTOR * tolerance) | floored)
        code = jnp.select(
            [
                (best <= tolerance) | at_noise | settled,
                accepted & ~jnp.all(jnp.isfinite(matrix)),
                accepted & ~step_finite,
                exhausted & no_retreat,
                exhausted,
            ],
            [
                ResultCode.SUCCESS,
                ResultCode.NOT_FINITE,
                ResultCode.SINGULAR,
                ResultCode.NOT_FINITE,
                ResultCode.NOT_CONVERGED,
            ],
            _RUNNING,
        ).astype(jnp.int32)
        return _Search(
            x=jnp.where(accepted, trial, search.x),
            jacobian=jnp.where(accepted, matrix, search.jacobian),
            step=jnp.where(accepted, jnp.where(step_finite, step, 0.0), search.step),
            ahead=trial,
            ahead_step=step,
            trusted=jnp.where(accepted, 0, search.trusted + go_on),
            fraction=jnp.where(accepted | go_on, 1.0, STEP_REDUCTION * search.fraction),
            merit=jnp.where(accepted, merit, search.merit),
            norm=best,
            scale=unit,
            floored=floored,
            certain=certain,
            iterations=search.iterations + 1,
            halvings=jnp.where(accepted, 0, search.halvings + ~go_on),
            code=code,
        )

    def running(search: _Search) -> jax.Array:
        # The first evaluation is of x0 itself and is not counted as an iteration.
        return (search.code == _RUNNING) & (search.iterations <= max_iterations)

    start = _Search(
        x=jnp.asarray(x0),
        jacobian=jnp.zeros((size, size)),
        step=jnp.zeros(size),
        ahead=jnp.asarray(x0),
        ahead_step=jnp.zeros(size),
        trusted=jnp.int32(0),
        fraction=jnp.ones(()),
        merit=jnp.asarray(jnp.inf),
        norm=jnp.asarray(jnp.inf),
        scale=jnp.ones(size),
        floored=jnp.asarray(False),
        certain=jnp.asarray(False),
        iterations=jnp.int32(0),
        halvings=jnp.int32(0),
        code=jnp.int32(_RUNNING),
    )
    last = lax.while_loop(running, body, start)
    at_last = jnp.where(last.floored & last.certain, ResultCode.SUCCESS, ResultCode.NOT_CONVERGED).astype(jnp.int32)
    code = jnp.where(last.code == _RUNNING, at_last, last.code)
    return NewtonResult(last.x, last.norm, last.iterations - 1, code, last.jacobian)


def _rounding(
    matrix: jax.Array, step: jax.Array, sizes: jax.Array | None, tolerated: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """What rounding leaves of each equation (n,), and whether a step changes no equation's terms by more than a small
    share of them, or than what is tolerated (n,)."""
    if sizes is None:
        return jnp.zeros_like(tolerated), jnp.asarray(True)
    terms, change = jnp.moveaxis(jnp.abs(matrix) @ jnp.stack([sizes, jnp.abs(step)], axis=1), 1, 0)
    return FLOOR * terms, jnp.all(change <= jnp.maximum(CERTAIN * terms, tolerated))
