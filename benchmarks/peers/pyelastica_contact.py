"""PyElastica 1.0 on the problems of the suite `contact`: `python -m peers.pyelastica_contact snake 50 1e-4`."""

import sys

import elastica
import numpy as np

from harness.contact_problems import GRAVITY, SNAKE, path_error
from harness.timing import once, report

_PLANE = 1.0, 1e-6  # stiffness and damping of its floor, as in its example
_SLIPS = 1e-8  # m/s


class Simulator(
    elastica.BaseSystemCollection, elastica.Forcing, elastica.Damping, elastica.Contact, elastica.CallBacks
):
    """The features these problems need."""


class Path(elastica.CallBackBaseClass):
    """The places of the head and of the centre of mass."""

    def __init__(self, every: int, found: list):
        super().__init__()
        self.every, self.found = every, found

    def make_callback(self, system, time, current_step):
        if current_step % self.every == 0:
            self.found.append([system.position_collection[:, -1].copy(), system.compute_position_center_of_mass()])


def _snake(elements: int, step: float, until: float) -> np.ndarray:
    """(n, 2, 3) places at the times to be saved, the start first."""
    up, found = np.array([0.0, 1.0, 0.0]), []
    every = round(SNAKE.save / step)
    simulator = Simulator()
    rod = elastica.CosseratRod.straight_rod(
        elements,
        np.zeros(3),
        np.array([0.0, 0.0, 1.0]),
        up,
        SNAKE.length,
        SNAKE.radius,
        SNAKE.density,
        youngs_modulus=SNAKE.young,
        shear_modulus=SNAKE.shear_modulus,
    )
    simulator.append(rod)
    simulator.add_forcing_to(rod).using(elastica.GravityForces, acc_gravity=-GRAVITY * up)
    simulator.add_forcing_to(rod).using(
        elastica.MuscleTorques,
        base_length=SNAKE.length,
        b_coeff=np.array(SNAKE.torque),
        period=SNAKE.period,
        wave_number=2.0 * np.pi,
        phase_shift=0.0,
        rest_lengths=rod.rest_lengths,
        ramp_up_time=SNAKE.period,
        direction=up,
        with_spline=True,
    )
    floor = elastica.Plane(plane_origin=-SNAKE.radius * up, plane_normal=up)
    simulator.append(floor)
    stiffness, damping = _PLANE
    simulator.detect_contact_between(rod, floor).using(
        elastica.RodPlaneContactWithAnisotropicFriction,
        k=stiffness,
        nu=damping,
        slip_velocity_tol=_SLIPS,
        static_mu_array=np.zeros(3),
        kinetic_mu_array=np.array(SNAKE.friction),
    )
    simulator.dampen(rod).using(
        elastica.AnalyticalLinearDamper, damping_constant=SNAKE.damping, time_step=np.float64(step)
    )
    simulator.collect_diagnostics(rod).using(Path, every, found)
    simulator.finalize()
    stepper, time = elastica.PositionVerlet(), np.float64(0.0)
    for _ in range(round(until / step)):
        time = stepper.step(simulator, time, np.float64(step))
    count = round(until / SNAKE.save) + 1
    if len(found) == count - 1:  # some versions do not call back at the start
        middle = 0.5 * SNAKE.length
        found.insert(0, [np.array([0.0, 0.0, SNAKE.length]), np.array([0.0, 0.0, middle])])
    return np.array(found[:count])


def snake(elements: int, step: float, until: float) -> None:
    compiling, _ = once(lambda: _snake(elements, step, SNAKE.save))
    seconds, found = once(lambda: _snake(elements, step, until))
    fine = _snake(elements, step / 4.0, until)
    report(
        time=seconds,
        compile=compiling,
        error=path_error(found[:, 0], fine[:, 0], SNAKE.length),
        way=float(np.linalg.norm(found[-1, 1] - found[0, 1])),
        steps=round(until / step),
        freedoms=6 * elements + 3,
        middle=found[:, 1].tolist(),
    )


if __name__ == "__main__":
    _elements, _step, *_until = sys.argv[2:]
    _until = float(_until[0]) if _until else SNAKE.until
    {"snake": snake}[sys.argv[1]](int(_elements), float(_step), _until)
