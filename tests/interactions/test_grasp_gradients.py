"""Derivatives through a grasp, from before the fingers touch until they hold the ball off the floor."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.model import Model

pytestmark = pytest.mark.long

SIDES = ("left", "right")
CLOSES, UNTIL, STEP = 0.2, 0.3, 1e-3  # s
TOUCHED = 120  # steps, before which the fingers have touched: the slip is counted from here
NUMBERS = jnp.array([200e3, 1.0, 0.5])  # pressure of the grip [Pa], radius over that of the file, friction


@functools.cache
def _gripper() -> Model:
    robot = pliant.library.load("soft-gripper")
    for side in SIDES:
        robot = robot.with_value(f"actuators.{side}-chamber.pressure.ease.over", CLOSES)
    return pliant.compile(robot)


def _grasped(numbers: jax.Array) -> tuple[jax.Array, Any]:
    """The height [m] of the ball at the end, and how far the left finger slips up along it."""
    pressure, size, friction = numbers
    model = _gripper()
    radius = model.parameters["links.left.section.circle.radius"]
    values = {f"actuators.{side}-chamber.pressure.ease.to": pressure for side in SIDES}
    values |= {f"links.{side}.section.circle.radius": size * radius for side in SIDES}
    values |= {f"contacts.{side}-grip.friction": friction for side in SIDES}
    model = model.with_parameters(values)
    run = pliant.pure.simulate(model, round(UNTIL / STEP), STEP)
    first, last = (pliant.forward_kinematics(model, run.q[k]) for k in (TOUCHED, -1))
    above = [found["left"][2, 3] - found["ball"][2, 3] for found in (first, last)]
    told = jnp.stack([last["ball"][2, 3], above[1] - above[0]])
    return told, (told, run.code)


def test_derivatives_of_height_and_slip_are_those_of_differences() -> None:
    """Of the height by pressure and by radius, of the slip by friction. A contact of finger and ball lasts about 3
    steps. Differences have to be small: a change by 1e-4 moves the touch into another step, and makes 2 %; by 1e-6 they
    lose five digits."""
    _gripper()  # on the host, before anything is traced
    derivative = jax.jit(jax.jacfwd(_grasped, has_aux=True))
    found, (told, code) = derivative(NUMBERS)
    assert int(code) == 0
    assert 0.02 < float(told[0]) < 0.022 and 1e-4 < abs(float(told[1])) < 5e-3
    expected = []
    for index in range(len(NUMBERS)):
        ahead, behind = (derivative(NUMBERS.at[index].mul(1.0 + sign * 1e-5))[1][0] for sign in (1, -1))
        expected.append((ahead - behind) / (2e-5 * NUMBERS[index]))
    scale = np.abs(np.asarray(found)).max(axis=0)
    np.testing.assert_allclose(found / scale, np.stack(expected, axis=1) / scale, rtol=1e-5, atol=1e-6)
    by_pressure, by_radius, by_friction = found[0, 0], found[0, 1], found[1, 2]
    assert by_pressure > 0.0 > by_radius and by_friction != 0.0


HELD, LOAD_STEPS = 2.5, 40  # s: the ball is up; how often contacts are asked what they remember
LIFTED = jnp.array([180e3, 1.05])  # pressure of the grip [Pa], radius over that of the file


@functools.cache
def _start() -> tuple[jax.Array, Any]:
    """The ball off the floor, by statics along the load path of a grasp, with the numbers of the file."""
    found = pliant.quasi_static(_gripper(), [0.0, 0.1, 0.2, 1.0, 1.5, HELD])
    return jax.tree.map(lambda own: own[-1], (found.q, found.memory))


def _lifted(numbers: jax.Array) -> tuple[jax.Array, Any]:
    """The height [m] of the held ball and the normal force [N] of the left finger, when pressure and radius have slowly
    become these."""
    gripper = _gripper()
    radius = gripper.parameters["links.left.section.circle.radius"]
    first = jnp.array([200e3, 1.0])

    def with_share(share: Any) -> Model:
        pressure, size = first + share * (numbers - first)
        values = {f"actuators.{side}-chamber.pressure.ease.to": pressure for side in SIDES}
        return gripper.with_parameters(
            values | {f"links.{side}.section.circle.radius": size * radius for side in SIDES}
        )

    def load_step(carried: tuple, share: jax.Array) -> tuple:
        found = pliant.pure.equilibrium(with_share(share), carried[0], HELD, memory=carried[1])
        return (found.q, found.memory), found.code

    (q, memory), codes = jax.lax.scan(load_step, _start(), jnp.linspace(0.0, 1.0, LOAD_STEPS + 1)[1:])
    report = pliant.pure.forces(with_share(1.0), q, HELD, memory=memory).report
    told = jnp.stack([pliant.forward_kinematics(gripper, q)["ball"][2, 3], report["left-grip.normal_force"]])
    return told, (told, jnp.max(codes))


def test_derivatives_in_statics_are_those_of_differences() -> None:
    """Of the height and of the normal force by pressure and by radius, whatever the differences: no touch falls into
    another step."""
    _start()  # on the host, before anything is traced
    derivative = jax.jit(jax.jacfwd(_lifted, has_aux=True))
    found, (told, code) = derivative(LIFTED)
    assert int(code) == 0 and 0.11 < float(told[0]) < 0.13
    for relative in (1e-3, 1e-4, 1e-5):
        expected = []
        for index in range(2):
            ahead, behind = (derivative(LIFTED.at[index].mul(1.0 + sign * relative))[1][0] for sign in (1, -1))
            expected.append((ahead - behind) / (2.0 * relative * LIFTED[index]))
        np.testing.assert_allclose(found, np.stack(expected, axis=1), rtol=1e-5)
    assert np.all(np.abs(found) > 0.0)
