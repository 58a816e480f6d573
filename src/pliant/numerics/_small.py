"""Batches of small matrices and vectors as fused loops: a call into a matrix library costs more than these products."""

import jax.numpy as jnp
from jax import Array

from pliant.numerics._primitives import known_symmetric


def multiply(a: Array, b: Array) -> Array:
    """Products of small matrices (..., n, k) and (..., k, m)."""
    return jnp.sum(a[..., :, :, None] * b[..., None, :, :], axis=-2)


def apply(a: Array, x: Array) -> Array:
    """Small matrices (..., n, k) times vectors (..., k)."""
    return jnp.sum(a * x[..., None, :], axis=-1)


def apply_transposed(a: Array, x: Array) -> Array:
    """Transposes of small matrices (..., n, k) times vectors (..., n)."""
    return jnp.sum(a * x[..., :, None], axis=-2)


def symmetric_product(a: Array, b: Array) -> Array:
    """Sums (s, w, w) over m and i of a_smia b_smib, which are known to be symmetric."""
    return known_symmetric(jnp.einsum("smia,smib->sab", a, b))
