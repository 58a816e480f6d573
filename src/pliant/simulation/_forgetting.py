"""How much of an error a robot still has after a while: what damping takes from it."""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant._jax import OWN_PROGRAM
from pliant.dynamics import accelerations, is_large, mass_matrix, motion_names
from pliant.model import Model, State, prepare
from pliant.simulation._checked_steps import Pairs
from pliant.simulation._inputs import InputSet
from pliant.simulation.stepping._flow import with_integral

_LOOKS = 8  # states whose tangents are taken
_LATE = 3.0  # times as long as an error lasts: a motion that goes on after that is driven
_TUNED = 0.5  # of the smaller of two paces: before it is late, two that differ by less may be one
_BELIEVED = 0.125  # the least that is left of an error before it is late
_BEYOND = 3  # octaves
_RUNGE_KUTTA = 4  # the order of


class Forgetting(NamedTuple):
    """What is left (P, G) of the errors of P checks after delays (G,) [s], from 1 down; the delays begin with 0."""

    delays: np.ndarray
    left: np.ndarray

    def share(self, since: np.ndarray, span: np.ndarray) -> np.ndarray:
        """(..., P) what is left of errors that were made over a span (P,) [s], the last of them `since` (..., P) [s]:
        the mean over the span."""
        widths = np.diff(self.delays)
        area = np.cumsum(0.5 * (self.left[:, 1:] + self.left[:, :-1]) * widths, axis=1)
        total = np.concatenate([np.zeros((len(area), 1)), area], axis=1)
        found = np.zeros(np.shape(since))
        for check in range(len(self.left)):
            low = since[..., check]
            at = [np.interp(when, self.delays, total[check]) for when in (low, low + span[check])]
            point = np.interp(low, self.delays, self.left[check])
            whole = span[check] > 0.0
            found[..., check] = (at[1] - at[0]) / span[check] if whole else point
        return found


@eqx.filter_jit(**OWN_PROGRAM)
def _tangents(
    model: Model, inputs: InputSet, times: Array, q: Array, v: Array, integral: Array, memory: Any
) -> tuple[Array, Array]:
    """Tangents (K, 2 nv, 2 nv) of the rates of position and velocity, and the mean mass matrix (nv, nv)."""
    prepared, motions, nv = prepare(model.structure, model.parameters), motion_names(model.structure), model.nv

    def one(sample: tuple[Any, ...]) -> tuple[Array, Array]:
        t, q, v, integral, memory = sample

        def rate(x: Array) -> Array:
            there, speed = model.integrate(q, x[:nv]), v + x[nv:]
            ports = with_integral(model, inputs.values(t, State(there, speed), motions), integral)
            return accelerations(model, prepared, there, speed, t, ports, memory)

        return jax.jacfwd(rate)(jnp.zeros(2 * nv)), mass_matrix(model, q)

    by_state, mass = jax.lax.map(one, (times, q, v, integral, memory))
    moving = jnp.concatenate([jnp.zeros((nv, nv)), jnp.eye(nv)], axis=1)
    rates = jnp.concatenate([jnp.broadcast_to(moving, by_state.shape), by_state], axis=1)
    return rates, jnp.mean(mass, axis=0)


@eqx.filter_jit
def _differences(model: Model, q: Any, other: Any) -> Array:
    return jax.vmap(model.difference)(q, other)


def forgetting(
    model: Model,
    inputs: InputSet,
    states: tuple[Any, ...],
    pairs: Pairs,
    step: float,
    order: int,
    times: tuple[float, float],
) -> Forgetting | None:
    """By the tangents at some states of the run: the mean of what each of them would leave, or what their mean would
    leave, whichever is less. states: times, q, v, integral and memory of the checks; step, order: of the stepper;
    times: start and end of the run. None where that is not known: nothing counts as forgotten.

    Errors of a motion that is kept going from outside are made at the pace of what drives it; the robot carries them on
    at its own pace, and so they cancel: what is left adds up as the response to a force does that is out of tune. A
    motion that goes on for much longer than it remembers is driven; before that it may be free, and two paces have to
    differ clearly.
    """
    real = np.flatnonzero(pairs.stands_for > 0.0)
    if is_large(model.structure) or not len(real):
        return None
    picked = real[np.linspace(0, len(real) - 1, _LOOKS).round().astype(int)]
    tangents, mass = map(np.asarray, _tangents(model, inputs, *jax.tree.map(lambda x: np.asarray(x)[picked], states)))
    apart = np.asarray(_differences(model, pairs.q, pairs.half_q))
    errors = np.where(pairs.stands_for > 0.0, np.concatenate([apart, pairs.v - pairs.half_v], axis=1).T, 0.0)
    # Some laws have no derivative at rest.
    if not all(np.all(np.isfinite(part)) for part in (tangents, mass, errors)):
        return None
    weight = np.linalg.cholesky(mass).T
    # Beyond the end of the run too: a swing that is seen at its smallest last would seem to be over.
    octaves = int(np.ceil(np.log2(max((times[1] - times[0]) / step, 2.0)))) + _BEYOND
    # A robot that passes through states which would topple by themselves is held by the mean of its tangents.
    mean, *each = (
        decay(step_matrix(tangent, step, order), weight, errors, octaves)
        for tangent in (np.mean(tangents, axis=0), *tangents)
    )
    delays = step * mean.delays
    left = np.minimum(mean.left, np.mean([one.left for one in each], axis=0))
    memory = np.sum(0.5 * (left[:, 1:] + left[:, :-1]) * np.diff(delays), axis=1)
    late = pairs.time - times[0] > _LATE * memory
    n = model.nv
    driven = _pace(weight @ errors[:n, pairs.regular], weight @ errors[n:, pairs.regular])
    own = float(np.mean([one.pace for one in each]))
    apart_by = abs(driven - own)
    surely = max(0.0, apart_by - _TUNED * min(driven, own))
    lasts = times[1] - times[0] > _LATE * memory
    early = np.where(lasts, np.maximum(1.0 / np.hypot(1.0, surely * memory), _BELIEVED), 1.0)
    kept = np.where(pairs.regular, np.where(late, 1.0 / np.hypot(1.0, apart_by * memory), early), 1.0)
    return Forgetting(delays, left * kept[:, None])


def step_matrix(tangent: np.ndarray, step: float, order: int) -> np.ndarray:
    """(2 n, 2 n) what a step makes of a small error: of classical Runge-Kutta, or of the trapezoidal rule, which is
    what implicit steps are."""
    unit, ahead = np.eye(len(tangent)), step * tangent
    if order == _RUNGE_KUTTA:
        return unit + ahead @ (unit + ahead @ (unit + ahead @ (unit + ahead / 4.0) / 3.0) / 2.0)
    return np.linalg.solve(unit - 0.5 * ahead, unit + 0.5 * ahead)


class Decay(NamedTuple):
    """What is left (P, G) of errors after delays (G,), in steps, and the pace [1/s] at which they swing."""

    delays: np.ndarray
    left: np.ndarray
    pace: float


def decay(step: np.ndarray, weight: np.ndarray, errors: np.ndarray, octaves: int) -> Decay:
    """How errors (2 n, P) of position and velocity go on from step to step. weight (n, n): of positions, whose size
    counts. A position that swings counts by the largest it will still have."""
    n = len(weight)
    with np.errstate(all="ignore"):
        powers = [step]
        for _ in range(octaves):
            powers.append(powers[-1] @ powers[-1])
        delays, moved = [0.0], [errors]
        for octave in range(octaves + 1):
            at = powers[octave] @ errors
            delays.append(2.0**octave)
            moved.append(at)
            # At a quarter, a half and three quarters of the way to the next.
            for parts in ((2,), (1,), (1, 2)) if octave > 1 else ():
                within = at
                for part in parts:
                    within = powers[octave - part] @ within
                delays.append(2.0**octave * (1.0 + sum(0.5**part for part in parts)))
                moved.append(within)
        every = np.stack(moved)
        position, velocity = weight @ every[:, :n], weight @ every[:, n:]
        size = np.linalg.norm(position, axis=1).T
        size = np.where(np.isfinite(size), size, np.inf)
        largest = np.maximum.accumulate(size[:, ::-1], axis=1)[:, ::-1]
        left = largest / largest[:, :1]
    left = np.where(np.isfinite(left), left, 1.0)
    return Decay(np.array(delays), left, _pace(position, velocity))


def _pace(position: np.ndarray, velocity: np.ndarray) -> float:
    """The frequency [rad/s] of what has these positions and velocities, at all phases alike."""
    with np.errstate(all="ignore"):
        found = np.sqrt(np.sum(velocity**2) / np.sum(position**2))
    return float(found) if np.isfinite(found) else 0.0
