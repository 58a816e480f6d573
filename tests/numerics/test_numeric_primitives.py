"""Running sums and symmetric matrices: values, derivatives and batches as those of plain operations."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pliant.numerics import known_symmetric, running_sum

X = jnp.asarray(np.random.default_rng(3).normal(size=(2, 4, 3)))


def _plain(x, reverse):
    return jnp.flip(jnp.cumsum(jnp.flip(x, 1), 1), 1) if reverse else jnp.cumsum(x, 1)


@pytest.mark.parametrize("reverse", [False, True])
def test_running_sum(reverse):
    def own(x):
        return running_sum(x, axis=1, reverse=reverse)

    def plain(x):
        return _plain(x, reverse)

    def both(f):
        batched = jax.vmap(f, in_axes=3, out_axes=1)(jnp.stack([X, X**2], axis=3))
        return f(X), batched, jax.jvp(f, (X,), (X**2,))[1], jax.grad(lambda x: jnp.sum(jnp.sin(f(x))))(X)

    for found, expected in zip(both(own), both(plain), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_symmetric_matrix_is_as_it_is():
    def matrix(a):
        return jnp.sin(a) @ jnp.sin(a).T

    def own(a):
        return known_symmetric(matrix(a))

    for derivative in (jax.jacfwd, jax.jacrev):
        np.testing.assert_allclose(derivative(own)(X[0]), derivative(matrix)(X[0]), rtol=1e-14)
    batch = jnp.moveaxis(X, 0, 2)
    np.testing.assert_array_equal(jax.vmap(own, in_axes=2)(batch), jax.vmap(matrix, in_axes=2)(batch))
