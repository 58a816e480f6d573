"""Sections of variable-length arms: lengths to poses, and the energy of the CoG model and what follows from it."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant import Robot, RobotFileError
from pliant.dynamics import coriolis_matrix
from pliant.elements import SHAPING, centre_of_gravity
from pliant.elements._centre import centre_drift
from pliant.lie import se3
from pliant.numerics import gauss_legendre

LENGTH, RADIUS = 0.15, 0.0125  # m
MUSCLES = {"radius": RADIUS, "stiffness": 765.0, "damping": 27.0, "mass": 0.1 / LENGTH}
ARC = ["bend_x", "bend_y", "stretch"]


def _arm(model, sections=1, allow=ARC, **muscles) -> Robot:
    robot, parent = Robot("arm"), {"link": "world"}
    for number in range(1, sections + 1):
        section = {"muscles": MUSCLES | muscles}
        robot = robot.rod(f"s{number}", parent=parent, length=LENGTH, section=section, allow=allow, model=model)
        parent = {"link": f"s{number}", "at": 1, "offset": {"move": [0, 0, 0.01], "rotate": {"z": 0.3}}}
    return robot


@functools.cache
def _compiled(name, sections):
    return pliant.compile(_arm(name, sections))


def _arc_of_three(l1, l2, l3):
    """Godage et al., with the last rotation that Eq. 1 lacks: arc radius, angle and plane from the lengths."""
    d = np.sqrt(l1**2 + l2**2 + l3**2 - l1 * l2 - l2 * l3 - l1 * l3)
    radius = (3 * LENGTH + l1 + l2 + l3) * RADIUS / (2 * d)
    angle, plane = 2 * d / (3 * RADIUS), np.arctan2(np.sqrt(3) * (l3 - l2), l2 + l3 - 2 * l1)
    return radius, angle, plane


def _pose(radius, angle, plane):
    def turn(axis, by):
        return np.asarray(se3.exp(jnp.asarray([*(by * np.eye(3)[axis]), 0.0, 0.0, 0.0])))

    def move(x):
        pose = np.eye(4)
        pose[0, 3] = x
        return pose

    return turn(2, plane) @ move(radius) @ turn(1, angle) @ move(-radius) @ turn(2, -plane)


@pytest.mark.parametrize("lengths", [(0.03, 0.01, 0.0), (0.0, 0.02, 0.05), (0.07, 0.0, 0.0), (0.0, 1e-9, 0.0)])
def test_pose_is_that_of_the_arc(lengths):
    found = pliant.forward_kinematics(_compiled("cog", 1), jnp.asarray(lengths))["s1"]
    np.testing.assert_allclose(found, _pose(*_arc_of_three(*lengths)), atol=1e-14 if max(lengths) > 1e-6 else 1e-8)


def test_smooth_at_the_straight_pose():
    poses = lambda q: pliant.forward_kinematics(_compiled("cog", 1), q)["s1"]  # noqa: E731
    straight = jnp.full(3, 0.02)
    first, second = jax.jacfwd(poses)(straight), jax.jacfwd(jax.jacfwd(poses))(straight)
    step = 1e-4
    for k in range(3):
        away = step * jnp.eye(3)[k]
        np.testing.assert_allclose(
            first[..., k], (poses(straight + away) - poses(straight - away)) / (2 * step), atol=1e-2
        )
    assert np.isfinite(second).all()


def test_a_bend_of_four_thirds_pi_is_exact():
    longest = 1.5 * RADIUS * 4 * np.pi / 3
    found = pliant.forward_kinematics(_compiled("cog", 1), jnp.asarray([longest, 0.0, 0.0]))["s1"]
    np.testing.assert_allclose(found, _pose(*_arc_of_three(longest, 0.0, 0.0)), atol=1e-13)


def test_four_actuators_are_at_right_angles():
    model = pliant.compile(_arm({"cog": {"actuators": 4}}))
    pose = np.asarray(pliant.forward_kinematics(model, jnp.asarray([0.0, 0.01, 0.02]))["s1"])
    # The first is short and the third long: it bends towards x, by their difference over the distance between them.
    angle = 0.02 / (2 * RADIUS)
    np.testing.assert_allclose(pose, _pose((LENGTH + 0.01) / angle, angle, 0.0), atol=1e-14)


def test_centre_of_gravity_is_the_average_of_the_arc():
    shape, rates = jnp.asarray([0.7, -1.9, 0.17]), jnp.asarray([0.4, 0.3, 0.05])
    points, weights = gauss_legendre(30)

    def average(shape):
        poses = se3.exp(points[:, None] * jnp.concatenate([shape[:2], jnp.zeros(3), shape[2:]]))
        mean = jnp.tensordot(jnp.asarray(weights), poses, axes=1)[:3]
        return jnp.concatenate([mean[:, 3:], mean[:, :3]], axis=1).T

    found = centre_of_gravity(shape[:2], shape[2])
    np.testing.assert_allclose(found.points, average(shape), atol=1e-14)
    np.testing.assert_allclose(found.along, jnp.moveaxis(jax.jacfwd(average)(shape), -1, 0), atol=1e-13)
    rate = lambda shape: jax.jvp(average, (shape,), (rates,))[1]  # noqa: E731
    drift = centre_drift(shape[:2], shape[2], rates[:2], rates[2])
    np.testing.assert_allclose(drift, jax.jvp(rate, (shape,), (rates,))[1], atol=1e-13)


def test_energy_is_positive_whatever_moves():
    """Of translation, in the base's velocity, what it carries round and what changes; of rotation in the last two."""
    a, b, c = SHAPING.linear
    assert np.linalg.eigvalsh([[1, 1, 1], [1, a, b], [1, b, c]]).min() > 0
    a, b, c = SHAPING.angular
    assert np.linalg.eigvalsh([[a, b], [b, c]]).min() > 0


@pytest.mark.long
def test_coriolis_matrix_is_christoffels():
    model, rng = _compiled("cog", 2), np.random.default_rng(0)
    q, v = jnp.asarray(rng.uniform(0, 0.05, 6)), jnp.asarray(rng.normal(size=6))
    coriolis = coriolis_matrix(model, q, v)
    rate = jax.jvp(lambda q: pliant.mass_matrix(model, q), (q,), (v,))[1]
    skew = rate - 2 * coriolis
    np.testing.assert_allclose(skew, -skew.T, atol=1e-12 * np.abs(coriolis).max())
    still = jnp.zeros(6)
    damping = pliant.damping_matrix(model, q, still) @ v
    velocity = pliant.bias(model, q, v) - pliant.bias(model, q, still) - damping
    np.testing.assert_allclose(coriolis @ v, velocity, rtol=1e-10, atol=1e-12)
    # Transposed it would pass the test of skewness, and be wrong.
    assert np.abs(coriolis.T @ v - velocity).max() > 1e-3 * np.abs(velocity).max()


def test_coriolis_matrix_needs_a_vector_space():
    model = pliant.compile(Robot("body").rigid("body", mass=1.0, shape={"sphere": {"radius": 0.1}}, joint="free"))
    with pytest.raises(ValueError, match="orientations among its coordinates"):
        coriolis_matrix(model, model.neutral(), jnp.zeros(6))


def test_gravity_is_that_of_the_discs():
    rng = np.random.default_rng(1)
    q = jnp.asarray(rng.uniform(0, 0.05, 6))
    still = jnp.zeros(6)
    energies = [pliant.energy(_compiled(name, 2), q, still)["gravity"] for name in ("cog", "integral")]
    np.testing.assert_allclose(*energies, rtol=1e-9)
    forces = [pliant.bias(_compiled(name, 2), q, still) for name in ("cog", "integral")]
    np.testing.assert_allclose(*forces, atol=1e-9)


def test_statics_end_where_a_section_would_bend_by_more_than_a_turn():
    """Found by random robots: a bend of 395 deg was a success, and simulate then refused to start from it."""
    turned = _arm("cog").with_gravity([0, 0, 0]).load("moment", where={"link": "s1"}, moment=[0, 4.0, 0], frame="body")
    with pytest.raises(pliant.SolveError, match=r"Further on, section 's1' bends by \d+\.?\d* deg; .* 360 deg") as told:
        pliant.equilibrium(pliant.compile(turned))
    assert np.linalg.norm(told.value.partial.q) > 0.0


def test_a_muscle_stops_at_the_end_of_its_stroke():
    model = pliant.compile(_arm("cog", stroke=[0.0, 0.05]))
    inside, beyond = jnp.asarray([0.01, 0.02, 0.049]), jnp.asarray([0.01, 0.02, 0.052])
    free = pliant.compile(_arm("cog"))
    still, stop = jnp.zeros(3), 50 * 765.0 / (3 * LENGTH)
    change = pliant.bias(model, beyond, still) - pliant.bias(free, beyond, still)
    np.testing.assert_allclose(change, [0.0, 0.0, 0.002 * stop], atol=1e-9)
    np.testing.assert_allclose(pliant.bias(model, inside, still), pliant.bias(free, inside, still), atol=1e-12)
    with pytest.raises(
        ValueError, match=r"actuator 3 of section 's1' changes its length by 52 mm; its stroke is 0 to 50"
    ):
        pliant.simulate(model, 0.1, state=pliant.State(beyond, still))


def test_impossible_arcs_are_refused():
    model = _compiled("cog", 1)
    with pytest.raises(ValueError, match=r"section 's1' bends by 382 deg; a section can bend by 360 deg at most"):
        pliant.simulate(model, 0.1, state=pliant.State(jnp.asarray([0.125, 0.0, 0.0]), jnp.zeros(3)))
    with pytest.raises(ValueError, match=r"section 's1' has a length of -10 mm; it must be above 0"):
        pliant.simulate(model, 0.1, state=pliant.State(jnp.full(3, -0.16), jnp.zeros(3)))


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"model": "cog", "allow": ["bend_x", "stretch"]}, "what a section of the model cog does"),
        ({"model": "gvs", "allow": ["bend_x", "twist"]}, "nothing else is resisted by a section of muscles"),
        ({"model": "gvs", "stroke": [0.0, 0.05]}, "only the models cog and integral have stops"),
        ({"model": "cog", "stroke": [0.02, 0.05]}, "a shortest change between minus the length and 0"),
        ({"model": {"cog": {"actuators": 5}}}, "a number of actuators"),
        ({"model": "cog", "radius": -1.0}, "radius"),
    ],
)
def test_wrong_sections_are_refused(settings, complaint):
    with pytest.raises(RobotFileError, match=complaint):
        pliant.compile(_arm(**settings))


def test_a_section_of_the_model_cog_is_straight_and_even():
    robot = Robot("arm").material("m", young=1e5, poisson=0.5, density=1000.0)
    settings = {"length": 0.1, "material": "m", "allow": ARC, "model": "integral"}
    with pytest.raises(RobotFileError, match="the model integral does not taper"):
        pliant.compile(robot.rod("s", section={"circle": {"radius": [0.01, 0.005]}}, **settings))
    with pytest.raises(RobotFileError, match="a straight rod"):
        bent = {"bend_x": 1.0}
        pliant.compile(robot.rod("s", section={"circle": {"radius": 0.01}}, reference=bent, **settings))
