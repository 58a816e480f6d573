"""Batches of small matrices and vectors as fused loops: a call into a matrix library costs more than these products."""

import jax.numpy as jnp
from jax import Array


def multiply(a: Array, b: Array) -> Array:
    """Products of small matrices (..., n, k) and (..., k, m)."""
    return jnp.sum(a[..., :, :, None] * b[..., None, :, :], axis=-2)


def apply(a: Array, x: Array) -> Array:
    """Small matrices (..., n, k) times vectors (..., k)."""
    return jnp.sum(a * x[..., None, :], axis=-1)


def apply_transposed(a: Array, x: Array) -> Array:
    """Transposes of small matrices (..., n, k) times vectors (..., n)."""
    return jnp.sum(a * x[..., :, None], axis=-2)
