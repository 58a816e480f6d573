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
from pliant.numerics import ResultCode
from pliant.simulation._adaptive_march import Control, march_adaptively
from pliant.simulation._flow import Drive, Moving, finite, with_integral
from pliant.simulation._krylov import newton_krylov
from pliant.simulation._march import march
from pliant.simulation._rules import Numbers, Rule, backward_euler, make_rule
from pliant.simulation._step_newton import Memory, Solved, solve_step

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
        return jax.jacfwd(self.balance)(unknown, rule)


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
    as long as `step`. Constraints hold at the end of a step in
    acceleration; position and velocity are then put back onto them.

    A chunk begins with a step of no length, which finds the acceleration there. After a jump of the loads that of a
    stiff strain is huge, and gone long before the end of the first real step; these methods would ring with it. Such a
    step is one of backward Euler's, which forgets it.
    """
    model, prepared = drive.model, drive.prepared
    nv = model.nv

    def advance(moving: Moving, memory: Memory, t: Array, h: Array) -> tuple[Moving, Memory, Array]:
        q, v = moving.q, moving.v
        ahead = equations(drive, moving, t, h)
        rule = make_rule(numbers, moving.average, moving.a)
        if is_large(model.structure):
            found = _by_krylov(drive, ahead.balance, rule, moving, h, step, memory)
        else:
            forces = lambda: jnp.abs(element_forces(model, prepared, q, v))  # noqa: E731
            found = solve_step(model, ahead.balance, ahead.tangent, forces, rule, moving.multipliers, h, step, memory)
        rate, multipliers = found.unknown[:nv], found.unknown[nv:]
        q_new, v_new = ahead.moved(rate, found.rule)
        integral = ahead.integral(q_new, v_new)
        before = drive.powers(t, q, v, moving.integral)
        after = drive.powers(t + h, q_new, v_new, integral)
        work = moving.work + 0.5 * h * (before[0] + after[0])
        lost = moving.lost + 0.5 * h * (before[1] + after[1])
        settling = h == 0.0
        jumped = settling & (jnp.linalg.norm(rate - moving.a) > _JUMP * jnp.linalg.norm(rate))
        average = jnp.where(settling, jnp.where(jumped, rate, moving.average), found.rule.ahead(rate))
        result = drive.on_constraints(
            t + h, Moving(q_new, v_new, rate, average, multipliers, work, lost, integral, moving.step)
        )
        code = jnp.where(found.found, ResultCode.SUCCESS, ResultCode.NOT_CONVERGED)
        code = jnp.where(finite(result), code, ResultCode.NOT_FINITE)
        return result, found.memory._replace(jumped=jumped), code

    if control is not None:
        return march_adaptively(advance, drive, start, memory, targets, control)
    begin = drive.on_constraints(drive.low, start)
    return march(advance, begin, memory, drive.low, targets, step, settle=True)


def _by_krylov(drive: Drive, balance, rule: Rule, moving: Moving, h: Array, step: Array, memory: Memory) -> Solved:
    """As solve_step does, for robots whose matrix is never formed."""
    nv = drive.model.nv
    forget = memory.jumped & (h > 0.0)
    chosen = Rule(*(jnp.where(forget, x, y) for x, y in zip(backward_euler(nv), rule, strict=True)))
    guess = jnp.concatenate([jnp.where(forget, jnp.zeros(nv), moving.a), moving.multipliers])
    length = jnp.where(h > 0.0, h, step)
    unknown, found = newton_krylov(drive, lambda unknown: balance(unknown, chosen), moving.q, guess, length)
    return Solved(unknown, chosen, memory, found)
