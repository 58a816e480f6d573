"""A free rigid body spinning near its unstable middle axis keeps kinetic energy and world angular momentum."""

import numpy as np

from pliant.description import Robot
from pliant.model import compile
from pliant.simulation import simulate
from pliant.validation._case import Clock, Data, Figures, below

INERTIA = (1.0, 2.0, 3.0)  # kg m^2
SPIN = (0.1, 10.0, 0.1)  # rad/s
UNTIL = 1000.0  # s
TOLERANCE = 1e-8


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    robot = (
        Robot("gyroscope")
        .with_gravity([0, 0, 0])
        .rigid("body", mass=1.0, inertia=list(INERTIA), joint="free")
        .initial("body", angular_velocity=list(SPIN))
    )
    motion = simulate(compile(robot), UNTIL, stepper="dopri8", rtol=1e-12, atol=1e-13, save_every=1.0)
    rotation = np.asarray(motion.frame("body"))[:, :3, :3]
    momentum = np.einsum("nij,j,nj->ni", rotation, np.array(INERTIA), np.asarray(motion.v)[:, :3])
    energy = np.asarray(motion.energy["kinetic"])
    change = np.abs(energy / energy[0] - 1).max()
    turn = np.linalg.norm(momentum - momentum[0], axis=1).max() / np.linalg.norm(momentum[0])
    yield below(
        case, "rigid body, free joint", "kinetic energy, relative change over 1000 s [1]", change, TOLERANCE, clock
    )
    yield below(
        case, "rigid body, free joint", "angular momentum, relative change over 1000 s [1]", turn, TOLERANCE, clock
    )
