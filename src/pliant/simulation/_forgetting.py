"""How much of an error a robot still has after a while: what damping takes from it."""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from jax import Array

from pliant._jax import OWN_PROGRAM
from pliant.dynamics import accelerations, is_large, mass_matrix, motion_names
from pliant.model import Model, State, prepare
from pliant.simulation._inputs import InputSet
from pliant.simulation.stepping._flow import with_integral

LOOKS = 8  # states whose tangents are averaged


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


def nothing_forgotten(checks: int) -> Forgetting:
    return Forgetting(np.array([0.0, np.finfo(float).max]), np.ones((checks, 2)))


@eqx.filter_jit(**OWN_PROGRAM)
def _tangents(
    model: Model, inputs: InputSet, times: Array, q: Array, v: Array, integral: Array, memory: Any
) -> tuple[Array, Array]:
    """The mean tangent (2 nv, 2 nv) of the rates of position and velocity, and the mean mass matrix (nv, nv)."""
    prepared, motions, nv = prepare(model.structure, model.parameters), motion_names(model.structure), model.nv

    def one(sample: tuple[Any, ...]) -> tuple[Array, Array]:
        t, q, v, integral, memory = sample

        def rate(x: Array) -> Array:
            there, speed = model.integrate(q, x[:nv]), v + x[nv:]
            ports = with_integral(model, inputs.values(t, State(there, speed), motions), integral)
            return accelerations(model, prepared, there, speed, t, ports, memory)

        return jax.jacfwd(rate)(jnp.zeros(2 * nv)), mass_matrix(model, q)

    # What some law makes infinite at rest says nothing.
    by_state, mass = jax.lax.map(one, (times, q, v, integral, memory))
    mean = jnp.mean(by_state, axis=0)
    still = jnp.concatenate([jnp.zeros((nv, nv)), jnp.eye(nv)], axis=1)
    return jnp.concatenate([still, mean]), jnp.mean(mass, axis=0)


@eqx.filter_jit
def _differences(model: Model, q: Array, other: Array) -> Array:
    return jax.vmap(model.difference)(q, other)


def forgetting(
    model: Model, inputs: InputSet, states: tuple[Any, ...], pairs: Any, step: float, until: float
) -> Forgetting:
    """By the tangents at some states of the run, averaged. states: times, q, v, integral and memory of the checks."""
    count = len(pairs.time)
    real = np.flatnonzero(pairs.stands_for > 0.0)
    if is_large(model.structure) or not len(real):
        return nothing_forgotten(count)
    picked = real[np.linspace(0, len(real) - 1, LOOKS).round().astype(int)]
    tangent, mass = map(np.asarray, _tangents(model, inputs, *jax.tree.map(lambda x: np.asarray(x)[picked], states)))
    if not (np.all(np.isfinite(tangent)) and np.all(np.isfinite(mass))):
        return nothing_forgotten(count)
    apart = np.asarray(_differences(model, pairs.q, pairs.half_q))
    errors = np.concatenate([apart, pairs.v - pairs.half_v], axis=1).T
    if not np.all(np.isfinite(errors)):
        return nothing_forgotten(count)
    return decay(tangent, np.linalg.cholesky(mass).T, errors, step, until)


def decay(tangent: np.ndarray, weight: np.ndarray, errors: np.ndarray, shortest: float, longest: float) -> Forgetting:
    """How errors (2 n, P) of position and velocity go on in d/dt x = tangent x. weight (n, n): of positions, whose size
    counts. A position that swings counts by the largest it will still have."""
    n = len(weight)
    octaves = int(np.ceil(np.log2(max(longest / shortest, 2.0)))) + 1
    ahead = [scipy.linalg.expm(0.25 * shortest * tangent)]
    for _ in range(octaves + 2):
        ahead.append(ahead[-1] @ ahead[-1])
    delays, moved = [0.0], [errors]
    for octave in range(octaves):
        quarter, half, whole = ahead[octave : octave + 3]
        at = [whole @ errors]
        at += [quarter @ at[0], half @ at[0]]
        at.append(quarter @ at[2])
        delays += list(shortest * 2.0**octave * np.array([1.0, 1.25, 1.5, 1.75]))
        moved += at
    with np.errstate(all="ignore"):
        size = np.stack([np.linalg.norm(weight @ x[:n], axis=0) for x in moved], axis=1)
        size = np.where(np.isfinite(size), size, np.inf)
        largest = np.maximum.accumulate(size[:, ::-1], axis=1)[:, ::-1]
        left = largest / largest[:, :1]
    return Forgetting(np.array(delays), np.where(np.isfinite(left), left, 1.0))
