"""A rigid sphere is pressed onto a soft block: Hertz's depth, from the material alone."""

import jax.numpy as jnp
import numpy as np

from pliant.analysis import equilibrium
from pliant.description import Robot
from pliant.model import compile
from pliant.validation._case import Clock, Data, Figures, compare

YOUNG, POISSON, RADIUS, HALF = 1e5, 0.3, 20e-3, 50e-3  # Pa, 1, m, m of the block
FORCES = (0.01, 1.0, 10.0)  # N
TOLERANCE = 1e-6


def pressed() -> Robot:
    return (
        Robot("hertz")
        .with_gravity([0, 0, 0])
        .material("soft", young=YOUNG, poisson=POISSON, density=1000)
        .rigid("block", material="soft", shape={"box": [0.2, 0.2, 2.0 * HALF]})
        .rigid("ball", mass=0.1, shape={"sphere": {"radius": RADIUS}}, joint={"prismatic": "z"})
        .contact("press", between=["ball", "block"])
        .load("push", where="ball", force=[0, 0, -1.0])
        .initial("ball", displacement=HALF + RADIUS - 1e-4)
    )


def depth(force: float) -> float:
    """(3 F / (4 E* sqrt R))^(2/3)."""
    return float((3.0 * force * (1.0 - POISSON**2) / (4.0 * YOUNG * np.sqrt(RADIUS))) ** (2.0 / 3.0))


def figures(case: str, data: Data) -> Figures:
    clock, model = Clock(), compile(pressed())
    for force in FORCES:
        rest = equilibrium(model, inputs={"push.force": jnp.array([0.0, 0.0, -force])})
        found = HALF + RADIUS - float(np.asarray(rest.q)[0])
        yield compare(
            case, "rigid sphere on a soft block", f"depth under {force:g} N [m]", found, depth(force), TOLERANCE, clock
        )
