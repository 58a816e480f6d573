import jax
import jax.numpy as jnp
import jaxlie
import numpy as np
from scipy.spatial.transform import Rotation

from pliant.lie import quaternion, so3

to_matrix, from_matrix, exp, log, multiply = (
    jax.jit(f)
    for f in (quaternion.to_matrix, quaternion.from_matrix, quaternion.exp, quaternion.log, quaternion.multiply)
)


def test_exp_and_log(rotation_vectors):
    q = exp(rotation_vectors)
    np.testing.assert_allclose(jnp.linalg.norm(q, axis=1), 1.0, atol=1e-15)
    np.testing.assert_allclose(q, jax.vmap(lambda w: jaxlie.SO3.exp(w).wxyz)(rotation_vectors), atol=1e-14)
    np.testing.assert_allclose(log(q), rotation_vectors, atol=5e-15)
    np.testing.assert_allclose(log(-3.0 * q), rotation_vectors, atol=5e-15)


def test_log_takes_the_short_way():
    np.testing.assert_allclose(log(exp(np.array([0.0, 0.0, 4.0]))), [0.0, 0.0, 4.0 - 2.0 * np.pi], atol=1e-14)
    np.testing.assert_allclose(log(np.array([0.0, 0.0, 2.0, 0.0])), [0.0, np.pi, 0.0], atol=1e-15)


def test_product_and_conjugate(generator):
    p, q = generator.normal(size=(2, 30, 4))
    np.testing.assert_allclose(to_matrix(multiply(p, q)), to_matrix(p) @ to_matrix(q), atol=5e-15)
    np.testing.assert_allclose(
        multiply(q, quaternion.conjugate(q)), np.sum(q * q, axis=1)[:, None] * [[1.0, 0, 0, 0]], atol=1e-15
    )
    np.testing.assert_allclose(to_matrix(q), Rotation.from_quat(np.roll(q, -1, axis=1)).as_matrix(), atol=5e-15)
    np.testing.assert_allclose(to_matrix(quaternion.normalise(q)), to_matrix(q), atol=1e-15)


def test_from_matrix_in_every_branch(generator):
    """Samples where w, x, y or z dominates, and exact half turns."""
    q = np.concatenate([np.eye(4), np.eye(4) + 0.1 * generator.normal(size=(4, 4)), generator.normal(size=(40, 4))])
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    recovered = np.asarray(from_matrix(to_matrix(q)))
    sign = np.sign(np.sum(recovered * q, axis=1, keepdims=True))
    np.testing.assert_allclose(sign * recovered, q, atol=2e-15)
    assert (recovered[:, 0] >= 0.0).all()


def test_derivatives_stay_finite_and_round_trip(generator):
    q = np.concatenate([np.eye(4), generator.normal(size=(4, 4))])
    q /= np.linalg.norm(q, axis=1, keepdims=True)

    def there_and_back(q):
        return jnp.concatenate([from_matrix(to_matrix(q)), log(q)])

    first, second = jax.jit(
        jax.vmap(lambda x: (jax.jacrev(there_and_back)(x), jax.jacfwd(jax.jacfwd(there_and_back))(x)))
    )(q)
    assert np.isfinite(first).all() and np.isfinite(second).all()
    # The round trip normalises and may change the sign: its Jacobian is +-(I - q q^T).
    projector = np.eye(4) - q[:, :, None] * q[:, None, :]
    np.testing.assert_allclose(np.abs(first[:, :4]), np.abs(projector), atol=1e-14)


def test_rate_is_the_body_angular_velocity(generator):
    q, omega = jnp.asarray(generator.normal(size=(10, 4))), jnp.asarray(generator.normal(size=(10, 3)))
    rate = jax.jit(quaternion.rate)(q, omega)
    embedded = jnp.concatenate([jnp.zeros((10, 1)), omega], axis=1)
    np.testing.assert_allclose(rate, 0.5 * multiply(q, embedded), atol=1e-15)
    rotation, rotation_rate = jax.jit(lambda q, d: jax.jvp(quaternion.to_matrix, (q,), (d,)))(q, rate)
    skew = np.swapaxes(rotation, 1, 2) @ np.asarray(rotation_rate)
    np.testing.assert_allclose(so3.vee(skew), omega, atol=1e-13)
