"""A block on a plane that is tilted slowly: it holds up to the angle of friction, without creep, and slides beyond."""

import jax
import jax.numpy as jnp
import numpy as np

from pliant.analysis import equilibrium
from pliant.description import Robot
from pliant.model import Model, State, compile
from pliant.numerics import SolveError
from pliant.results import Trajectory
from pliant.simulation import simulate
from pliant.validation._case import Clock, Data, Figures, below, compare

G, FRICTION = 9.81, 0.5
STIFFNESS, HALF = 2e4, 50e-3  # N/m of each corner, m of the block's height
TILTED, UNTIL = 1.0, 7.0  # s; the first is 45 periods of the block on its corners
HOLDS, SLIDES = 0.99, 1.01  # tangents of angles, over the friction
LAST = 5.0  # s
CREEP, TOLERANCE = 1e-6, 1e-3


def block() -> Robot:
    """It slides along x and is lifted along z, and does not turn. What carries the joint between has no mass."""
    return (
        Robot("incline")
        .with_gravity({"ramp": {"from": [0, 0, -G], "to": [0, 0, -G], "over": TILTED}})
        .rigid("slide", mass=0, joint={"prismatic": "x"})
        .rigid("block", parent="slide", mass=1.0, shape={"box": [0.2, 0.2, 2.0 * HALF]}, joint={"prismatic": "z"})
        .surface("floor", where="world", plane="z")
        .contact("ground", between=["block", "floor"], stiffness=STIFFNESS, damping=20.0, friction=FRICTION)
    )


def tilted(model: Model, slope: float) -> Trajectory:
    return simulate(_tilting(model, slope), until=UNTIL, stepper="newmark", step=2e-3, save_every=0.5, state=_level())


def _tilting(model: Model, slope: float) -> Model:
    """Gravity turns to that of a slope while the ramp lasts."""
    angle = np.arctan(slope)
    return model.with_parameters({"gravity.ramp.to": G * np.array([np.sin(angle), 0.0, -np.cos(angle)])})


def holds(model: Model, slope: float) -> bool:
    """In statics: a sequence of equilibria from the level, each with what the one before remembers. That the block
    touches is what a short motion leaves behind."""
    begun = simulate(_tilting(model, 0.0), until=0.01, stepper="newmark", step=1e-3, save_every=0.01, state=_level())
    tilting, q, memory = _tilting(model, slope), begun.q[-1], jax.tree.map(lambda own: own[-1], begun.memory)
    try:
        for t in np.linspace(0.0, TILTED, 6):
            rest = equilibrium(tilting, t=t, q0=q, memory=memory)
            q, memory = rest.q, rest.memory
    except SolveError:
        return False
    return True


def steepest(model: Model) -> float:
    """The tangent up to which it holds, over the friction."""
    low, high = 0.9, 1.1
    while high - low > 0.1 * TOLERANCE:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if holds(model, middle * FRICTION) else (low, middle)
    return 0.5 * (low + high)


def _level() -> State:
    return State(jnp.array([0.0, HALF - G / (4.0 * STIFFNESS)]), jnp.zeros(2))


def figures(case: str, data: Data) -> Figures:
    clock, model = Clock(), compile(block())
    yield compare(case, "statics", "steepest tangent, over mu", steepest(model), 1.0, TOLERANCE, clock)
    run = tilted(model, HOLDS * FRICTION)
    place = np.asarray(run.q)[np.asarray(run.time) >= UNTIL - LAST, 0]
    creep = float(np.ptp(place))
    yield below(case, f"tan = {HOLDS:g} mu", f"way in the last {LAST:g} s [m]", creep, CREEP, clock)
    for share in (SLIDES, 2.0):
        run = tilted(model, share * FRICTION)
        late = np.asarray(run.time) >= 2.0 * TILTED
        speed, t, angle = np.asarray(run.v)[late, 0], np.asarray(run.time)[late], np.arctan(share * FRICTION)
        found = float((speed[-1] - speed[0]) / (t[-1] - t[0]))
        expected = G * (np.sin(angle) - FRICTION * np.cos(angle))
        yield compare(case, f"tan = {share:g} mu", "acceleration [m/s^2]", found, expected, TOLERANCE, clock)
