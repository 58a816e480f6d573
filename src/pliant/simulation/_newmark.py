"""Newmark's method on the manifold: average acceleration by default, Newton on the residual for the new acceleration."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.linalg import lu_factor, lu_solve

from pliant.dynamics import residual
from pliant.numerics import ResultCode
from pliant.simulation._flow import Drive, Moving, finite
from pliant.simulation._march import march

_TOLERANCE = 1e-9  # residual relative to the forces at the start of the step
_ROUNDS = 4  # Jacobians per step
_CHORDS = 5  # iterations with the same Jacobian: cheap, and enough when the step is smooth


class _Iterate(NamedTuple):
    a: Array
    residual: Array
    error: Array
    count: Array


def newmark(
    drive: Drive, start: Moving, targets: Array, step: Array, beta: Array, gamma: Array
) -> tuple[Moving, Array, Array]:
    """States at the targets, ResultCode, steps taken; q+ = q exp(h v + h^2 ((1/2 - beta) a + beta a+)),
    v+ = v + h ((1 - gamma) a + gamma a+)."""
    model, prepared = drive.model, drive.prepared

    def forces(t: Array, q: Array, v: Array, a: Array) -> Array:
        return residual(model, q, v, a, drive.inside(t), drive.ports(t, q, v), 1.0, prepared)

    def advance(moving: Moving, t: Array, h: Array) -> tuple[Moving, Array]:
        q, v, a = moving.q, moving.v, moving.a

        def moved(new: Array) -> tuple[Array, Array]:
            q_new = model.integrate(q, h * v + h * h * ((0.5 - beta) * a + beta * new))
            return q_new, v + h * ((1.0 - gamma) * a + gamma * new)

        def balance(new: Array) -> Array:
            return forces(t + h, *moved(new), new)

        def jacobian_of(new: Array) -> Array:
            return jax.jacfwd(balance)(new)

        # Forces that have to cancel set the scale of what is left over.
        still = forces(t + h, q, v, jnp.zeros_like(a))
        inertial = forces(t + h, q, v, a) - still
        matrix = jacobian_of(a)
        weight = jnp.sqrt(jnp.maximum(jnp.abs(jnp.diagonal(matrix)), 1e-300))
        level = jnp.max((jnp.abs(still) + jnp.abs(inertial)) / weight)
        scale = weight * jnp.where(level > 0.0, level, 1.0)

        def error_of(r: Array) -> Array:
            return jnp.max(jnp.abs(r) / scale)

        def chord(factors, iterate: _Iterate) -> _Iterate:
            new = iterate.a - lu_solve(factors, iterate.residual)
            r = balance(new)
            return _Iterate(new, r, error_of(r), iterate.count + 1)

        def one_round(carry: tuple[_Iterate, Array]) -> tuple[_Iterate, Array]:
            iterate, rounds = carry
            fresh = jax.lax.cond(rounds == 0, lambda new: matrix, jacobian_of, iterate.a)
            factors = lu_factor(fresh)
            inner = iterate._replace(count=jnp.int32(0))
            going = lambda i: (i.count < _CHORDS) & ~(i.error <= _TOLERANCE)  # noqa: E731
            return jax.lax.while_loop(going, lambda i: chord(factors, i), inner), rounds + 1

        r0 = balance(a)
        begin = _Iterate(a, r0, error_of(r0), jnp.int32(0))
        unconverged = lambda carry: (carry[1] < _ROUNDS) & ~(carry[0].error <= _TOLERANCE)  # noqa: E731
        found, _ = jax.lax.while_loop(unconverged, one_round, (begin, jnp.int32(0)))
        q_new, v_new = moved(found.a)
        before, after = drive.powers(t, q, v), drive.powers(t + h, q_new, v_new)
        work = moving.work + 0.5 * h * (before[0] + after[0])
        lost = moving.lost + 0.5 * h * (before[1] + after[1])
        result = Moving(q_new, v_new, found.a, work, lost)
        code = jnp.where(found.error <= _TOLERANCE, ResultCode.SUCCESS, ResultCode.NOT_CONVERGED)
        return result, jnp.where(finite(result), code, ResultCode.NOT_FINITE)

    consistent = start._replace(a=drive.acceleration(drive.low, start.q, start.v))
    return march(advance, consistent, drive.low, targets, step)
