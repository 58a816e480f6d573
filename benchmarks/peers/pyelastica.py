"""PyElastica 1.0 on the problems of the suites: `python -m peers.pyelastica <problem> <elements> [step in s]`."""

import sys

import elastica
import numpy as np
from elastica.external_forces import NoForces
from numba import njit

from harness import problems
from harness.timing import first_and_steady, once, report

_SLOW = 5.0  # s; a run that takes longer is timed once
# s, the longest steps found for so many elements: 0.04 ms and 0.55 us end in infinities.
_STEPS = {(problems.RELEASED, 20): 1e-4, (problems.RELEASED, 50): 3.5e-5, (problems.STIFF, 20): 4.5e-7}


class Simulator(elastica.BaseSystemCollection, elastica.Constraints, elastica.Forcing, elastica.CallBacks):
    """The features these problems need."""


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


@njit(cache=False)
def _add_cross(factor, a, b, total):
    total[0] += factor * (a[1] * b[2] - a[2] * b[1])
    total[1] += factor * (a[2] * b[0] - a[0] * b[2])
    total[2] += factor * (a[0] * b[1] - a[1] * b[0])


@njit(cache=False)
def _resist(positions, velocities, directors, spins, lengths, spans, curvatures, strain, bend, forces, torques):
    """Forces of the strain rates, in plain loops as PyElastica's own kernels. The strain of element k is
    R_k (r_{k+1} - r_k) / l, its rate R_k (v_{k+1} - v_k) / l - spin x strain; the rate of the curvature between two
    elements is the difference of their spins over the span, and curvature x mean spin."""
    elements = directors.shape[2]
    gamma, force, spin, moment = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    for k in range(elements):
        for i in range(3):
            gamma[i], force[i] = 0.0, 0.0
            for j in range(3):
                gamma[i] += directors[i, j, k] * (positions[j, k + 1] - positions[j, k]) / lengths[k]
                force[i] += directors[i, j, k] * (velocities[j, k + 1] - velocities[j, k]) / lengths[k]
        _add_cross(-1.0, spins[:, k], gamma, force)
        for i in range(3):
            force[i] *= strain[i]
        for i in range(3):
            for j in range(3):
                forces[j, k] += directors[i, j, k] * force[i]
                forces[j, k + 1] -= directors[i, j, k] * force[i]
        _add_cross(lengths[k], gamma, force, torques[:, k])
    for k in range(elements - 1):
        for i in range(3):
            spin[i] = 0.5 * (spins[i, k] + spins[i, k + 1])
            moment[i] = (spins[i, k + 1] - spins[i, k]) / spans[k]
        _add_cross(1.0, curvatures[:, k], spin, moment)
        for i in range(3):
            moment[i] *= bend[i]
            torques[i, k] += moment[i]
            torques[i, k + 1] -= moment[i]
        _add_cross(0.5 * spans[k], curvatures[:, k], moment, torques[:, k])
        _add_cross(0.5 * spans[k], curvatures[:, k], moment, torques[:, k + 1])


class KelvinVoigt(NoForces):
    """PyElastica has no damping by strain rate of its own."""

    def __init__(self, rod: problems.Release):
        super().__init__()
        self.strain = rod.viscosity * rod.area * np.array([1.0, 1.0, 3.0])
        self.bend = rod.viscosity * rod.second_moment * np.array([3.0, 3.0, 2.0])

    def apply_forces(self, system, time=0.0):
        _resist(
            system.position_collection,
            system.velocity_collection,
            system.director_collection,
            system.omega_collection,
            system.rest_lengths,
            system.rest_voronoi_lengths,
            system.kappa,
            self.strain,
            self.bend,
            system.external_forces,
            system.external_torques,
        )


class EndPath(elastica.CallBackBaseClass):
    def __init__(self, every: int, path: list, node: int):
        super().__init__()
        self.every, self.path, self.node = every, path, node

    def make_callback(self, system, time, current_step):
        if current_step % self.every == 0:
            self.path.append(system.position_collection[:, self.node].copy())


def _integrate(simulator: Simulator, step: float, count: int) -> None:
    stepper, time = elastica.PositionVerlet(), 0.0
    for _ in range(count):
        time = stepper.step(simulator, time, step)


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
        simulator.collect_diagnostics(rod).using(EndPath, every, path, 0)
        simulator.finalize()
        _integrate(simulator, step, count * every)
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


def _cantilever(rod: problems.Release, elements: int):
    """Its clamp holds the frame in the middle of the first element: there the clamped section has to be, so the rod
    begins half an element before the origin. With 50 elements the error is 0.016 so, and 0.039 otherwise."""
    part = problems.LENGTH / (elements - 0.5)
    beam = elastica.CosseratRod.straight_rod(
        elements,
        np.array([-0.5 * part, 0.0, 0.0]),
        np.array([1.0, 0.0, 0.0]),
        np.array([0.0, 0.0, 1.0]),
        elements * part,
        rod.radius,
        rod.density,
        youngs_modulus=rod.young,
        shear_modulus=rod.shear_modulus,
    )
    beam.shear_matrix[:2, :2] = rod.shear_modulus * rod.area * np.eye(2)[:, :, None]  # its shear factor is 27/28
    return beam


def _release(rod: problems.Release, elements: int, step: float | None = None) -> None:
    step = step or _STEPS[rod, elements]
    every = int(np.ceil(rod.save / step))
    step = rod.save / every
    count = (rod.samples - 1) * every

    def run() -> np.ndarray:
        simulator, beam, path = Simulator(), _cantilever(rod, elements), []
        simulator.append(beam)
        simulator.constrain(beam).using(
            elastica.OneEndFixedBC, constrained_position_idx=(0,), constrained_director_idx=(0,)
        )
        simulator.add_forcing_to(beam).using(
            elastica.GravityForces, acc_gravity=np.array([0.0, -problems.GRAVITY, 0.0])
        )
        simulator.add_forcing_to(beam).using(KelvinVoigt, rod)
        simulator.collect_diagnostics(beam).using(EndPath, every, path, -1)
        simulator.finalize()
        _integrate(simulator, step, count)
        return np.array(path)

    first, path = once(run)
    seconds, _ = once(run)
    if seconds < _SLOW:
        seconds = min(seconds, *(once(run)[0] for _ in range(2)))
    if len(path) == rod.samples - 1:  # some versions do not call back at the start
        path = np.vstack([[problems.LENGTH, 0.0, 0.0], path])
    report(time=seconds, compile=first - seconds, **rod.errors(path), freedoms=6 * elements + 3, steps=count)


if __name__ == "__main__":
    _releases = {"released_cantilever": problems.RELEASED, "stiff_cantilever": problems.STIFF}
    if sys.argv[1] in _releases:
        _release(_releases[sys.argv[1]], int(sys.argv[2]), *(float(step) for step in sys.argv[3:]))
    else:
        {"flying_spaghetti": flying_spaghetti}[sys.argv[1]](int(sys.argv[2]))
