"""Force estimation: known forces are found again, with the spread the covariance says, on every kind of robot."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import pliant
from pliant import ResultCode, SolveError
from pliant.arms import ArmSegment, QuasiStaticArm, chamber_pairs
from pliant.estimation import ForceEstimator, StreamingForceEstimator
from pliant.estimation._along import between
from pliant.estimation._estimator import _fitted, unknowns
from pliant.estimation._least_squares import covariance_of
from pliant.estimation._observation import errors
from pliant.model import Placing, prepare

MARKERS, NOISE = ("tip", "middle"), (0.5e-3, np.radians(0.5))
FORCE = np.array([0.12, -0.2, 0.15])
PRESSED = {"pull.force": np.array([0.0, 0.1, -0.1]), "push.force": np.zeros(3)}
PLACE = 0.7


@pytest.fixture(scope="module")
def module():
    """A horizontal rod that bends and stretches; the load that stands for an actuator is `pull`."""
    robot = (
        pliant.Robot("arm")
        .material("rubber", young=5e5, poisson=0.5, density=1100.0)
        .rod(
            "rod",
            parent={"link": "world", "offset": {"rotate": {"y": "90 deg"}}},
            length=0.1,
            section={"circle": {"radius": 0.012}},
            material="rubber",
            allow=["bend_x", "bend_y", "stretch"],
            model={"gvs": {"order": 1, "quadrature": 3}},
        )
        .frame("tip", link="rod", at=1.0)
        .frame("middle", link="rod", at=0.5)
        .load("pull", where={"link": "rod"}, force=[0.0] * 3)
        .load("push", where={"link": "rod", "at": PLACE}, force=[0.0] * 3)
    )
    return pliant.compile(robot)


@pytest.fixture(scope="module")
def on_body(module):
    return ForceEstimator(module, MARKERS, location=PLACE, noise=NOISE)


@pytest.fixture(scope="module")
def unknown(module):
    return ForceEstimator(module, MARKERS, location=None, noise=NOISE)


@pytest.fixture(scope="module")
def arm():
    angles = chamber_pairs(np.radians([90.0, -30.0, 210.0]), np.radians(20.3))
    return QuasiStaticArm(
        (
            ArmSegment(
                length=47e-3,
                outer_radius=12.5e-3,
                inner_radius=4.5e-3,
                chamber_angles=angles,
                chamber_offset=8.5e-3,
                chamber_radius=2.5e-3,
                young=130e3,
                intervals=30,
            ),
        )
    )


def disturbed(poses, rng):
    noisy = np.array(poses)
    noisy[:, :3, 3] += NOISE[0] * rng.normal(size=(len(noisy), 3))
    turn = Rotation.from_rotvec(NOISE[1] * rng.normal(size=(len(noisy), 3))).as_matrix()
    noisy[:, :3, :3] = noisy[:, :3, :3] @ turn
    return noisy


@pytest.mark.long
def test_finds_a_force_on_the_body_without_noise(on_body):
    found = on_body.estimate(PRESSED, on_body.predict(PRESSED, FORCE))
    np.testing.assert_allclose(found.force, FORCE, atol=1e-8)
    assert found.code == ResultCode.SUCCESS and found.misfit < 1e-12 and found.location == PLACE
    np.testing.assert_allclose(found.covariance, on_body.bound(PRESSED, FORCE), rtol=1e-5)
    np.testing.assert_allclose(found.direction * found.magnitude, FORCE, atol=1e-8)
    again = on_body.estimate(PRESSED, on_body.predict(PRESSED, 1.05 * FORCE), start=found)
    np.testing.assert_allclose(again.force, 1.05 * FORCE, atol=1e-8)
    assert again.iterations <= 4


@pytest.mark.long
def test_agrees_with_a_load_of_the_robot_file(module, on_body):
    """A load of the file at the same place bends the rod as the estimator's own force does."""
    rest = pliant.equilibrium(module, inputs={**PRESSED, "push.force": FORCE})
    truth = on_body.predict(PRESSED, FORCE)
    np.testing.assert_allclose(pliant.forward_kinematics(module, rest.q)["tip"], truth[0], atol=1e-9)
    positions = ForceEstimator(module, MARKERS, location=PLACE, noise=(NOISE[0], None))
    np.testing.assert_allclose(positions.estimate(PRESSED, truth[:, :3, 3]).force, FORCE, atol=1e-6)


@pytest.mark.long
def test_a_force_at_a_frame(module):
    estimator = ForceEstimator(module, ("tip", 0.3), location="tip", noise=NOISE)
    found = estimator.estimate(PRESSED, estimator.predict(PRESSED, FORCE))
    np.testing.assert_allclose(found.force, FORCE, atol=1e-6)
    assert np.isnan(found.location)


def test_information_is_that_of_differenced_poses(unknown):
    """The slope by implicit differentiation, of force and location, against finite differences of solved poses."""
    x, step, columns = np.append(FORCE, 0.63), 1e-4, []
    poses = unknown.predict(PRESSED, FORCE, 0.63)
    for index in range(4):
        ahead, behind = (x + sign * step * np.eye(4)[index] for sign in (1.0, -1.0))
        change = errors(unknown.predict(PRESSED, behind[:3], behind[3]), unknown.predict(PRESSED, ahead[:3], ahead[3]))
        columns.append((np.asarray(change) / np.asarray(unknown.deviations)).ravel() / (2.0 * step))
    slope = np.stack(columns, axis=1)
    np.testing.assert_allclose(np.linalg.inv(slope.T @ slope), unknown.bound(PRESSED, FORCE, 0.63), rtol=1e-4)
    assert np.all(np.isfinite(poses))


def test_covariance_is_the_spread_of_the_estimates(on_body):
    rng = np.random.default_rng(0)
    truth = np.asarray(on_body.predict(PRESSED, FORCE))
    start = on_body.estimate(PRESSED, truth)
    spread = np.array([on_body.estimate(PRESSED, disturbed(truth, rng), start=start).force - FORCE for _ in range(150)])
    ratio = np.linalg.solve(np.asarray(start.covariance), spread.T @ spread / len(spread))
    assert 0.85 < np.sqrt(np.trace(ratio) / 3.0) < 1.15
    assert np.all(np.abs(spread.mean(axis=0)) < 4.0 * np.asarray(start.deviation) / np.sqrt(len(spread)))


@pytest.mark.parametrize("place", [0.4, 0.85])
def test_finds_where_a_force_acts(unknown, place):
    found = unknown.estimate(PRESSED, unknown.predict(PRESSED, FORCE, place))
    np.testing.assert_allclose(found.force, FORCE, atol=1e-6)
    assert float(found.location) == pytest.approx(place, abs=1e-6) and found.covariance.shape == (4, 4)


def test_a_marker_not_seen_is_left_out(on_body):
    poses = np.array(on_body.predict(PRESSED, FORCE))
    poses[1] = np.nan
    found = on_body.estimate(PRESSED, poses)
    np.testing.assert_allclose(found.force, FORCE, atol=1e-7)
    assert np.all(np.asarray(found.deviation) > np.sqrt(np.diag(on_body.bound(PRESSED, FORCE))))


def test_a_prior_keeps_what_is_hardly_seen_near_zero(module, on_body):
    """Beside a narrow belief in small forces the markers count little."""
    poses = on_body.predict(PRESSED, FORCE)
    narrow = ForceEstimator(module, MARKERS, location=PLACE, noise=NOISE, prior=1e-3).estimate(PRESSED, poses)
    wide = ForceEstimator(module, MARKERS, location=PLACE, noise=NOISE, prior=1e3).estimate(PRESSED, poses)
    assert narrow.magnitude < 2e-3 and np.all(np.asarray(narrow.deviation) <= 1e-3)
    np.testing.assert_allclose(wide.force, FORCE, atol=1e-5)


def test_a_stream_converges_and_follows_a_ramp(on_body):
    poses = on_body.predict(PRESSED, FORCE)
    alone, filtered = StreamingForceEstimator(on_body), StreamingForceEstimator(on_body, drift=0.2)
    state = alone.begin(PRESSED)
    for _ in range(6):
        state = alone.update(state, PRESSED, poses, 0.02)
    np.testing.assert_allclose(state.force, FORCE, atol=1e-8)
    assert state.code == ResultCode.SUCCESS
    rng, missed = np.random.default_rng(1), []
    for k in range(25):
        force = (1.0 + 0.02 * k) * FORCE
        inputs = {**PRESSED, "pull.force": np.array([0.0, 0.1 + 0.002 * k, -0.1])}
        state = filtered.update(state, inputs, disturbed(on_body.predict(inputs, force), rng), 0.02)
        missed.append(np.asarray(state.force) - force)
    bound = np.sqrt(np.diag(on_body.bound(PRESSED, FORCE)))
    ratio = np.sqrt(np.mean(np.square(missed), axis=0)) / bound
    assert np.all(ratio < 1.1) and ratio[0] < 0.5  # along the rod one sample tells little and memory helps
    lost = filtered.update(state, inputs, np.full((2, 4, 4), np.nan), 0.02)
    np.testing.assert_allclose(lost.force, state.force)
    assert np.all(np.asarray(lost.deviation) > np.asarray(state.deviation))


@pytest.mark.long
def test_the_quasi_static_arm(arm):
    estimator = ForceEstimator(arm, (0.5, 1.0), location=None, noise=NOISE)
    pressures = np.array([40e3, 0.0, 20e3])
    found = estimator.estimate(pressures, estimator.predict(pressures, FORCE, 0.81))
    np.testing.assert_allclose(found.force, FORCE, atol=1e-6)
    assert float(found.location) == pytest.approx(0.81, abs=1e-6)


@pytest.mark.long
def test_the_quasi_static_arm_with_noise_at_an_unknown_place(arm):
    """Positions alone, near a marker, where they have a kink in the place: every search arrives at a least misfit, and
    the truth is as far from it as four unknowns make it: by a chi-square of mean 4, variance 8. The bound is no measure
    here, with a deviation of 0.11 of the place: force and place are told apart too badly to be linear in the noise."""
    place, force, pressures = 0.6, np.array([0.6, -0.7, 0.4]), np.array([40e3, 0.0, 20e3])
    markers, noise = (0.25, 0.5, 0.75, 1.0), (NOISE[0], None)
    estimator = ForceEstimator(arm, markers, location=None, noise=noise)
    truth = np.asarray(estimator.predict(pressures, force, place))[:, :3, 3]
    gains, places = [], []
    for seed in range(10):
        observed = truth + NOISE[0] * np.random.default_rng(seed).normal(size=truth.shape)
        found = estimator.estimate(pressures, observed)
        least = np.sum(found.errors[:, 3:] ** 2)
        gains.append((np.sum((observed - truth) ** 2) - least) / NOISE[0] ** 2)
        places.append(float(found.location))
        held = estimator.evidence(jnp.asarray(pressures), observed)._replace(free=jnp.asarray([1.0, 1.0, 1.0, 0.0]))
        for aside in (-1e-3, 1e-3):
            beside, _ = _fitted(estimator.forward, held, unknowns(found) + jnp.asarray([0.0] * 3 + [aside]), found.rest)
            assert np.sum(beside.errors[:, 3:] ** 2) > least
    assert np.min(np.abs(np.subtract(places, 0.5))) < 0.5 / arm.segments[0].intervals
    assert np.min(gains) > 0.0
    assert abs(np.mean(gains) - 4.0) < 3.0 * np.sqrt(8.0 / len(gains))


def test_the_quasi_static_arm_refuses(arm):
    estimator = ForceEstimator(arm, (0.5, 1.0), location=None, noise=NOISE)
    with pytest.raises(KeyError, match="no frame 'tip'"):
        ForceEstimator(arm, ("tip",), location=1.0, noise=NOISE)
    with pytest.raises(ValueError, match="3 pressures"):
        estimator.estimate(np.zeros(2), np.zeros((2, 4, 4)))


def test_places_between_nodes_are_close_to_those_of_the_rod(module):
    """A rod bent by far with few nodes; at its nodes the place is exact."""
    rest = pliant.equilibrium(module, inputs={**PRESSED, "pull.force": np.array([0.0, 0.0, 1.5])})
    link = module.structure.links[0]
    prepared = prepare(module.structure, module.parameters)
    fractions = tuple(float(s) for s in np.linspace(0.01, 1.0, 40))

    @jax.jit
    def along(q):
        return Placing(module.structure, prepared.elements, prepared.parameters, q).rod(link, fractions)

    exact = along(rest.q)
    assert abs(float(exact[-1, 2, 2])) > 0.3  # sine of the slope of the tip
    nodes, at = rest.shape.node_pose, jnp.asarray(module.structure.node_fractions)
    near = jax.jit(between)(nodes, at, jnp.asarray(fractions))
    assert np.max(np.linalg.norm(near[:, :3, 3] - exact[:, :3, 3], axis=1)) < 1e-4


def test_nothing_known_is_infinite_variance():
    information = jnp.asarray([[4.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(covariance_of(information), [[0.25, 0.0], [0.0, np.inf]])


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"location": 1.2}, ValueError, "location 1.2 is off the body"),
        ({"markers": (-0.1,)}, ValueError, "marker -0.1 is off the body"),
        ({"markers": ("nose",)}, KeyError, "no frame 'nose'"),
        ({"location": "nose"}, KeyError, "no frame 'nose'"),
        ({"markers": ()}, ValueError, "at least one frame"),
        ({"noise": (0.0, 0.01)}, ValueError, "noise of position must be above 0"),
        ({"noise": (1e-3, -1.0)}, ValueError, "noise of rotation must be above 0"),
        ({"noise": 1e-3}, ValueError, "noise is a pair"),
        ({"noise": (np.ones(3), None)}, ValueError, "each of 2 markers"),
        ({"link": "finger"}, KeyError, "no rod 'finger'.*rod"),
        ({"prior": 0.0}, ValueError, "prior must be above 0 N"),
    ],
)
def test_refuses(module, given, error, message):
    with pytest.raises(error, match=message):
        ForceEstimator(module, **{"markers": MARKERS, "location": PLACE, "noise": NOISE, **given})


def test_refuses_what_was_not_measured_so(module, on_body, unknown):
    with pytest.raises(ValueError, match=r"poses \(2, 4, 4\).*got shape \(2, 3\); give noise=\(position, None\)"):
        on_body.estimate(PRESSED, np.zeros((2, 3)))
    with pytest.raises(KeyError, match="no input 'pair-9'"):
        on_body.estimate({"pair-9": 1.0}, np.zeros((2, 4, 4)))
    with pytest.raises(ValueError, match="say where the force acts"):
        unknown.bound(PRESSED, FORCE)
    with pytest.raises(ValueError, match=r"three numbers.*got shape \(2,\)"):
        on_body.predict(PRESSED, np.zeros(2))
    with pytest.raises(TypeError, match="compiled Model or a quasi-static arm; got dict"):
        ForceEstimator({}, MARKERS, location=PLACE, noise=NOISE)
    with pytest.raises(ValueError, match="steps must be at least 1"):
        StreamingForceEstimator(on_body, steps=0)
    with pytest.raises(ValueError, match="drift must be above 0"):
        StreamingForceEstimator(on_body, drift=0.0)
    with pytest.raises(SolveError, match=r"singular.*Force on robot 'arm'") as failed:
        on_body.estimate(PRESSED, np.full((2, 4, 4), np.nan))
    assert np.all(np.isinf(failed.value.partial.deviation))
