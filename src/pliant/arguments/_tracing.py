"""What JAX traces and what it cannot."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

_UNTRACEABLE = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.NonConcreteBooleanIndexError,
)


def is_traced(value: Any) -> bool:
    """Whether a value, or a part of it, stands for one that is not known yet."""
    return any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(value))


def refuse_tracing(function: str, instead: str, *given: Any) -> None:
    """TypeError where a function of the host is called while JAX traces. given: its arguments; instead: what to do."""
    leaves = jax.tree.leaves(given)
    if any(isinstance(leaf, jax.core.Tracer) for leaf in leaves) or _is_under_jit(leaves):
        raise TypeError(f"{function} works on the host and cannot be called under jit, grad or vmap; {instead}")


def _is_under_jit(known: list[Any]) -> bool:
    """Whether what is computed from known values is traced, which only jit does."""
    # The sum of a number that is on the device already is the quickest way to find out.
    numbers = (leaf for leaf in known if isinstance(leaf, jax.Array) and leaf.ndim == 0)
    one = next(numbers, None)
    return isinstance(jnp.zeros(()) if one is None else one + one, jax.core.Tracer)


def call_traced(what: str, must_be: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """What a user's function returns. Where it cannot be traced, a TypeError says what such a function must be."""
    try:
        return function(*arguments)
    except _UNTRACEABLE as error:
        first = str(error).strip().partition("\n")[0]
        raise TypeError(
            f"{what} cannot be traced: {must_be}, with jax.numpy in place of NumPy and math, jnp.where in place of if, "
            f"and no float() or int(). JAX says: {first}"
        ) from error
