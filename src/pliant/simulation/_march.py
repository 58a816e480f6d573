"""Fixed-step marching through a chunk: equal steps between consecutive targets, those that fail in parts."""

from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp
from jax import Array

from pliant.numerics import ResultCode
from pliant.simulation._flow import Moving, finite

# A step may end where a force jumps (a damper that meets its stop), and nothing balances there; no cut helps, since the
# last part ends at the same place. The shortest part therefore ends early by this share of it, and time goes on.
_MISS = 0.01

Kept = TypeVar("Kept")
Advance = Callable[[Moving, Kept, Array, Array], tuple[Moving, Kept, Array]]


def march(
    advance: Advance[Kept],
    start: Moving,
    memory: Kept,
    low: Array,
    targets: Array,
    step: Array,
    settle: bool = False,
    cuts: int = 0,
) -> tuple[Moving, Array, Array, Kept]:
    """States at the targets and a ResultCode for each, steps taken, memory.

    `advance(moving, memory, t, h)` gives the state at t + h, its memory and its code. A step that fails is halved up to
    `cuts` times, and its parts grow together again; after a failure of the shortest see `where_it_ends`. settle: the
    first step has no length.
    """
    shortest = 0.5**cuts
    short = shortest * (1.0 - _MISS) if cuts else shortest

    def to_target(carry: tuple[Moving, Kept, Array, Array, Array], ahead: tuple[Array, Array]):
        moving, memory, t, code, steps = carry
        target, settling = ahead
        gap = target - t
        # Round-off in the targets must not cost an extra, tiny step.
        count = jnp.ceil(gap / step * (1.0 - 1e-9))
        h = gap / jnp.maximum(count, 1.0)
        count = jnp.where(settling, 1.0, count)

        # Place and part are in steps: sums of powers of two, so that they are exact.
        def proceed(state: tuple[Array, Array, Moving, Kept, Array, Array]):
            place, part, moving, memory, _, steps = state
            length = jnp.where(part <= shortest, short, part) * h
            moved, memory, code = advance(moving, memory, t + place * h, length)
            good = code == ResultCode.SUCCESS
            hopeless = ~good & (settling | (part <= shortest))
            kept = jax.tree.map(lambda new, old: jnp.where(good, new, old), moved, moving)
            kept = where_it_ends(hopeless, kept, moved, t + place * h, length)
            place = jnp.where(good, place + part, place)
            pairs = place / (2.0 * part)
            whole = jnp.where((part < 1.0) & (pairs == jnp.ceil(pairs)), 2.0 * part, part)
            code = jnp.where(hopeless, code, ResultCode.SUCCESS).astype(jnp.int32)
            return place, jnp.where(good, whole, 0.5 * part), kept, memory, code, steps + good

        def unfinished(state: tuple[Array, Array, Moving, Kept, Array, Array]) -> Array:
            place, _, _, _, code, _ = state
            return (place < count) & (code == ResultCode.SUCCESS)

        begin = (jnp.zeros(()), jnp.ones(()), moving, memory, code, jnp.int32(0))
        _, _, moving, memory, code, taken = jax.lax.while_loop(unfinished, proceed, begin)
        return (moving, memory, target, code, steps + jnp.where(settling, 0, taken)), (moving, code)

    first = (start, memory, low, jnp.int32(ResultCode.SUCCESS), jnp.int32(0))
    extra = 1 if settle else 0
    ahead = (jnp.concatenate([jnp.full(extra, low), targets]), jnp.arange(extra + len(targets)) < extra)
    (_, memory, _, _, steps), (states, codes) = jax.lax.scan(to_target, first, ahead)
    return jax.tree.map(lambda x: x[extra:], states), codes[extra:], steps, memory


def where_it_ends(failed: Array, kept: Moving, trial: Moving, t: Array, h: Array) -> Moving:
    """What a run leaves that has failed in its shortest step: the end of that step as it was last tried (if that is
    finite), with the time at which it begins and its length. It is no sample; it tells what is out of balance."""
    last = jax.tree.map(lambda new, old: jnp.where(failed & finite(trial), new, old), trial, kept)
    return last._replace(step=jnp.where(failed, h, last.step), time=jnp.where(failed, t, last.time))
