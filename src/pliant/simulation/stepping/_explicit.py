"""Explicit steppers: embedded Runge-Kutta pairs with error control, and classical RK4 with a fixed step.

A stage is the body of a scan, so the program holds the equations of motion once. Libraries of steppers hold them more
often (dense output needs them a third time), or check their arguments through host callbacks, which keep a compiled
program out of JAX's persistent cache.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.flatten_util import ravel_pytree

from pliant.dynamics import Touches
from pliant.numerics import ResultCode
from pliant.simulation.stepping._flow import Drive, StepState, finite
from pliant.simulation.stepping._march import FixedMarch, MarchResult, begin_march, code_of, march
from pliant.simulation.stepping._tables import ADAPTIVE, RK4, Table

_MAX_STEPS = 200_000  # per target
_SAFETY, _SHRINK, _GROW = 0.9, 0.2, 10.0  # of the step controller (Hairer, Norsett, Wanner, section II.4)
_SMALLEST = 1e-15  # step over the length of the run's current time or chunk, whichever is larger
_ACROSS = 1e-4  # of the step that would be taken otherwise: one that passes a touch
_FIRST = 1e-6  # first step over the chunk; it grows tenfold per step until the error says otherwise

Rates = tuple[Array, Array, Array, Array, Array]


def _rates(drive: Drive, t: Array, moving: StepState) -> Rates:
    q, v = moving.q, moving.v
    motion = (drive.model.rate(q, v), drive.acceleration(t, moving))
    return (*motion, *drive.powers(t, moving), drive.errors(t, q, v))


def _increments(table: Table, drive: Drive, t: Array, h: Array, moving: StepState) -> tuple[Array, Array]:
    """Flat state (n,) and its rates at all stages (s, n)."""
    y, _ = ravel_pytree((moving.q, moving.v, moving.work, moving.lost, moving.integral))

    def stage(rates: Array, row: tuple[Array, Array, Array]) -> tuple[Array, None]:
        index, weights, node = row
        there = _moved(moving, y + h * (weights @ rates), t + node * h)
        rate = ravel_pytree(_rates(drive, there.time, there))[0]
        return rates.at[index].set(rate), None

    stages = len(table.c)
    empty = jnp.zeros((stages, y.shape[0]))
    rows = (jnp.arange(stages), jnp.asarray(table.a), jnp.asarray(table.c))
    return y, jax.lax.scan(stage, empty, rows)[0]


def _moved(moving: StepState, flat: Array, time: Array) -> StepState:
    _, unravel = ravel_pytree((moving.q, moving.v, moving.work, moving.lost, moving.integral))
    q, v, work, lost, integral = unravel(flat)
    return moving._replace(q=q, v=v, work=work, lost=lost, integral=integral, time=time)


class ExplicitMarch(NamedTuple):
    """A march that may be put aside after any step: it is at t, after so many steps towards its target."""

    t: Array
    steps: Array


class _Adaptive(NamedTuple):
    moving: StepState
    t: Array
    steps: Array
    code: Array
    left: Array


def begin_adaptive(drive: Drive, start: StepState) -> tuple[StepState, ExplicitMarch]:
    """The robot at the beginning of a chunk, and its march there."""
    first = drive.on_constraints(drive.low, start)
    first = first._replace(step=jnp.where(start.step > 0.0, start.step, _FIRST * (drive.high - drive.low)))
    return first, ExplicitMarch(drive.low, jnp.int32(0))


def adaptive(
    name: str, drive: Drive, start: StepState, now: ExplicitMarch, targets: Array, left: Array, rtol: Array, atol: Array
) -> MarchResult:
    """From target to target; steps are cut to land on every one. left: steps that this call may take."""
    table = ADAPTIVE[name]
    span = drive.high - drive.low
    size = start.q.shape[0] + start.v.shape[0]

    def one_step(state: _Adaptive, target: Array) -> _Adaptive:
        moving, t = state.moving, state.t
        remaining = target - t
        proposal = moving.step
        if drive.model.structure.has_gaps:
            # Just before a touch the time to it is next to nothing, and has to be passed.
            touch = drive.touches(t, moving, drive.acceleration(t, moving)).limit
            proposal = jnp.minimum(proposal, jnp.maximum(touch, _ACROSS * proposal))
        last = proposal >= remaining * (1.0 - 1e-12)
        h = jnp.where(last, remaining, proposal)
        y, rates = _increments(table, drive, t, h, moving)
        new = y + h * (jnp.asarray(table.solution) @ rates)
        estimate = h * (jnp.asarray(table.error) @ rates)
        # The ledger follows the motion; it does not steer the step.
        weight = (atol + rtol * jnp.maximum(jnp.abs(y), jnp.abs(new)))[:size]
        error = jnp.sqrt(jnp.mean((estimate[:size] / weight) ** 2))
        accepted = error <= 1.0
        factor = jnp.clip(_SAFETY * jnp.maximum(error, 1e-12) ** (-1.0 / table.order), _SHRINK, _GROW)
        proposed = h * jnp.where(jnp.isfinite(error), factor, _SHRINK)
        # A step cut short by its target says little about the next one.
        step = jnp.where(accepted & last & (proposal == moving.step), jnp.maximum(proposed, moving.step), proposed)
        reached = jnp.where(last, target, t + h)
        moved = drive.remembering(reached, drive.on_constraints(reached, _moved(moving, new, reached)))
        moved = jax.tree.map(lambda new, old: jnp.where(accepted, new, old), moved, moving)._replace(step=step)
        floor = _SMALLEST * jnp.maximum(jnp.abs(t), span)
        code = jnp.where(~accepted & (step < floor), ResultCode.STEP_TOO_SMALL, ResultCode.SUCCESS)
        code = jnp.where(state.steps >= _MAX_STEPS, ResultCode.MAX_STEPS, code)
        t = jnp.where(accepted, reached, t)
        return _Adaptive(moved, t, state.steps + 1, code.astype(jnp.int32), state.left - 1)

    def to_target(
        carry: tuple[_Adaptive, Array], target: Array
    ) -> tuple[tuple[_Adaptive, Array], tuple[StepState, Array]]:
        state, total = carry

        def unfinished(state: _Adaptive) -> Array:
            return (state.t < target) & (state.code == ResultCode.SUCCESS) & (state.left > 0)

        before = state.steps
        state = jax.lax.while_loop(unfinished, lambda state: one_step(state, target), state)
        arrived, total = state.t >= target, total + state.steps - before
        shown = (state.moving, code_of(state.code, arrived))
        return (state._replace(steps=jnp.where(arrived, jnp.int32(0), state.steps)), total), shown

    begin = _Adaptive(start, now.t, now.steps, jnp.int32(ResultCode.SUCCESS), left)
    (last, steps), (states, codes) = jax.lax.scan(to_target, (begin, jnp.int32(0)), targets)
    return MarchResult(states, codes, steps, ExplicitMarch(last.t, last.steps), None, last.left)


def rk4_step(drive: Drive, moving: StepState, t: Array, h: Array) -> StepState:
    """One step of classical Runge-Kutta from t to t + h."""
    y, rates = _increments(RK4, drive, t, h, moving)
    moved = _moved(moving, y + h * (jnp.asarray(RK4.solution) @ rates), t + h)
    return drive.remembering(t + h, drive.on_constraints(t + h, moved))


def rk4(drive: Drive, start: StepState, now: FixedMarch, targets: Array, step: Array, left: Array) -> MarchResult:
    """Classical Runge-Kutta of order four with equal steps, none longer than `step`, between targets."""

    def advance(moving: StepState, nothing: tuple[()], t: Array, h: Array) -> tuple[StepState, tuple[()], Array]:
        moved = rk4_step(drive, moving, t, h)
        return moved, nothing, jnp.where(finite(moved), ResultCode.SUCCESS, ResultCode.NOT_FINITE)

    def look(moving: StepState, t: Array) -> Touches:
        return drive.touches(t, moving, drive.acceleration(t, moving))

    def one(before: tuple[()], after: tuple[()]) -> Array:
        return jnp.int32(1)

    touches = look if drive.model.structure.has_gaps else None
    return march(advance, start, now, ((), ()), targets, step, left, one, look=touches)._replace(cache=None)


def begin_rk4(drive: Drive, start: StepState, jumped: Array) -> tuple[StepState, FixedMarch]:
    """The robot at the beginning of a chunk, and its march there. jumped: whether the loads have jumped."""
    begin = drive.on_constraints(drive.low, start)
    if begin.check:
        begin = begin._replace(check=begin.check.ask(jumped))
    return begin, begin_march(begin, drive.low)
