"""A thick rod lies round a rough drum that turns: how its tension grows from section to section."""

import jax.numpy as jnp
import numpy as np

from pliant.analysis import equilibrium
from pliant.description import Robot
from pliant.model import Model, compile
from pliant.results import Equilibrium
from pliant.validation._case import Clock, Data, Figures, compare

AXIS = 0.1  # m from the middle of the drum to the axis of the rod
THICKNESSES = (0.05, 0.1)  # radius of the rod over that
FRICTION, TENSION = 0.3, 1.0  # 1, N at the free end
LAYER = 0.06  # rad within which bending makes up for what ends do, sqrt(EI/T) over AXIS
BENDING = TENSION * (LAYER * AXIS) ** 2
WRAP, INSIDE = np.pi + 8.0 * LAYER, 4.0 * LAYER  # rad that it lies round the drum, and how far inside it is looked at
STIFFNESS = 1e6  # N/m per m: no tension here presses it deeper than 3e-4 of AXIS
DEPTH = 0.5 * TENSION / AXIS / STIFFNESS  # m that it lies deep unloaded: half of what the tension makes of it
TURNED = (0.05, 0.1, 0.15)  # rad
MODELS = {"gvs": {"gvs": {"order": 16, "quadrature": 60}}, "pcs": {"pcs": {"pieces": 30}}}
TOLERANCE = 3e-3


def rod(model: dict) -> Robot:
    """It begins on the far left, upwards, and comes round over the top, as it does unloaded; the drum turns that way.
    A hook at its free end leaves no room for the round end of a skin."""
    left = {"link": "world", "offset": {"move": [-AXIS, 0.0, 0.0]}}
    lying = {"link": "drum", "offset": {"rotate": {"x": "90 deg"}}}
    return (
        Robot("capstan")
        .with_gravity([0, 0, 0])
        .material("soft", young=1.0, poisson=0.3, density=1.0)
        .rod(
            "rod",
            length=WRAP * AXIS,
            section={"circle": {"radius": 0.1 * AXIS}},
            material="soft",
            allow=["bend_y"],
            reference={"bend_y": 1.0 / AXIS},
            model=model,
            parent=left,
        )
        .rigid("hook", mass=1.0, inertia=[1.0, 1.0, 1.0], parent="rod")
        .rigid("drum", mass=1.0, inertia=[1.0, 1.0, 1.0], joint={"revolute": "y"})
        .drive("motor", joint="drum", motion=0.0)
        .surface("face", where=lying, cylinder={"radius": AXIS, "length": 4.0 * AXIS})
        .surface("skin", along={"link": "rod"})
        .contact("wrap", between=["skin", "face"], stiffness=STIFFNESS, friction=FRICTION)
        .load("pull", where="hook", force=[0.0, 0.0, TENSION], frame="body")
    )


def as_thick(model: Model, thickness: float) -> Model:
    radius = thickness * AXIS
    return model.with_parameters(
        {
            "links.rod.section.circle.radius": radius,
            "materials.soft.young": BENDING / (0.25 * np.pi * radius**4),
            "surfaces.face.cylinder.radius": AXIS - radius + DEPTH,
        }
    )


def sliding(model: Model) -> Equilibrium:
    """First it is pressed to the drum, which then turns under it. Each turn is solved from where everything has slipped
    already: from where everything sticks Newton's method would take the rod along."""
    rest, angle = equilibrium(model), model.coordinate_names.index("drum.angle")
    for turned in TURNED:
        start = rest.q.at[angle].set(turned)
        rest = equilibrium(model, q0=start, inputs={"motor": jnp.asarray(turned)}, memory=rest.memory)
    return rest


def growth(rest: Equilibrium) -> float:
    """Rate at which the logarithm of the tension grows with the angle, towards the clamp [1/rad]."""
    place, tension = np.asarray(rest.shape.node_pose)[:, :3, 3], np.asarray(rest.internal)[:, 5]
    angle = np.unwrap(np.arctan2(place[:, 2], -place[:, 0]))
    inside = (angle > INSIDE) & (angle < WRAP - INSIDE)
    return float(-np.polyfit(angle[inside], np.log(tension[inside]), 1)[0])


def expected(thickness: float) -> float:
    """lam + e mu lam^2 = mu (1 - e): friction acts on the skin, off the axis."""
    e, mu = thickness, FRICTION
    return float((np.sqrt(1.0 + 4.0 * e * mu**2 * (1.0 - e)) - 1.0) / (2.0 * e * mu))


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    for name, words in MODELS.items():
        model = compile(rod(words))
        for thickness in THICKNESSES:
            rest = sliding(as_thick(model, thickness))
            figure = f"growth of the tension, r over R + r = {thickness:g} [1/rad]"
            yield compare(case, name, figure, growth(rest), expected(thickness), TOLERANCE, clock)
