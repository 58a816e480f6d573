"""A mass on a spring and on a rough floor: dry friction takes an equal length from every swing, then holds it."""

import jax.numpy as jnp
import numpy as np

from pliant.description import Robot
from pliant.model import State, compile
from pliant.simulation import simulate
from pliant.validation._case import Clock, Data, Figures, compare

G, MASS, SPRING, FRICTION = 9.81, 1.0, 100.0, 0.2
CONTACT, RADIUS = 1e6, 50e-3  # N/m, m: friction's own spring is 6700 times as stiff as that of the mass
BAND = FRICTION * MASS * G / SPRING  # m: friction holds the mass within it
START = 0.15  # m
HALF_SWING = np.pi * np.sqrt(MASS / SPRING)
TOLERANCE = 5e-3


def oscillator() -> Robot:
    beside = {"link": "world", "offset": {"move": [-1.0, 0.0, RADIUS]}}
    return (
        Robot("coulomb-oscillator")
        .rigid("slide", mass=0, joint={"prismatic": "x"})
        .rigid("mass", parent="slide", mass=MASS, shape={"sphere": {"radius": RADIUS}}, joint={"prismatic": "z"})
        .surface("floor", where="world", plane="z")
        .spring("spring", between=[beside, {"link": "mass"}], axial={"stiffness": SPRING, "rest": 1.0})
        .contact("ground", between=["mass", "floor"], stiffness=CONTACT, damping=20.0, friction=FRICTION)
    )


def turning_points() -> list[float]:
    """Where the mass turns round, until friction holds it."""
    found = [START]
    while abs(found[-1]) > BAND:
        found.append(-found[-1] + np.sign(found[-1]) * 2.0 * BAND)
    return found[1:]


def figures(case: str, data: Data) -> Figures:
    clock, model = Clock(), compile(oscillator())
    start = State(jnp.array([START, RADIUS - MASS * G / CONTACT]), jnp.zeros(2))
    expected = turning_points()
    until = (len(expected) + 1) * HALF_SWING
    run = simulate(model, until=until, stepper="newmark", step=2e-4, save_every=2e-3, state=start)
    time, place = np.asarray(run.time), np.asarray(run.q)[:, 0]
    for number, turn in enumerate(expected, start=1):
        near = np.abs(time - number * HALF_SWING) < 0.25 * HALF_SWING
        found = place[near].max() if number % 2 == 0 else place[near].min()  # to and fro, from the right
        yield compare(case, "newmark 0.2 ms", f"turn {number} [m]", found, turn, TOLERANCE, clock, scale=START)
    yield compare(case, "newmark 0.2 ms", "where it stays [m]", place[-1], expected[-1], TOLERANCE, clock, scale=START)
