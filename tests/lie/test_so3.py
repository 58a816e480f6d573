import jax
import jax.numpy as jnp
import jaxlie
import numpy as np
import pytest
import scipy.linalg

from pliant.lie import so3

exp, log, dexp, dexp_inv, dexp_dot = (jax.jit(f) for f in (so3.exp, so3.log, so3.dexp, so3.dexp_inv, so3.dexp_dot))


def test_hat_and_vee(rotation_vectors, generator):
    v = generator.normal(size=3)
    hats = np.asarray(so3.hat(jnp.asarray(rotation_vectors)))
    np.testing.assert_allclose(hats @ v, np.cross(rotation_vectors, v), atol=1e-15)
    np.testing.assert_array_equal(so3.vee(jnp.asarray(hats)), rotation_vectors)


def test_exp_is_the_matrix_exponential(rotation_vectors):
    rotations = np.asarray(exp(rotation_vectors))
    for w, rotation in zip(rotation_vectors, rotations, strict=True):
        np.testing.assert_allclose(rotation, scipy.linalg.expm(np.asarray(so3.hat(jnp.asarray(w)))), atol=5e-15)
    np.testing.assert_allclose(
        rotations, jax.vmap(lambda w: jaxlie.SO3.exp(w).as_matrix())(rotation_vectors), atol=1e-14
    )
    np.testing.assert_allclose(
        rotations @ np.swapaxes(rotations, 1, 2), np.broadcast_to(np.eye(3), rotations.shape), atol=4e-15
    )


def test_exp_beyond_one_turn():
    w = np.array([[0.0, 0.0, 7.0], [20.0, -3.0, 1.0]])
    rotations = exp(w)
    for vector, rotation in zip(w, rotations, strict=True):
        skew = np.asarray(so3.hat(jnp.asarray(vector)))
        np.testing.assert_allclose(rotation, scipy.linalg.expm(skew), atol=1e-13)


def test_log_inverts_exp(rotation_vectors):
    np.testing.assert_allclose(log(exp(rotation_vectors)), rotation_vectors, atol=1e-14)


@pytest.mark.parametrize("axis", [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [0.6, 0.0, -0.8], [1 / 3, 2 / 3, -2 / 3]])
def test_log_at_half_turn(axis):
    axis = np.asarray(axis)
    rotation = 2.0 * np.outer(axis, axis) - np.eye(3)
    w = np.asarray(log(rotation))
    np.testing.assert_allclose(np.linalg.norm(w), np.pi, rtol=1e-14)
    np.testing.assert_allclose(exp(w), rotation, atol=1e-14)


def test_dexp_is_the_body_velocity(rotation_vectors, rates):
    w_dot = rates[:, :3]
    rotation, rotation_rate = jax.jit(lambda w, d: jax.jvp(so3.exp, (w,), (d,)))(rotation_vectors, w_dot)
    omega = so3.vee(np.swapaxes(rotation, -1, -2) @ np.asarray(rotation_rate))
    np.testing.assert_allclose(np.einsum("bij,bj->bi", dexp(rotation_vectors), w_dot), omega, atol=1e-13)


def test_dexp_inverse(rotation_vectors):
    product = np.asarray(dexp(rotation_vectors)) @ np.asarray(dexp_inv(rotation_vectors))
    np.testing.assert_allclose(product, np.broadcast_to(np.eye(3), product.shape), atol=2e-14)


def test_dexp_dot_is_the_derivative(rotation_vectors, rates):
    _, expected = jax.jit(lambda w, d: jax.jvp(so3.dexp, (w,), (d,)))(rotation_vectors, rates[:, :3])
    np.testing.assert_allclose(dexp_dot(rotation_vectors, rates[:, :3]), expected, atol=1e-13)


def test_derivatives_stay_finite(rotation_vectors):
    """First and second derivatives at zero, at pi and at the change-over between branches."""
    special = np.concatenate([rotation_vectors, [[np.pi, 0, 0], [0, 0, -np.pi], [0, np.sqrt(11.0), 0]]])

    def everything(w):
        return jnp.concatenate([f(w).ravel() for f in (so3.exp, so3.dexp, so3.dexp_inv)] + [so3.log(so3.exp(w))])

    first, second = jax.jit(jax.vmap(lambda w: (jax.jacfwd(everything)(w), jax.jacfwd(jax.jacfwd(everything))(w))))(
        special
    )
    assert np.isfinite(first).all() and np.isfinite(second).all()
    gradient = jax.jit(jax.vmap(jax.grad(lambda w: everything(w).sum())))(special)
    np.testing.assert_allclose(gradient, first.sum(axis=1), rtol=1e-9, atol=1e-9)
    # log(exp(w)) = w has unit Jacobian and no curvature, also at zero.
    np.testing.assert_allclose(first[0, -3:], np.eye(3), atol=1e-15)
    np.testing.assert_allclose(second[0, -3:], 0.0, atol=1e-15)
