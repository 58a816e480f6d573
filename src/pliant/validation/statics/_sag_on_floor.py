"""A rod clamped a little above a floor sags onto it: where it lies down, what the floor and the clamp carry."""

import numpy as np

from pliant.analysis import equilibrium
from pliant.description import Robot
from pliant.model import compile
from pliant.validation._case import Clock, Data, Figures, compare

G, LENGTH, RADIUS, DENSITY = 9.81, 1.0, 5e-3, 1000.0
HEIGHT = 5e-3  # m of the clamp above where the axis lies
WEIGHT = DENSITY * np.pi * RADIUS**2 * G  # N/m
BENDING = WEIGHT * LENGTH**4 / (576.0 * HEIGHT)  # N m^2
YOUNG = BENDING / (0.25 * np.pi * RADIUS**4)
STIFFNESS = 2.5e6  # N/m per m: it lies 5e-6 m deep at most, a thousandth of the height
FREE = (72.0 * BENDING * HEIGHT / WEIGHT) ** 0.25  # m until it touches
MODELS = {"gvs": {"gvs": {"order": 20, "quadrature": 100}}, "pcs": {"pcs": {"pieces": 100}}}
TOLERANCE = 1e-3


def rod(model: dict) -> Robot:
    clamp = {"link": "world", "offset": {"move": [0.0, 0.0, RADIUS + HEIGHT], "rotate": {"y": "90 deg"}}}
    return (
        Robot("sag-on-floor")
        .with_gravity([0, 0, -G])
        .material("soft", young=YOUNG, poisson=0.5, density=DENSITY)
        .rod(
            "rod",
            length=LENGTH,
            section={"circle": {"radius": RADIUS}},
            material="soft",
            allow=["bend_y"],
            model=model,
            parent=clamp,
        )
        .surface("floor", where="world", plane="z")
        .surface("skin", along={"link": "rod"})
        .contact("ground", between=["skin", "floor"], stiffness=STIFFNESS)
    )


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    for name, words in MODELS.items():
        model = compile(rod(words))
        rest = equilibrium(model)
        floor = float(rest.forces.report["ground.normal_force"])
        expected = WEIGHT * (LENGTH - 2.0 * FREE / 3.0)
        yield compare(case, name, "what the floor carries [N]", floor, expected, TOLERANCE, clock)
        at_clamp = np.asarray(rest.internal)[0]
        shear, moment = abs(float(at_clamp[3])), abs(float(at_clamp[1]))
        yield compare(case, name, "shear at the clamp [N]", shear, 2.0 * WEIGHT * FREE / 3.0, TOLERANCE, clock)
        yield compare(case, name, "moment at the clamp [N m]", moment, WEIGHT * FREE**2 / 6.0, TOLERANCE, clock)
