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
_ROUNDS = 24
_LINEAR = 1e-5  # relative residual of the linear solves
_DIRECTIONS = 80
_SHORTEST = 1.0 / 64.0  # of Newton's steps, when the whole one leads away
_DECREASE = 1e-4  # of the error, per unit of the step
_REMEMBERED = 3  # iterates of which the worst must be improved on


class _Iterate(NamedTuple):
    """unknown (nv + m,), its residual and error, the errors (k,) of the iterates before, the rounds, and whether no
    part of a step led on."""

    unknown: Array
    residual: Array
    error: Array
    earlier: Array
    rounds: Array
    stuck: Array


class _Trial(NamedTuple):
    fraction: Array
    unknown: Array
    residual: Array
    error: Array


def newton_krylov(
    drive: Drive, balance: Callable[[Array], Array], q: Array, guess: Array, h: Array
) -> tuple[Array, Array]:
    """Root of balance (accelerations (nv,), multipliers (m,)) near a guess, and whether it was found. q: configuration
    at the start of the step.

    A step that leads away is shortened. Turning a part along the tangent stretches it, and the next step mends that:
    the error must only fall below the largest of the last few (Grippo, Lampariello and Lucidi 1986).
    """
    nv = drive.model.nv
    inertial = inertial_solver(drive.model, drive.prepared, q, drive.low)

    def error(residual: Array) -> Array:
        return h**2 * jnp.max(jnp.abs(inertial(residual)[:nv]))

    def improved(iterate: _Iterate) -> _Iterate:
        def along(direction: Array) -> Array:
            return jax.jvp(balance, (iterate.unknown,), (direction,))[1]

        step = gmres(along, -iterate.residual, inertial, tolerance=_LINEAR, size=_DIRECTIONS)
        largest = jnp.max(iterate.earlier)

        def leads_on(trial: _Trial) -> Array:
            return trial.error <= (1.0 - _DECREASE * trial.fraction) * largest

        def shortened(trial: _Trial) -> _Trial:
            fraction = 0.5 * trial.fraction
            unknown = iterate.unknown + fraction * step
            residual = balance(unknown)
            return _Trial(fraction, unknown, residual, error(residual))

        # Begins beyond the whole step, so that the equations stand here only once.
        begin = _Trial(jnp.asarray(2.0), iterate.unknown, iterate.residual, jnp.asarray(jnp.nan))
        last = jax.lax.while_loop(lambda trial: ~leads_on(trial) & (trial.fraction > _SHORTEST), shortened, begin)
        earlier = jnp.concatenate([iterate.earlier[1:], last.error[None]])
        return _Iterate(last.unknown, last.residual, last.error, earlier, iterate.rounds + 1, ~leads_on(last))

    def unfinished(iterate: _Iterate) -> Array:
        return (iterate.rounds < _ROUNDS) & ~(iterate.error <= _TOLERANCE) & ~iterate.stuck

    start = balance(guess)
    first = error(start)
    earlier = jnp.full(_REMEMBERED, first)
    begin = _Iterate(guess, start, first, earlier, jnp.int32(0), jnp.asarray(False))
    found = jax.lax.while_loop(unfinished, improved, begin)
    return found.unknown, found.error <= _TOLERANCE
