"""Implicit steps of changing length through a chunk, and the motion between their ends at the times asked for."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from pliant.model import Model
from pliant.numerics import ResultCode
from pliant.simulation.stepping._flow import Drive, StepState
from pliant.simulation.stepping._march import MISS, Advance, Look, MarchResult, code_of, where_it_ends
from pliant.simulation.stepping._step_newton import NewtonCache, work_of

_GROW, _SHRINK, _SAFETY = 2.0, 0.5, 0.9
_ACROSS = 1e-3  # of the step that would be taken otherwise: one that passes a touch
_EASY = 12  # evaluations of the residual in a step that may be followed by a longer one


class Control(NamedTuple):
    """Shortest and longest step [s], tolerances, and beta of the rule, for the local error. by_error: of two, either
    the local error or, as Ishigaki et al. do it, Newton's convergence decides (static)."""

    least: Array
    most: Array
    rtol: Array
    atol: Array
    beta: Array
    by_error: bool


class AdaptiveMarch(NamedTuple):
    """A march that may be put aside after any step: its last step led from `before`, at t_before, to t. missing:
    whether the shortest step has failed from there."""

    before: StepState
    t_before: Array
    t: Array
    missing: Array


def begin_adaptive_march(moving: StepState, t: Array) -> AdaptiveMarch:
    """A march that has not left `moving`, at t."""
    return AdaptiveMarch(moving, t, t, jnp.asarray(False))


class _March(NamedTuple):
    """The last step: from `before` at t_before to `after` at t. left: work that is left to this call."""

    before: StepState
    after: StepState
    cache: NewtonCache
    t_before: Array
    t: Array
    missing: Array
    code: Array
    steps: Array
    left: Array


def march_adaptively(
    advance: Advance[NewtonCache], drive: Drive, start: StepState, now: AdaptiveMarch, cache: NewtonCache,
    targets: Array, left: Array, control: Control, look: Look | None = None,
) -> MarchResult:  # fmt: skip
    """From target to target, like `march`. A step that fails is halved, down to the shortest, which is tried once more
    with another end, beyond a touch where that is what it ended at; the local error of
    position is h^2 (beta - 1/6) times the change of acceleration (Zienkiewicz and Xie, 1991), and must stay below
    atol + rtol |q|."""
    model, high = drive.model, drive.high

    def proceed(state: _March) -> _March:
        moving, t = state.after, state.t
        left = high - t
        # Two steps of one length rather than a long one and a scrap.
        count = jnp.ceil(left / moving.step * (1.0 - 1e-9))
        h = jnp.where(count <= 2.0, left / jnp.maximum(count, 1.0), moving.step)
        lands = count <= 1.0
        if look is not None:
            # Just before a touch the time to it is next to nothing, and has to be passed.
            touch = jnp.maximum(look(moving, t).limit, jnp.minimum(control.least, _ACROSS * h))
            h, lands = jnp.minimum(h, touch), lands & (touch >= h)
        other = jnp.minimum((1.0 - MISS) * control.least, left)
        h, lands = jnp.where(state.missing, other, h), jnp.where(state.missing, other >= left, lands)
        moved, cache, code = advance(moving, state.cache, t, h)
        good = code == ResultCode.SUCCESS
        shortest = h <= control.least * (1.0 + 1e-9)
        if control.by_error:
            bound = control.atol + control.rtol * _size(model, moving.q)
            changed = jnp.abs(moved.average - moved.begun)
            error = jnp.max(h**2 * jnp.abs(control.beta - 1.0 / 6.0) * changed / bound, initial=0.0)
            fits = error <= 1.0
            factor = jnp.clip(_SAFETY * jnp.maximum(error, 1e-9) ** (-1.0 / 3.0), _SHRINK, _GROW)
        else:
            fits = jnp.asarray(True)
            factor = jnp.where(cache.evaluations - state.cache.evaluations <= _EASY, _GROW, 1.0)
        taken = good & (fits | shortest)
        longer = jnp.clip(factor * h, control.least, control.most)
        next_step = jnp.where(taken, longer, jnp.maximum(0.5 * h, control.least))
        kept = jax.tree.map(lambda new, old: jnp.where(taken, new, old), moved, moving)._replace(step=next_step)
        before = jax.tree.map(lambda new, old: jnp.where(taken, new, old), moving._replace(a=moved.begun), state.before)
        missing = ~good & shortest
        failed = missing & state.missing
        kept = where_it_ends(failed, kept, moved, t, h)
        return _March(
            before,
            kept,
            cache,
            jnp.where(taken, t, state.t_before),
            jnp.where(taken, jnp.where(lands, high, t + h), t),
            missing,
            jnp.where(failed, code, ResultCode.SUCCESS).astype(jnp.int32),
            state.steps + jnp.where(taken, 1, 0),
            state.left - work_of(state.cache, cache),
        )

    def to_target(state: _March, target: Array) -> tuple[_March, tuple[StepState, Array]]:
        def unfinished(state: _March) -> Array:
            return (state.t < target) & (state.code == ResultCode.SUCCESS) & (state.left > 0)

        state = jax.lax.while_loop(unfinished, proceed, state)
        share = (target - state.t_before) / jnp.where(state.t > state.t_before, state.t - state.t_before, 1.0)
        inside = _between(model, state, jnp.clip(share, 0.0, 1.0))
        inside = drive.on_constraints(target, inside)
        at_end = (target >= state.t) | (state.code != ResultCode.SUCCESS)
        shown = jax.tree.map(lambda end, between: jnp.where(at_end, end, between), state.after, inside)
        return state, (shown, code_of(state.code, state.t >= target))

    success, none = jnp.int32(ResultCode.SUCCESS), jnp.int32(0)
    first = _March(now.before, start, cache, now.t_before, now.t, now.missing, success, none, left)
    last, (states, codes) = jax.lax.scan(to_target, first, targets)
    ahead = AdaptiveMarch(last.before, last.t_before, last.t, last.missing)
    return MarchResult(states, codes, last.steps, ahead, last.cache, last.left)


def _size(model: Model, q: Array) -> Array:
    """(nv,) what the relative tolerance of each velocity's coordinate refers to; 1 for turns."""
    if model.nq == model.nv:
        return jnp.abs(q)
    return jnp.maximum(jnp.abs(model.difference(q, jnp.asarray(model.neutral()))), 1.0)


_STRAIGHT = ("a", "average", "multipliers", "work", "lost", "integral", "time")


def _line(first: Array, last: Array, share: Array) -> Array:
    return first + share * (last - first)


def _between(model: Model, state: _March, share: Array) -> StepState:
    """Cubic from the states at both ends; what else a state holds goes in a straight line."""
    first, last = state.before, state.after
    h = state.t - state.t_before
    s, r = share, 1.0 - share
    left, right, whole = s * r * r, -s * s * r, s * s * (3.0 - 2.0 * s)
    across = model.difference(last.q, first.q)
    q = model.integrate(first.q, whole * across + h * (left * first.v + right * last.v))
    v = first.v + whole * (last.v - first.v) + h * (left * first.a + right * last.a)
    straight = {name: _line(getattr(first, name), getattr(last, name), share) for name in _STRAIGHT}
    return last._replace(q=q, v=v, **straight)
