"""Newmark's method on the manifold: Newton on the residual for the acceleration at the end of the step."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.linalg import lu_factor, lu_solve

from pliant.analysis import force_scale
from pliant.dynamics import element_forces, residual
from pliant.numerics import ResultCode
from pliant.simulation._flow import Drive, Moving, finite
from pliant.simulation._march import march

_TOLERANCE = 1e-9  # residual relative to the forces at the start of the step
_ROUNDS = 4  # Jacobians per step
_CHORDS = 5  # iterations with the same Jacobian: cheap, and enough when the step is smooth


class _Iterate(NamedTuple):
    a: Array
    residual: Array
    scale: Array
    error: Array
    chords: Array


def newmark(
    drive: Drive, start: Moving, targets: Array, step: Array, beta: Array, gamma: Array
) -> tuple[Moving, Array, Array]:
    """States at the targets and a ResultCode for each, steps taken; q+ = q exp(h v + h^2 ((1/2 - beta) a + beta a+)),
    v+ = v + h ((1 - gamma) a + gamma a+)."""
    model, prepared = drive.model, drive.prepared

    def advance(moving: Moving, t: Array, h: Array) -> tuple[Moving, Array]:
        q, v, a = moving.q, moving.v, moving.a

        def moved(new: Array) -> tuple[Array, Array]:
            q_new = model.integrate(q, h * v + h * h * ((0.5 - beta) * a + beta * new))
            return q_new, v + h * ((1.0 - gamma) * a + gamma * new)

        def balance(new: Array) -> tuple[Array, Array]:
            q_new, v_new = moved(new)
            ports = drive.ports(t + h, q_new, v_new)
            r = residual(model, q_new, v_new, new, drive.inside(t + h), ports, 1.0, prepared)
            return r, r

        stored = jnp.abs(element_forces(model, prepared, q, v))

        def chord(factors: tuple[Array, Array], iterate: _Iterate) -> _Iterate:
            new = iterate.a - lu_solve(factors, iterate.residual)
            r, _ = balance(new)
            return iterate._replace(a=new, residual=r, error=_error(r, iterate.scale), chords=iterate.chords + 1)

        def one_round(carry: tuple[_Iterate, Array]) -> tuple[_Iterate, Array]:
            iterate, rounds = carry
            matrix, r = jax.jacfwd(balance, has_aux=True)(iterate.a)
            # Forces that have to cancel set the scale of what is left over.
            scale = force_scale(matrix, stored + jnp.abs(matrix) @ jnp.abs(iterate.a))
            fresh = iterate._replace(residual=r, scale=scale, error=_error(r, scale), chords=jnp.int32(0))
            factors = lu_factor(matrix)
            going = lambda i: (i.chords < _CHORDS) & ~(i.error <= _TOLERANCE)  # noqa: E731
            return jax.lax.while_loop(going, lambda i: chord(factors, i), fresh), rounds + 1

        begin = _Iterate(a, jnp.zeros_like(a), jnp.ones_like(a), jnp.asarray(jnp.inf), jnp.int32(0))
        unconverged = lambda carry: (carry[1] < _ROUNDS) & ~(carry[0].error <= _TOLERANCE)  # noqa: E731
        found, _ = jax.lax.while_loop(unconverged, one_round, (begin, jnp.int32(0)))
        q_new, v_new = moved(found.a)
        before, after = drive.powers(t, q, v), drive.powers(t + h, q_new, v_new)
        work = moving.work + 0.5 * h * (before[0] + after[0])
        lost = moving.lost + 0.5 * h * (before[1] + after[1])
        result = moving._replace(q=q_new, v=v_new, a=found.a, work=work, lost=lost)
        code = jnp.where(found.error <= _TOLERANCE, ResultCode.SUCCESS, ResultCode.NOT_CONVERGED)
        return result, jnp.where(finite(result), code, ResultCode.NOT_FINITE)

    consistent = start._replace(a=drive.acceleration(drive.low, start.q, start.v))
    return march(advance, consistent, drive.low, targets, step)


def _error(r: Array, scale: Array) -> Array:
    return jnp.max(jnp.abs(r) / scale)
