"""Fixed-step marching through a chunk: equal steps between consecutive targets."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array

from pliant.numerics import ResultCode
from pliant.simulation._flow import Moving

Advance = Callable[[Moving, Array, Array], tuple[Moving, Array]]


def march(advance: Advance, start: Moving, low: Array, targets: Array, step: Array) -> tuple[Moving, Array, Array]:
    """States at the targets and a ResultCode for each, steps taken.

    `advance(moving, t, h)` gives the state at t + h and its code; after a failure the state is frozen.
    """

    def to_target(carry: tuple[Moving, Array, Array, Array], target: Array):
        moving, t, code, steps = carry
        gap = target - t
        # Round-off in the targets must not cost an extra, tiny step.
        count = jnp.ceil(gap / step * (1.0 - 1e-9)).astype(jnp.int32)
        h = gap / jnp.maximum(count, 1)

        def proceed(state: tuple[Array, Moving, Array]) -> tuple[Array, Moving, Array]:
            index, moving, _ = state
            moved, code = advance(moving, t + index * h, h)
            good = code == ResultCode.SUCCESS
            kept = jax.tree.map(lambda new, old: jnp.where(good, new, old), moved, moving)
            return index + 1, kept, code.astype(jnp.int32)

        def unfinished(state: tuple[Array, Moving, Array]) -> Array:
            index, _, code = state
            return (index < count) & (code == ResultCode.SUCCESS)

        taken, moving, code = jax.lax.while_loop(unfinished, proceed, (jnp.int32(0), moving, code))
        return (moving, target, code, steps + taken), (moving, code)

    first = (start, low, jnp.int32(ResultCode.SUCCESS), jnp.int32(0))
    (*_, steps), (states, codes) = jax.lax.scan(to_target, first, targets)
    return states, codes, steps
