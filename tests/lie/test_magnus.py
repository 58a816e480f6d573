"""Magnus steps for T' = T hat(xi): observed order against a fine reference, and the derivative by q."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pliant.lie import magnus2, magnus4, magnus4_derivative, se3

GAUSS_OFFSET = np.sqrt(3.0) / 6.0


def strain(s):
    """A bent, twisted and stretched rod whose strains do not commute along the length."""
    one = jnp.ones_like(s)
    return jnp.stack([2.0 * jnp.cos(3.0 * s), 1.5 * s, jnp.sin(2.0 * s), 0.2 * s**2, 0.1 * one, 1.0 + 0.3 * s], axis=-1)


@partial(jax.jit, static_argnums=(0, 1))
def tip_pose(scheme, intervals):
    h = 1.0 / intervals
    start = h * jnp.arange(intervals)
    if scheme == "magnus2":
        steps = magnus2(h, strain(start + 0.5 * h))
    else:
        steps = magnus4(h, strain(start + h * (0.5 - GAUSS_OFFSET)), strain(start + h * (0.5 + GAUSS_OFFSET)))
    return jax.lax.scan(lambda pose, step: (pose @ step, None), jnp.eye(4), se3.exp(steps))[0]


@pytest.fixture(scope="module")
def reference():
    """Product of midpoint exponentials on two fine grids, extrapolated: independent of the commutator's sign."""
    coarse, fine = tip_pose("magnus2", 2000), tip_pose("magnus2", 4000)
    return fine + (fine - coarse) / 3.0


@pytest.mark.parametrize(("scheme", "order"), [("magnus2", 2), ("magnus4", 4)])
def test_observed_order(reference, scheme, order):
    errors = np.array([np.abs(tip_pose(scheme, n) - reference).max() for n in (8, 16, 32)])
    observed = np.log2(errors[:-1] / errors[1:])
    assert np.all(np.abs(observed - order) < 0.2), (errors, observed)


def test_constant_strain_is_exact():
    xi = strain(jnp.asarray(0.3))
    np.testing.assert_allclose(magnus4(0.7, xi, xi), magnus2(0.7, xi), atol=1e-16)


def test_derivative(generator):
    basis1, basis2 = jnp.asarray(generator.normal(size=(2, 4, 6, 5)))
    q, h = jnp.asarray(generator.normal(size=5)), jnp.asarray([0.1, 0.2, 0.3, 0.4])
    rest = jnp.asarray([0.0, 0, 0, 0, 0, 1.0])

    def omega(q):
        return magnus4(h, basis1 @ q + rest, basis2 @ q + rest)

    computed = jax.jit(magnus4_derivative)(h, basis1 @ q + rest, basis2 @ q + rest, basis1, basis2)
    np.testing.assert_allclose(computed, jax.jit(jax.jacfwd(omega))(q), atol=1e-14)
