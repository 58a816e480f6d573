"""How well the energy of a run balances: by the power at its samples, where no ledger was kept."""

from typing import Any

import equinox as eqx
import jax
import numpy as np
from jax import Array

from pliant._jax import OWN_PROGRAM
from pliant.dynamics import motion_names, power
from pliant.model import Model, State, prepare
from pliant.simulation._inputs import InputSet
from pliant.simulation.stepping._flow import with_integral

_TOGETHER = 64  # samples


@eqx.filter_jit(**OWN_PROGRAM)
def _gains(model: Model, inputs: InputSet, times: Array, q: Array, v: Array, integral: Array, memory: Any) -> Array:
    """(N,) power of loads less the power lost [W]."""
    prepared, motions = prepare(model.structure, model.parameters), motion_names(model.structure)

    def one(sample: tuple[Any, ...]) -> Array:
        t, q, v, integral, memory = sample
        ports = with_integral(model, inputs.values(t, State(q, v), motions), integral)
        worked, lost = power(model, q, v, t, ports, prepared, memory)
        return worked - lost

    return jax.lax.map(one, (times, q, v, integral, memory), batch_size=_TOGETHER)


def unexplained(model: Model, inputs: InputSet, states: tuple[Any, ...], total: np.ndarray) -> np.ndarray:
    """(N,) how much of the change of the energy up to each state [J] its power does not explain, at most. states:
    times, q, v, integral and memory of N states of a run, in order of time; total (N,): their mechanical energy [J].

    The power is integrated by the trapezoidal rule. What it makes of all states and of every second one is three errors
    of the rule apart: that is added. Where nothing does work and nothing is lost, the answer is exact. What happens at
    an instant between two states, an impact or the heat of friction with memory, counts as not explained.
    """
    times = np.asarray(states[0])
    gain = np.asarray(_gains(model, inputs, *states))
    area = _integral(times, gain)
    coarse = np.interp(times, times[::2], _integral(times[::2], gain[::2]))
    off = np.abs(area - coarse)[::2]
    doubt = np.interp(np.arange(len(times)), np.arange(0, len(times), 2), np.maximum.accumulate(off))
    left = np.abs(total - total[0] - area) + doubt
    return np.where(np.isfinite(left), left, np.inf)


def _integral(times: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(N,) from the first time up to each."""
    return np.concatenate([[0.0], np.cumsum(0.5 * (values[1:] + values[:-1]) * np.diff(times))])
