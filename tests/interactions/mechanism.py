"""A closed mechanism of rigid bodies beside driven ones: one compiled model for statics and motion with constraints."""

import functools
from collections.abc import Callable

import pliant
from pliant import Model, Robot

GRAVITY = 9.81
CRANK, COUPLER, ROCKER, GROUND = 0.4, 1.0, 0.8, 1.0  # m; every bar weighs 1 kg per metre
STIFFNESS, REST = 6.0, -0.5  # N m/rad and rad, of the spring on the crank
BOB, ARM, SPIN = 0.5, 0.3, 1e-3  # kg, m and kg m^2: a pendulum whose angle is prescribed
SWING, FREQUENCY = 0.5, 1.0  # rad and Hz
ROTATION, INERTIA = [0.4, -0.3, 0.5], [2e-3, 3e-3, 4e-3]  # rad and kg m^2: a ball joint whose rotation is prescribed
_TIE = [
    {"link": "coupler", "offset": {"move": [COUPLER, 0, 0]}},
    {"link": "rocker", "offset": {"move": [ROCKER, 0, 0]}},
]
START = -1.0  # rad: initial angle of the crank


def _bar(length: float) -> dict:
    return {"mass": length, "centre": [length / 2, 0, 0], "inertia": [1e-3, length**3 / 12, length**3 / 12]}


def linkage() -> Robot:
    """A planar four-bar in space with a spring on its crank, closed by the hinge `pin`; beside it a driven pendulum."""
    slack = {"stiffness": 0.0, "rest": 0.0}  # joints with the same numbers are evaluated together
    return (
        Robot("linkage")
        .with_gravity([0, 0, -GRAVITY])
        .rigid("crank", joint={"revolute": {"axis": "y", "stiffness": STIFFNESS, "rest": REST}}, **_bar(CRANK))
        .rigid(
            "coupler",
            parent={"link": "crank", "offset": {"move": [CRANK, 0, 0]}},
            joint={"revolute": {"axis": "y", **slack}},
            **_bar(COUPLER),
        )
        .rigid(
            "rocker",
            parent={"link": "world", "offset": {"move": [GROUND, 0, 0]}},
            joint={"revolute": {"axis": "y", **slack}},
            **_bar(ROCKER),
        )
        .constraint("pin", between=_TIE, joint={"revolute": "y"})
        .rigid(
            "bob",
            mass=BOB,
            centre=[0, 0, -ARM],
            inertia=[SPIN] * 3,
            joint={"revolute": {"axis": "y", **slack}},
        )
        .drive("motor", joint="bob", motion={"sine": {"amplitude": SWING, "frequency": FREQUENCY}})
        .initial("crank", angle=START)
        .initial("rocker", angle=-1.2)
    )


def mechanism() -> Robot:
    """The same, with a second tie `again` where the pin is, which holds nothing that the pin does not, and a body on a
    ball joint whose rotation is prescribed."""
    return (
        linkage()
        .constraint("again", between=_TIE, joint="spherical")
        .rigid("top", mass=0.2, inertia=INERTIA, joint="spherical")
        .drive("gimbal", joint="top", motion={"sine": {"amplitude": ROTATION, "frequency": FREQUENCY}})
    )


@functools.cache
def compiled(make: Callable[[], Robot]) -> Model:
    return pliant.compile(make())
