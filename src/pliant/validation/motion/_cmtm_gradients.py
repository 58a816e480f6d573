"""Derivatives of the equations of motion of PCS chains in closed form (CMTM) against automatic differentiation."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.description import Robot
from pliant.dynamics import Weights, closed_tangent, residual
from pliant.model import Model, State, compile, prepare
from pliant.validation._case import Clock, Data, Figures, below

PIECES = (1, 3, 10)
TOLERANCE = 1e-10  # of the largest entry
SIZES = {"random strain": 1.0, "zero strain": 0.0}  # of the strains; of order one, as are rates and accelerations
# So soft that inertia has its part in the derivative by q.
MATERIAL = {"young": 100.0, "poisson": 0.5, "density": 1080.0, "viscosity": 0.3}
SECTION = {"rectangle": {"width": "60 mm", "height": "25 mm"}}


def chain(pieces: int) -> Robot:
    robot = Robot("chain").material("soft", **MATERIAL)
    return robot.rod("arm", length=0.9, section=SECTION, material="soft", model={"pcs": {"pieces": pieces}})


@jax.jit
def by_differentiation(model: Model, q: Array, v: Array, a: Array) -> tuple[Array, ...]:
    return jax.jacfwd(residual, argnums=(1, 2, 3))(model, q, v, a)


@jax.jit
def in_closed_form(model: Model, q: Array, v: Array, a: Array) -> tuple[Array, ...]:
    prepared = prepare(model.structure, model.parameters)
    units = jnp.eye(3)
    return tuple(closed_tangent(model, prepared, State(q, v), a, jnp.zeros(()), {}, Weights(*unit)) for unit in units)


def figures(case: str, data: Data) -> Figures:
    clock, random = Clock(), np.random.default_rng(3)
    for pieces in PIECES:
        model = compile(chain(pieces))
        for name, size in SIZES.items():
            q, v, a = (jnp.asarray(random.normal(size=model.nv)) for _ in range(3))
            exact, found = (function(model, size * q, v, a) for function in (by_differentiation, in_closed_form))
            for letter, expected, got in zip("qva", exact, found, strict=True):
                error = float(jnp.max(jnp.abs(got - expected)) / jnp.max(jnp.abs(expected)))
                figure = f"dr/d{letter} at {name}, error over its largest entry [1]"
                yield below(case, f"pcs {pieces} pieces", figure, error, TOLERANCE, clock)
