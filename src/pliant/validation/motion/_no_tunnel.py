"""A ball flies against a spring that only pushes, or a floor, saved so rarely that no sample sees the touch: does it
come back?

It has to rebound with the speed it came with, or the run has to be refused or marked. The touch lasts 10 ms.
"""

import warnings
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from pliant.description import Robot
from pliant.model import Model, State, compile
from pliant.numerics import ResultCode
from pliant.simulation import InaccurateWarning, Stepper, simulate
from pliant.validation._case import Clock, Data, Figures, compare, shown

MASS, SPEED = 1.0, 10.0  # kg, m/s
STIFFNESS, REST = 1e5, 50e-3  # N/m, m
UNTIL, SAMPLE = 0.2, 0.1  # s
TOLERANCE = 0.01
# Where the ball starts [m]: the touch comes at another place of the step each time.
STARTS = (0.55, 0.5713, 0.6127, 0.7071, 0.9)
STEPPERS: dict[str, dict[str, Any]] = {
    "tsit5": {"kind": "tsit5"},
    "tsit5, rtol 1e-10": {"kind": "tsit5", "rtol": 1e-10, "atol": 1e-12},
    "dopri8": {"kind": "dopri8"},
    "dopri8, rtol 1e-10": {"kind": "dopri8", "rtol": 1e-10, "atol": 1e-12},
    "rk4 1 ms": {"kind": "rk4", "step": 1e-3},
    "rk4 100 ms": {"kind": "rk4", "step": 0.1},
    "newmark 1 ms": {"kind": "newmark", "step": 1e-3},
    "newmark 100 ms": {"kind": "newmark", "step": 0.1},
    "generalised-alpha 1 ms": {"kind": "generalised-alpha", "step": 1e-3},
    "generalised-alpha 100 ms": {"kind": "generalised-alpha", "step": 0.1},
    "newmark 1 us to 100 ms": {"kind": "newmark", "step": (1e-6, 0.1)},
    "newmark 1 us to 100 ms, by newton": {"kind": "newmark", "step": (1e-6, 0.1), "adapt": "newton"},
}


def ball() -> Robot:
    return (
        Robot("ball-and-spring")
        .with_gravity([0, 0, 0])
        .rigid("ball", mass=MASS, shape={"sphere": {"radius": 0.05}}, joint={"prismatic": "z"})
        .spring("wall", between=["world", "ball"], axial={"stiffness": STIFFNESS, "rest": REST, "acts": "compression"})
    )


def ball_and_floor() -> Robot:
    """The same where it touches: the ball's radius is the spring's length."""
    return (
        Robot("ball-and-floor")
        .with_gravity([0, 0, 0])
        .rigid("ball", mass=MASS, shape={"sphere": {"radius": REST}}, joint={"prismatic": "z"})
        .surface("floor", where="world", plane="z")
        .contact("ground", between=["ball", "floor"], stiffness=STIFFNESS)
    )


class Rebound(NamedTuple):
    """The velocity in the end [m/s], and whether the run claims to be right."""

    velocity: float
    claimed: bool


def rebound(model: Model, start: float, settings: dict[str, Any]) -> Rebound:
    state = State(jnp.array([start]), jnp.array([-SPEED]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InaccurateWarning)
        motion = simulate(Stepper(model, **settings), UNTIL, save_every=SAMPLE, state=state, throw=False)
    return Rebound(float(np.asarray(motion.v)[-1, 0]), int(motion.code) == ResultCode.SUCCESS)


def figures(case: str, data: Data) -> Figures:
    yield from _of(case, compile(ball()), "")
    yield from _of(case, compile(ball_and_floor()), "floor, ")


def _of(case: str, model: Model, what: str) -> Figures:
    clock = Clock()
    for stepper, settings in STEPPERS.items():
        name = f"{what}{stepper}"
        found = [rebound(model, start, settings) for start in STARTS]
        claimed = [one.velocity for one in found if one.claimed]
        refused = len(found) - len(claimed)
        if claimed:
            farthest = max(claimed, key=lambda velocity: abs(velocity - SPEED))
            figure = f"velocity after the touch, farthest of {len(claimed)} starts [m/s]"
            yield compare(case, name, figure, farthest, SPEED, TOLERANCE, clock)
        yield shown(case, name, "runs that were refused or marked [1]", refused, None, clock)
