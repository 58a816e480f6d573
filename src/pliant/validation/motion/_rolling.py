"""A ball and a rod that lies across it roll down a slope: 5/7 and 2/3 g sin(angle) while they stick, up to
tan(angle) = 3.5 and 3 mu, and slip beyond."""

from typing import NamedTuple

import numpy as np

from pliant.description import Robot
from pliant.model import Model, compile
from pliant.simulation import simulate
from pliant.validation._case import Clock, Data, Figures, compare

G, FRICTION = 9.81, 0.2
RADIUS, STIFFNESS = 50e-3, 1e6  # m, N/m of the ball
ROD_RADIUS, LENGTH, DENSITY = 20e-3, 0.2, 1000.0  # m, kg/m^3
ALONG = 3e6  # N/m per m of the rod, which lies 2e-4 of its radius deep
MODELS = {"gvs": {"gvs": {"order": 1}}, "pcs": {"pcs": {"pieces": 2}}}
SLOPES = (0.4, 0.86, 1.2)  # tangents, over the steepest down which it rolls
TOLERANCE = 1e-3


class Roller(NamedTuple):
    """A robot whose only body is "body", where it is placed, how deep it lies on the level, the share of g sin(angle)
    with which it rolls, and up to which tangent over mu."""

    robot: Robot
    place: np.ndarray
    depth: float
    rolling: float
    steepest: float


def ball() -> Roller:
    robot = Robot("rolling").rigid(
        "body", mass=1.0, shape={"sphere": {"radius": RADIUS}}, joint="free", parent=_placed(rotate={"z": 0.0})
    )
    return Roller(_on_a_floor(robot, "body", STIFFNESS), np.array([0.0, 0.0, RADIUS]), G / STIFFNESS, 5.0 / 7.0, 3.5)


def rod(model: dict) -> Roller:
    robot = (
        Robot("rolling")
        .material("hard", young=1e9, poisson=0.3, density=DENSITY)
        .rod(
            "body",
            length=LENGTH,
            section={"circle": {"radius": ROD_RADIUS}},
            material="hard",
            allow=["bend_x", "twist"],
            model=model,
            joint="free",
            parent=_placed(rotate={"x": "-90 deg"}),
        )
        .surface("skin", along={"link": "body"})
    )
    weight = DENSITY * np.pi * ROD_RADIUS**2 * LENGTH * G
    lying = ALONG * (LENGTH + 2.0 * ROD_RADIUS)  # its round ends count as a radius each
    place = np.array([0.0, -0.5 * LENGTH, ROD_RADIUS])
    return Roller(_on_a_floor(robot, "skin", ALONG), place, weight / lying, 2.0 / 3.0, 3.0)


def _placed(**offset: dict) -> dict:
    return {"link": "world", "offset": {"move": [0.0, 0.0, 0.0], **offset}}


def _on_a_floor(robot: Robot, side: str, stiffness: float) -> Robot:
    return robot.surface("floor", where="world", plane="z").contact(
        "ground", between=[side, "floor"], stiffness=stiffness, damping=50.0, friction=FRICTION
    )


def acceleration(model: Model, roller: Roller, slope: float) -> float:
    """From rest, down the slope."""
    cosine, sine = np.cos(np.arctan(slope)), np.sin(np.arctan(slope))
    place = roller.place - np.array([0.0, 0.0, roller.depth * cosine])
    tilted = model.with_parameters(
        {"gravity": G * np.array([sine, 0.0, -cosine]), "links.body.parent.offset.move": place}
    )
    run = simulate(tilted, until=0.6, stepper="newmark", step=1e-3, save_every=0.2)
    way = np.asarray(run.position("body"))[:, 0]
    return float((way[3] - 2.0 * way[2] + way[1]) / 0.2**2)


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    for name, roller in {"ball": ball(), **{f"rod, {word}": rod(model) for word, model in MODELS.items()}}.items():
        model = compile(roller.robot)
        for share in SLOPES:
            rolls, slope = share < 1.0, share * roller.steepest * FRICTION
            angle = np.arctan(slope)
            expected = G * (roller.rolling * np.sin(angle) if rolls else np.sin(angle) - FRICTION * np.cos(angle))
            described = f"{name}, tan = {slope / FRICTION:.3g} mu, {'rolls' if rolls else 'slips'}"
            found = acceleration(model, roller, slope)
            yield compare(case, described, "acceleration [m/s^2]", found, expected, TOLERANCE, clock)
