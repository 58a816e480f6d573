"""GMRES (Saad and Schultz 1986) in one loop that holds the operator once, so that it compiles quickly."""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

Operator = Callable[[jax.Array], jax.Array]


class _Arnoldi(NamedTuple):
    """Basis (m + 1, n), triangle (m, m) and right-hand side (m + 1,) after k rotations, and these (m, 2)."""

    basis: jax.Array
    triangle: jax.Array
    right: jax.Array
    rotations: jax.Array
    k: jax.Array


def gmres(
    operator: Operator, b: jax.Array, precondition: Operator, *, tolerance: float = 1e-6, size: int = 60
) -> jax.Array:
    """x (n,) with operator(x) = b, from a space of at most `size` directions; ends when the preconditioned residual has
    fallen by `tolerance`. precondition: an approximate inverse of the operator."""
    start = precondition(b)
    length = jnp.sqrt(jnp.sum(start**2))
    safe = jnp.where(length > 0.0, length, 1.0)
    n = b.shape[0]

    def unfinished(state: _Arnoldi) -> jax.Array:
        return (state.k < size) & (jnp.abs(state.right[state.k]) > tolerance * length)

    def extend(state: _Arnoldi) -> _Arnoldi:
        w = precondition(operator(state.basis[state.k]))
        # Twice: once leaves what round-off makes of large projections.
        first = state.basis @ w
        w = w - first @ state.basis
        second = state.basis @ w
        w = w - second @ state.basis
        beyond = jnp.sqrt(jnp.sum(w**2))
        column = (first + second).at[state.k + 1].set(beyond)

        def rotate(i: jax.Array, column: jax.Array) -> jax.Array:
            c, s = state.rotations[i]
            a, d = column[i], column[i + 1]
            return column.at[i].set(c * a + s * d).at[i + 1].set(c * d - s * a)

        column = lax.fori_loop(0, state.k, rotate, column)
        a, d = column[state.k], column[state.k + 1]
        radius = jnp.sqrt(a * a + d * d)
        c, s = a / radius, d / radius
        column = column.at[state.k].set(radius).at[state.k + 1].set(0.0)
        value = state.right[state.k]
        return _Arnoldi(
            state.basis.at[state.k + 1].set(w / jnp.where(beyond > 0.0, beyond, 1.0)),
            state.triangle.at[:, state.k].set(column[:size]),
            state.right.at[state.k].set(c * value).at[state.k + 1].set(-s * value),
            state.rotations.at[state.k].set(jnp.stack([c, s])),
            state.k + 1,
        )

    begin = _Arnoldi(
        jnp.zeros((size + 1, n)).at[0].set(start / safe),
        jnp.eye(size),
        jnp.zeros(size + 1).at[0].set(length),
        jnp.zeros((size, 2)),
        jnp.int32(0),
    )
    last = lax.while_loop(unfinished, extend, begin)
    used = jnp.arange(size) < last.k
    shares = jax.scipy.linalg.solve_triangular(last.triangle, jnp.where(used, last.right[:size], 0.0))
    return jnp.where(used, shares, 0.0) @ last.basis[:size]
