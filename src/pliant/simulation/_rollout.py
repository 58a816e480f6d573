"""A motion as a pure function: jit, vmap, and derivatives by parameters, inputs and the initial state.

Newton's iterations are not differentiated. At the root x of a step's equations r(x, p) = 0 the derivative of x is
-J^-1 dr/dp (implicit function theorem), which is what one Newton step with J held constant has.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from pliant.dynamics import element_forces, is_large
from pliant.model import Model, State, prepare
from pliant.numerics import ResultCode, lu_solve
from pliant.simulation._flow import Drive, Moving
from pliant.simulation._implicit import equations
from pliant.simulation._inputs import make_inputs
from pliant.simulation._rules import Numbers, Rule, backward_euler, generalised_alpha, make_rule
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
    numbers = Numbers(*(jnp.asarray(x) for x in rule))
    h, first = jnp.asarray(step), jnp.asarray(start, dtype=jnp.float64)
    prepared = prepare(model.structure, model.parameters)
    end = first + steps * h
    drive = Drive(model, prepared, make_inputs(model, inputs), first, end, None, ledger=False)
    q, v, zero, none = jnp.asarray(begin.q), jnp.asarray(begin.v), jnp.zeros(()), jnp.zeros(0)
    a = drive.acceleration(first, q, v, none)
    moving = Moving(q, v, a, a, none, zero, zero, none, zero)
    memory = no_memory(model)._replace(jumped=jnp.linalg.norm(jax.lax.stop_gradient(a)) > 0.0)

    @jax.checkpoint
    def advance(carry: tuple[Moving, Any, Array], index: Array):
        moving, memory, code = carry
        t = first + index * h
        ahead = equations(drive, moving, t, h)
        fixed, held = jax.lax.stop_gradient((ahead, make_rule(numbers, moving.average, moving.a)))
        state = fixed.moving

        def forces() -> Array:
            return jnp.abs(element_forces(fixed.drive.model, fixed.drive.prepared, state.q, state.v))

        found = solve_step(model, fixed.balance, fixed.tangent, forces, held, none, fixed.h, fixed.h, memory)
        found = jax.lax.stop_gradient(found)
        forgets = (found.rule.gamma == 1.0) & (numbers.gamma != 1.0)
        live = make_rule(numbers, moving.average, moving.a)
        live = Rule(*(jnp.where(forgets, x, y) for x, y in zip(backward_euler(model.nv), live, strict=True)))
        matrix = jax.lax.stop_gradient(fixed.exact_tangent(found.unknown, found.rule))
        rate = found.unknown - lu_solve(matrix, ahead.balance(found.unknown, live))
        q_new, v_new = ahead.moved(rate, live)
        moved = moving._replace(q=q_new, v=v_new, a=rate, average=live.ahead(rate))
        good = found.found & (code == ResultCode.SUCCESS)
        kept = jax.tree.map(lambda new, old: jnp.where(good, new, old), moved, moving)
        code = jnp.where(good | (code != ResultCode.SUCCESS), code, ResultCode.NOT_CONVERGED).astype(jnp.int32)
        return (kept, found.memory, code), (kept.q, kept.v)

    carry = (moving, memory, jnp.int32(ResultCode.SUCCESS))
    (_, _, code), (positions, velocities) = jax.lax.scan(advance, carry, jnp.arange(steps))
    time = first + h * jnp.arange(steps + 1)
    return Rollout(time, jnp.concatenate([q[None], positions]), jnp.concatenate([v[None], velocities]), code)
