"""A ball rolls down a slope: 5/7 g sin(angle) while it sticks, up to tan(angle) = 3.5 mu, and slips beyond."""

import jax.numpy as jnp
import numpy as np

from pliant.description import Robot
from pliant.model import State, compile
from pliant.simulation import simulate
from pliant.validation._case import Clock, Data, Figures, compare

G, FRICTION = 9.81, 0.2
STIFFNESS, RADIUS = 1e6, 50e-3  # N/m, m
SLOPES = (0.3, 0.6, 0.8)  # tangents; it sticks up to 0.7
TOLERANCE = 1e-3


def ball() -> Robot:
    return (
        Robot("rolling")
        .rigid("ball", mass=1.0, shape={"sphere": {"radius": RADIUS}}, joint="free")
        .surface("floor", where="world", plane="z")
        .contact("ground", between=["ball", "floor"], stiffness=STIFFNESS, damping=50.0, friction=FRICTION)
    )


def figures(case: str, data: Data) -> Figures:
    clock, model = Clock(), compile(ball())
    height = model.coordinate_names.index("ball.position_z")
    for slope in SLOPES:
        angle = np.arctan(slope)
        tilted = model.with_parameters({"gravity": G * np.array([np.sin(angle), 0.0, -np.cos(angle)])})
        resting = RADIUS - G * np.cos(angle) / STIFFNESS
        start = State(jnp.asarray(model.neutral()).at[height].set(resting), jnp.zeros(model.nv))
        run = simulate(tilted, until=0.6, stepper="newmark", step=1e-3, save_every=0.2, state=start)
        place = np.asarray(run.position("ball"))[:, 0]
        found = float((place[3] - 2.0 * place[2] + place[1]) / 0.2**2)
        sticks = slope < 3.5 * FRICTION
        expected = G * (5.0 / 7.0 * np.sin(angle) if sticks else np.sin(angle) - FRICTION * np.cos(angle))
        name = f"tan = {slope / FRICTION:g} mu, {'rolls' if sticks else 'slips'}"
        yield compare(case, name, "acceleration [m/s^2]", found, expected, TOLERANCE, clock)
