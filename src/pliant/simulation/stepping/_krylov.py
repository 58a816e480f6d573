"""Newton-Krylov for implicit steps of robots with meshes: no matrix is formed, only derivatives along directions.

The preconditioner is the equations without stiffness and damping: mass and constraints, which are solved exactly.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from pliant.dynamics import inertial_solver
from pliant.numerics import gmres
from pliant.simulation.stepping._flow import Drive

_TOLERANCE = 1e-10  # m or rad: what the residual would still move in a step
_ROUNDS = 12
_LINEAR = 1e-5  # relative residual of the linear solves
_DIRECTIONS = 80


class _Iterate(NamedTuple):
    unknown: Array
    residual: Array
    error: Array
    rounds: Array


def newton_krylov(
    drive: Drive, balance: Callable[[Array], Array], q: Array, guess: Array, h: Array
) -> tuple[Array, Array]:
    """Root of balance (accelerations (nv,), multipliers (m,)) near a guess, and whether it was found. q: configuration
    at the start of the step."""
    nv = drive.model.nv
    inertial = inertial_solver(drive.model, drive.prepared, q, drive.low)

    def error(residual: Array) -> Array:
        return h**2 * jnp.max(jnp.abs(inertial(residual)[:nv]))

    def improved(iterate: _Iterate) -> _Iterate:
        def along(direction: Array) -> Array:
            return jax.jvp(balance, (iterate.unknown,), (direction,))[1]

        step = gmres(along, -iterate.residual, inertial, tolerance=_LINEAR, size=_DIRECTIONS)
        new = iterate.unknown + step
        residual = balance(new)
        return _Iterate(new, residual, error(residual), iterate.rounds + 1)

    def unfinished(iterate: _Iterate) -> Array:
        return (iterate.rounds < _ROUNDS) & ~(iterate.error <= _TOLERANCE)

    start = balance(guess)
    found = jax.lax.while_loop(unfinished, improved, _Iterate(guess, start, error(start), jnp.int32(0)))
    return found.unknown, found.error <= _TOLERANCE
