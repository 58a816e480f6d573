"""Explicit steppers: adaptive Runge-Kutta by diffrax, and classical RK4 with a fixed step."""

import diffrax
import jax
import jax.numpy as jnp
from jax import Array

from pliant.numerics import ResultCode
from pliant.simulation._flow import Drive, Moving, finite
from pliant.simulation._march import march

_SOLVERS = {"tsit5": diffrax.Tsit5, "dopri8": diffrax.Dopri8}
_MAX_STEPS = 1_000_000  # per chunk
_RK4_NODES = (0.0, 0.5, 0.5, 1.0)  # each stage starts from the one before, this fraction of the step ahead
_RK4_WEIGHTS = (1 / 6, 1 / 3, 1 / 3, 1 / 6)

Rates = tuple[Array, Array, Array, Array]


def _rates(drive: Drive, t: Array, y: Rates) -> Rates:
    q, v, _, _ = y
    return (drive.model.rate(q, v), drive.acceleration(t, q, v), *drive.powers(t, q, v))


def adaptive(
    name: str, drive: Drive, start: Moving, targets: Array, rtol: Array, atol: Array
) -> tuple[Moving, Array, Array]:
    """States at the targets (leading axis), ResultCode, steps taken."""
    solution = diffrax.diffeqsolve(
        diffrax.ODETerm(lambda t, y, drive: _rates(drive, jnp.asarray(t), y)),
        _SOLVERS[name](),
        t0=drive.low,
        t1=drive.high,
        dt0=None,
        y0=(start.q, start.v, start.work, start.lost),
        args=drive,
        saveat=diffrax.SaveAt(ts=targets),
        stepsize_controller=diffrax.PIDController(rtol=rtol, atol=atol),
        max_steps=_MAX_STEPS,
        throw=False,
    )
    q, v, work, lost = solution.ys
    states = Moving(q, v, jnp.broadcast_to(start.a, v.shape), work, lost)
    # The codes of diffrax are objects of an enumeration; only "too many steps" is told apart from the rest.
    failed = jnp.where(
        solution.result == diffrax.RESULTS.max_steps_reached, ResultCode.MAX_STEPS, ResultCode.STEP_TOO_SMALL
    )
    code = jnp.where(solution.result == diffrax.RESULTS.successful, ResultCode.SUCCESS, failed)
    code = jnp.where(finite(states) | (code != ResultCode.SUCCESS), code, ResultCode.NOT_FINITE)
    return states, code.astype(jnp.int32), solution.stats["num_steps"]


def rk4(drive: Drive, start: Moving, targets: Array, step: Array) -> tuple[Moving, Array, Array]:
    """Classical Runge-Kutta of order four with equal steps, none longer than `step`, between targets."""

    def advance(moving: Moving, t: Array, h: Array) -> tuple[Moving, Array]:
        y = (moving.q, moving.v, moving.work, moving.lost)

        # A scan, so that the program holds the equations of motion once rather than four times.
        def stage(carry: tuple[Rates, Rates], coefficients: tuple[Array, Array]) -> tuple[tuple[Rates, Rates], None]:
            rate, total = carry
            ahead, weight = coefficients
            rate = _rates(drive, t + ahead * h, jax.tree.map(lambda x, r: x + ahead * h * r, y, rate))
            return (rate, jax.tree.map(lambda s, r: s + weight * r, total, rate)), None

        zero = jax.tree.map(jnp.zeros_like, y)
        (_, mean), _ = jax.lax.scan(stage, (zero, zero), (jnp.asarray(_RK4_NODES), jnp.asarray(_RK4_WEIGHTS)))
        q, v, work, lost = jax.tree.map(lambda x, r: x + h * r, y, mean)
        moved = Moving(q, v, moving.a, work, lost)
        return moved, jnp.where(finite(moved), ResultCode.SUCCESS, ResultCode.NOT_FINITE)

    return march(advance, start, drive.low, targets, step)
