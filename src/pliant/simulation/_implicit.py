"""Newmark's method and generalised-alpha on the manifold: the acceleration at the end of a step balances the forces."""

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
        error = drive.errors(t, q, v)

        def moved(rate: Array, rule: Rule) -> tuple[Array, Array]:
            return model.integrate(q, rule.displacement(rate, v, h)), rule.velocity(rate, v, h)

        def balance(unknown: Array, rule: Rule) -> Array:
            rate, multipliers = unknown[:nv], unknown[nv:]
            q_new, v_new = moved(rate, rule)
            summed = moving.integral + 0.5 * h * (error + drive.errors(t + h, q_new, v_new))
            ports = with_integral(model, drive.ports(t + h, q_new, v_new), summed)
            return dynamic_balance(model, prepared, q_new, v_new, rate, multipliers, drive.inside(t + h), ports)

        def tangent(unknown: Array, rule: Rule) -> Array:
            if drive.inputs.law is not None or not closed_tangent_is_cheaper(model.structure):
                return jax.jacfwd(balance)(unknown, rule)
            q_new, v_new = moved(unknown, rule)
            weights = Weights(rule.span(h), h * rule.gamma * rule.share, jnp.ones(()))
            ports = drive.ports(t + h, q_new, v_new)
            return closed_tangent(model, prepared, q_new, v_new, unknown, drive.inside(t + h), ports, weights)

        rule = make_rule(numbers, moving.average, moving.a)
        if is_large(model.structure):
            found = _by_krylov(drive, balance, rule, moving, h, step, memory)
        else:
            forces = lambda: jnp.abs(element_forces(model, prepared, q, v))  # noqa: E731
            found = solve_step(model, balance, tangent, forces, rule, moving.multipliers, h, step, memory)
        rate, multipliers = found.unknown[:nv], found.unknown[nv:]
        q_new, v_new = moved(rate, found.rule)
        integral = moving.integral + 0.5 * h * (error + drive.errors(t + h, q_new, v_new))
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
