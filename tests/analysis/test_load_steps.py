"""Load steps by hand: an equilibrium takes what contacts remember and gives what they remember, with derivatives."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.model import Model

PUSHES = (1.0, 3.0, 1.0)  # N: the ball sticks, slips until its spring holds it, and sticks there
WEIGHT, FRICTION, STIFFNESS = 0.2 * 9.81, 0.6, 400.0  # N, 1, N/m
NUMBERS = jnp.array([FRICTION, 1.0])
ROBOT = """
robot: pushed
gravity: [0, 0, -9.81]
links:
  - {name: lift, kind: rigid, mass: 10 g, shape: {sphere: {radius: 5 mm}}, joint: {prismatic: z}}
  - {name: ball, kind: rigid, mass: 190 g, shape: {sphere: {radius: 20 mm}}, parent: lift, joint: {prismatic: x}}
surfaces:
  - {name: floor, where: {link: world, offset: {move: [0, 0, -20 mm]}}, plane: z}
contacts:
  - {name: slides, between: [ball, floor], stiffness: 20 kN/m, friction: 0.6}
springs:
  - {name: holds, between: [{link: world, offset: {move: [-1 m, 0, 0]}}, ball], axial: {stiffness: 400 N/m, rest: 1 m}}
loads:
  - {name: push, where: ball, force: [0, 0, 0]}
"""


@functools.cache
def _pushed() -> Model:
    return pliant.compile(pliant.parse(ROBOT))


def _told(numbers: jax.Array) -> tuple[jax.Array, tuple[jax.Array, jax.Array, jax.Array]]:
    """Where it is after every push [m]; that again, the friction [N] and the codes. numbers: the friction, and what the
    pushes are multiplied by."""
    model = _pushed().with_parameters({"contacts.slides.friction": numbers[0]})
    pushes = numbers[1] * jnp.asarray([0.0, *PUSHES])

    def step(carried: tuple, push: jax.Array) -> tuple:
        inputs = {"push.force": push * jnp.array([1.0, 0.0, 0.0])}
        found = pliant.pure.equilibrium(model, carried[0], inputs=inputs, memory=carried[1])
        report = pliant.pure.forces(model, found.q, inputs=inputs, memory=found.memory).report
        return (found.q, found.memory), (found.q[1], report["slides.tangential_force"], found.code)

    first = pliant.pure.equilibrium(model, jnp.array([-1e-5, 0.0]))
    _, told = jax.lax.scan(step, (first.q, first.memory), pushes)
    return told[0], told


def test_a_path_by_hand_is_that_of_load_stepping() -> None:
    way, friction, code = _told(NUMBERS)[1]
    assert not np.any(code)
    np.testing.assert_allclose(way[2], (3.0 - FRICTION * WEIGHT) / STIFFNESS, rtol=1e-4)
    np.testing.assert_allclose(friction[2], FRICTION * WEIGHT, rtol=1e-4)
    assert float(way[1]) < 1e-4 and abs(float(way[3] - way[2])) < 2e-4  # held by the springs of what sticks
    rest = pliant.equilibrium(_pushed(), q0=jnp.array([-1e-5, 0.0]))
    for push, own, rubbed in zip(PUSHES, way[1:], friction[1:], strict=True):
        inputs = {"push.force": jnp.array([push, 0.0, 0.0])}
        rest = pliant.equilibrium(_pushed(), q0=rest.q, inputs=inputs, memory=rest.memory, steps=1)
        np.testing.assert_allclose(rest.q[1], own, rtol=1e-9)
        np.testing.assert_allclose(rest.forces.report["slides.tangential_force"], rubbed, rtol=1e-9)


def test_derivatives_along_the_path_are_those_of_differences() -> None:
    """Where it sticks at last depends on the friction by what it remembers alone."""
    slopes, (way, _, _) = jax.jit(jax.jacfwd(_told, has_aux=True))(NUMBERS)
    told = jax.jit(lambda numbers: _told(numbers)[0])
    for index in range(2):
        differences = (told(NUMBERS.at[index].add(1e-4)) - told(NUMBERS.at[index].add(-1e-4))) / 2e-4
        np.testing.assert_allclose(slopes[:, index], differences, rtol=1e-6, atol=1e-6 * float(way[2]))
    np.testing.assert_allclose(slopes[2, 0], -WEIGHT / STIFFNESS, rtol=1e-3)
    assert float(slopes[3, 0]) == pytest.approx(-WEIGHT / STIFFNESS, rel=0.1)
