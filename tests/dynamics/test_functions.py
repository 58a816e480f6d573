"""Public functions that follow from the residual and the kinematics."""

import jax
import jax.numpy as jnp
import numpy as np

import pliant
from robots import arm

Q, V = 0.5 * jnp.arange(1.0, 5.0), jnp.array([1.0, -2.0, 0.5, 1.5])


@jax.jit
def _evaluate(model, q, v):
    zero = jnp.zeros(model.nv)
    moved = jax.jvp(lambda q: pliant.jacobian(model, q, "ball"), (q,), (model.rate(q, v),))
    return {
        "bias": (pliant.bias(model, q, v), pliant.residual(model, q, v, zero)),
        "damping": (pliant.damping_matrix(model, q, v) @ v, jax.jvp(lambda v: pliant.bias(model, q, v), (v,), (v,))[1]),
        "rate": (pliant.jacobian_rate(model, q, v, "ball"), moved[1]),
        "twist": (pliant.twist(model, q, v)["ball"], moved[0] @ v),
    }


def test_functions_agree():
    for name, (found, expected) in _evaluate(arm(), Q, V).items():
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12, err_msg=name)
