"""One description, every rod model: two arms at rest under actuation, gravity and a tip load, and released from it.

The reference is gvs of high order. Its quadrature and the others' know nothing of each other, and the time step is the
same for all models, so that only what the models do to the arm is compared.
"""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from pliant import library
from pliant.analysis import equilibrium_configuration, without_loads
from pliant.description import Robot, load
from pliant.dynamics import forward_kinematics
from pliant.model import Model, State, compile
from pliant.numerics import ResultCode, SolveError
from pliant.simulation import simulate
from pliant.validation._case import Clock, Data, Figures, below, falls, order
from pliant.validation._refinement import label, refined

REFERENCE_ORDER = 6
LUMPED = ("pcs", "srl", "ebr", "eba")
ROM_ORDERS = (2, 5)  # coarsest and finest
PIECEWISE_ORDER = 1.8
FALL_PER_ORDER = 1.5  # of the error of rom: it has no algebraic order
FINEST = 5e-3  # of L
REALLY_DIFFERENT = 1e-4  # of L
LOAD_STEPS = {"rom": 10, "eba": 10}  # of the others: 1
UNTIL, STEP, SAMPLES = 2.0, 0.01, 0.02  # s
TIP, DROPPED = "tip", "push"


class Arm(NamedTuple):
    """A robot as a function of the model of its rod, the rod's length [m], and coarsest and finest pieces."""

    name: str
    robot: Callable[[dict[str, Any]], Robot]
    length: float
    pieces: tuple[int, int]

    @property
    def numbers(self) -> dict[str, tuple[int, int]]:
        """Rows of every model that is compared with the reference."""
        return {**dict.fromkeys(LUMPED, self.pieces), "rom": ROM_ORDERS}


def _chamber_arm(model: dict[str, Any]) -> Robot:
    robot = library.load("stiff-flop").with_value("links.module.model", model)
    robot = robot.with_value("actuators.pair.pressure", ["60 kPa", 0, 0])
    return robot.load(DROPPED, where={"link": "sensor"}, force=["50 mN", "100 mN", 0])


def _tendon_arm(model: dict[str, Any]) -> Robot:
    return load(Path(__file__).parent / "robots" / "tendon-arm.yaml").with_value("links.arm.model", model)


ARMS = (Arm("stiff-flop", _chamber_arm, 0.044, (2, 12)), Arm("tendon arm", _tendon_arm, 0.3, (2, 20)))


class Solved(NamedTuple):
    """Model, configuration at rest, and where the tip is there [m]."""

    model: Model
    q: Any
    tip: np.ndarray


def at_rest(arm: Arm, word: str, number: int) -> Solved:
    model = compile(arm.robot(refined(word, number)))
    q = jnp.asarray(model.neutral())
    steps = LOAD_STEPS.get(word, 1)
    for factor in np.linspace(0.0, 1.0, steps + 1)[1:]:
        found = equilibrium_configuration(model, q, load_factor=jnp.asarray(factor))
        code, q = ResultCode(int(found.code)), found.q
        if code is not ResultCode.SUCCESS:
            raise SolveError(code, f"{arm.name}, {label(word, number)}, at {factor:.2g} of its load")
    return Solved(model, q, np.asarray(forward_kinematics(model, q)[TIP])[:3, 3])


def released(solved: Solved) -> np.ndarray:
    """(n, 3) path of the tip when the tip load is taken away."""
    state = State(solved.q, jnp.zeros(solved.model.nv))
    inputs = without_loads(solved.model, [DROPPED])
    # What the steps add is the same for all models.
    settings: Any = {"stepper": "newmark", "step": STEP, "save_every": SAMPLES, "accuracy": None}
    motion = simulate(solved.model, UNTIL, state=state, inputs=inputs, **settings)
    return np.asarray(motion.position(TIP))


def _statics(case: str, arm: Arm, exact: Solved, finest: dict[str, Solved], clock: Clock) -> Figures:
    coarsest = {}
    figure = f"{arm.name}, tip at rest, from gvs order {REFERENCE_ORDER} [L]"
    for word, numbers in arm.numbers.items():
        solutions = [at_rest(arm, word, number) for number in numbers]
        coarsest[word], finest[word] = solutions[0], solutions[-1]
        errors = [float(np.linalg.norm(found.tip - exact.tip)) / arm.length for found in solutions]
        if word == "rom":
            yield falls(case, word, figure, numbers, errors, FALL_PER_ORDER, FINEST, clock)
        else:
            yield order(case, word, figure, numbers, errors, PIECEWISE_ORDER, clock)
    tips = [solved.tip for solved in (exact, *coarsest.values())]
    nearest = min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(tips, 2)) / arm.length
    figure = f"{arm.name}, {REALLY_DIFFERENT:g} L over the least distance of two models at rest [1]"
    yield below(case, "all, coarsest", figure, REALLY_DIFFERENT / nearest, 1.0, clock)


def figures(case: str, data: Data) -> Figures:
    clock = Clock()
    for arm in ARMS:
        exact = at_rest(arm, "gvs", REFERENCE_ORDER)
        finest: dict[str, Solved] = {}
        yield from _statics(case, arm, exact, finest, clock)
        path = released(exact)
        for word, solved in finest.items():
            distance = np.linalg.norm(released(solved) - path, axis=1) / arm.length
            figure = f"{arm.name}, tip over {UNTIL:g} s of release, rms distance from gvs order {REFERENCE_ORDER} [L]"
            rms = float(np.sqrt(np.mean(distance**2)))
            yield below(case, label(word, arm.numbers[word][-1]), figure, rms, FINEST, clock)
