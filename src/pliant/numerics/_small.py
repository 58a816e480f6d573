"""Batches of small matrices and vectors as fused loops: a call into a matrix library costs more than these products."""

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant._scalars import for_scalars


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
    if not for_scalars():
        return jnp.einsum("smia,smib->sab", a, b)
    width = a.shape[-1]
    row, column = np.tril_indices(width)
    half = jnp.sum(a[..., row] * b[..., column], axis=(1, 2))
    number = np.zeros((width, width), dtype=int)
    number[row, column] = number[column, row] = np.arange(len(row))
    return half[:, number]
