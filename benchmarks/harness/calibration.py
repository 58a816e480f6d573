"""How fast this machine is right now: fixed work in NumPy and JAX, so that times of different days can be compared."""

import jax
import numpy as np

from harness.timing import report, steady

jax.config.update("jax_enable_x64", True)

_MATRIX = np.random.default_rng(0).normal(size=(200, 200)) / 200.0


def matrix_products() -> None:
    """200 products of 200 x 200 matrices: the arithmetic of the machine."""
    product = _MATRIX
    for _ in range(200):
        product = _MATRIX @ product


@jax.jit
def small_operations(x: jax.Array) -> jax.Array:
    """Ten thousand small operations in a row, each waiting for the one before, as in a recursion along a rod."""
    return jax.lax.fori_loop(0, 10_000, lambda _, x: x + 1e-6 * jax.numpy.sin(x) @ x, x)


if __name__ == "__main__":
    start = jax.numpy.eye(6)
    report(
        matrix_products=steady(matrix_products),
        small_operations=steady(lambda: small_operations(start).block_until_ready()),
    )
