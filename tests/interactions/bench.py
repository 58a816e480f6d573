"""Equal rods side by side, each pulled or pushed in its own way: one compiled model for many questions."""

import functools

import numpy as np

import pliant
from pliant import Model, Robot

LENGTH, RADIUS, OFFSET, YOUNG = 0.2, 0.01, 0.008, 1e6
BENDING = YOUNG * np.pi * RADIUS**4 / 4  # N m^2
RODS = ("pulled", "held", "elastic", "neutral", "plain")


@functools.cache
def bench() -> Model:
    """Rods along z that bend but do not stretch, without gravity:

    - pulled: by tension beside the axis, in y (`pull`) and in x (`side`);
    - held: by a tendon like `pull`, driven to a length (`hold`);
    - elastic: the same with a tendon that stretches (`spring`);
    - neutral: a tendon on the axis (`idle`) and a force on the tip (`push`);
    - plain: a force on the tip only (`load`).
    """
    robot = Robot("bench").with_gravity([0, 0, 0]).material("rubber", young=YOUNG, poisson=0.4, density=1000.0)
    for index, name in enumerate(RODS):
        robot = robot.rod(
            name,
            parent={"link": "world", "offset": {"move": [0.1 * index, 0, 0]}},
            length=LENGTH,
            section={"circle": {"radius": RADIUS}},
            material="rubber",
            allow=["bend_x", "bend_y"],
            model={"gvs": {"order": 2, "quadrature": 4}},
        )
    return pliant.compile(
        robot.tendon("pull", link="pulled", y=OFFSET, tension=0)
        .tendon("side", link="pulled", x=OFFSET, tension=0)
        .tendon("hold", link="held", y=OFFSET, length=LENGTH)
        .tendon("spring", link="elastic", y=OFFSET, length=LENGTH, stiffness=1e5)
        .tendon("idle", link="neutral", tension=0)
        .load("push", where={"link": "neutral"}, force=[0, 0, 0])
        .load("load", where={"link": "plain"}, force=[0, 0, 0])
    )


def coordinates(values, rod: str) -> np.ndarray:
    """The part of q or v (..., n) that belongs to a rod."""
    own = [i for i, name in enumerate(bench().velocity_names) if name.startswith(f"{rod}.")]
    return np.asarray(values)[..., own]
