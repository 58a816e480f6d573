"""Steps that are too long are marked, cut or refused; steps that are short enough are not."""

import json
import warnings

import numpy as np
import pytest

import pliant
from pliant.numerics import ResultCode
from pliant.simulation import InaccurateWarning


def compiled(text):
    return pliant.compile(pliant.parse(f"robot: subject\n{text}"))


@pytest.fixture(scope="module")
def stop():
    """1 kg that falls by 1 m onto a stop of 1e6 N/m: the touch lasts 3 ms."""
    return compiled(
        """
links:
  - {name: b, kind: rigid, mass: 1 kg, shape: {sphere: {radius: 5 cm}},
     joint: {prismatic: {axis: z, stiffness: 1e6, rest: 0, acts: compression}}}
initial: {b: {displacement: 1}}
"""
    )


SLIDER = """
links:
  - {name: b, kind: rigid, mass: 1 kg, shape: {sphere: {radius: 5 cm}}, joint: {prismatic: {axis: z, stiffness: %s}}}
"""


@pytest.fixture(scope="module")
def swing():
    """1 kg on a spring of 400 N/m: 20 rad/s, let go 0.1 m from rest."""
    return compiled("gravity: [0, 0, 0]" + SLIDER % "400 N/m" + "initial: {b: {displacement: 0.1}}")


@pytest.fixture(scope="module")
def shaken():
    """1 kg on a spring of 400 N/m with a tenth of the critical damping, shaken at 3.3 Hz, near its own 3.2 Hz."""
    return compiled(
        """
gravity: [0, 0, 0]
links:
  - {name: b, kind: rigid, mass: 1 kg, shape: {sphere: {radius: 5 cm}},
     joint: {prismatic: {axis: z, stiffness: 400, damping: 4}}}
loads: [{name: shake, where: b, force: {sine: {amplitude: [0, 0, 1 N], frequency: 3.3 Hz}}}]
"""
    )


@pytest.fixture(scope="module")
def thrown():
    """1 kg on a slider, and a spring of 1e5 N/m that only pushes, 50 mm long; no gravity, no damping."""
    return compiled(
        "gravity: [0, 0, 0]"
        + SLIDER % "0 N/m"
        + """
springs:
  - {name: wall, between: [world, b], axial: {stiffness: 1e5 N/m, rest: 50 mm, acts: compression}}
"""
    )


def run(model, until, kind, step=None, **more):
    settings = {name: more.pop(name) for name in ("newton_tolerance",) if name in more}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        motion = pliant.simulate(pliant.Stepper(model, kind, step, **settings), until, throw=False, **more)
    marked = ResultCode(int(motion.code)) is ResultCode.INACCURATE
    assert marked == any(issubclass(warning.category, InaccurateWarning) for warning in said)
    return motion


def gained(motion):
    total = np.asarray(motion.energy["total"])
    return np.abs(total - total[0]).max() / abs(total[0])


@pytest.mark.parametrize(("kind", "step"), [("newmark", 0.01), ("newmark", 0.02), ("generalised-alpha", 0.01)])
def test_a_stop_makes_no_energy_or_the_run_is_marked(stop, kind, step):
    motion = run(stop, 2.0, kind, step, save_every=0.02)
    assert int(motion.code) == ResultCode.INACCURATE or gained(motion) < 0.02


@pytest.mark.parametrize("step", [0.01, 0.02])
def test_a_stop_gives_back_what_it_was_given(stop, step):
    """9.8 J, of which one step in the touch once made 95 J and more; steps that are cut at it say so."""
    motion = run(stop, 2.0, "newmark", step, save_every=0.02)
    assert np.asarray(motion.energy["total"]).max() < 9.81 * 1.001
    assert int(motion.code) == ResultCode.SUCCESS
    assert json.loads(motion.provenance)["settings"]["cut_steps"] == int(motion.steps) - round(2.0 / step)


def test_long_steps_onto_a_stop_land_on_the_touch(stop):
    motion = run(stop, 2.0, "newmark", 0.01, save_every=0.02)
    height = np.asarray(motion.q)[:, 0]
    assert height.min() > -0.02
    assert np.abs(height[np.asarray(motion.time) > 0.8].max() - 1.0) < 0.02


@pytest.mark.parametrize("kind", ["newmark", "generalised-alpha", "rk4"])
def test_steps_that_are_too_long_are_marked(swing, kind):
    step = {"rk4": 0.08}.get(kind, 0.05)
    motion = run(swing, 5.0, kind, step, save_every=step)
    assert int(motion.code) == ResultCode.INACCURATE
    advised = json.loads(motion.provenance)["settings"]["advised_step"]
    assert int(run(swing, 5.0, kind, advised / 2, save_every=0.05).code) == ResultCode.SUCCESS


@pytest.mark.parametrize(("kind", "step"), [("newmark", 5e-4), ("rk4", 5e-3)])
def test_steps_that_are_short_enough_are_not(swing, kind, step):
    motion = run(swing, 5.0, kind, step, save_every=0.05)
    exact = 0.1 * np.cos(20.0 * np.asarray(motion.time))
    assert np.abs(np.asarray(motion.q)[:, 0] - exact).max() < 1e-3
    assert int(motion.code) == ResultCode.SUCCESS
    assert max(float(error) for error in motion.estimated_error.values()) < 0.01


def test_errors_that_damping_takes_away_are_forgotten(shaken):
    """Shaken for 200 periods: the errors of all steps would add up to many times what is left of them."""
    tight = pliant.simulate(shaken, 60.0, rtol=1e-9, atol=1e-12, save_every=0.3)
    off = {}
    for step in (4e-3, 0.04):
        motion = run(shaken, 60.0, "newmark", step, save_every=0.3)
        size = np.abs(np.asarray(tight.q)).max()
        off[step] = np.abs(np.asarray(motion.q) - np.asarray(tight.q)).max() / size
        assert (int(motion.code) == ResultCode.INACCURATE) == (off[step] > 0.01)
        assert off[step] / 3.0 < float(motion.estimated_error["position"]) < max(3.0 * off[step], 0.01)
    assert off[4e-3] < 0.01 < off[0.04]


def test_an_explicit_step_that_diverges_is_no_success(swing):
    assert int(run(swing, 20.0, "rk4", 0.25, save_every=0.25).code) != ResultCode.SUCCESS


def test_a_newton_that_leaves_everything_is_refused(stop):
    with pytest.raises(ValueError, match=r"newton_tolerance must be above 0 and at most 0\.1 .* got 0\.99"):
        pliant.Stepper(stop, "newmark", 1e-3, newton_tolerance=0.99)


def test_checks_do_not_change_the_motion(swing):
    whole = pliant.simulate(swing, 1.0, stepper="newmark", step=1e-3)
    bare = pliant.simulate(swing, 1.0, stepper="newmark", step=1e-3, accuracy=None)
    np.testing.assert_array_equal(np.asarray(whole.q), np.asarray(bare.q))
    assert int(whole.steps) == int(bare.steps)
    assert not bare.estimated_error


@pytest.mark.parametrize(
    ("kind", "step"), [("tsit5", None), ("dopri8", None), ("rk4", 0.01), ("newmark", 0.1), ("newmark", (1e-6, 0.1))]
)
def test_nothing_passes_through_a_spring_that_only_pushes(thrown, kind, step):
    start = pliant.State(np.array([0.55]), np.array([-10.0]))
    motion = run(thrown, 0.2, kind, step, save_every=0.1, state=start)
    bounced = abs(float(motion.v[-1, 0]) - 10.0) < 0.1
    assert bounced or int(motion.code) != ResultCode.SUCCESS


def test_gravity_that_changes_does_work():
    model = compiled("gravity: {ramp: {to: [0, 0, -9.81], over: 1 s}}" + SLIDER % "400 N/m")
    motion = pliant.simulate(model, 2.0, rtol=1e-9, atol=1e-12, ledger=True)
    total = np.asarray(motion.energy["total"])
    assert np.abs(np.asarray(motion.energy["work"])).max() > 1e-3
    assert np.abs(total - total[0]).max() < 1e-7
    np.testing.assert_allclose(np.asarray(motion.energy["numerical"]), total[0] - total)


def test_gravity_that_jumps_has_no_ledger():
    model = compiled("gravity: {step: {at: 1 s, to: [0, 0, -9.81]}}" + SLIDER % "400 N/m")
    with pytest.raises(ValueError, match="jump"):
        pliant.simulate(model, 2.0, ledger=True)


def test_loops_that_a_file_leaves_open_are_told(tmp_path):
    """A bar on a hinge, tied by a spring to a pin that is 0.1 m away: closing the loop takes energy."""
    model = compiled(
        """
gravity: [0, 0, 0]
links:
  - {name: bar, kind: rigid, mass: 1 kg, inertia: [1e-3, 1e-3, 1e-3], joint: {prismatic: {axis: x, stiffness: 100 N/m}}}
constraints:
  - {name: pin, between: [{link: world, offset: {move: [0.1 m, 0, 0]}}, bar], fix: [x]}
"""
    )
    with pytest.warns(RuntimeWarning, match=r"pin is open by 100 mm.* now stores 0\.5 J"):
        motion = pliant.simulate(model, 0.1, stepper="newmark", step=0.01)
    assembly = json.loads(motion.provenance)["settings"]["assembly"]
    assert assembly["gap_m_or_rad"] == pytest.approx(0.1)
    assert assembly["stored_J"] == pytest.approx(0.5)


def test_the_code_survives_a_file(swing, tmp_path):
    motion = run(swing, 5.0, "newmark", 0.05, save_every=0.05)
    motion.save(tmp_path / "swing.nc")
    again = pliant.load_result(tmp_path / "swing.nc")
    assert int(again.code) == ResultCode.INACCURATE
    assert float(again.estimated_error["position"]) == float(motion.estimated_error["position"])
