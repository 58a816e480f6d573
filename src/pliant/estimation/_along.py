"""Poses between the nodes of a rod, for a place that is an unknown."""

import jax.numpy as jnp
from jax import Array

from pliant.lie import se3


def between(nodes: Array, fractions: Array, at: Array) -> Array:
    """(..., 4, 4) at fractions (...) of a rod with poses (k, 4, 4) at increasing fractions (k,): of constant strain
    from one node to the next, T_i exp(x log(T_i^-1 T_i+1))."""
    before = jnp.clip(jnp.searchsorted(fractions, at, side="right") - 1, 0, len(fractions) - 2)
    part = (at - fractions[before]) / (fractions[before + 1] - fractions[before])
    first, second = nodes[before], nodes[before + 1]
    return first @ se3.exp(part[..., None] * se3.log(se3.inverse(first) @ second))
