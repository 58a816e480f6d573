"""One step of a fixed length, whatever the stepper."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import Array

from pliant.numerics import ResultCode
from pliant.simulation.stepping._explicit import rk4_step
from pliant.simulation.stepping._flow import Drive, StepState, finite
from pliant.simulation.stepping._implicit import Taken
from pliant.simulation.stepping._rules import Coefficients


def fixed_step(
    take: Callable[..., Taken], kind: str, coefficients: Coefficients, drive: Drive, moving: StepState, cache: Any,
    t: Array, h: Array,
) -> tuple[StepState, Any, Array]:  # fmt: skip
    """The state a step of "rk4" or an implicit stepper later, its cache and a ResultCode. take: how an implicit step is
    taken, `take_step` or `differentiable_step`."""
    if kind != "rk4":
        taken = take(drive, moving, cache, t, h, coefficients)
        return taken.moved, taken.cache, taken.code
    moved = rk4_step(drive, moving, t, h)
    return moved, cache, jnp.where(finite(moved), ResultCode.SUCCESS, ResultCode.NOT_FINITE).astype(jnp.int32)
