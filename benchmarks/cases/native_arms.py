"""Arms at control rate in native code: `python -m cases.native_arms sections`, the library's three sections by the CoG
model, or `quasi-static`, the quasi-static arm of 100 intervals."""

import sys

import jax.numpy as jnp

import pliant
from cases.arm_sections import PRESSURE, accelerating, moving
from cases.native_loops import measured
from cases.quasi_static import pressed
from harness.timing import report
from pliant.model import prepare
from pliant.validation.arms._quasi_static_arm import PRESSURES, module_arm


def sections() -> dict[str, float]:
    model = pliant.compile(pliant.library.load("three-section-arm"))
    prepared = prepare(model.structure, model.parameters)
    inputs = {name: jnp.full(shape, PRESSURE) for name, shape in model.input_shapes.items()}
    state = (*moving(model.nv), jnp.zeros(model.nv))
    return measured(accelerating(model), (prepared, inputs), state) | {"freedoms": model.nv}


def quasi_static() -> dict[str, float]:
    bend = pressed(module_arm(), "tip")
    return measured(lambda _, state: bend(state), (), (jnp.asarray(PRESSURES), jnp.zeros(3)))


if __name__ == "__main__":
    report(**{"sections": sections, "quasi-static": quasi_static}[sys.argv[1]]())
