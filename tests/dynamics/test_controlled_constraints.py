"""Directions that follow a programme, exactly or led by a controller, and joints tied to each other."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.linalg import expm

import pliant
from pliant.dynamics import constraint_residual

STEPPERS = {
    "tsit5": {"rtol": 1e-8, "atol": 1e-10},
    "rk4": {"step": 5e-3},
    "newmark": {"step": 5e-3},
}
IMPLICIT = ["newmark", *(pytest.param(name, marks=pytest.mark.long) for name in ("tsit5", "rk4"))]
EXPLICIT = ["tsit5", *(pytest.param(name, marks=pytest.mark.long) for name in ("newmark", "rk4"))]
ACCURACY = {"tsit5": 1e-6, "rk4": 1e-6, "newmark": 2e-3}  # of the largest error, beside the analytic one
UNTIL = 1.0
GOAL = [0.25, -0.35]  # m: about which the tip of the arm goes
_gaps = jax.jit(jax.vmap(constraint_residual, in_axes=(None, 0, 0)))


def _arm(name: str, **words: object) -> pliant.Robot:
    """Two hanging bars in the x-z plane whose tip is led along both."""
    bar = {"mass": 0.4, "inertia": [3e-3, 3e-3, 1e-4], "centre": [0, 0, -0.15]}
    tip = {"link": "fore", "offset": {"move": [0, 0, -0.3]}}
    return (
        pliant.Robot(name)
        .rigid("upper", joint={"revolute": {"axis": "y", "damping": 0.02}}, **bar)
        .rigid(
            "fore",
            parent={"link": "upper", "offset": {"move": [0, 0, -0.3]}},
            joint={"revolute": {"axis": "y", "damping": 0.02}},
            **bar,
        )
        .frame("tip", **tip)
        .constraint("lead", between=["world", tip], fix=["x", "z"], **words)
        .initial("upper", angle=0.2)
        .initial("fore", angle=-1.3)
    )


def _path() -> dict:
    return {"sine": {"amplitude": [0.06, -0.04], "frequency": 1.5, "phase": 0.3, "offset": GOAL}}


@functools.cache
def _followed(stepper: str) -> tuple[pliant.Model, pliant.results.Trajectory]:
    model = pliant.compile(_arm("following", follow=_path()))
    return model, pliant.simulate(model, UNTIL, stepper=stepper, save_every=0.02, ledger=True, **STEPPERS[stepper])


def _wanted(time: np.ndarray) -> np.ndarray:
    numbers = _path()["sine"]
    phase = 2 * np.pi * numbers["frequency"] * time[:, None] + numbers["phase"]
    return np.array(GOAL) + np.array(numbers["amplitude"]) * np.sin(phase)


@pytest.mark.parametrize("stepper", IMPLICIT)
def test_what_is_followed_is_held_exactly(stepper: str) -> None:
    _, run = _followed(stepper)
    tip = np.asarray(run.position("tip"))[:, [0, 2]]
    np.testing.assert_allclose(tip, _wanted(np.asarray(run.time)), atol=1e-9)
    assert np.ptp(tip, axis=0).min() > 0.07


@pytest.mark.parametrize("stepper", IMPLICIT)
def test_the_ledger_knows_the_work_of_what_leads(stepper: str) -> None:
    _, run = _followed(stepper)
    total = np.asarray(run.energy["total"])
    assert np.ptp(total) < {"tsit5": 1e-5, "rk4": 1e-5, "newmark": 1e-2}[stepper] * np.ptp(run.energy["work"])


GAINS = {"proportional": 100.0, "derivative": 8.0, "integral": 0.0}
ASKED = np.array([1.5, -0.8])  # m/s^2: constant, and not what the goal needs


@functools.cache
def _led() -> pliant.Model:
    return pliant.compile(_arm("led", follow=GOAL, control={**GAINS, "acceleration": ASKED.tolist()}))


def _error(first: np.ndarray, time: np.ndarray, gains: dict[str, float], asked: np.ndarray) -> np.ndarray:
    """(n, 2) of e'' + Kd e' + Kp e + Ki (integral of e) = asked, from rest at `first`."""
    kp, kd, ki = (gains[name] for name in GAINS)
    # States: integral, error, its rate, and one for the constant.
    matrix = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [-ki, -kp, -kd, 1], [0, 0, 0, 0]], dtype=float)
    starts = np.stack([[0, e, 0, a] for e, a in zip(first, asked, strict=True)], axis=1)
    return np.stack([(expm(t * matrix) @ starts)[1] for t in time])


def _run(stepper: str, until: float, **gains: float) -> tuple[np.ndarray, np.ndarray]:
    """Times and errors (n, 2) of the tip."""
    model = _led().with_parameters({f"constraints.lead.control.{name}": value for name, value in gains.items()})
    run = pliant.simulate(model, until, stepper=stepper, save_every=0.02, **STEPPERS[stepper])
    return np.asarray(run.time), np.asarray(run.position("tip"))[:, [0, 2]] - GOAL


@pytest.mark.parametrize("stepper", IMPLICIT)
@pytest.mark.parametrize("integral", [0.0, 300.0])
def test_the_error_of_a_controller_decays_as_its_gains_say(stepper: str, integral: float) -> None:
    time, error = _run(stepper, UNTIL, integral=integral)
    expected = _error(error[0], time, {**GAINS, "integral": integral}, ASKED)
    assert np.linalg.norm(error[0]) > 0.05
    np.testing.assert_allclose(error, expected, atol=ACCURACY[stepper] * np.abs(error).max())


def test_an_integral_takes_away_what_a_constant_disturbance_leaves() -> None:
    _, without = _run("newmark", 6.0)
    np.testing.assert_allclose(without[-1], ASKED / GAINS["proportional"], rtol=1e-5)
    _, with_integral = _run("newmark", 6.0, integral=300.0)
    np.testing.assert_allclose(with_integral[-1], 0.0, atol=1e-6)


def test_the_reaction_is_the_one_the_integral_asks_for() -> None:
    """At rest in the end the reaction carries the weight, however the controller came to know it."""
    model = _led().with_parameters({"constraints.lead.control.integral": 300.0})
    run = pliant.simulate(model, 6.0, stepper="newmark", save_every=0.02, **STEPPERS["newmark"])
    held = pliant.equilibrium(pliant.compile(_arm("held", follow=GOAL)), q0=run.q[-1])
    reaction, expected = np.asarray(run.forces.reaction["lead"])[-1], np.asarray(held.forces.reaction["lead"])
    np.testing.assert_allclose(reaction, expected, atol=1e-4 * np.abs(expected).max())


def _pendulums() -> pliant.Robot:
    bar = {"mass": 0.3, "inertia": [1e-3, 1e-3, 1e-4]}
    aside = {"link": "world", "offset": {"move": [1, 0, 0]}}
    return (
        pliant.Robot("twins")
        .rigid("long", centre=[0, 0, -0.4], joint={"revolute": "y"}, **bar)
        .rigid("short", centre=[0.05, 0, -0.1], parent=aside, joint={"revolute": "y"}, **bar)
        .constraint("belt", tie=["short", "long"], ratio=-1.7)
        .initial("long", angle=0.8)
        .initial("short", angle=-1.36)
    )


@pytest.mark.parametrize("stepper", EXPLICIT)
def test_tied_joints_keep_their_ratio_and_their_energy(stepper: str) -> None:
    model = pliant.compile(_pendulums())
    run = pliant.simulate(model, 2.0, stepper=stepper, save_every=0.02, ledger=True, **STEPPERS[stepper])
    q, v = np.asarray(run.q), np.asarray(run.v)
    assert np.ptp(q[:, 0]) > 1.0
    np.testing.assert_allclose(q[:, 1], -1.7 * q[:, 0], atol=1e-10)
    np.testing.assert_allclose(v[:, 1], -1.7 * v[:, 0], atol=1e-10)
    assert np.abs(_gaps(model, run.q, run.time)).max() < 1e-10
    kept = {"tsit5": 1e-6, "rk4": 1e-4, "newmark": 1e-3}[stepper]
    assert np.ptp(np.asarray(run.energy["total"])) < kept * np.asarray(run.energy["kinetic"]).max()
    np.testing.assert_array_equal(run.energy["work"], 0.0)


def test_a_weight_on_a_drum_falls_as_it_must() -> None:
    mass, inertia, radius = 0.5, 2e-3, 0.05
    robot = (
        pliant.Robot("winch")
        .rigid("drum", mass=1.0, inertia=[inertia] * 3, joint={"revolute": "y"})
        .rigid("weight", mass=mass, inertia=[1e-4] * 3, joint={"prismatic": "z"})
        .constraint("rope", tie=["weight", "drum"], ratio=f"{radius} m/rad")
    )
    model = pliant.compile(robot)
    acceleration = np.asarray(pliant.forward_dynamics(model, jnp.zeros(2), jnp.zeros(2)))
    fall = -9.81 * mass / (mass + inertia / radius**2)
    np.testing.assert_allclose(acceleration, [fall / radius, fall], rtol=1e-12)
