"""A motion as a pure function: jit, vmap, and derivatives by parameters, inputs and the initial state.

Newton's iterations are not differentiated. At the root x of a step's equations r(x, p) = 0 the derivative of x is
-J^-1 dr/dp (implicit function theorem), which is what one Newton step with J held constant has.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics import element_forces, is_large
from pliant.model import Model, State, prepare
from pliant.numerics import ResultCode, lu_solve
from pliant.simulation._flow import Drive, Moving
from pliant.simulation._implicit import equations
from pliant.simulation._inputs import make_inputs
from pliant.simulation._rules import (
    NEWTON_TOLERANCE,
    RESTART,
    RESTARTS,
    Numbers,
    choose_rule,
    generalised_alpha,
    make_rule,
    restart_stages,
)
from pliant.simulation._step_newton import no_memory, solve_step


class Rollout(NamedTuple):
    """time (n + 1,) [s], q (n + 1, nq), v (n + 1, nv) at the ends of all steps, the start first; code: ResultCode of
    the first step that failed, after which states stay as they are, or SUCCESS."""

    time: Array
    q: Array
    v: Array
    code: Array


def rollout(
    model: Model,
    steps: int,
    step: float | Array,
    *,
    state: State | None = None,
    start: float | Array = 0.0,
    spectral_radius: float | None = None,
    inputs: Any = None,
) -> Rollout:
    """`steps` implicit steps of length `step` [s]: Newmark's, or with a spectral_radius generalised-alpha's.

    Check `code` before using the states. Steps do not stop at the breakpoints of programmes: choose `step` so that they
    fall on its multiples. Robots with constraints and large meshes are not taken yet.
    """
    if model.structure.constraint_count or is_large(model.structure):
        raise ValueError(
            f"rollout takes robots without constraints and large meshes; {model.name!r} has "
            f"{model.structure.constraint_count} constraint rows: use simulate"
        )
    begin = model.initial_state() if state is None else state
    rule = (0.25, 0.5, 0.0, 0.0) if spectral_radius is None else generalised_alpha(spectral_radius)
    numbers = Numbers(*(jnp.asarray(x) for x in (*rule, NEWTON_TOLERANCE)))
    h, first = jnp.asarray(step), jnp.asarray(start, dtype=jnp.float64)
    prepared = prepare(model.structure, model.parameters)
    end = first + steps * h
    drive = Drive(model, prepared, make_inputs(model, inputs), first, end, None, ledger=False)
    q, v, zero, none = jnp.asarray(begin.q), jnp.asarray(begin.v), jnp.zeros(()), jnp.zeros(0)
    still = jnp.zeros(model.nv)
    moving = Moving(q, v, still, still, none, zero, zero, none, zero, first)

    @jax.checkpoint
    def advance(carry: tuple[Moving, Any, Array], stage: Array):
        """The first steps have two stages: of the early one only the acceleration is kept."""
        moving, memory, code = carry
        restarting = stage < 2 * RESTARTS
        early = restarting & (stage % 2 == 0)
        index = jnp.where(restarting, stage // 2, stage - RESTARTS)
        t, length = first + index * h, jnp.where(early, RESTART, 1.0) * h
        ahead = equations(drive, moving, t, length)
        restart = restart_stages(model.nv, moving.a)
        rule = choose_rule(restarting, choose_rule(early, *restart), make_rule(numbers, moving.average, moving.a))
        fixed, held = jax.lax.stop_gradient((ahead, rule))
        state = fixed.moving

        def forces() -> Array:
            return jnp.abs(element_forces(fixed.drive.model, fixed.drive.prepared, state.q, state.v))

        found = solve_step(
            model, fixed.balance, fixed.tangent, forces, held, held.a, fixed.h, fixed.h, memory, numbers.tolerance
        )
        found = jax.lax.stop_gradient(found)
        matrix = jax.lax.stop_gradient(fixed.exact_tangent(found.unknown, held))
        rate = found.unknown - lu_solve(matrix, ahead.balance(found.unknown, rule))
        q_new, v_new = ahead.moved(rate, rule)
        moved = moving._replace(
            q=jnp.where(early, moving.q, q_new),
            v=jnp.where(early, moving.v, v_new),
            a=rate,
            average=rule.ahead(rate),
        )
        good = found.found & (code == ResultCode.SUCCESS)
        kept = jax.tree.map(lambda new, old: jnp.where(good, new, old), moved, moving)
        code = jnp.where(good | (code != ResultCode.SUCCESS), code, ResultCode.NOT_CONVERGED).astype(jnp.int32)
        return (kept, found.memory, code), (kept.q, kept.v)

    carry = (moving, no_memory(model), jnp.int32(ResultCode.SUCCESS))
    restarted = min(steps, RESTARTS)
    (_, _, code), (positions, velocities) = jax.lax.scan(advance, carry, jnp.arange(steps + restarted))
    ends = np.concatenate([2 * np.arange(restarted) + 1, np.arange(2 * restarted, steps + restarted)])
    time = first + h * jnp.arange(steps + 1)
    return Rollout(
        time, jnp.concatenate([q[None], positions[ends]]), jnp.concatenate([v[None], velocities[ends]]), code
    )
