"""A ball bounces with Hunt and Crossley's damping: how fast it leaves, whatever its mass and the contact's stiffness.

On the way in and out m v dv = -k p^n (1 + c v) dp, and p^n dp adds up to the same on both. With a = c v0 the
restitution e therefore solves a - ln(1 + a) = -e a - ln(1 - e a).
"""

from typing import Any

import jax.numpy as jnp
import numpy as np

from pliant.description import Robot
from pliant.model import Model, State, compile
from pliant.simulation import Stepper, simulate
from pliant.validation._case import Clock, Data, Figures, compare

SPEED, RADIUS = 1.0, 50e-3  # m/s, m
EXACT = {0.5: 0.748435, 1.0: 0.593624}  # a -> e
# Both touch for 17 ms, which is 34 steps of 0.5 ms.
LAWS: dict[str, dict[str, float]] = {
    "linear": {"exponent": 1, "stiffness": 1e4},
    "Hertz": {"exponent": 1.5, "stiffness": 1.5e5},
}
STEPPERS: dict[str, dict[str, Any]] = {
    "newmark 0.5 ms": {"kind": "newmark", "step": 5e-4},
    "tsit5": {"kind": "tsit5"},
}
TOLERANCE = 1e-3


def ball(law: dict[str, float]) -> Robot:
    return (
        Robot("bounce")
        .with_gravity([0, 0, 0])
        .rigid("ball", mass=0.3, shape={"sphere": {"radius": RADIUS}}, joint={"prismatic": "z"})
        .surface("floor", where="world", plane="z")
        .contact("ground", between=["ball", "floor"], damping=0.5, **law)
    )


def restitution(model: Model, settings: dict[str, Any]) -> float:
    state = State(jnp.array([RADIUS + 0.0213]), jnp.array([-SPEED]))
    run = simulate(Stepper(model, **settings), 0.2, save_every=0.1, state=state)
    return float(np.asarray(run.v)[-1, 0]) / SPEED


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    for law, numbers in LAWS.items():
        model = compile(ball(numbers))
        for name, settings in STEPPERS.items():
            for damping, exact in EXACT.items():
                own = model.with_parameters({"contacts.ground.damping": damping / SPEED})
                figure = f"restitution at c v0 = {damping:g} [1]"
                yield compare(case, f"{law}, {name}", figure, restitution(own, settings), exact, TOLERANCE, clock)
