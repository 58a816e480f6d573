"""A ring is pressed between two plates, up to where it lies flat: half of it, with the other half's share of force."""

import jax.numpy as jnp
import numpy as np

from pliant.analysis import equilibrium
from pliant.description import Robot
from pliant.model import Model, compile
from pliant.results import Equilibrium
from pliant.validation._case import Clock, Data, Figures, compare

RADIUS, BENDING = 0.1, 1.0  # m, N m^2
THICK = 1e-4  # m: radius of the skin, on which the plate presses
STIFFNESS = 1e9  # N/m per m
UNIT = BENDING / RADIUS**2  # N
HEIGHT_AT_ONE = 0.916528  # of the axis over 2 R, at F R^2/EI = 1
FLAT, HEIGHT_WHEN_FLAT, WIDTH_WHEN_FLAT = 2.786408, 0.717770, 1.198140
MODELS = {"gvs": {"gvs": {"order": 10, "quadrature": 40}}, "pcs": {"pcs": {"pieces": 64}}}
TOLERANCE = 2e-3


def ring(model: dict) -> Robot:
    """It leaves its lowest point along x and comes back over the top, level and straight above where it began."""
    bottom = {"link": "world", "offset": {"rotate": {"y": "90 deg"}}}
    top = {"link": "world", "offset": {"move": [0.0, 0.0, 2.0 * RADIUS], "rotate": {"y": "-90 deg"}}}
    above = {"link": "world", "offset": {"move": [0.0, 0.0, 2.0 * RADIUS + THICK]}}
    section = {"circle": {"radius": THICK}}
    return (
        Robot("ring-between-plates")
        .with_gravity([0, 0, 0])
        .material("spring", young=BENDING / (0.25 * np.pi * THICK**4), poisson=0.3, density=1.0)
        .rod(
            "ring",
            length=np.pi * RADIUS,
            section=section,
            material="spring",
            allow=["bend_y"],
            reference={"bend_y": -1.0 / RADIUS},
            model=model,
            parent=bottom,
        )
        .rigid("plate", mass=1.0, inertia=[1.0, 1.0, 1.0], joint={"prismatic": "z"}, parent=above)
        .surface("face", where="plate", plane=[0, 0, -1])
        .surface("skin", along={"link": "ring"})
        .contact("press", between=["skin", "face"], stiffness=STIFFNESS)
        .constraint("level", between=[top, {"link": "ring"}], fix=["x", "ry"], frame="world")
        .load("push", where="plate", force=[0, 0, -0.5 * UNIT])
    )


def pressed(model: Model, force: float) -> Equilibrium:
    return equilibrium(model, inputs={"push.force": jnp.array([0.0, 0.0, -0.5 * force * UNIT])})


def width(rest: Equilibrium) -> float:
    """Of the whole ring's axis, over 2 R, through the three nodes that are farthest out."""
    place = np.asarray(rest.shape.node_pose)[:, :3, 3]
    widest = int(np.argmax(place[:, 0]))
    outward = np.polyfit(place[widest - 1 : widest + 2, 2], place[widest - 1 : widest + 2, 0], 2)
    return float(outward[2] - outward[1] ** 2 / (4.0 * outward[0])) / RADIUS


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    for name, words in MODELS.items():
        model = compile(ring(words))
        for force, height in ((1.0, HEIGHT_AT_ONE), (FLAT, HEIGHT_WHEN_FLAT)):
            rest = pressed(model, force)
            found = float(np.asarray(rest.position("ring"))[2]) / (2.0 * RADIUS)
            figure = f"height over 2 R, F R^2/EI = {force:g} [1]"
            yield compare(case, name, figure, found, height, TOLERANCE, clock)
        figure = f"width over 2 R, F R^2/EI = {FLAT:g} [1]"
        yield compare(case, name, figure, width(rest), WIDTH_WHEN_FLAT, TOLERANCE, clock)
