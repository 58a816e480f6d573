"""Problems of the suite `contact`, in numbers: what Pliant and every peer solve alike. SI units."""

import math
from dataclasses import dataclass

import numpy as np

GRAVITY = 9.80665


@dataclass(frozen=True)
class Snake:
    """PyElastica's continuum snake (examples/ContinuumSnakeCase): a rod along z on a floor that faces along y, with a
    wave of muscle torques that travels towards its base. Its friction is the coefficients times the parts of the slip's
    direction, and its damping a moment per length against the rate of turn."""

    length: float = 0.35
    radius: float = 0.011 * 0.35
    density: float = 1000.0
    young: float = 1e6
    shear_modulus: float = 1e6 / 1.5
    period: float = 2.0
    until: float = 22.0
    save: float = 0.1
    # Coefficients of its spline, which is clamped cubic over these six, and so begins and ends with the first and last.
    torque: tuple[float, ...] = (3.4e-3, 3.3e-3, 4.2e-3, 2.6e-3, 3.6e-3, 3.5e-3)
    froude: float = 0.1
    ratios: tuple[float, float, float] = (1.0, 1.5, 2.0)  # forward, backward, sideways
    damping: float = 2e-3  # 1/s: of velocities, and of rates of turn times mass over inertia

    @property
    def friction(self) -> tuple[float, float, float]:
        unit = self.length / (self.period**2 * GRAVITY * self.froude)
        forward, backward, sideways = (unit * ratio for ratio in self.ratios)
        return forward, backward, sideways

    @property
    def mass_per_length(self) -> float:
        return self.density * math.pi * self.radius**2


SNAKE = Snake()


def path_error(path: np.ndarray, fine: np.ndarray, size: float) -> float:
    """Root mean square distance (n, 3) from the run with a quarter of the step, over a size."""
    return float(np.sqrt(np.mean(np.sum((np.asarray(path) - np.asarray(fine)) ** 2, axis=1))) / size)


@dataclass(frozen=True)
class Pinch:
    """A ball between two pads that slide along x and are pressed together; its weight grows when they press already.
    Of the least force that holds it, a pad has to press with m g / (2 mu)."""

    mass: float = 0.1
    radius: float = 20e-3
    pad: float = 20e-3  # m, thickness
    pad_size: float = 0.1  # m, along y and z
    pad_mass: float = 0.2
    friction: float = 0.5
    stiffness: float = 2e4  # N/m, where a code asks for it
    begin: float = 0.5  # s, when the weight begins to grow, and for how long
    until: float = 6.0
    watched: float = 4.0  # s, the last of them
    save: float = 0.02
    step: float = 1e-3
    slips_until: float = 1.2

    @property
    def least(self) -> float:
        return self.mass * GRAVITY / (2.0 * self.friction)

    def fall(self, share: float) -> float:
        """The exact way down at slips_until of a ball that is pressed with a share of the least force."""
        late, after = (1.0 - share) * self.begin, self.slips_until - 2.0 * self.begin
        growth = GRAVITY / self.begin
        speed, way = 0.5 * growth * late**2, growth * late**3 / 6.0
        return way + speed * after + 0.5 * (1.0 - share) * GRAVITY * after**2

    def weight(self, t: float) -> float:
        return self.mass * GRAVITY * min(max((t - self.begin) / self.begin, 0.0), 1.0)


PINCH = Pinch()
HELD, SLIPS = 1.1, 0.9  # of the least force


@dataclass(frozen=True)
class Rollers:
    """Exudyn's cable on two rollers (TestModels/ANCFcontactFrictionTest): clamped at its left end, along x in a plane,
    it falls on a roller that is fixed and on one that turns and hangs on springs, with a torque on it.

    The figures are that test's, but for these. Its first roller touches nothing: here it touches, and stands 3 cm
    higher. Its normal dampers are left out, because both codes have others. Its friction only damps: here a spring
    sticks beside that damper. Stiffness and damper of its contacts are per segment of 31.25 mm."""

    length: float = 2.0
    height: float = 0.01  # of its square section
    young: float = 2.07e11
    density: float = 7800.0
    axial: float = 0.1  # of E A: stiffness (N) and damping (N s), which make it as good as inextensible
    weight: float = 40.0  # m/s^2, of the cable alone
    fixed: tuple[float, float, float] = (0.5, -0.12, 0.1)  # x, y, radius
    turning: tuple[float, float, float] = (1.5, -0.5, 0.3)
    reach: tuple[tuple[float, float], tuple[float, float]] = ((0.125, 0.375), (0.5, 1.0))  # what may touch either
    mass: float = 1.0
    inertia: float = 1e-3
    spring: float = 100.0  # N/m, along x and y
    damper: float = 5.0
    torque: float = -0.1
    friction: float = 2.0
    stiffness: float = 1e3 / 31.25e-3  # Pa
    slip_damping: float = 10.0 / 31.25e-3  # N s/m per length
    poisson: float = 0.3
    until: float = 1.0
    save: float = 0.02

    @property
    def mass_per_length(self) -> float:
        return self.density * self.height**2

    @property
    def bending(self) -> float:
        return self.young * self.height**4 / 12.0

    @property
    def sticking(self) -> float:
        """Stiffness per length of the spring that sticks, from that of the normal by Poisson's ratio (Mindlin)."""
        return 2.0 * (1.0 - self.poisson) / (2.0 - self.poisson) * self.stiffness


ROLLERS = Rollers()
