"""Implicit steppers: order, steps that adapt, jumps of the loads, refusals."""

import functools
import json

import jax.numpy as jnp
import numpy as np
import pytest
import scipy.signal

import pliant

RUBBER = {"young": 2e5, "poisson": 0.45, "density": 1000.0, "viscosity": 100.0}


@functools.cache
def _arm() -> pliant.Model:
    """A cantilever of two pieces, let go straight under gravity."""
    sideways = {"link": "world", "offset": {"rotate": {"y": "90 deg"}}}
    robot = pliant.Robot("arm").material("rubber", **RUBBER)
    return pliant.compile(
        robot.rod(
            "arm",
            length=0.3,
            section={"circle": {"radius": 0.01}},
            material="rubber",
            model={"pcs": {"pieces": 2}},
            parent=sideways,
        ).load("push", where={"link": "arm"}, force=[0, 0, 0])
    )


def _tip(**settings: object) -> np.ndarray:
    return np.asarray(pliant.simulate(_arm(), 0.4, save_every=0.05, **settings).position("arm"))


@functools.cache
def _exact() -> np.ndarray:
    return _tip(stepper="dopri8", rtol=1e-10, atol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("stepper", ["newmark", "generalised-alpha"])
def test_second_order(stepper: str) -> None:
    steps = np.array([10e-3, 5e-3, 2.5e-3])
    errors = [np.abs(_tip(stepper=stepper, step=h) - _exact()).max() for h in steps]
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.15)
    assert errors[-1] < 1e-3 * 0.3


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4])
def test_the_local_error_chooses_the_step(tolerance: float) -> None:
    """Dense output included: samples do not fall on the ends of steps."""
    settings = {"stepper": "newmark", "step": (1e-5, 0.1), "rtol": tolerance, "atol": tolerance}
    run = pliant.simulate(_arm(), 0.4, save_every=0.05, **settings)
    error = np.abs(np.asarray(run.position("arm")) - _exact()).max()
    assert error < 10.0 * tolerance * 0.3  # local errors add up
    assert 3 < int(run.steps) < 1000 * (1e-4 / tolerance) ** 0.3


@pytest.mark.long
def test_newtons_convergence_chooses_the_step() -> None:
    run = pliant.simulate(pliant.Stepper(_arm(), "newmark", (1e-3, 8e-3), adapt="newton"), 0.4, save_every=0.005)
    assert len(run.time) == 81 and 50 <= int(run.steps) < 80  # the longest is soon reached
    error = np.abs(np.asarray(run.position("arm"))[::10] - _exact()).max()
    assert error < 2e-2 * 0.3


def test_a_matrix_serves_many_steps() -> None:
    run = pliant.simulate(_arm(), 0.4, stepper="newmark", step=1e-3, save_every=0.05)
    settings = json.loads(run.provenance)["settings"]
    assert settings["matrices"] < 60 and settings["residuals"] < 8 * 400


def test_a_stiff_strain_does_not_ring_after_a_jump() -> None:
    """A stiff, heavily damped hinge whose load is taken away: the exact motion creeps back without any vibration."""
    bar = {"mass": 1e-3, "inertia": [1e-7, 1e-7, 1e-7], "centre": [0, 0, 0.01]}
    joint = {"revolute": {"axis": "y", "stiffness": 100.0, "damping": 0.5}}
    robot = pliant.Robot("hinge").with_gravity([0, 0, 0]).rigid("bar", joint=joint, **bar).initial("bar", angle=0.01)
    run = pliant.simulate(pliant.compile(robot), 0.05, stepper="newmark", step=1e-3, save_every=1e-3)
    angle, rate = np.asarray(run.q)[:, 0], np.asarray(run.v)[1:, 0]
    assert np.all(np.diff(angle) < 0) and np.all(rate < 1e-3 * np.abs(rate[0]))
    np.testing.assert_allclose(angle, 0.01 * np.exp(-200.0 * np.asarray(run.time)), atol=2e-5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"step": (0.0, 0.1)}, "shortest step above 0 s"),
        ({"step": (0.2, 0.1)}, "longest that is no shorter"),
        ({"step": (0.01, 0.1), "adapt": "luck"}, "adapt 'luck' is unknown; legal: error, newton"),
        ({"step": -1.0}, "greater than 0 s"),
        ({"step": (0.01, 0.1), "kind": "rk4"}, "fixed step"),
        ({"spectral_radius": 1.5}, "from 0 .* to 1"),
        ({"newton_tolerance": 0.0}, "above 0 and at most 0.1 .* got 0.0"),
        ({"beta": 0.1}, "not unconditionally stable"),
    ],
)
def test_refusals(settings: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pliant.Stepper(_arm(), **{"kind": "newmark", **settings})


def test_samples_further_apart_than_the_run_is_long_are_refused() -> None:
    with pytest.raises(ValueError, match="of the run"):
        pliant.simulate(_arm(), 0.4, stepper="newmark", save_every=2.0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"stepper": "rk4", "step": 1e-3, "longest_step": 1e-2}, "newmark and generalised-alpha"),
        ({"stepper": "newmark", "longest_step": 1e-2}, "which is the shortest"),
        ({"stepper": "newmark", "step": 2e-2, "longest_step": 1e-2}, "which is the shortest"),
    ],
)
def test_files_that_are_refused(settings: dict, message: str) -> None:
    robot = _arm_robot().analysis("simulate", until=1.0, **settings)
    with pytest.raises(pliant.RobotFileError, match=message):
        robot.blueprint()


def test_modes_want_a_configuration() -> None:
    with pytest.raises(ValueError, match="The number of modes is count="):
        pliant.modes(_arm(), 2)


def test_a_run_that_cannot_go_on_keeps_what_it_has() -> None:
    """A push that has no equilibrium: the step is halved down to the shortest, and the error says where it ended."""

    class Explosion(pliant.Force):
        def wrenches(self, parameters, at):
            grows = jnp.where(at.t > 0.1, jnp.nan, 0.0)
            return {"arm": jnp.full(6, grows)}

    robot = pliant.Robot("bar").rigid("arm", mass=0.1, inertia=[1e-3] * 3, joint={"revolute": "y"})
    model = pliant.compile(robot, extra=[Explosion(name="explosion")])
    with pytest.raises(pliant.SolveError, match="newmark") as failure:
        pliant.simulate(model, 0.4, stepper="newmark", step=(1e-3, 8e-3), save_every=0.02)
    assert 0.05 < float(failure.value.partial.time[-1]) <= 0.1 + 1e-9


def _arm_robot() -> pliant.Robot:
    robot = pliant.Robot("arm").material("rubber", **RUBBER)
    return robot.rod("arm", length=0.3, section={"circle": {"radius": 0.01}}, material="rubber", model="pcs")


@pytest.mark.long
def test_state_space_for_scipy() -> None:
    model = _arm()
    rest = pliant.equilibrium(model)
    linear = pliant.linearise(model, rest.q)
    system = scipy.signal.StateSpace(*(np.asarray(matrix) for matrix in linear[:4]))
    slowest = np.sort(np.abs(np.linalg.eigvals(system.A)))[:2]
    modes = np.sort(np.abs(np.asarray(pliant.modes(model, rest, count=2).eigenvalues)))[:2]
    np.testing.assert_allclose(slowest, modes, rtol=1e-6)


@pytest.mark.parametrize(
    ("kind", "stiffness", "damping"),
    [
        ("newmark", 0.0, 1e6),
        ("newmark", 1e12, 0.0),
        ("newmark", 1e12, 2e6),
        ("generalised-alpha", 0.0, 1e6),
        ("generalised-alpha", 1e12, 0.0),
        ("generalised-alpha", 1e12, 2e6),
    ],
)
def test_two_steps_after_a_jump_a_stiff_part_is_quiet(kind: str, stiffness: float, damping: float) -> None:
    """1 kg that a stiff spring or damper holds (1000 / h), with a soft part on it, is pushed at once: F / c or, with a
    spring, F / sqrt(k m) is what its velocity would jump by. Two steps later a ten-thousandth of that rings on."""
    step, push = 1e-3, 1e3
    run = pliant.simulate(
        pliant.Stepper(
            _two_parts().with_parameters(
                {"links.base.joint.prismatic.stiffness": stiffness, "links.base.joint.prismatic.damping": damping}
            ),
            kind,
            step,
        ),
        0.03,
        inputs={"push.force": {"step": {"to": [0, 0, push], "at": 0.01}}},
        save_every=step,
        accuracy=None,
    )
    rate = np.asarray(run.v)[10:, 0]
    rings = np.abs(np.diff(rate, 3))[2:] / 8.0  # of an oscillation from step to step; nothing of what is smooth
    size = push / max(damping, np.sqrt(stiffness * 1.0))
    assert rings.max() <= 1e-4 * size


@functools.cache
def _two_parts() -> pliant.Model:
    def held(stiffness: float, damping: float) -> dict:
        return {"prismatic": {"axis": "z", "stiffness": stiffness, "damping": damping}}

    body = {"mass": 1.0, "inertia": [1e-3] * 3}
    return pliant.compile(
        pliant.Robot("two-parts")
        .with_gravity([0, 0, 0])
        .rigid("base", joint=held(1.0, 1.0), **body)
        .rigid("soft", parent={"link": "base"}, joint=held(100.0, 1.0), **body)
        .load("push", where={"link": "base"}, force=[0, 0, 0])
    )
