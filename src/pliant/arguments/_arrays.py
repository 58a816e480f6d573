"""Arrays that a user gives, traced or not. Shapes are static, so that they are checked while a function is traced and
cost nothing when it runs."""

from collections.abc import Iterable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.arguments._numbers import plain_numbers, shown
from pliant.arguments._tracing import is_traced

_LEAST_BITS = 32  # of a float; fewer do not hold a configuration


def vector(name: str, value: Any, sizes: Iterable[int], meaning: str) -> Array:
    """A vector of floats that has one of these sizes. Whole numbers become floats; all else is as it was given."""
    legal = tuple(dict.fromkeys((size,) for size in sizes))
    expected = f"an array of shape {' or '.join(map(str, legal))}, {meaning}"
    array = _as_array(name, value, expected)
    if array.shape not in legal:
        batch = array.ndim > 1 and array.shape[-1:] in legal
        cure = ". Of a batch it takes one member: see jax.vmap" if batch else ""
        raise ValueError(f"{name} must be {expected}; got shape {array.shape}{cure}")
    if jnp.issubdtype(array.dtype, jnp.integer):
        return jnp.asarray(array, dtype=jnp.float64)
    if not jnp.issubdtype(array.dtype, jnp.floating) or jnp.finfo(array.dtype).bits < _LEAST_BITS:
        raise TypeError(f"{name} must be {expected}, of float64; got dtype {array.dtype}")
    return array


def _as_array(name: str, value: Any, expected: str) -> Any:
    if isinstance(value, jax.Array | np.ndarray):
        return value
    if is_traced(value):
        try:
            return jnp.asarray(value)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{name} must be {expected}; got {shown(value)}") from error
    return plain_numbers(name, value, expected)


def finite_vector(name: str, value: Any, sizes: Iterable[int], meaning: str) -> Array:
    """`vector` whose numbers, where they are known, are finite."""
    array = vector(name, value, sizes, meaning)
    if not is_traced(array) and not np.all(np.isfinite(array)):
        index = int(np.argmin(np.isfinite(array)))
        raise ValueError(f"{name} must hold finite numbers, {meaning}; got {float(array[index])} at index {index}")
    return array


def sequence(name: str, value: Any, of: type, expected: str) -> Sequence[Any]:
    """A list or tuple whose items are of a class."""
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise TypeError(f"{name} must be {expected}; got {shown(value)}")
    for item in value:
        if not isinstance(item, of):
            raise TypeError(f"{name} must be {expected}; got {shown(item)} in it")
    return value
