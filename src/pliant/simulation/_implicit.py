"""Newmark's method and generalised-alpha on the manifold: the acceleration at the end of a step balances the forces."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from pliant.dynamics import (
    Weights,
    closed_tangent,
    closed_tangent_is_cheaper,
    dynamic_balance,
    element_forces,
    is_large,
)
from pliant.numerics import ResultCode, forward_jacobian
from pliant.simulation._adaptive_march import Control, march_adaptively
from pliant.simulation._flow import Drive, Moving, finite, with_integral
from pliant.simulation._krylov import newton_krylov
from pliant.simulation._march import march
from pliant.simulation._rules import RESTART, RESTARTS, Numbers, Rule, choose_rule, make_rule, restart_stages
from pliant.simulation._step_newton import Memory, Solved, solve_step

CUTS = 6  # how often a step of fixed length that fails is halved
_JUMP = 0.1  # of the acceleration


class Equations(eqx.Module):
    """One step of length h from a state at time t: what has to be zero at its end, and its derivative."""

    drive: Drive
    moving: Moving
    t: Array
    h: Array
    error: Array  # of controllers, at the start

    def moved(self, rate: Array, rule: Rule) -> tuple[Array, Array]:
        """q and v at the end, for the acceleration (nv,) there."""
        q, v = self.moving.q, self.moving.v
        q_new = self.drive.model.integrate(q, rule.displacement(rate, v, self.h))
        return q_new, rule.velocity(rate, v, self.h)

    def integral(self, q: Array, v: Array) -> Array:
        return self.moving.integral + 0.5 * self.h * (self.error + self.drive.errors(self.t + self.h, q, v))

    def balance(self, unknown: Array, rule: Rule) -> Array:
        drive, end, nv = self.drive, self.t + self.h, self.drive.model.nv
        q, v = self.moved(unknown[:nv], rule)
        ports = with_integral(drive.model, drive.ports(end, q, v), self.integral(q, v))
        moment = drive.inside(end)
        return dynamic_balance(drive.model, drive.prepared, q, v, unknown[:nv], unknown[nv:], moment, ports)

    def tangent(self, unknown: Array, rule: Rule) -> Array:
        """In closed form where that is cheaper; it leaves out how the turn of a step changes its own direction."""
        drive, end = self.drive, self.t + self.h
        if drive.inputs.law is not None or not closed_tangent_is_cheaper(drive.model.structure):
            return self.exact_tangent(unknown, rule)
        q, v = self.moved(unknown, rule)
        weights = Weights(rule.span(self.h), self.h * rule.gamma * rule.share, jnp.ones(()))
        ports = drive.ports(end, q, v)
        return closed_tangent(drive.model, drive.prepared, q, v, unknown, drive.inside(end), ports, weights)

    def exact_tangent(self, unknown: Array, rule: Rule) -> Array:
        return forward_jacobian(lambda unknown: self.balance(unknown, rule))(unknown)


def equations(drive: Drive, moving: Moving, t: Array, h: Array) -> Equations:
    return Equations(drive, moving, t, h, drive.errors(t, moving.q, moving.v))


def implicit(
    drive: Drive,
    start: Moving,
    targets: Array,
    step: Array,
    numbers: Numbers,
    memory: Memory,
    control: Control | None = None,
) -> tuple[Moving, Array, Array, Memory]:
    """States at the targets and a ResultCode for each, steps taken, memory. control: of the step; without it steps are
    as long as `step`. Constraints hold at the end of a step in acceleration; position and velocity are then put back
    onto them.

    A chunk begins with a step of no length, which finds the acceleration there. After a jump of the loads that of a
    stiff strain is huge, and gone long before the end of the first real step; these methods would ring with it. The
    first steps after a jump therefore forget it (restart_stages).
    """
    model, prepared = drive.model, drive.prepared
    nv = model.nv

    def solve(moving: Moving, ahead: Equations, rule: Rule, guess: Array, memory: Memory) -> Solved:
        if is_large(model.structure):
            return _by_krylov(ahead, rule, guess, step, memory)
        forces = lambda: jnp.abs(element_forces(model, prepared, moving.q, moving.v))  # noqa: E731
        return solve_step(
            model, ahead.balance, ahead.tangent, forces, rule, guess, ahead.h, step, memory, numbers.tolerance
        )

    def advance(moving: Moving, memory: Memory, t: Array, h: Array) -> tuple[Moving, Memory, Array]:
        q, v = moving.q, moving.v
        restarting = (memory.restarts > 0) & (h > 0.0)
        plain = make_rule(numbers, moving.average, moving.a)
        # The acceleration goes on changing as in the last step.
        trend = jnp.where(restarting | (h == 0.0), 0.0, plain.a - memory.begun)

        def rule_of(stage: Array, first: Array) -> Rule:
            early, late = restart_stages(nv, first)
            return choose_rule(restarting, choose_rule(stage == 0, early, late), plain)

        # A loop over the stages, so that the equations are compiled once.
        def solve_stage(carry: tuple[Array, Solved, Array]) -> tuple[Array, Solved, Array]:
            stage, last, _ = carry
            rule = rule_of(stage, last.unknown[:nv])
            ahead = equations(drive, moving, t, jnp.where(restarting & (stage == 0), RESTART, 1.0) * h)
            guess = jnp.concatenate([rule.a + trend, last.unknown[nv:]])
            found = solve(moving, ahead, rule, guess, last.memory)
            return stage + 1, found._replace(found=last.found & found.found), rule.a

        stages = jnp.where(restarting, 2, 1)
        nothing = Solved(jnp.concatenate([plain.a, moving.multipliers]), memory, jnp.asarray(True))
        _, found, begun = jax.lax.while_loop(
            lambda carry: carry[0] < stages, solve_stage, (jnp.int32(0), nothing, plain.a)
        )
        rule, ahead = rule_of(jnp.int32(1), begun), equations(drive, moving, t, h)
        rate, multipliers = found.unknown[:nv], found.unknown[nv:]
        q_new, v_new = ahead.moved(rate, rule)
        integral = ahead.integral(q_new, v_new)
        before = drive.powers(t, q, v, moving.integral)
        after = drive.powers(t + h, q_new, v_new, integral)
        work = moving.work + 0.5 * h * (before[0] + after[0])
        lost = moving.lost + 0.5 * h * (before[1] + after[1])
        settling = h == 0.0
        jumped = settling & (jnp.linalg.norm(rate - moving.a) > _JUMP * jnp.linalg.norm(rate))
        average = jnp.where(settling, jnp.where(jumped, rate, moving.average), rule.ahead(rate))
        result = drive.on_constraints(
            t + h, Moving(q_new, v_new, rate, average, multipliers, work, lost, integral, moving.step, t + h)
        )
        code = jnp.where(found.found, ResultCode.SUCCESS, ResultCode.NOT_CONVERGED)
        code = jnp.where(finite(result), code, ResultCode.NOT_FINITE)
        # A step that is cut still comes after the jump.
        left = jnp.where(jumped, RESTARTS, jnp.where(restarting, memory.restarts - 1, memory.restarts))
        restarts = jnp.where(code == ResultCode.SUCCESS, left, memory.restarts)
        return result, found.memory._replace(restarts=restarts, begun=begun), code

    if control is not None:
        return march_adaptively(advance, drive, start, memory, targets, control)
    begin = drive.on_constraints(drive.low, start)
    return march(advance, begin, memory, drive.low, targets, step, settle=True, cuts=CUTS)


def _by_krylov(ahead: Equations, rule: Rule, guess: Array, step: Array, memory: Memory) -> Solved:
    """As solve_step does, for robots whose matrix is never formed."""
    length = jnp.where(ahead.h > 0.0, ahead.h, step)
    unknown, found = newton_krylov(
        ahead.drive, lambda unknown: ahead.balance(unknown, rule), ahead.moving.q, guess, length
    )
    return Solved(unknown, memory, found)
