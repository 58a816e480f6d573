"""The quasi-static arm: closed forms, balance, a Cosserat rod integrated by SciPy, and what it refuses."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from pliant.arms import (
    ArmLoad,
    ArmSegment,
    QuasiStaticArm,
    RigidPiece,
    arm_shape,
    chamber_pairs,
    modulus_map,
    solve_arm,
)
from pliant.arms._quasi_static_loads import share_smoothly
from pliant.mechanics import ExtensorLaw, extensor_stretch
from pliant.numerics import ResultCode, SolveError

LENGTH, YOUNG = 47e-3, 130e3
PRESSURES = np.array([60e3, 20e3, 0.0])
FORCE, MOMENT = np.array([0.4, 0.2, -0.3]), np.array([1e-3, -2e-3, 3e-3])
WORDS = {
    "outer_radius": 12.5e-3,
    "inner_radius": 4.5e-3,
    "chamber_angles": chamber_pairs(np.radians([90.0, -30.0, 210.0]), 0.355),
    "chamber_offset": 8.5e-3,
    "chamber_radius": 2.5e-3,
    "young": YOUNG,
    "limit": 93.2,
    "density": 1100.0,
}


def segment(length=LENGTH, **words):
    return ArmSegment(**{**WORDS, "length": length, "intervals": 20, **words})


@functools.cache
def arm(construction="arcs", **words):
    return QuasiStaticArm((segment(**words),), construction)


def rod(force, moment, pressures=PRESSURES, of=None):
    """Tip (3,) in the axes of the base, of a Cosserat rod under a wrench in the axes of the tip: SciPy's integration
    from the tip."""
    of = segment() if of is None else of
    stiffness, actuation = np.asarray(of.stiffness), np.asarray(of.actuation(jnp.asarray(pressures)))
    rest = np.array([0.0, 0.0, 1.0])

    def slope(_, state):
        turn, place = state[:9].reshape(3, 3), state[9:]
        local = np.concatenate([turn.T @ (moment - np.cross(place, force)), turn.T @ force])
        strain = (local + actuation) / stiffness
        x, y, z = strain[:3]
        hat = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return -np.concatenate([(turn @ hat).ravel(), turn @ (strain[3:] + rest)])

    start = np.concatenate([np.eye(3).ravel(), np.zeros(3)])
    end = solve_ivp(slope, (0.0, float(of.length)), start, rtol=1e-11, atol=1e-13).y[:, -1]
    return -end[:9].reshape(3, 3).T @ end[9:]


def test_pressures_alone_make_an_arc():
    shape = solve_arm(arm(), PRESSURES)
    made, stiffness = np.asarray(arm().parts[0].actuation(jnp.asarray(PRESSURES))), np.asarray(arm().parts[0].stiffness)
    stretch = 1.0 + made[5] / stiffness[5]
    np.testing.assert_allclose(shape.stretch, stretch, rtol=1e-13)
    bend = np.hypot(made[0], made[1]) / stiffness[0]
    radius, angle = stretch / bend, bend * LENGTH
    away = np.array([made[1], -made[0]]) / np.hypot(made[0], made[1])
    expected = np.append(radius * (1.0 - np.cos(angle)) * away, radius * np.sin(angle))
    np.testing.assert_allclose(shape.tip[:3, 3], expected, atol=1e-14)
    # It bends away from the pair with the highest pressure, which stands at +y.
    assert expected[1] < 0.0 and bool(shape.valid)
    np.testing.assert_allclose(rod(np.zeros(3), np.zeros(3)), expected, atol=1e-10)


def test_first_order_towards_a_cosserat_rod():
    exact = rod(FORCE, MOMENT)
    for construction, order in (("arcs", 0.9), ("increments", 0.95)):
        errors = []
        for intervals in (20, 40, 80):
            loads = [ArmLoad(FORCE, MOMENT, frame="tip")]
            tip = solve_arm(arm(construction, intervals=intervals), PRESSURES, loads).tip
            errors.append(np.linalg.norm(np.asarray(tip[:3, 3]) - exact) / LENGTH)
        assert -np.polyfit(np.log([20, 40, 80]), np.log(errors), 1)[0] > order
        assert errors[-1] < (5e-4 if construction == "arcs" else 5e-3)


def test_small_loads_give_the_deflections_of_a_beam():
    stiffness = np.asarray(arm().parts[0].stiffness)
    light = arm(intervals=200)
    shape = solve_arm(light, np.zeros(3), [ArmLoad([1e-6, 0.0, 1e-6], [0.0, 0.0, 1e-9], frame="tip")])
    bent = LENGTH**3 / (3.0 * stiffness[1]) + LENGTH / stiffness[3]
    np.testing.assert_allclose(shape.tip[0, 3], 1e-6 * bent, rtol=1e-4)
    np.testing.assert_allclose(shape.tip[2, 3] - LENGTH, 1e-6 * LENGTH / stiffness[5], rtol=1e-4)
    np.testing.assert_allclose(shape.tip[1, 0], 1e-9 * LENGTH / stiffness[2], rtol=1e-4)


def test_an_end_moment_closes_a_circle():
    around = 2.0 * np.pi * float(arm().parts[0].stiffness[0]) / LENGTH
    shape = solve_arm(arm(), np.zeros(3), [ArmLoad(moment=[around, 0.0, 0.0], frame="tip")])
    np.testing.assert_allclose(shape.tip, np.eye(4), atol=1e-12)


@functools.cache
def loaded():
    """Dead loads on tip and body, and the arm's weight, with a rigid piece on the tip."""
    parts = (segment(length=0.6 * LENGTH), RigidPiece(2e-3, 1e-3), segment(length=0.4 * LENGTH), RigidPiece(5e-3, 5e-3))
    pressures = np.concatenate([PRESSURES, 0.5 * PRESSURES[::-1]])
    loads = (ArmLoad(0.3 * FORCE), ArmLoad(0.5 * FORCE, MOMENT, at=0.537))
    gravity = np.array([0.0, 9.81, 0.0])
    whole = QuasiStaticArm(parts)
    return whole, pressures, loads, gravity, solve_arm(whole, pressures, loads, gravity=gravity)


def test_the_mounting_carries_all_loads():
    whole, _, _, gravity, shape = loaded()
    place, fraction = np.asarray(shape.pose[:, :3, 3]), np.asarray(shape.fraction)
    at = np.array([np.interp(0.537, fraction, place[:, axis]) for axis in range(3)])
    masses = []
    for part in whole.parts:
        if isinstance(part, RigidPiece):
            masses.append(float(part.mass))
        else:
            masses += [float(part.density * part.area * part.length) / part.intervals] * part.intervals
    np.testing.assert_allclose(shape.force[0], 0.8 * FORCE + sum(masses) * gravity, atol=1e-12)
    moment = np.cross(place[-1], 0.3 * FORCE) + np.cross(at, 0.5 * FORCE) + MOMENT
    for mass, low, high in zip(masses, place[:-1], place[1:], strict=True):
        moment = moment + np.cross(0.5 * (low + high), mass * gravity)
    np.testing.assert_allclose(shape.moment[0], moment, atol=1e-12)
    np.testing.assert_allclose(shape.pose[0], np.eye(4), atol=1e-14)
    turns = np.asarray(shape.pose[:, :3, :3])
    np.testing.assert_allclose(np.swapaxes(turns, 1, 2) @ turns, np.broadcast_to(np.eye(3), turns.shape), atol=1e-12)


def test_rigid_pieces_do_not_deform():
    shape = loaded()[-1]
    last = np.linalg.solve(np.asarray(shape.pose[-2]), np.asarray(shape.pose[-1]))
    expected = np.eye(4)
    expected[2, 3] = 5e-3
    np.testing.assert_allclose(last, expected, atol=1e-14)
    assert shape.pose.shape == (43, 4, 4) and float(shape.fraction[-1]) == 1.0


def test_loads_in_other_axes_are_the_same_loads():
    dead = solve_arm(arm(), PRESSURES, [ArmLoad(FORCE, MOMENT)])
    turn = np.asarray(dead.tip[:3, :3])
    here = solve_arm(arm(), PRESSURES, [ArmLoad(turn.T @ FORCE, turn.T @ MOMENT, frame="tip")])
    np.testing.assert_allclose(here.pose, dead.pose, atol=1e-10)
    node = solve_arm(arm(), PRESSURES, [ArmLoad(turn.T @ FORCE, turn.T @ MOMENT, at=1.0, frame="body")])
    np.testing.assert_allclose(node.pose, here.pose, atol=1e-14)
    np.testing.assert_allclose(node.moment, here.moment, atol=1e-14)


@pytest.mark.parametrize("steps", [[1.0], [0.3, 0.7], [0.05, 0.2, 0.02, 0.02, 0.3, 0.41]])
def test_smooth_sharing_keeps_force_and_moment(steps):
    """For nodes of any spacing: with a continuous derivative, and at a node the same as between two nodes."""
    nodes = jnp.asarray(np.append(0.0, np.cumsum(steps))[::-1])
    at = jnp.concatenate([nodes, jnp.linspace(0.0, 1.0, 41)])
    shared = jax.jit(jax.vmap(lambda place: share_smoothly(place, nodes)))(at)
    np.testing.assert_allclose(jnp.sum(shared, axis=1), 1.0, atol=1e-13)
    np.testing.assert_allclose(shared @ nodes, at, atol=1e-13)
    np.testing.assert_allclose(shared[: len(nodes)], np.eye(len(nodes)), atol=1e-13)
    slope = jax.jit(jax.vmap(jax.jacfwd(lambda place: share_smoothly(place, nodes))))
    inner, little = nodes[1:-1], 1e-10
    np.testing.assert_allclose(slope(inner - little), slope(inner + little), atol=1e-4)


def test_smooth_loads_are_those_of_two_nodes_but_for_the_interval():
    tips = [
        np.asarray(solve_arm(arm(), PRESSURES, [ArmLoad(FORCE, at=0.537, smooth=smooth)]).tip[:3, 3])
        for smooth in (False, True)
    ]
    assert 0.0 < np.linalg.norm(tips[1] - tips[0]) / LENGTH < 1e-3


def test_the_two_constructions_are_near_each_other():
    tips = [
        np.asarray(solve_arm(arm(name, intervals=80), PRESSURES, [ArmLoad(FORCE, MOMENT, frame="tip")]).tip[:3, 3])
        for name in ("arcs", "increments")
    ]
    assert 1e-4 < np.linalg.norm(tips[0] - tips[1]) / LENGTH < 0.03


@pytest.mark.long
def test_derivatives_of_both_modes():
    fixed, along, weights = arm(intervals=8), jnp.asarray([0.3, -0.5, 0.8]), jnp.asarray([1.0, -2.0, 0.5])

    @jax.jit
    def height(force):
        return jnp.sum(weights * arm_shape(fixed, jnp.asarray(PRESSURES), (ArmLoad(force),)).tip[:3, 3])

    at, step = jnp.asarray(FORCE), 1e-4
    forward = jax.jit(lambda f: jax.jvp(height, (f,), (along,))[1])(at)
    difference = (height(at + step * along) - height(at - step * along)) / (2.0 * step)
    np.testing.assert_allclose(forward, difference, rtol=1e-6)
    np.testing.assert_allclose(jnp.sum(jax.jit(jax.grad(height))(at) * along), forward, rtol=1e-10)


def test_a_large_batch():
    fixed, rng = arm(), np.random.default_rng(0)
    pressures, forces = rng.uniform(0.0, 50e3, (4096, 3)), rng.normal(0.0, 0.2, (4096, 3))

    def one(pressure, force):
        shape = arm_shape(fixed, pressure, (ArmLoad(force, frame="tip"),))
        return shape.tip, shape.valid

    tips, valid = jax.jit(jax.vmap(one))(pressures, forces)
    assert bool(jnp.all(valid))
    alone = solve_arm(fixed, pressures[9], [ArmLoad(forces[9], frame="tip")]).tip
    np.testing.assert_allclose(tips[9], alone, atol=1e-13)


def test_hyperelastic_stretches_and_a_failure_in_a_batch():
    fixed, rng = arm(law=ExtensorLaw("neo-hookean", "nr"), intervals=8), np.random.default_rng(0)
    pressures, forces = rng.uniform(0.0, 50e3, (8, 3)), rng.normal(0.0, 0.2, (8, 3))
    pressures[7] = 200e3

    def one(pressure, force):
        shape = arm_shape(fixed, pressure, (ArmLoad(force, frame="tip"),))
        return shape.tip[:3, 3], shape.stretch, shape.force[1:, 2], shape.valid

    tips, stretches, axial, valid = jax.jit(jax.vmap(one))(pressures, forces)
    assert bool(jnp.all(jnp.isfinite(tips)))
    np.testing.assert_array_equal(valid, [True] * 7 + [False])
    # Each stretch is the mean of those of the chambers under their pressures and the axial force.
    part = fixed.parts[0]
    wall = part.wall_stress(jnp.asarray(pressures[0]), axial[0])
    expected = jnp.mean(extensor_stretch(part.law, wall, part.numbers)[0], axis=-1)
    np.testing.assert_allclose(stretches[0], expected, rtol=1e-9)


def test_gent_shares_hookes_shape_for_small_strains():
    soft, hooke = arm(law=ExtensorLaw("gent", "uni")), arm()
    tips = [np.asarray(solve_arm(of, 1e-3 * PRESSURES).tip[:3, 3]) for of in (soft, hooke)]
    np.testing.assert_allclose(tips[0], tips[1], atol=1e-6 * LENGTH)


def test_the_map_finds_the_modulus():
    rng = np.random.default_rng(1)
    pressures = rng.uniform(0.0, 50e3, (6, 3))
    fixed = arm()  # made outside: what is made while a function is traced must not be kept
    known = jax.jit(jax.vmap(lambda p: arm_shape(fixed, p).tip[:3, 3]))(pressures)
    found = modulus_map(arm(), pressures, known, np.array([90e3, 130e3, 170e3]))
    assert found.best == 130e3 and found.error.shape == (3, 6)
    np.testing.assert_allclose(found.error[1], 0.0, atol=1e-12)
    np.testing.assert_allclose(found.r2[1], 1.0, atol=1e-12)
    assert np.all(found.mean_error[[0, 2]] > 0.005)
    with pytest.raises(ValueError, match=r"expected a table \(samples, 3\) \[Pa\]; got the shape \(6, 2\)"):
        modulus_map(arm(), pressures[:, :2], known, [1e5])


def test_bad_input_is_refused_with_its_bound():
    with pytest.raises(
        ValueError, match=r"gent-nr \(printed\): 100000 Pa is beyond .* largest pressure here is 7\d{4}"
    ):
        solve_arm(arm(law=ExtensorLaw("gent", "nr")), [1e5, 0.0, 0.0])
    kept = solve_arm(arm(law=ExtensorLaw("gent", "nr")), [1e5, 0.0, 0.0], throw=False)
    assert not bool(kept.valid) and int(kept.code) == ResultCode.SUCCESS
    with pytest.raises(ValueError, match=r"load 1: at = 1\.2 is off the body; .* from 0 \(base\) to 1 \(tip\)"):
        solve_arm(arm(), PRESSURES, [ArmLoad(FORCE, at=1.2)])
    with pytest.raises(ValueError, match="expected 3 numbers"):
        solve_arm(arm(), [1e3])
    with pytest.raises(ValueError, match="load frame: unknown 'world'; expected one of base, tip, body"):
        ArmLoad(FORCE, frame="world")
    with pytest.raises(ValueError, match=r"segment length: expected above 0; got -0\.01"):
        segment(length=-0.01)
    with pytest.raises(ValueError, match=r"reach from 9 to 14 mm from the axis, outside the wall, .* 4\.5 to 12\.5 mm"):
        segment(chamber_offset=11.5e-3)
    with pytest.raises(ValueError, match="chamber_outer_radius: expected above chamber_radius"):
        segment(chamber_outer_radius=2e-3)
    with pytest.raises(ValueError, match="arm construction: unknown 'splines'"):
        QuasiStaticArm((segment(),), "splines")
    with pytest.raises(ValueError, match="turns by more than 180 deg"):
        solve_arm(arm(intervals=1), np.zeros(3), [ArmLoad(moment=[1.0, 0.0, 0.0], frame="tip")])
    with pytest.raises(ValueError, match=r"the smallest pressure here is 524433 Pa, at a stretch of 0\.05"):
        solve_arm(arm(), np.zeros(3), [ArmLoad([0.0, 0.0, -100.0])])


def test_a_balance_that_is_not_found_is_said():
    """5 N across are too many at once, as are all forces from 3.7 to 6.8 N."""
    across = ArmLoad([5.0, 0.0, 0.0])
    with pytest.raises(
        SolveError, match=r"not reach its tolerance.* pass the turn of the last tip as `guess`"
    ) as ended:
        solve_arm(arm(), PRESSURES, [across])
    shape = solve_arm(arm(), PRESSURES, [across], throw=False)
    assert ended.value.code is ResultCode.NOT_CONVERGED
    assert int(shape.code) == ResultCode.NOT_CONVERGED and not bool(shape.valid)
    for field, same in zip(shape, ended.value.partial, strict=True):
        np.testing.assert_array_equal(field, same)
        assert np.all(np.isfinite(field))
    # Its numbers are those of the last turn that was tried, no balance: the mounting does not carry the load.
    assert np.linalg.norm(shape.force[0] - across.force) > 1.0


def test_the_cure_that_the_error_names_works():
    guess = None
    for force in np.linspace(0.5, 5.0, 10):
        shape = solve_arm(arm(), PRESSURES, [ArmLoad([force, 0.0, 0.0])], guess=guess)
        guess = shape.tip[:3, :3]
    np.testing.assert_allclose(shape.force[0], [5.0, 0.0, 0.0], atol=1e-9)
    moment = np.cross(shape.tip[:3, 3], [5.0, 0.0, 0.0])
    np.testing.assert_allclose(shape.moment[0], moment, atol=1e-9)


def test_a_load_under_which_the_sweep_overflows_is_said():
    shape = solve_arm(arm(), PRESSURES, [ArmLoad([1e3, 0.0, 0.0])], throw=False)
    assert int(shape.code) == ResultCode.NOT_CONVERGED and not bool(shape.valid)
    assert not np.all(np.isfinite(shape.pose))


@pytest.mark.long
def test_one_that_is_not_found_does_not_stop_the_others():
    forces, whole = np.array([[1.0, 0.0, 0.0], [5.0, 0.0, 0.0], [1e3, 0.0, 0.0]]), arm()
    shapes = jax.jit(jax.vmap(lambda force: arm_shape(whole, jnp.asarray(PRESSURES), (ArmLoad(force),))))(forces)
    np.testing.assert_array_equal(shapes.code, [ResultCode.SUCCESS, ResultCode.NOT_CONVERGED, ResultCode.NOT_CONVERGED])
    np.testing.assert_array_equal(shapes.valid, [True, False, False])
    np.testing.assert_allclose(shapes.pose[0], solve_arm(arm(), PRESSURES, [ArmLoad(forces[0])]).pose, atol=1e-10)


def test_stretches_that_do_not_settle_are_said():
    """Of a hyperelastic arm, under a load for which no turn is sought."""
    soft, load = arm(law=ExtensorLaw("neo-hookean", "nr"), intervals=8), ArmLoad([5.0, 0.0, 0.0], frame="tip")
    with pytest.raises(SolveError) as ended:
        solve_arm(soft, 0.5 * PRESSURES, [load])
    shape = ended.value.partial
    assert ended.value.code is ResultCode.NOT_CONVERGED and not bool(shape.valid)
    assert np.all(np.isfinite(shape.pose)) and np.all(np.isfinite(shape.stretch))
