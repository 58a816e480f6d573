"""Jacobians by forward differentiation."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array

from pliant._scalars import for_scalars


def forward_jacobian(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """jax.jacfwd of a function of a vector (n,); in a scalar program one direction after the other in a loop, so that
    its length is that of one derivative."""

    def at(x: Array) -> Array:
        if not for_scalars():
            return jax.jacfwd(function)(x)
        _, push = jax.linearize(function, x)
        return jnp.moveaxis(jax.lax.map(push, jnp.eye(len(x))), 0, -1)

    return at
