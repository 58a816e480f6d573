"""A march that is put aside, as one vector: a call of a compiled program costs by the number of its arguments."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array


def packed(tree: Any) -> Array:
    """(n,) all numbers of a tree, truth values and small whole numbers too: a float64 holds them exactly."""
    return jnp.concatenate([jnp.zeros(0), *(jnp.ravel(leaf).astype(jnp.float64) for leaf in jax.tree.leaves(tree))])


def unpacked(numbers: Array, like: Any) -> Any:
    """The tree of these numbers (n,). like: its shapes."""
    leaves, structure = jax.tree.flatten(like)
    ends = np.cumsum([np.prod(leaf.shape, dtype=int) for leaf in leaves], dtype=int).tolist()
    parts = [
        numbers[begin:end].reshape(leaf.shape).astype(leaf.dtype)
        for begin, end, leaf in zip([0, *ends], ends, leaves, strict=False)
    ]
    return jax.tree.unflatten(structure, parts)


def packed_size(like: Any) -> int:
    return sum(int(np.prod(leaf.shape, dtype=int)) for leaf in jax.tree.leaves(like))
