"""A ball between two soft pads: how hard they have to press to hold it, and whether it stays."""

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

G, MASS, RADIUS, FRICTION = 9.81, 0.1, 20e-3, 0.5
LEAST = MASS * G / (2.0 * FRICTION)  # N of each pad
YOUNG, HALF = 2e5, 10e-3  # Pa, m of a pad's thickness
GRIPPED, UNTIL = 0.5, 7.0  # s: gravity grows while the pads press already
TOLERANCE, DRIFT = 5e-3, 1e-6  # 1, m


def pinch() -> Robot:
    """The pads slide towards each other along x; what carries the ball between has no mass."""
    robot = (
        Robot("pinch")
        .with_gravity({"ramp": {"from": [0, 0, 0], "to": [0, 0, -G], "over": GRIPPED, "start": GRIPPED}})
        .material("rubber", young=YOUNG, poisson=0.5, density=1000.0)
        .rigid("ball", mass=MASS, shape={"sphere": {"radius": RADIUS}}, joint={"planar": "y"})
    )
    for name, side in (("left", -1.0), ("right", 1.0)):
        place = {"link": "world", "offset": {"move": [side * (RADIUS + HALF), 0.0, 0.0]}}
        robot = (
            robot.rigid(
                name, material="rubber", shape={"box": [2.0 * HALF, 0.1, 0.1]}, joint={"prismatic": "x"}, parent=place
            )
            .load(f"{name}_press", where=name, force=[-side, 0, 0])
            .contact(f"{name}_grip", between=["ball", name], damping=5.0, friction=FRICTION)
        )
    return robot


def pressing(force: float) -> dict[str, jnp.ndarray]:
    return {f"{name}_press.force": jnp.array([-side * force, 0.0, 0.0]) for name, side in (("left", -1), ("right", 1))}


def moved(model: Model, force: float, until: float) -> Trajectory:
    start = State(jnp.asarray(model.neutral()), jnp.zeros(model.nv))
    return simulate(
        model, until, stepper="generalised-alpha", step=1e-3, save_every=0.1, inputs=pressing(force), state=start
    )


def holds(model: Model, force: float) -> bool:
    """In statics: a short motion lets the pads press, then gravity grows in steps."""
    begun = moved(model, force, GRIPPED)
    q, memory = begun.q[-1], jax.tree.map(lambda own: own[-1], begun.memory)
    try:
        for t in np.linspace(GRIPPED, 2.0 * GRIPPED, 6):
            rest = equilibrium(model, t=t, q0=q, memory=memory, inputs=pressing(force))
            q, memory = rest.q, rest.memory
    except SolveError:
        return False
    return True


def least_force(model: Model) -> float:
    """Of each pad, over the balance m g / (2 mu)."""
    low, high = 0.9, 1.1
    while high - low > 0.1 * TOLERANCE:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if holds(model, middle * LEAST) else (middle, high)
    return 0.5 * (low + high)


def figures(case: str, data: Data) -> Figures:
    clock, model = Clock(), compile(pinch())
    yield compare(case, "statics", "least force, over m g / (2 mu)", least_force(model), 1.0, TOLERANCE, clock)
    height = model.coordinate_names.index("ball.displacement_1")
    place = np.asarray(moved(model, 1.02 * LEAST, UNTIL).q)[:, height]
    drift = float(np.ptp(place[-50:]))
    yield below(case, "1.02 of it", "way in the last 5 s [m]", drift, DRIFT, clock)
    place = np.asarray(moved(model, 0.98 * LEAST, 3.0).q)[:, height]
    yield below(case, "0.98 of it", "height after 2 s [m]", float(place[-1]), -RADIUS, clock)
