"""Acceleration of an arm of n sections with the CoG model and the integral one: `python -m cases.arm_sections 3`."""

import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import pliant
from harness.timing import first_and_steady, on_one_core, report
from pliant.dynamics import accelerations
from pliant.model import Model, prepare

_LENGTH, _RADIUS, _MASS, _AREA = 0.15, 0.0125, 0.1, 2.2e-4  # m, m, kg, m^2
PRESSURE = 2e5  # Pa
_LOOP = 1000  # evaluations inside one compiled loop
_ENERGY = 1e-6  # relative: what the points of the integral model have to reach
_LONGEST, _FASTEST = 0.07, 0.15  # m, m/s


def arm(sections: int, model: Any) -> pliant.Robot:
    """The document's sections, three muscles each, hanging."""
    robot, parent = pliant.Robot("arm"), {"link": "world", "offset": {"rotate": {"x": "180 deg"}}}
    muscles = {"radius": _RADIUS, "stiffness": 990.0, "damping": 49.5, "mass": _MASS / _LENGTH}
    around = {"radius": _RADIUS, "angles": ["0 deg", "120 deg", "240 deg"]}
    for number in range(1, sections + 1):
        name, settings = f"s{number}", {"allow": ["bend_x", "bend_y", "stretch"], "model": model}
        robot = robot.rod(name, parent=parent, length=_LENGTH, section={"muscles": muscles}, **settings)
        robot = robot.chamber(f"p{number}", link=name, area=_AREA, around=around, pressure=PRESSURE)
        parent = {"link": name, "at": 1}
    return robot


def moving(freedoms: int) -> tuple[jax.Array, jax.Array]:
    """Lengths of the muscles and their rates."""
    random = np.random.default_rng(0)
    q = random.uniform(0.0, _LONGEST, freedoms)
    return jnp.asarray(q), jnp.asarray(random.uniform(-_FASTEST, _FASTEST, freedoms))


def _points() -> int:
    """The fewest Gauss points with which a section has its energy."""

    def energy(points: int) -> float:
        model = pliant.compile(arm(1, {"integral": {"quadrature": points}}))
        return float(pliant.energy(model, *moving(model.nv))["kinetic"])

    exact = energy(20)
    return next(points for points in range(2, 20) if abs(energy(points) / exact - 1.0) <= _ENERGY)


def accelerating(model: Model) -> Callable[[Any, Any], Any]:
    """(prepared, inputs), (q, v, acceleration before) -> the same later. The pressures come from outside, as a
    controller's do."""

    def step(fixed: Any, state: Any) -> Any:
        (prepared, inputs), (q, v, _) = fixed, state
        a = accelerations(model, prepared, q, v, jnp.zeros(()), inputs)
        return q + 1e-9 * v, v + 1e-9 * a, a

    return step


def _loop(model: Model) -> Callable[[], Any]:
    prepared, step = prepare(model.structure, model.parameters), accelerating(model)

    @jax.jit
    def run(inputs: Any, state: Any) -> Any:
        return jax.lax.fori_loop(0, _LOOP, lambda _, state: step((prepared, inputs), state), state)

    inputs = {name: jnp.asarray(PRESSURE) for name in model.input_names}
    state = (*moving(model.nv), jnp.zeros(model.nv))
    return lambda: jax.block_until_ready(run(inputs, state))


def main(sections: int) -> None:
    on_one_core()
    points = _points()
    figures: dict[str, float] = {"points": points}
    for name, words in (("cog", "cog"), ("integral", {"integral": {"quadrature": points}})):
        first, seconds, _ = first_and_steady(_loop(pliant.compile(arm(sections, words))))
        figures |= {name: seconds / _LOOP, f"{name}_compile": first - seconds}
    report(**figures, rate=1.0 / figures["cog"], ratio=figures["integral"] / figures["cog"], freedoms=3 * sections)


if __name__ == "__main__":
    main(int(sys.argv[1]))
