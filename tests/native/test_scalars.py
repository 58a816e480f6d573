"""Where a scalar program takes another order of operations than arrays do, both give the same."""

import jax
import jax.numpy as jnp
import numpy as np
from native_helpers import agree

from pliant.dynamics import forward_kinematics, mass_matrix
from pliant.lie import stumpff
from pliant.numerics import forward_jacobian, symmetric_product, tracing_for_scalars
from robots import arm, linkage

RNG = np.random.default_rng(5)


def test_coefficients_on_both_sides_of_their_series_and_their_derivatives():
    def function(x):
        return stumpff(x), jax.jvp(stumpff, (x,), (x + 1.0,))[1], jax.vmap(lambda y: stumpff(y)[3])(x)

    agree(function, (jnp.array([0.0, 1e-9, 0.49, 0.51, 2.9, 3.1, 10.9, 11.1, 60.0]),), name="stumpff", absolute=1e-14)


def test_jacobian_in_a_loop_and_symmetric_product():
    def function(x, a):
        curved = lambda x: jnp.sin(a @ x) * x[0]  # noqa: E731
        return forward_jacobian(curved)(x), symmetric_product(a.reshape(1, 2, 3, 5), a.reshape(1, 2, 3, 5))

    agree(function, (jnp.asarray(RNG.normal(size=5)), jnp.asarray(RNG.normal(size=(6, 5)))), name="jacobian")


def test_kinematics_and_mass_in_order_equal_those_by_jumps():
    for model in (arm(), linkage()):
        q = model.integrate(model.neutral(), jnp.asarray(0.3 * RNG.normal(size=model.nv)))
        by_arrays = mass_matrix(model, q), forward_kinematics(model, q)
        with tracing_for_scalars():
            in_order = mass_matrix(model, q), forward_kinematics(model, q)
        for one, other in zip(jax.tree.leaves(by_arrays), jax.tree.leaves(in_order), strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-12 * np.max(np.abs(one)))
