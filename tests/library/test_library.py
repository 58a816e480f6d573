"""The robots of the library: all load; some are solved and compared with what can be known about them."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pliant
from blueprints import plain_blueprint
from pliant import library
from pliant.analysis import assemble, mobility, quasi_static
from pliant.dynamics import actuation_matrix
from pliant.results import Trajectory

NEEDS = {"ur-tentacle": "yourdfpy", "catheter": "trimesh"}
_FACET = [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("none", "<u2")]  # of a binary STL file, after 84 bytes


def _load(name: str) -> pliant.Robot:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    return library.load(name)


@pytest.mark.parametrize("name", library.names())
def test_every_robot_loads_and_says_where_it_comes_from(name):
    robot = _load(name)
    structure, parameters = plain_blueprint(robot)
    assert robot.name == structure["robot"] == name
    assert structure["analyses"], "`pliant run` has nothing to show"
    assert "Source: " in library.summary(name)
    assert all(np.all(np.isfinite(value)) for value in parameters.values())


def test_six_cables_are_independent():
    """As the article says; with the sign printed for cable 6 they are not."""
    robot = library.load("six-cable-manipulator")
    printed = robot.with_value("actuators.cable-6.tendon.route.y", ["8.660254 mm", "4.330127 mm"])
    ranks = []
    for version in (robot, printed):
        model = pliant.compile(version)
        ranks.append(np.linalg.matrix_rank(np.asarray(actuation_matrix(model, model.neutral())), tol=1e-10))
    assert ranks == [6, 5]


def test_stiff_flop_bends_and_stretches_as_its_section_says():
    """Weightless, with one pair under pressure p: moment 2 p a y about x, tension 2 p a, the same all along."""
    pressure, young, chambers = 30e3, 120e3, 2 * np.pi * 2.5e-3**2
    split = np.arccos(1.0 - 3.0**2 / (2.0 * 8.5**2))
    arm = 8.5e-3 * np.cos(split)
    area = np.pi * (12.5e-3**2 - 4.5e-3**2 - 6 * 2.5e-3**2)
    # Six holes at 8.5 mm, whose centres lie evenly enough for both axes to have half of their polar moment.
    second = np.pi / 4 * (12.5e-3**4 - 4.5e-3**4 - 6 * 2.5e-3**4) - 3 * np.pi * 2.5e-3**2 * 8.5e-3**2
    model = pliant.compile(library.load("stiff-flop").with_gravity([0, 0, 0]))
    rest = pliant.equilibrium(model, inputs={"pair-1": pressure, "pair-2": 0.0, "pair-3": 0.0})
    turned = pressure * chambers * arm / (young * second) * 44e-3
    length = (1.0 + pressure * chambers / (young * area)) * 44e-3
    # An arc in the y-z plane that bends away from the pressurised pair, which lies towards +y.
    expected = length / turned * np.array([0.0, -(1.0 - np.cos(turned)), np.sin(turned)])
    assert np.allclose(rest.position("module"), expected, atol=1e-6 * length)


@pytest.mark.long
def test_four_bar_goes_round():
    model = pliant.compile(library.load("four-bar"))
    turn = quasi_static(model, np.linspace(0.0, 2.0, 11))
    crank_pin, rocker_pin = np.asarray(turn.position("crank-pin")), np.asarray(turn.position("rocker-pin"))
    assert np.allclose(np.linalg.norm(crank_pin, axis=1), 0.08)
    assert np.allclose(np.linalg.norm(rocker_pin - [0.3, 0.0, 0.0], axis=1), 0.2)
    chord = np.linalg.norm(rocker_pin - crank_pin, axis=1)
    assert np.all((chord < 0.28) & (chord > 0.275)), "the coupler is bent, so its ends are nearer than its length"
    assert np.allclose(rocker_pin[0], rocker_pin[-1], atol=1e-9), "a turn later the mechanism is where it was"
    assert np.ptp(rocker_pin[:, 0]) > 0.1, "the rocker swings"
    assert np.all(turn.smallest_eigenvalue > 0.0)


@pytest.mark.long
@pytest.mark.parametrize("name", library.names())
def test_every_robot_has_an_equilibrium(name):
    model = pliant.compile(_load(name))
    assert float(pliant.equilibrium(model).residual) < 1e-9


@pytest.mark.long
@pytest.mark.parametrize(("name", "freedom"), [("fin-ray", 10), ("four-bar", 5), ("l-frame", 24), ("slider-crank", 5)])
def test_loops_close_and_leave_this_much_freedom(name, freedom):
    model = pliant.compile(library.load(name))
    assert mobility(model, assemble(model)).degrees_of_freedom == freedom


@pytest.mark.long
def test_fin_ray_bends_round_what_pushes_it():
    model = pliant.compile(library.load("fin-ray"))
    pushed = quasi_static(model, [0.0, 0.5, 1.0])
    contact, tip = np.asarray(pushed.position("contact"))[:, 0], np.asarray(pushed.position("tip"))[:, 0]
    assert contact[2] > contact[1] > contact[0] + 5e-3, "the middle gives way"
    assert tip[2] < tip[0] - 1e-3, "the tip comes the other way, towards the object"


@pytest.mark.long
def test_slider_crank_reaches_its_dead_points():
    model = pliant.compile(library.load("slider-crank"))
    q, slider = None, []
    for angle in np.linspace(0.0, 1.5 * np.pi, 7):  # in steps too small to fold the mechanism over
        rest = pliant.equilibrium(model, q0=q, inputs={"motor": angle})
        q, slider = rest.q, [*slider, float(rest.position("slider")[0])]
    assert [slider[2], slider[6]] == pytest.approx([0.26, 0.14], abs=1e-3)


@pytest.mark.long
def test_the_catheter_goes_round_the_turn_of_its_tube():
    """As far as it is pushed, touching first the outer and then the inner side, and nowhere through the wall."""
    model = pliant.compile(_load("catheter"))
    run = pliant.simulate(model, 3.2, stepper="newmark", step=8e-3, save_every=0.08, backend="native")
    nodes = np.asarray(run.shape.node_pose)[:, :, :3, 3]
    # The axis of the channel: along z, a quarter of a circle about (50, 170 - 50) mm, along x.
    turn = np.array([0.05, 0.12])
    away = nodes[..., [0, 2]] - turn
    in_turn = (away[..., 0] < 0.0) & (away[..., 1] > 0.0)
    beside = np.where(
        in_turn, np.linalg.norm(away, axis=-1) - 0.05, np.where(away[..., 1] > 0.0, away[..., 1], -away[..., 0]) - 0.05
    )
    off_axis = np.hypot(beside, nodes[..., 1])
    assert off_axis.max() < 3.2e-3, "the channel has a radius of 4 mm, the catheter of 1 mm; the wall is soft"
    assert np.count_nonzero(beside > 2.9e-3) and np.count_nonzero(beside < -2.9e-3)
    tip = np.asarray(run.position("tip"))[-1]
    assert tip[0] > 0.06 and abs(tip[2] - 0.17) < 3.2e-3, "it has come out of the turn"
    assert float(run.forces.report["wall.sticking"][-1]) == 1.0


@pytest.mark.long
def test_the_catheter_is_pushed_through_its_tube_in_statics():
    """So slowly that inertia does not matter it goes as far, and comes out of the turn as it does in motion."""
    model = pliant.compile(_load("catheter"))
    rest = quasi_static(model, np.linspace(0.0, 3.0, 16))
    tip = np.asarray(rest.position("tip"))[-1]
    assert tip[0] > 0.06 and abs(tip[2] - 0.17) < 3.2e-3, "it has come out of the turn"
    assert np.asarray(rest.q)[-1, 0] == pytest.approx(0.09)


def test_the_tube_of_the_catheter_is_that_of_its_script(tmp_path):
    script = Path(__file__).parents[2] / "examples/make_catheter_tube.py"
    subprocess.run([sys.executable, str(script), str(tmp_path / "tube.stl")], check=True)
    (known,) = library.companions("catheter")
    made = np.frombuffer((tmp_path / "tube.stl").read_bytes()[84:], dtype=_FACET)
    kept = np.frombuffer(known.read_bytes()[84:], dtype=_FACET)
    assert known.stat().st_size < 100_000
    np.testing.assert_allclose(made["corners"], kept["corners"], atol=1e-4)


def _simulated(name: str, until: float) -> Trajectory:
    """As its file says."""
    model = pliant.compile(library.load(name))
    return pliant.simulate(model, until, stepper="generalised-alpha", step=2.5e-3, save_every=0.025)


@pytest.mark.long
def test_post_arm_wraps_round_the_post_and_holds_on():
    run = _simulated("post-arm", until=1.5)
    place, post = np.asarray(run.shape.node_pose)[-1, :, :3, 3] - [0.035, 0.0, -0.15], 0.02
    near = place[np.hypot(place[:, 0], place[:, 2]) < post + 0.01]
    assert np.ptp(np.unwrap(np.arctan2(near[:, 2], near[:, 0]))) > 0.5, "it lies on some of the post"
    tip = np.asarray(run.position("tip"))
    assert tip[-1, 0] > 0.035 and tip[-1, 2] > -0.15, "its tip has come up behind the post"
    assert np.ptp(tip[-5:], axis=0).max() < 1e-5 and np.asarray(run.forces.report["wrap.sticking"])[-1] == 1.0


@pytest.mark.long
def test_hole_arm_goes_through_the_ring_and_curls_below_it():
    run = _simulated("hole-arm", until=2.0)
    place = np.asarray(run.shape.node_pose)[:, :, :3, 3]
    height, bar, radius = -0.32, 0.006, 0.024
    through = [np.interp(height, nodes[::-1, 2], nodes[::-1, 0]) + 0.018 for nodes in place[20:34]]
    assert np.abs(through).max() < radius - bar, "inside the ring where it passes it"
    assert np.asarray(run.forces.report["edge.normal_force"]).max() > 0.05, "it met the edge"
    assert np.asarray(run.position("tip"))[-1, 0] > 0.05
