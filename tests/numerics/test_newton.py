import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pliant.lie import quaternion
from pliant.numerics import ResultCode, newton


def circle_and_line(x):
    return jnp.stack([x[0] ** 2 + x[1] ** 2 - 4.0, x[0] - x[1]])


def test_converges_quadratically():
    solve = jax.jit(
        lambda n: newton(circle_and_line, jnp.array([2.0, 1.0]), tolerance=0.0, max_iterations=n, line_search=False)
    )
    errors = []
    for iterations in range(2, 6):
        result = solve(iterations)
        errors.append(float(jnp.abs(result.x - np.sqrt(2.0)).max()))
    orders = np.log(errors[1:3]) / np.log(errors[:2])
    assert np.all(orders > 1.7), errors


@pytest.mark.parametrize("line_search", [True, False])
def test_success(line_search):
    result = newton(circle_and_line, jnp.array([2.0, 1.0]), tolerance=1e-13, line_search=line_search)
    assert result.code == ResultCode.SUCCESS and result.residual_norm <= 1e-13 and result.iterations <= 7
    np.testing.assert_allclose(result.x, np.sqrt(2.0), rtol=1e-13)


def test_given_jacobian_scale_and_immediate_success():
    scale = jnp.array([1e6, 1e-3])

    def residual(x):
        return scale * circle_and_line(x)

    result = newton(residual, jnp.array([3.0, 1.0]), jacobian=jax.jacrev(residual), scale=scale, tolerance=1e-12)
    assert result.code == ResultCode.SUCCESS
    again = newton(residual, result.x, scale=scale, tolerance=1e-12)
    assert again.code == ResultCode.SUCCESS and again.iterations == 0


def test_line_search_saves_a_diverging_start():
    def residual(x):
        return jnp.arctan(x)

    start = jnp.array([3.0])
    assert newton(residual, start).code == ResultCode.SUCCESS
    plain = newton(residual, start, line_search=False)
    assert plain.code != ResultCode.SUCCESS and np.isfinite(plain.x).all()


def test_trial_outside_the_domain_is_halved():
    result = newton(lambda x: jnp.log(x) + 1.0, jnp.array([2.5]), tolerance=1e-12)
    assert result.code == ResultCode.SUCCESS
    np.testing.assert_allclose(result.x, np.exp(-1.0), rtol=1e-12)


def test_moves_on_a_manifold():
    """Find the orientation that carries one frame to another; four numbers, three unknowns."""
    target = quaternion.to_matrix(quaternion.exp(jnp.array([0.5, -1.0, 0.7])))

    def residual(q):
        return quaternion.log(quaternion.from_matrix(target.T @ quaternion.to_matrix(q)))

    def retract(q, dx):
        return quaternion.multiply(q, quaternion.exp(dx))

    result = jax.jit(lambda q: newton(residual, q, retract=retract, tolerance=1e-13))(jnp.array([1.0, 0.0, 0.0, 0.0]))
    assert result.code == ResultCode.SUCCESS
    np.testing.assert_allclose(quaternion.to_matrix(result.x), target, atol=1e-13)


def test_noise_floor_is_accepted_only_near_the_tolerance():
    """A residual that cannot get below 1e-12 of its own rounding."""

    def residual(x):
        return jnp.round((x - 1.0) * 1e12) / 1e12 + 3e-12

    def jacobian(x):
        return jnp.eye(1)

    assert newton(residual, jnp.array([2.0]), jacobian=jacobian, tolerance=1e-13).code == ResultCode.SUCCESS
    far = newton(lambda x: x**2 + 1.0, jnp.array([0.7]), max_iterations=40)
    assert far.code == ResultCode.NOT_CONVERGED and np.isfinite(far.x).all()


def test_failure_codes():
    singular = newton(lambda x: jnp.stack([x[0] + x[1] - 1.0, 2.0 * x[0] + 2.0 * x[1] - 5.0]), jnp.zeros(2))
    assert singular.code == ResultCode.SINGULAR
    not_finite = newton(lambda x: jnp.log(x), jnp.array([-1.0]))
    assert not_finite.code == ResultCode.NOT_FINITE and not_finite.iterations == 0
    bad_jacobian = newton(lambda x: x - 1.0, jnp.array([3.0]), jacobian=lambda x: jnp.full((1, 1), jnp.nan))
    assert bad_jacobian.code == ResultCode.NOT_FINITE
    np.testing.assert_array_equal(bad_jacobian.x, [3.0])
    cut_short = newton(circle_and_line, jnp.array([50.0, 1.0]), max_iterations=2)
    assert cut_short.code == ResultCode.NOT_CONVERGED and cut_short.iterations == 2


def test_one_failed_member_does_not_stop_the_batch():
    """x^2 = a has no real root for the negative a."""
    squares = jnp.array([4.0, -1.0, 9.0])
    result = jax.jit(jax.vmap(lambda a: newton(lambda x: x**2 - a, jnp.array([1.5]), tolerance=1e-12)))(squares)
    np.testing.assert_array_equal(result.code == ResultCode.SUCCESS, [True, False, True])
    np.testing.assert_allclose(result.x[jnp.array([0, 2]), 0], [2.0, 3.0], rtol=1e-12)
    assert np.isfinite(result.x).all()


def _two_bars(stiffness):
    """Gradient of the energy of two bars in a row, as absolute points, pulled aside."""
    load = jnp.array([0.0, 0.0, 3.0, 0.0])

    def residual(x):
        def energy(x):
            points = jnp.concatenate([jnp.zeros((1, 2)), x.reshape(2, 2)])
            bars = jnp.diff(points, axis=0)
            angles = jnp.arctan2(bars[:, 0], bars[:, 1])
            turns = jnp.diff(angles, prepend=0.0)
            stretch = jnp.linalg.norm(bars, axis=1) - 1.0
            return 0.5 * stiffness * jnp.sum(stretch**2) + 0.5 * jnp.sum(turns**2) - load @ x

        return jax.grad(energy)(x)

    return residual, jnp.array([0.0, 1.0, 0.0, 2.0])


def test_trusted_steps_pass_a_rise_of_the_residual():
    """To turn stiff bars a step along the tangent must stretch them first."""
    residual, start = _two_bars(1e6)
    shortened = newton(residual, start, max_iterations=40)
    trusting = newton(residual, start, max_iterations=40, trust=5)
    assert shortened.code == ResultCode.NOT_CONVERGED
    assert trusting.code == ResultCode.SUCCESS
    np.testing.assert_allclose(residual(trusting.x), 0.0, atol=1e-6)


def test_a_residual_is_zero_where_rounding_leaves_no_less_of_it():
    """Lengths of about 1 are known to 1e-16, so forces of bars of 1e10 N/m to no better than 1e-6 N."""
    residual, start = _two_bars(1e10)
    stiff = newton(residual, start, max_iterations=60, trust=5)
    assert stiff.code == ResultCode.SUCCESS and 1e-7 < stiff.residual_norm < 1e-3
    softer, _ = _two_bars(1e6)
    reference = newton(softer, start, max_iterations=40, trust=5)
    np.testing.assert_allclose(stiff.x, reference.x, atol=1e-5)
    again = newton(residual, stiff.x, max_iterations=60, trust=5)
    assert again.code == ResultCode.SUCCESS and again.iterations <= 3


def test_a_small_residual_is_no_solution_where_the_step_is_large():
    """Two equations that say nearly the same and have no root: their difference is below what rounding leaves."""

    def residual(x):
        same = x[0] + x[1] - 2.0
        return jnp.stack([same, same + 2e-15 * (1.0 + (x[0] - x[1]) ** 2)])

    found = newton(residual, jnp.array([1.5, 0.5]), tolerance=1e-17, max_iterations=30)
    assert found.code != ResultCode.SUCCESS
