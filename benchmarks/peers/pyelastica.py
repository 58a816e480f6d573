"""PyElastica 1.0 on the problems of the spine: `python -m peers.pyelastica flying_spaghetti <elements>`."""

import sys

import elastica
import numpy as np
from elastica.external_forces import NoForces
from numba import njit

from harness import problems
from harness.timing import first_and_steady, report


class Simulator(elastica.BaseSystemCollection, elastica.Forcing, elastica.CallBacks):
    """The features this problem needs."""


@njit(cache=False)
def _push(time, rise, force, moment, directors, forces, torques):
    """Dead loads at the first node; torques are in the frame of the first element."""
    level = max(0.0, 1.0 - abs(time - rise) / rise)
    for i in range(3):
        forces[i, 0] += level * force[i]
        for j in range(3):
            torques[i, 0] += level * directors[i, j, 0] * moment[j]


class EndLoad(NoForces):
    def apply_forces(self, system, time=0.0):
        _push(
            time,
            problems.SPAGHETTI_RISE,
            np.array(problems.SPAGHETTI_FORCE),
            np.array(problems.SPAGHETTI_MOMENT),
            system.director_collection,
            system.external_forces,
            system.external_torques,
        )


class EndPath(elastica.CallBackBaseClass):
    def __init__(self, every: int, path: list):
        super().__init__()
        self.every, self.path = every, path

    def make_callback(self, system, time, current_step):
        if current_step % self.every == 0:
            self.path.append(system.position_collection[:, 0].copy())


def _rod(elements: int):
    start, end = np.array(problems.SPAGHETTI_A), np.array(problems.SPAGHETTI_B)
    radius = 0.1  # any: stiffness and inertia are put in by hand below
    rod = elastica.CosseratRod.straight_rod(
        elements,
        start,
        (end - start) / problems.SPAGHETTI_LENGTH,
        np.array([0.0, 0.0, 1.0]),
        problems.SPAGHETTI_LENGTH,
        radius,
        problems.SPAGHETTI_MASS / (np.pi * radius**2),
        youngs_modulus=1e4,
        shear_modulus=1e4,
    )
    identity = np.eye(3)[:, :, None]
    rotary = problems.SPAGHETTI_ROTARY * problems.SPAGHETTI_LENGTH / elements
    rod.shear_matrix[:] = problems.SPAGHETTI_AXIAL * identity
    rod.bend_matrix[:] = problems.SPAGHETTI_BENDING * identity
    rod.mass_second_moment_of_inertia[:] = rotary * identity
    rod.inv_mass_second_moment_of_inertia[:] = identity / rotary
    return rod


def flying_spaghetti(elements: int) -> None:
    # Shear waves travel at 100 m/s: half the time they need for one element, in whole steps per sample.
    step = 0.5 * problems.SPAGHETTI_LENGTH / elements / 100.0
    every = int(np.ceil(problems.SPAGHETTI_SAVE / step))
    step = problems.SPAGHETTI_SAVE / every
    count = round(problems.SPAGHETTI_UNTIL / problems.SPAGHETTI_SAVE)

    def run() -> np.ndarray:
        simulator, rod, path = Simulator(), _rod(elements), []
        simulator.append(rod)
        simulator.add_forcing_to(rod).using(EndLoad)
        simulator.collect_diagnostics(rod).using(EndPath, every, path)
        simulator.finalize()
        stepper, time = elastica.PositionVerlet(), 0.0
        for _ in range(count * every):
            time = stepper.step(simulator, time, step)
        return np.array(path)

    first, seconds, path = first_and_steady(run)
    if len(path) == count:  # some versions do not call back at the start
        path = np.vstack([problems.SPAGHETTI_A, path])
    report(
        time=seconds,
        compile=first - seconds,
        error=problems.spaghetti_error(path),
        freedoms=6 * elements + 3,
        steps=count * every,
    )


if __name__ == "__main__":
    {"flying_spaghetti": flying_spaghetti}[sys.argv[1]](int(sys.argv[2]))
