"""Modes about a state of contact: what sticks is held by the springs of its friction, what does not touch is free."""

import jax
import jax.numpy as jnp
import numpy as np

import pliant
from pliant import Robot, State

G, MASS, RADIUS, STIFFNESS = 9.81, 1.0, 0.05, 2e4
SHARE = 2.0 / 3.0  # tangential over normal stiffness, without materials


def test_a_ball_that_sticks_swings_on_the_springs_of_its_contact() -> None:
    """Up and down on the normal spring, along and turning on that of friction; rolling is free."""
    model = pliant.compile(
        Robot("ball")
        .rigid("ball", mass=MASS, shape={"sphere": {"radius": RADIUS}}, joint={"planar": "y"})
        .surface("floor", where="world", plane="z")
        .contact("ground", between=["ball", "floor"], stiffness=STIFFNESS, damping=20.0, friction=0.5)
    )
    depth = MASS * G / STIFFNESS
    start = State(jnp.asarray([RADIUS - depth, 0.0, 0.0]), jnp.zeros(3))
    run = pliant.simulate(model, until=0.2, stepper="newmark", step=1e-3, save_every=0.1, state=start)
    rest = pliant.equilibrium(model, q0=run.q[-1], memory=jax.tree.map(lambda kept: kept[-1], run.memory))
    arm = RADIUS - 0.5 * depth  # to the place of contact, half-way between the skins
    along = SHARE * STIFFNESS * (1.0 / MASS + arm**2 / (0.4 * MASS * RADIUS**2))
    rolls, *swings = np.asarray(pliant.modes(model, rest, count=3).frequency)
    assert rolls < 0.5  # rad/s
    np.testing.assert_allclose(swings, np.sqrt([STIFFNESS / MASS, along]), rtol=1e-3)
