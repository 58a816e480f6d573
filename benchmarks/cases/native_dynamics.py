"""Acceleration of the silicone arm of n pieces in native code: `python -m cases.native_dynamics 3 parameters`, with its
numbers as arguments, as `compile_native` does; or `constants`, with its numbers in the code."""

import sys
from typing import Any

import jax
import jax.numpy as jnp

import pliant
from cases.native_loops import measured
from cases.robots import arm
from harness import problems
from harness.timing import report
from pliant.dynamics import accelerations
from pliant.model import prepare


def main(pieces: int, numbers: str) -> None:
    model = pliant.compile(arm(pieces))
    prepared = prepare(model.structure, model.parameters)
    fixed = {"parameters": prepared, "constants": None}[numbers]

    def step(fixed: Any, state: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        q, v, _ = state
        a = accelerations(model, prepared if fixed is None else fixed, q, v, jnp.zeros(()), {})
        return q + 1e-9 * v, v + 1e-9 * a, a

    q, v = (jnp.asarray(part.reshape(model.nv)) for part in problems.arm_state(pieces=pieces))
    report(**measured(step, fixed, (q, v, jnp.zeros(model.nv))), freedoms=model.nv)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
