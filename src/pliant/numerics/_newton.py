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

_RUNNING = -1


class NewtonResult(NamedTuple):
    """Where Newton ended: the last x with a finite residual, max |r| / scale there, and a ResultCode as int32."""

    x: jax.Array
    residual_norm: jax.Array
    iterations: jax.Array
    code: jax.Array


# x, its residual, the fraction of the Newton step and the number of halvings that led there.
_Trial = tuple[jax.Array, jax.Array, jax.Array, jax.Array]


class _Iterate(NamedTuple):
    x: jax.Array
    residual: jax.Array
    norm: jax.Array
    iterations: jax.Array
    code: jax.Array


def _add(x: jax.Array, dx: jax.Array) -> jax.Array:
    return x + dx


def newton(
    residual: Residual,
    x0: jax.Array,
    *,
    jacobian: Callable[[jax.Array], jax.Array] | None = None,
    retract: Callable[[jax.Array, jax.Array], jax.Array] = _add,
    scale: jax.Array | float = 1.0,
    tolerance: float = 1e-10,
    max_iterations: int = 50,
    line_search: bool = True,
) -> NewtonResult:
    """Solve residual(x) = 0 for as many unknowns as equations.

    residual maps x to (n,). retract(x, dx) moves x by dx (n,), which lets x live on a manifold with more numbers than
    dimensions. jacobian(x) is d residual(retract(x, dx)) / d dx at dx = 0, (n, n); by default forward-mode derivative.
    scale, scalar or (n,), is what counts as 1 in the residual (its units); converged when max |r| / scale <= tolerance.
    """
    r0 = residual(x0)
    step_zero = jnp.zeros_like(r0)
    if jacobian is None:

        def jacobian(x: jax.Array) -> jax.Array:
            return jax.jacfwd(lambda dx: residual(retract(x, dx)))(step_zero)

    def norm_of(r: jax.Array) -> jax.Array:
        return jnp.max(jnp.abs(r / scale))

    def merit_of(r: jax.Array) -> jax.Array:
        return 0.5 * jnp.sum((r / scale) ** 2)

    def trial(x: jax.Array, dx: jax.Array, fraction: jax.Array) -> tuple[jax.Array, jax.Array]:
        x_new = retract(x, fraction * dx)
        return x_new, residual(x_new)

    def advance(iterate: _Iterate, dx: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        """New x, its residual, and whether it is an acceptable improvement."""
        one = jnp.ones_like(iterate.norm)
        x_full, r_full = trial(iterate.x, dx, one)
        if not line_search:
            return x_full, r_full, jnp.all(jnp.isfinite(r_full))
        merit = merit_of(iterate.residual)

        def decreases(r: jax.Array, fraction: jax.Array) -> jax.Array:
            # Along the Newton direction the merit's slope is -2 merit. A NaN merit compares false, hence halves.
            return merit_of(r) <= (1.0 - 2.0 * ARMIJO_FRACTION * fraction) * merit

        def rejected(state: _Trial) -> jax.Array:
            _, r, fraction, halvings = state
            return (~decreases(r, fraction)) & (halvings < MAX_HALVINGS)

        def halve(state: _Trial) -> _Trial:
            _, _, fraction, halvings = state
            fraction = STEP_REDUCTION * fraction
            return (*trial(iterate.x, dx, fraction), fraction, halvings + 1)

        x_new, r_new, fraction, _ = lax.while_loop(rejected, halve, (x_full, r_full, one, jnp.int32(0)))
        return x_new, r_new, decreases(r_new, fraction)

    def body(iterate: _Iterate) -> _Iterate:
        matrix = jacobian(iterate.x)
        dx = lu_solve(matrix, -iterate.residual)
        matrix_finite, step_finite = jnp.all(jnp.isfinite(matrix)), jnp.all(jnp.isfinite(dx))
        dx = jnp.where(step_finite, dx, 0.0)
        x_new, r_new, improved = advance(iterate, dx)
        improved = improved & step_finite
        norm = jnp.where(improved, norm_of(r_new), iterate.norm)
        below_round_off = jnp.max(jnp.abs(dx)) <= ROUND_OFF * jnp.max(jnp.abs(iterate.x))
        at_noise = step_finite & (below_round_off | ~improved) & (norm <= STAGNATION_FACTOR * tolerance)
        # Without a line search the only way not to improve is a residual that is not finite.
        failure = ResultCode.NOT_CONVERGED if line_search else ResultCode.NOT_FINITE
        code = jnp.select(
            [(norm <= tolerance) | at_noise, ~matrix_finite, ~step_finite, ~improved],
            [ResultCode.SUCCESS, ResultCode.NOT_FINITE, ResultCode.SINGULAR, failure],
            _RUNNING,
        ).astype(jnp.int32)
        return _Iterate(
            jnp.where(improved, x_new, iterate.x),
            jnp.where(improved, r_new, iterate.residual),
            norm,
            iterate.iterations + 1,
            code,
        )

    def running(iterate: _Iterate) -> jax.Array:
        return (iterate.code == _RUNNING) & (iterate.iterations < max_iterations)

    norm0 = norm_of(r0)
    code0 = jnp.where(
        jnp.isfinite(norm0), jnp.where(norm0 <= tolerance, ResultCode.SUCCESS, _RUNNING), ResultCode.NOT_FINITE
    ).astype(jnp.int32)
    last = lax.while_loop(running, body, _Iterate(jnp.asarray(x0), r0, norm0, jnp.int32(0), code0))
    code = jnp.where(last.code == _RUNNING, jnp.int32(ResultCode.NOT_CONVERGED), last.code)
    return NewtonResult(last.x, last.norm, last.iterations, code)
