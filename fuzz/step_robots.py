"""Small robots of a dozen structures with random numbers: soft and rigid, damped or not, let go, driven, stopped."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import pliant
from pliant import Model

_FRICTION = (0.0, 0.01, 0.05, 0.3)  # of the critical damping


class Subject(NamedTuple):
    """A robot, the stepper it is given to, and how long it moves [s]."""

    structure: str
    model: Model
    kind: str
    until: float


def _pendulum(random: np.random.Generator) -> tuple[str, float]:
    length, angle = random.uniform(0.1, 1.0), random.uniform(10.0, 150.0)
    rate = math.sqrt(9.81 / length)
    damping = random.choice(_FRICTION) * 2.0 * rate * length**2
    text = f"""
links:
  - {{name: bob, kind: rigid, mass: 1 kg, inertia: [1e-4, 1e-4, 1e-4], centre: [0, 0, {-length}],
     joint: {{revolute: {{axis: y, damping: {damping}}}}}}}
frames: [{{name: tip, link: bob, offset: {{move: [0, 0, {-length}]}}}}]
initial: {{bob: {{angle: {angle} deg}}}}
"""
    return text, random.choice([2.0, 8.0, 30.0]) * 2.0 * math.pi / rate


def _double_pendulum(random: np.random.Generator) -> tuple[str, float]:
    damping = random.uniform(0.002, 0.05)
    upper, lower = random.uniform(10.0, 40.0, 2)
    arm = "kind: rigid, mass: 0.5 kg, inertia: [1e-3, 1e-3, 1e-4], centre: [0, 0, -0.15]"
    hinge = f"joint: {{revolute: {{axis: y, damping: {damping}}}}}"
    text = f"""
links:
  - {{name: upper, {arm}, {hinge}}}
  - {{name: lower, {arm}, {hinge}, parent: {{link: upper, offset: {{move: [0, 0, -0.3]}}}}}}
frames: [{{name: tip, link: lower, offset: {{move: [0, 0, -0.3]}}}}]
initial: {{upper: {{angle: {upper} deg}}, lower: {{angle: {lower} deg}}}}
"""
    return text, random.choice([2.0, 10.0])


def _shaken_slider(random: np.random.Generator) -> tuple[str, float]:
    rate, share = 10.0 ** random.uniform(0.5, 1.5), random.choice([0.02, 0.1, 0.5, 2.0])
    pace = rate * random.uniform(0.3, 1.5)
    text = f"""
gravity: [0, 0, 0]
links:
  - {{name: b, kind: rigid, mass: 1 kg, shape: {{sphere: {{radius: 5 cm}}}},
     joint: {{prismatic: {{axis: x, stiffness: {rate**2}, damping: {2.0 * share * rate}}}}}}}
frames: [{{name: tip, link: b}}]
loads: [{{name: shake, where: b, force: {{sine: {{amplitude: [1 N, 0, 0], frequency: {pace / 2.0 / math.pi}}}}}}}]
"""
    return text, random.choice([5.0, 50.0]) * 2.0 * math.pi / pace


def _rod(random: np.random.Generator, model: str, allow: str, more: str = "") -> str:
    young, viscosity = 10.0 ** random.uniform(5.0, 5.7), random.choice([0.0, 100.0, 1000.0, 5000.0])
    length, radius = random.uniform(0.15, 0.3), random.uniform(8e-3, 15e-3)
    return f"""
materials:
  rubber: {{young: {young}, poisson: 0.45, density: 1000, viscosity: {viscosity}}}
links:
  - {{name: arm, kind: rod, parent: {{link: world, offset: {{rotate: {{y: 90 deg}}}}}}, length: {length},
     section: {{circle: {{radius: {radius}}}}}, material: rubber, allow: {allow}, model: {model}}}
frames: [{{name: tip, link: arm}}]
{more}
"""


def _gvs_let_go(random: np.random.Generator) -> tuple[str, float]:
    bend = random.uniform(-4.0, 4.0)
    more = f"initial: {{arm: {{bend_y: {bend}}}}}"
    return _rod(random, "{gvs: {order: 1, quadrature: 4}}", "[bend_y]", more), random.choice([0.5, 2.0, 10.0])


def _pcs_pulled(random: np.random.Generator) -> tuple[str, float]:
    tension = random.uniform(0.2, 1.0)
    more = f"""
actuators: [{{name: cable, tendon: {{link: arm, route: {{x: 6 mm}}}}, tension: {{step: {{at: 0.2, to: {tension}}}}}}}]
"""
    text = _rod(random, "{pcs: {pieces: 2, quadrature: 3}}", "[bend_y]", more)
    return text, random.choice([1.0, 5.0])


def _srl_let_go(random: np.random.Generator) -> tuple[str, float]:
    return _rod(random, "{srl: {pieces: 3}}", "[bend_x, bend_y]"), random.choice([0.5, 3.0])


def _eba_let_go(random: np.random.Generator) -> tuple[str, float]:
    return _rod(random, "{eba: {pieces: 2}}", "[bend_y, shear_x, stretch]"), random.choice([0.3, 1.0])


def _driven_arm(random: np.random.Generator) -> tuple[str, float]:
    turn, frequency = random.uniform(0.2, 1.0), random.uniform(0.3, 1.5)
    viscosity = random.choice([500.0, 3000.0])
    text = f"""
materials:
  rubber: {{young: 3e5, poisson: 0.45, density: 1000, viscosity: {viscosity}}}
links:
  - {{name: crank, kind: rigid, mass: 0.1 kg, inertia: [1e-4, 1e-4, 1e-4], joint: {{revolute: y}}}}
  - {{name: arm, kind: rod, parent: crank, length: {random.uniform(0.15, 0.25)},
     section: {{circle: {{radius: 1 cm}}}}, material: rubber, allow: [bend_y],
     model: {{gvs: {{order: 1, quadrature: 4}}}}}}
frames: [{{name: tip, link: arm}}]
actuators: [{{name: motor, joint: crank, motion: {{sine: {{amplitude: {turn}, frequency: {frequency}}}}}}}]
"""
    return text, random.choice([3.0, 20.0]) / frequency


def _dropped(random: np.random.Generator) -> tuple[str, float]:
    stiffness, height = 10.0 ** random.uniform(3.0, 5.0), random.uniform(0.05, 0.5)
    damping = random.choice([0.0, 0.05, 0.2]) * 2.0 * math.sqrt(stiffness)
    text = f"""
links:
  - {{name: b, kind: rigid, mass: 1 kg, shape: {{sphere: {{radius: 5 cm}}}},
     joint: {{prismatic: {{axis: z, stiffness: {stiffness}, damping: {damping}, acts: compression}}}}}}
frames: [{{name: tip, link: b}}]
initial: {{b: {{displacement: {height}}}}}
"""
    return text, random.choice([1.8, 5.0]) * math.sqrt(2.0 * height / 9.81)


def _four_bar(random: np.random.Generator) -> tuple[str, float]:
    damping = random.choice([0.0, 2e-4, 2e-3])
    bar = "kind: rigid, mass: 0.1 kg, inertia: [1e-4, 1e-4, 1e-5]"
    text = f"""
links:
  - {{name: crank, {bar}, centre: [0, 0, 0.05], joint: {{revolute: {{axis: y, damping: {damping}}}}}}}
  - {{name: coupler, {bar}, centre: [0, 0, 0.1], joint: {{revolute: y}},
     parent: {{link: crank, offset: {{move: [0, 0, 0.1], rotate: {{y: 90 deg}}}}}}}}
  - {{name: rocker, {bar}, centre: [0, 0, 0.05], joint: {{revolute: y}},
     parent: {{link: world, offset: {{move: [0.2, 0, 0]}}}}}}
frames: [{{name: tip, link: coupler}}]
constraints:
  - {{name: pin, fix: [x, z], between: [{{link: coupler, offset: {{move: [0, 0, 0.2]}}}},
     {{link: rocker, offset: {{move: [0, 0, 0.1]}}}}]}}
initial: {{crank: {{rate: {random.uniform(1.0, 6.0)}}}, rocker: {{rate: {random.uniform(1.0, 6.0)}}}}}
"""
    return text, random.choice([1.0, 4.0])


def _thrown_block(random: np.random.Generator) -> tuple[str, float]:
    spin = random.uniform(-8.0, 8.0, 3)
    text = f"""
links: [{{name: b, kind: rigid, mass: 1 kg, shape: {{box: [0.1, 0.2, 0.3]}}, joint: free}}]
frames: [{{name: tip, link: b, offset: {{move: [0, 0, 0.15]}}}}]
initial: {{b: {{angular_velocity: [{spin[0]}, {spin[1]}, {spin[2]}], velocity: [0.5, 0, 1]}}}}
"""
    return text, random.choice([0.5, 2.0])


def _roped_ball(random: np.random.Generator) -> tuple[str, float]:
    stiffness = 10.0 ** random.uniform(2.0, 3.5)
    text = f"""
links: [{{name: b, kind: rigid, mass: 0.2 kg, shape: {{sphere: {{radius: 2 cm}}}}, joint: {{planar: y}}}}]
frames: [{{name: tip, link: b}}]
springs:
  - {{name: rope, between: [{{link: world, offset: {{move: [0, 0, 0.5]}}}}, b],
     axial: {{stiffness: {stiffness}, damping: {random.uniform(0.2, 3.0)}, rest: 0.5, acts: tension}}}}
initial: {{b: {{displacement: [{random.uniform(0.1, 0.4)}, {random.uniform(0.1, 0.3)}]}}}}
"""
    return text, random.choice([1.0, 3.0])


STRUCTURES: tuple[tuple[Callable[[np.random.Generator], tuple[str, float]], tuple[str, ...]], ...] = (
    (_pendulum, ("newmark", "generalised-alpha", "rk4")),
    (_shaken_slider, ("newmark", "generalised-alpha", "rk4")),
    (_gvs_let_go, ("newmark", "generalised-alpha", "rk4")),
    (_pcs_pulled, ("newmark", "generalised-alpha")),
    (_dropped, ("newmark", "generalised-alpha", "rk4")),
    (_driven_arm, ("newmark", "generalised-alpha")),
    (_four_bar, ("newmark", "generalised-alpha", "rk4")),
    (_srl_let_go, ("newmark", "generalised-alpha")),
    (_double_pendulum, ("newmark", "rk4")),
    (_eba_let_go, ("newmark",)),
    (_thrown_block, ("newmark", "rk4")),
    (_roped_ball, ("newmark", "generalised-alpha")),
)


def subject(seed: int, index: int) -> Subject:
    """The robot of this seed and number."""
    make, kinds = STRUCTURES[index % len(STRUCTURES)]
    random = np.random.default_rng([seed, index])
    text, until = make(random)
    name = make.__name__.strip("_").replace("_", "-")
    kind = kinds[index // len(STRUCTURES) % len(kinds)]
    return Subject(name, pliant.compile(pliant.parse(f"robot: {name}{text}")), kind, float(until))
