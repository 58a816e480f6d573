"""Newmark's method on the manifold: Newton on the residual for the acceleration at the end of the step."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.scipy.linalg import lu_factor, lu_solve

from pliant.analysis import conditioned, force_scale
from pliant.dynamics import dynamic_balance, element_forces, is_large
from pliant.model import Model
from pliant.numerics import ResultCode
from pliant.simulation._flow import Drive, Moving, finite, with_integral
from pliant.simulation._krylov import newton_krylov
from pliant.simulation._march import march

_TOLERANCE = 1e-9  # residual relative to the forces at the start of the step
_ROUNDS = 8  # Jacobians per step
_STANDING = 1e-6  # m or rad
_CHORDS = 12  # iterations with the same Jacobian, which cost a tenth of one
_JUMP = 0.1  # of the acceleration
_SLOW = 0.3  # an iteration that leaves more of the error asks for a new Jacobian


class _Iterate(NamedTuple):
    unknown: Array  # acceleration (nv,), multipliers (m,)
    residual: Array
    scale: Array
    error: Array
    chords: Array
    slow: Array


class _Rule(NamedTuple):
    """q+ = q exp(h v + h^2 ((1/2 - beta) a + beta a+)), v+ = v + h ((1 - gamma) a + gamma a+)."""

    a: Array  # (nv,) before the step
    beta: Array
    gamma: Array

    def standing(self) -> Array:
        """(nv,) the a+ with which the robot goes on at its velocity."""
        return self.a * (1.0 - 0.5 / self.beta)


def newmark(
    drive: Drive, start: Moving, targets: Array, step: Array, beta: Array, gamma: Array
) -> tuple[Moving, Array, Array]:
    """States at the targets and a ResultCode for each, steps taken. Constraints hold at the end of a step in
    acceleration; position and velocity are then put back onto them.

    After a jump of the loads the acceleration of a stiff strain is huge, and gone long before the end of a step;
    Newmark's method would ring with it. Such a step is one of backward Euler's, which forgets it.
    """
    model, prepared = drive.model, drive.prepared
    nv = model.nv
    consistent = drive.on_constraints(drive.low, start)
    consistent = consistent._replace(a=drive.acceleration(drive.low, consistent.q, consistent.v, start.integral))
    jumped = jnp.linalg.norm(consistent.a - start.a) > _JUMP * jnp.linalg.norm(consistent.a)

    def advance(moving: Moving, t: Array, h: Array) -> tuple[Moving, Array]:
        q, v = moving.q, moving.v
        error = drive.errors(t, q, v)

        def moved(new: Array, rule: _Rule) -> tuple[Array, Array]:
            q_new = model.integrate(q, h * v + h * h * ((0.5 - rule.beta) * rule.a + rule.beta * new))
            return q_new, v + h * ((1.0 - rule.gamma) * rule.a + rule.gamma * new)

        def balance(unknown: Array, rule: _Rule) -> Array:
            new, multipliers = unknown[:nv], unknown[nv:]
            q_new, v_new = moved(new, rule)
            summed = moving.integral + 0.5 * h * (error + drive.errors(t + h, q_new, v_new))
            ports = with_integral(model, drive.ports(t + h, q_new, v_new), summed)
            return dynamic_balance(model, prepared, q_new, v_new, new, multipliers, drive.inside(t + h), ports)

        rule = _Rule(moving.a, beta, gamma)
        guesses = [jnp.concatenate([new, moving.multipliers]) for new in (rule.a, rule.standing())]
        changes, stays = (jnp.linalg.norm(balance(guess, rule)) for guess in guesses)
        fleeting = stays < changes  # what accelerates the robot now will not do so at the end of the step
        forget = fleeting & jumped & (t <= drive.low)
        rule = jax.tree.map(lambda x, y: jnp.where(forget, x, y), _backward_euler(nv), rule)
        guess = jnp.where(fleeting, jnp.concatenate([rule.standing(), moving.multipliers]), guesses[0])
        if is_large(model.structure):
            unknown, solved = newton_krylov(drive, lambda unknown: balance(unknown, rule), q, guess, h)
        else:
            stored = jnp.abs(element_forces(model, prepared, q, v))
            unknown, solved = _newton(model, lambda unknown: balance(unknown, rule), stored, guess, h)
        q_new, v_new = moved(unknown[:nv], rule)
        integral = moving.integral + 0.5 * h * (error + drive.errors(t + h, q_new, v_new))
        before = drive.powers(t, q, v, moving.integral)
        after = drive.powers(t + h, q_new, v_new, integral)
        work = moving.work + 0.5 * h * (before[0] + after[0])
        lost = moving.lost + 0.5 * h * (before[1] + after[1])
        result = drive.on_constraints(
            t + h,
            Moving(q_new, v_new, unknown[:nv], unknown[nv:], work, lost, integral, moving.step),
        )
        code = jnp.where(solved, ResultCode.SUCCESS, ResultCode.NOT_CONVERGED)
        return result, jnp.where(finite(result), code, ResultCode.NOT_FINITE)

    return march(advance, consistent, drive.low, targets, step)


def _backward_euler(nv: int) -> _Rule:
    return _Rule(jnp.zeros(nv), jnp.asarray(1.0), jnp.asarray(1.0))


def _newton(
    model: Model, balance: Callable[[Array], Array], stored: Array, guess: Array, h: Array
) -> tuple[Array, Array]:
    """Root of the balance near a guess, and whether it was found. stored (nv,): size of the elastic and damping forces
    at the start of the step."""
    nv = model.nv

    def twice(unknown: Array) -> tuple[Array, Array]:
        return (r := balance(unknown)), r

    def chord(factors: tuple[Array, Array], iterate: _Iterate) -> _Iterate:
        new = iterate.unknown - lu_solve(factors, iterate.residual)
        r = balance(new)
        error = _error(r, iterate.scale)
        slow = ~(error <= _SLOW * iterate.error)
        return _Iterate(new, r, iterate.scale, error, iterate.chords + 1, slow)

    def one_round(carry: tuple[_Iterate, Array]) -> tuple[_Iterate, Array]:
        iterate, rounds = carry
        matrix, r = jax.jacfwd(twice, has_aux=True)(iterate.unknown)
        scale = _scale(matrix, stored, iterate.unknown, nv, h)
        fresh = _Iterate(iterate.unknown, r, scale, _error(r, scale), jnp.int32(0), jnp.asarray(False))
        factors = lu_factor(conditioned(model, matrix))
        going = lambda i: (i.chords < _CHORDS) & ~i.slow & ~(i.error <= _TOLERANCE)  # noqa: E731
        return jax.lax.while_loop(going, lambda i: chord(factors, i), fresh), rounds + 1

    nothing, false = jnp.zeros_like(guess), jnp.asarray(False)
    begin = _Iterate(guess, nothing, jnp.ones_like(guess), jnp.asarray(jnp.inf), jnp.int32(0), false)
    unconverged = lambda carry: (carry[1] < _ROUNDS) & ~(carry[0].error <= _TOLERANCE)  # noqa: E731
    found, _ = jax.lax.while_loop(unconverged, one_round, (begin, jnp.int32(0)))
    return found.unknown, found.error <= _TOLERANCE


def _scale(matrix: Array, stored: Array, unknown: Array, nv: int, h: Array) -> Array:
    """(nv + m,) what counts as one unit: forces that have to cancel (reactions among them), and accelerations that
    have to, but no less than what moves a constraint by a micrometre in a step: a robot may stand still."""
    forces = force_scale(matrix[:nv, :nv], stored + jnp.abs(matrix[:nv]) @ jnp.abs(unknown))
    rows = jnp.abs(matrix[nv:, :nv]) @ jnp.abs(unknown[:nv])
    level = jnp.maximum(jnp.max(rows, initial=0.0), _STANDING / h**2)
    return jnp.concatenate([forces, jnp.broadcast_to(level, rows.shape)])


def _error(r: Array, scale: Array) -> Array:
    return jnp.max(jnp.abs(r) / scale)
