"""Fixed-step marching through a chunk: equal steps between consecutive targets, those that fail in parts."""

from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp
from jax import Array

from pliant.numerics import ResultCode
from pliant.simulation.stepping._flow import StepState, finite

# A step may end where a force jumps (a damper that meets its stop), and nothing balances there; no cut helps, since the
# last part ends at the same place. The shortest part therefore ends early by this share of it, and time goes on.
_MISS = 0.01

Kept = TypeVar("Kept")
Advance = Callable[[StepState, Kept, Array, Array], tuple[StepState, Kept, Array]]


def march(
    advance: Advance[Kept],
    start: StepState,
    cache: Kept,
    low: Array,
    targets: Array,
    step: Array,
    cuts: int = 0,
) -> tuple[StepState, Array, Array, Kept]:
    """States at the targets and a ResultCode for each, steps taken, cache.

    `advance(moving, cache, t, h)` gives the state at t + h, its cache and its code. A step that fails is halved up to
    `cuts` times, and its parts grow together again; after a failure of the shortest see `where_it_ends`.
    """
    shortest = 0.5**cuts
    short = shortest * (1.0 - _MISS) if cuts else shortest

    def to_target(carry: tuple[StepState, Kept, Array, Array, Array], target: Array):
        moving, cache, t, code, steps = carry
        gap = target - t
        # Round-off in the targets must not cost an extra, tiny step.
        count = jnp.ceil(gap / step * (1.0 - 1e-9))
        h = gap / jnp.maximum(count, 1.0)

        # Place and part are in steps: sums of powers of two, so that they are exact.
        def proceed(state: tuple[Array, Array, StepState, Kept, Array, Array]):
            place, part, moving, cache, _, steps = state
            length = jnp.where(part <= shortest, short, part) * h
            moved, cache, code = advance(moving, cache, t + place * h, length)
            good = code == ResultCode.SUCCESS
            hopeless = ~good & (part <= shortest)
            kept = jax.tree.map(lambda new, old: jnp.where(good, new, old), moved, moving)
            kept = where_it_ends(hopeless, kept, moved, t + place * h, length)
            place = jnp.where(good, place + part, place)
            pairs = place / (2.0 * part)
            whole = jnp.where((part < 1.0) & (pairs == jnp.ceil(pairs)), 2.0 * part, part)
            code = jnp.where(hopeless, code, ResultCode.SUCCESS).astype(jnp.int32)
            return place, jnp.where(good, whole, 0.5 * part), kept, cache, code, steps + good

        def unfinished(state: tuple[Array, Array, StepState, Kept, Array, Array]) -> Array:
            place, _, _, _, code, _ = state
            return (place < count) & (code == ResultCode.SUCCESS)

        begin = (jnp.zeros(()), jnp.ones(()), moving, cache, code, jnp.int32(0))
        _, _, moving, cache, code, taken = jax.lax.while_loop(unfinished, proceed, begin)
        return (moving, cache, target, code, steps + taken), (moving, code)

    first = (start, cache, low, jnp.int32(ResultCode.SUCCESS), jnp.int32(0))
    (_, cache, _, _, steps), (states, codes) = jax.lax.scan(to_target, first, targets)
    return states, codes, steps, cache


def where_it_ends(failed: Array, kept: StepState, trial: StepState, t: Array, h: Array) -> StepState:
    """What a run leaves that has failed in its shortest step: the end of that step as it was last tried (if that is
    finite), with the time at which it begins and its length. It is no sample; it tells what is out of balance."""
    last = jax.tree.map(lambda new, old: jnp.where(failed & finite(trial), new, old), trial, kept)
    return last._replace(step=jnp.where(failed, h, last.step), time=jnp.where(failed, t, last.time))
