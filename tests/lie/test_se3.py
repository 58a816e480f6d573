import jax
import jax.numpy as jnp
import jaxlie
import numpy as np
import scipy.linalg

from pliant.lie import se3

exp, log, hat, vee, bracket, ad_transpose, inverse, adjoint_inverse, adjoint, ad, dexp, dexp_inv, dexp_dot = (
    jax.jit(f)
    for f in (
        *(se3.exp, se3.log, se3.hat, se3.vee, se3.bracket, se3.ad_transpose, se3.inverse, se3.adjoint_inverse),
        *(se3.adjoint, se3.ad, se3.dexp, se3.dexp_inv, se3.dexp_dot),
    )
)


def identities(count: int, size: int) -> np.ndarray:
    return np.broadcast_to(np.eye(size), (count, size, size))


def test_hat_and_vee(twists):
    hats = hat(jnp.asarray(twists))
    np.testing.assert_array_equal(hats[:, 3], 0.0)
    np.testing.assert_array_equal(vee(hats), twists)


def test_exp_is_the_matrix_exponential(twists):
    poses = np.asarray(exp(twists))
    for matrix, pose in zip(np.asarray(hat(jnp.asarray(twists))), poses, strict=True):
        np.testing.assert_allclose(pose, scipy.linalg.expm(matrix), atol=2e-14)
    # jaxlie orders its tangent [linear; angular], and is itself off by 1e-7 at angles below 1e-3.
    swapped = np.concatenate([twists[4:, 3:], twists[4:, :3]], axis=1)
    np.testing.assert_allclose(poses[4:], jax.vmap(lambda x: jaxlie.SE3.exp(x).as_matrix())(swapped), atol=1e-12)


def test_log_inverts_exp(twists):
    np.testing.assert_allclose(log(exp(twists)), twists, atol=5e-14)
    pose = np.asarray(exp(twists[10]))
    np.testing.assert_allclose(hat(log(pose)), scipy.linalg.logm(pose), atol=1e-13)


def test_group_axioms(twists):
    a, b = exp(twists), exp(twists[::-1])
    inverse_a = inverse(a)
    np.testing.assert_allclose(a @ inverse_a, identities(len(a), 4), atol=5e-15)
    np.testing.assert_allclose(inverse(a @ b), inverse(b) @ inverse_a, atol=2e-14)
    point = twists[:, 3:]
    np.testing.assert_allclose(
        se3.transform_point(a @ b, point), se3.transform_point(a, se3.transform_point(b, point)), atol=2e-14
    )
    rebuilt = se3.from_rotation_translation(se3.rotation(a), se3.translation(a))
    np.testing.assert_array_equal(rebuilt, a)


def test_adjoint_identities(twists, rates):
    a, b = exp(twists), exp(rates)
    np.testing.assert_allclose(adjoint(a @ b), adjoint(a) @ adjoint(b), atol=5e-14)
    np.testing.assert_allclose(adjoint(a) @ adjoint_inverse(a), identities(len(a), 6), atol=2e-14)
    np.testing.assert_allclose(adjoint_inverse(a), adjoint(inverse(a)), atol=2e-14)
    conjugated = a @ hat(jnp.asarray(rates)) @ inverse(a)
    np.testing.assert_allclose(np.einsum("bij,bj->bi", adjoint(a), rates), vee(conjugated), atol=5e-14)
    for matrix, expected in zip(np.asarray(ad(twists)), np.asarray(adjoint(a)), strict=True):
        np.testing.assert_allclose(scipy.linalg.expm(matrix), expected, atol=5e-14)


def test_bracket_and_its_transpose(twists, rates):
    x, y = jnp.asarray(twists), jnp.asarray(rates)
    np.testing.assert_allclose(bracket(x, y), np.einsum("bij,bj->bi", ad(x), y), atol=1e-14)
    np.testing.assert_allclose(ad_transpose(x, y), np.einsum("bji,bj->bi", ad(x), y), atol=1e-14)
    commutator = hat(x) @ hat(y) - hat(y) @ hat(x)
    np.testing.assert_allclose(hat(bracket(x, y)), commutator, atol=1e-14)


def test_dexp_is_the_body_twist(twists, rates):
    body_twist = jax.jit(lambda x, d: se3.twist(*jax.jvp(se3.exp, (x,), (d,))))(twists, rates)
    np.testing.assert_allclose(np.einsum("bij,bj->bi", dexp(twists), rates), body_twist, atol=5e-13)


def test_dexp_is_its_power_series(twists):
    for matrix, computed in zip(np.asarray(ad(twists)), np.asarray(dexp(twists)), strict=True):
        term, total = np.eye(6), np.eye(6)
        for k in range(1, 40):
            term = -term @ matrix / (k + 1)
            total = total + term
        np.testing.assert_allclose(computed, total, atol=1e-13)


def test_dexp_inverse(twists):
    np.testing.assert_allclose(dexp(twists) @ dexp_inv(twists), identities(len(twists), 6), atol=1e-13)


def test_dexp_dot_is_the_derivative(twists, rates):
    # The second half lies beyond pi, where the trigonometric branch answers.
    xi = np.concatenate([twists, 1.7 * twists[12:]])
    xi_dot = np.concatenate([rates, rates[12:]])
    expected = jax.jit(lambda x, d: jax.jvp(se3.dexp, (x,), (d,))[1])(xi, xi_dot)
    np.testing.assert_allclose(dexp_dot(xi, xi_dot), expected, atol=5e-13)
    along = jax.jit(lambda x, d: se3.dexp_dot_along(x, d, se3.coefficients(x)))(xi, xi_dot)
    np.testing.assert_allclose(along, np.einsum("nij,nj->ni", expected, xi_dot), atol=2e-12)


def test_exp_and_dexp_agree_with_the_separate_functions(twists):
    pose, jacobian = jax.jit(se3.exp_and_dexp)(twists)
    np.testing.assert_allclose(pose, exp(twists), atol=1e-14)
    np.testing.assert_allclose(jacobian, dexp(twists), atol=1e-14)


def test_single_and_nested_batches_with_strict_ranks(twists, rates):
    nested = jnp.asarray(twists[:6]).reshape(2, 3, 6)
    with jax.numpy_rank_promotion("raise"):
        batch = dexp_dot(nested, rates[:6].reshape(2, 3, 6))
        np.testing.assert_allclose(batch[1, 2], dexp_dot(twists[5], rates[5]), atol=1e-14)
        for function in (se3.log, se3.dexp_inv, se3.adjoint_inverse):
            operand = jax.ShapeDtypeStruct((2, 3, 6) if function is se3.dexp_inv else (2, 3, 4, 4), nested.dtype)
            assert jax.eval_shape(function, operand).shape[:2] == (2, 3)
        assert jax.eval_shape(se3.exp_and_dexp, nested)[1].shape == (2, 3, 6, 6)


def test_derivatives_stay_finite(twists):
    half_turns = np.array([[np.pi, 0, 0, 1, 2, 3], [0, 0.6 * np.pi, 0.8 * np.pi, 0.1, 0, 0], [0, 0, 0, 0, 0, 1.0]])
    special = np.concatenate([twists[[0, 1, 2, 12, -1]], half_turns])

    # Along three directions each: the full Hessians would spend the time of all other tests in the compiler.
    directions = jnp.asarray(np.eye(6)[[0, 2, 4]])

    def first_and_second(function):
        def along(xi, direction):
            def slope(x):
                return jax.jvp(function, (x,), (direction,))[1]

            return jax.jvp(slope, (xi,), (direction,))

        return jax.jit(jax.vmap(jax.vmap(along, (None, 0)), (0, None)))(special, directions)

    for function in (se3.dexp_inv, lambda xi: se3.dexp_dot(xi, xi[::-1]), lambda xi: se3.log(se3.exp(xi))):
        assert all(np.isfinite(values).all() for values in first_and_second(function))


def test_log_is_differentiated_as_the_inverse_of_exp(twists, rates):
    round_trip = jax.jit(lambda xi, rate: jax.jvp(lambda x: se3.log(se3.exp(x)), (xi,), (rate,))[1])
    np.testing.assert_allclose(round_trip(twists[:-2], rates[:-2]), rates[:-2], atol=1e-12)
