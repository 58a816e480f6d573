"""Contact at a point: force and energy, damping, and friction within its cone."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pliant.blueprint import HERTZ, LINEAR
from pliant.mechanics import NormalLaw, friction, friction_loss, with_damping

STIFFNESS, SMOOTHING = jnp.asarray(50.0), jnp.asarray(0.1)
DEPTHS = jnp.asarray([-1.0, -1e-9, 0.0, 1e-9, 0.05, 0.1, 0.3, 2.0])


@pytest.mark.parametrize("exponent", [LINEAR, HERTZ])
def test_the_force_is_the_gradient_of_the_energy(exponent: float) -> None:
    law = NormalLaw(exponent)
    slope = jax.vmap(jax.grad(lambda depth: law.energy(STIFFNESS, SMOOTHING, depth)))(DEPTHS)
    np.testing.assert_allclose(slope, law.force(STIFFNESS, SMOOTHING, DEPTHS), rtol=1e-14, atol=1e-300)
    stiffness = jax.vmap(jax.grad(lambda depth: law.force(STIFFNESS, SMOOTHING, depth)))(DEPTHS)
    assert np.isfinite(np.asarray(stiffness)).all()
    np.testing.assert_allclose(stiffness[-1], law.slope(STIFFNESS, DEPTHS[-1]), rtol=1e-14)


def test_a_linear_force_is_late_by_half_of_its_smoothing() -> None:
    np.testing.assert_allclose(NormalLaw(LINEAR).force(STIFFNESS, SMOOTHING, jnp.asarray(2.0)), 50.0 * 1.95)


def test_a_contact_does_not_pull() -> None:
    found = with_damping(jnp.asarray([3.0, 3.0, 0.0]), jnp.asarray(0.5), jnp.asarray([1.0, -4.0, 9.0]))
    np.testing.assert_array_equal(found, [4.5, 0.0, 0.0])


def _random(seed: int) -> tuple[jax.Array, ...]:
    rng = np.random.default_rng(seed)
    stretch, slip = 0.1 * rng.normal(size=(400, 3)), rng.normal(size=(400, 3))
    stretch[:40], slip[20:60] = 0.0, 0.0
    limit = rng.uniform(0.0, 2.0, 400)
    limit[::7] = 0.0
    return tuple(jnp.asarray(own) for own in (np.full(400, 20.0), np.full(400, 0.7), limit, stretch, slip))


def test_friction_stays_in_its_cone_and_never_gives_energy() -> None:
    stiffness, damping, limit, stretch, slip = _random(2)
    found = friction(stiffness, damping, limit, stretch, slip)
    size = np.linalg.norm(found.force, axis=-1)
    assert (size <= np.asarray(limit) * (1.0 + 1e-14)).all()
    assert (np.linalg.norm(20.0 * found.spring, axis=-1) <= np.asarray(limit) * (1.0 + 1e-14)).all()
    trial = np.linalg.norm(20.0 * stretch + 0.7 * slip, axis=-1)
    np.testing.assert_array_equal(found.sticks, trial <= np.asarray(limit))
    assert np.asarray(friction_loss(stiffness, damping, limit, stretch, slip)).min() > -1e-14


def test_friction_has_finite_derivatives_at_rest_and_without_a_normal_force() -> None:
    nothing = jnp.zeros((1, 3))

    def force(limit: jax.Array, stretch: jax.Array, slip: jax.Array) -> jax.Array:
        return friction(jnp.full(1, 20.0), jnp.full(1, 0.7), limit, stretch, slip).force

    for limit in (0.0, 1.0):
        found = jax.jacobian(force, (0, 1, 2))(jnp.full(1, limit), nothing, nothing)
        assert all(np.isfinite(np.asarray(own)).all() for own in found)
