"""Contact at a point: force and energy, damping, and friction within its cone."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pliant.blueprint import HERTZ, LINEAR
from pliant.mechanics import (
    Cone,
    NormalLaw,
    OvalCone,
    RoundCone,
    SeparateCone,
    SlipCone,
    crept,
    friction,
    restitution_damping,
    tangential_direction,
    with_damping,
)

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


@pytest.mark.parametrize(("restitution", "damping"), [(0.748435, 0.5), (0.593624, 1.0)])
def test_the_damping_of_a_restitution(restitution: float, damping: float) -> None:
    np.testing.assert_allclose(restitution_damping(jnp.asarray(restitution)), damping, rtol=3e-6)


def test_the_damping_of_any_restitution() -> None:
    e = jnp.linspace(0.05, 1.0, 500)
    d = restitution_damping(e)
    np.testing.assert_allclose((1.0 + e) * d, np.log1p(d) - np.log1p(-e * d), rtol=1e-9, atol=1e-14)
    assert (np.diff(d) < 0.0).all()
    assert float(d[-1]) == 0.0
    slope = jax.vmap(jax.grad(restitution_damping))(e[:-1])
    differences = (restitution_damping(e[:-1] + 1e-6) - restitution_damping(e[:-1] - 1e-6)) / 2e-6
    np.testing.assert_allclose(slope, differences, rtol=1e-6)


COUNT = 600


def _random(seed: int) -> tuple[jax.Array, ...]:
    """Springs and dampers, directions in the tangent planes, limits, stretches and slips across one normal; some are
    zero, some have no limit."""
    rng = np.random.default_rng(seed)
    stretch, slip, along = 0.1 * rng.normal(size=(COUNT, 3)), rng.normal(size=(COUNT, 3)), rng.normal(size=(COUNT, 3))
    stretch[:40], slip[20:60] = 0.0, 0.0
    for vector in (stretch, slip, along):
        vector[:, 2] = 0.0
    limits = 10.0 ** rng.uniform(-1.0, 1.0, (3, COUNT))
    limits[:, ::7] = 0.0
    limits[0, ::5] = 0.0
    direction = tangential_direction(jnp.asarray(along), jnp.broadcast_to(jnp.array([0.0, 0.0, 1.0]), (COUNT, 3)))
    return tuple(
        jnp.asarray(own) for own in (np.full(COUNT, 20.0), np.full(COUNT, 0.7), direction, *limits, stretch, slip)
    )


def _cones(along: jax.Array, ahead: jax.Array, behind: jax.Array, across: jax.Array) -> dict[str, Cone]:
    limits = along, ahead, behind, across
    return {
        "round": RoundCone(across),
        "oval": OvalCone(*limits),
        "separate": SeparateCone(*limits),
        "slip": SlipCone(*limits),
    }


def _over_limits(kind: str, cones: dict[str, Cone], force: np.ndarray) -> np.ndarray:
    """(n,) how much of the cone a force takes."""
    cone = cones["oval"]
    assert isinstance(cone, OvalCone)
    tiny = 1e-6 * np.maximum(np.maximum(cone.ahead, cone.behind), cone.across) + 1e-300
    x = np.sum(cone.along * force, axis=-1)
    y = np.linalg.norm(force - x[:, None] * cone.along, axis=-1)
    along, across = np.where(x >= 0.0, cone.ahead, cone.behind), np.asarray(cone.across)
    parts = np.abs(x) / np.maximum(along, tiny), y / np.maximum(across, tiny)
    if kind == "round":
        return np.linalg.norm(force, axis=-1) / np.maximum(across, tiny)
    return np.maximum(*parts) if kind == "separate" else np.hypot(*parts)


@pytest.mark.parametrize("kind", ["round", "oval", "separate", "slip"])
def test_friction_stays_in_its_cone_and_takes_energy(kind: str) -> None:
    stiffness, damping, *shape, stretch, slip = _random(2)
    cones = _cones(*shape)
    found = friction(stiffness, damping, cones[kind], stretch, slip)
    trial = np.asarray(20.0 * stretch + 0.7 * slip)
    assert _over_limits(kind, cones, np.asarray(found.force)).max() < 1.0 + 1e-6
    assert _over_limits(kind, cones, np.asarray(20.0 * found.spring)).max() < 1.0 + 1e-6
    inside = _over_limits(kind, cones, trial) <= 1.0
    np.testing.assert_array_equal(found.sticks, inside)
    np.testing.assert_allclose(found.force[inside], trial[inside], atol=1e-15)
    # The nearest point of a convex set: what is left of the trial points away from all of the set.
    if kind == "slip":
        return
    left = trial - np.asarray(found.force)
    for seed in range(3):
        other, _ = cones[kind].nearest(jnp.asarray(np.roll(trial, seed + 1, axis=0)))
        assert np.max(np.sum(left * (np.asarray(other) - np.asarray(found.force)), axis=-1)) < 1e-9


def test_what_slips_is_resisted_by_the_direction_of_its_slip() -> None:
    """With the law `slip`: the way back to the cone is a slip, and each part of the force is its limit times that part
    of the direction of the slip."""
    stiffness, _, along, ahead, behind, across, stretch, _ = _random(4)
    cone = SlipCone(along, ahead, behind, across)
    found = friction(stiffness, jnp.zeros(COUNT), cone, stretch, jnp.zeros((COUNT, 3)))
    force, way = (np.asarray(own) for own in (found.force, stretch - found.force / stiffness[:, None]))
    x, y = (np.sum(np.asarray(along) * own, axis=-1) for own in (force, way))
    limit = np.where(np.sum(np.asarray(along) * np.asarray(stretch), axis=-1) >= 0.0, ahead, behind)
    rest, back = (own - part[:, None] * np.asarray(along) for own, part in ((force, x), (way, y)))
    slips = ~np.asarray(found.sticks) & (np.minimum(limit, across) > 0.0)
    assert slips.sum() > 10
    size = np.maximum(np.linalg.norm(way, axis=-1), 1e-300)
    np.testing.assert_allclose(x[slips], (limit * y / size)[slips], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(
        rest[slips], (np.asarray(across) / size)[slips, None] * back[slips], rtol=1e-6, atol=1e-9
    )


@pytest.mark.parametrize("kind", ["round", "oval", "separate", "slip"])
def test_friction_that_creeps_resists_and_stays_in_its_cone(kind: str) -> None:
    _, _, *shape, _, slip = _random(3)
    cones = _cones(*shape)
    found = crept(cones[kind], slip, jnp.full(COUNT, 1e-3))
    over = _over_limits(kind, cones, np.asarray(found.force))
    assert over.max() < 1.0 + 1e-9
    assert np.asarray(jnp.sum(found.force * slip, axis=-1)).min() >= 0.0
    fast = np.asarray(jnp.sum(slip**2, axis=-1)) > 0.5
    loaded = np.all(np.asarray(shape[1:]) > 0.0, axis=0) & fast
    assert over[loaded].min() > 0.99


@pytest.mark.parametrize("kind", ["round", "oval", "separate", "slip"])
@pytest.mark.parametrize("limit", [0.0, 1.0])
def test_friction_has_finite_derivatives_at_rest_and_without_a_normal_force(kind: str, limit: float) -> None:
    nothing, along = jnp.zeros((1, 3)), jnp.array([[1.0, 0.0, 0.0]])

    def forces(limit: jax.Array, along: jax.Array, stretch: jax.Array, slip: jax.Array) -> jax.Array:
        cone = _cones(along, limit, 1.5 * limit, 2.0 * limit)[kind]
        held = friction(jnp.full(1, 20.0), jnp.full(1, 0.7), cone, stretch, slip)
        return held.force + held.spring + crept(cone, slip, jnp.full(1, 1e-3)).force

    for slip in (nothing, jnp.array([[1.0, 0.0, 0.0]]), jnp.array([[0.0, -3.0, 0.0]])):
        found = jax.jacobian(forces, (0, 1, 2, 3))(jnp.full(1, limit), along, nothing, slip)
        assert all(np.isfinite(np.asarray(own)).all() for own in found)


@pytest.mark.parametrize("kind", ["round", "oval", "separate", "slip"])
def test_derivatives_of_a_cone_are_those_of_its_forces(kind: str) -> None:
    """Also where there is no force yet, and for forces along a rod or, as much ahead as behind, across it."""
    _, _, *shape, stretch, _ = _random(4)
    own = np.flatnonzero(np.all(np.asarray(shape[1:]) > 0.0, axis=0))
    along, ahead, behind, across = (part[own] for part in shape)
    force = 40.0 * stretch[own]
    assert (np.linalg.norm(force, axis=-1) == 0.0).sum() > 10
    part = jnp.sum(along * force, axis=-1)[:, None] * along
    change = jnp.asarray(np.random.default_rng(5).normal(size=force.shape)).at[:, 2].set(0.0)
    for backwards, at in ((behind, force), (behind, part), (ahead, force - part)):
        cone = _cones(along, ahead, backwards, across)[kind]
        _, rate = jax.jvp(lambda given, cone=cone: cone.nearest(given)[0], (at,), (change,))
        difference = (cone.nearest(at + 1e-6 * change)[0] - cone.nearest(at - 1e-6 * change)[0]) / 2e-6
        np.testing.assert_allclose(rate, difference, rtol=1e-5, atol=1e-7)
