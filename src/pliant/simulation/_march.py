"""Fixed-step marching through a chunk: equal steps between consecutive targets."""

from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp
from jax import Array

from pliant.numerics import ResultCode
from pliant.simulation._flow import Moving

Kept = TypeVar("Kept")
Advance = Callable[[Moving, Kept, Array, Array], tuple[Moving, Kept, Array]]


def march(
    advance: Advance[Kept], start: Moving, memory: Kept, low: Array, targets: Array, step: Array, settle: bool = False
) -> tuple[Moving, Array, Array, Kept]:
    """States at the targets and a ResultCode for each, steps taken, memory.

    `advance(moving, memory, t, h)` gives the state at t + h, its memory and its code; after a failure the state is
    frozen. settle: the first step has no length.
    """

    def to_target(carry: tuple[Moving, Kept, Array, Array, Array], ahead: tuple[Array, Array]):
        moving, memory, t, code, steps = carry
        target, settling = ahead
        gap = target - t
        # Round-off in the targets must not cost an extra, tiny step.
        count = jnp.ceil(gap / step * (1.0 - 1e-9)).astype(jnp.int32)
        h = gap / jnp.maximum(count, 1)
        count = jnp.where(settling, 1, count)

        def proceed(state: tuple[Array, Moving, Kept, Array]) -> tuple[Array, Moving, Kept, Array]:
            index, moving, memory, _ = state
            moved, memory, code = advance(moving, memory, t + index * h, h)
            good = code == ResultCode.SUCCESS
            kept = jax.tree.map(lambda new, old: jnp.where(good, new, old), moved, moving)
            return index + 1, kept, memory, code.astype(jnp.int32)

        def unfinished(state: tuple[Array, Moving, Kept, Array]) -> Array:
            index, _, _, code = state
            return (index < count) & (code == ResultCode.SUCCESS)

        taken, moving, memory, code = jax.lax.while_loop(unfinished, proceed, (jnp.int32(0), moving, memory, code))
        return (moving, memory, target, code, steps + jnp.where(settling, 0, taken)), (moving, code)

    first = (start, memory, low, jnp.int32(ResultCode.SUCCESS), jnp.int32(0))
    extra = 1 if settle else 0
    ahead = (jnp.concatenate([jnp.full(extra, low), targets]), jnp.arange(extra + len(targets)) < extra)
    (_, memory, _, _, steps), (states, codes) = jax.lax.scan(to_target, first, ahead)
    return jax.tree.map(lambda x: x[extra:], states), codes[extra:], steps, memory
