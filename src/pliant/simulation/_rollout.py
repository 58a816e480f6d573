"""A motion as a pure function: jit, vmap, and derivatives by parameters, inputs and the initial state."""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from pliant.arguments import TIME, count, is_traced, number
from pliant.dynamics import check_state, is_large, motion_names
from pliant.mechanics import jumps
from pliant.model import Model, State, prepare
from pliant.numerics import ResultCode
from pliant.simulation._checks import check_fixed
from pliant.simulation._inputs import InputSet, make_inputs
from pliant.simulation._stepper import Stepper, stepper_of
from pliant.simulation.stepping._flow import Drive, begin_step
from pliant.simulation.stepping._implicit import FOUND, anew, differentiable_step
from pliant.simulation.stepping._one_step import fixed_step
from pliant.simulation.stepping._step_newton import empty_cache

_TOLERANCE = 1e-12  # of Newton's iteration: differences of motions must not drown in what it leaves
_SAME = 1e-6  # of a step: a jump no farther from the beginning of a step happens there


class Rollout(NamedTuple):
    """time (n + 1,) [s], q (n + 1, nq), v (n + 1, nv) at the ends of all steps, the start first; code: ResultCode of
    the first step that failed, after which states stay as they are, or SUCCESS; clamped: port -> how many steps began
    with an input beyond the limits of the port, where the limit was taken instead."""

    time: Array
    q: Array
    v: Array
    code: Array
    clamped: dict[str, Array]


def rollout(
    model: Model | Stepper,
    steps: int,
    step: float | Array | None = None,
    *,
    stepper: str | None = None,
    state: State | None = None,
    start: float | Array = 0.0,
    inputs: Any = None,
) -> Rollout:
    """`steps` steps of fixed length as a pure function.

    model: the robot, moved by steps of length `step` [s] of the stepper named (default "newmark", with a Newton
    tolerance of 1e-12); or a `Stepper`, as in `simulate`, which holds robot and steps and has further settings.

    Check `code` before using the states. Steps do not stop at the breakpoints of programmes: choose `step` so that they
    fall on its multiples. state: default that of the file; closed loops have to be closed in it
    (`model.with_parameters` may have opened them: `pliant.assemble` closes them). Large meshes are not taken.
    """
    words = {"stepper": stepper, "step": step}
    how = stepper_of(model, "pure.simulate", words, default="newmark", newton_tolerance=_TOLERANCE)
    model, settings = how.model, how.settings
    check_fixed(settings, "pure.simulate")
    if settings.backend != "jax":
        raise ValueError(f"pure.simulate has derivatives, which {settings.backend} steps have not: use backend='jax'")
    if is_large(model.structure):
        raise ValueError(f"robot {model.name!r} has a large mesh, whose steps have no derivatives: use simulate")
    steps = count("steps", steps)
    begin = model.initial_state() if state is None else check_state(model, state)
    start = start if is_traced(start) else number("start", start, TIME)
    kind, coefficients, length = settings.kind, settings.coefficients, settings.step
    h, first = jnp.asarray(length, dtype=jnp.float64), jnp.asarray(start, dtype=jnp.float64)
    prepared, given = prepare(model.structure, model.parameters), make_inputs(model, inputs)
    jumped = _jump_times(model, given.jumps())

    # What Newton found is kept for the way back, the rest is computed again.
    @partial(jax.checkpoint, policy=jax.checkpoint_policies.save_only_these_names(FOUND))
    def advance(carry: Any, index: Array) -> Any:
        moving, cache, code = carry
        t = first + index * h
        # The programmes of a step are those within it: what jumps at its end does so in the next one.
        drive = Drive(model, prepared, given, t, t + h, None, ledger=False)
        here = drive.on_moved_constraints(t, anew(moving, jnp.any(jnp.abs(jumped - t) <= _SAME * h)))
        moved, cache, taken = fixed_step(differentiable_step, kind, coefficients, drive, here, cache, t, h)
        good = (taken == ResultCode.SUCCESS) & (code == ResultCode.SUCCESS)
        kept = jax.tree.map(lambda new, old: jnp.where(good, new, old), moved, moving)
        code = jnp.where(code == ResultCode.SUCCESS, taken, code).astype(jnp.int32)
        return (kept, cache, code), (kept.q, kept.v)

    moving = jax.tree.map(jnp.asarray, begin_step(model, begin, first))
    cache = jax.tree.map(jnp.asarray, empty_cache(model)) if settings.implicit else ()
    carry = (moving, cache, jnp.int32(ResultCode.SUCCESS))
    (_, _, code), (positions, velocities) = jax.lax.scan(advance, carry, jnp.arange(steps))
    time = first + h * jnp.arange(steps + 1)
    q, v = jnp.concatenate([moving.q[None], positions]), jnp.concatenate([moving.v[None], velocities])
    return Rollout(time, q, v, code, _clamped(model, given, time[:-1], q[:-1], v[:-1]))


def _clamped(model: Model, given: InputSet, time: Array, q: Array, v: Array) -> dict[str, Array]:
    """Port -> at how many of the states (n, ...) its input is beyond its limits."""
    if not given.limits:
        return {}
    motions = motion_names(model.structure)
    # Just after the beginning of a step, as the step sees its programmes.
    moments = jnp.nextafter(time, jnp.inf)
    beyond = jax.vmap(lambda t, q, v: given.beyond(t, State(q, v), motions))(moments, q, v)
    return {port: jnp.sum(steps) for port, steps in beyond.items()}


def _jump_times(model: Model, given: list[Any]) -> Array:
    own = [time for programme in model.structure.programmes for time in jumps(programme, model.parameters)]
    return jax.lax.stop_gradient(jnp.asarray([jnp.inf, *own, *given]))
