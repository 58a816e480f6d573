"""Where a run starts: loops closed and staying closed, driven joints in place and at their rate."""

import warnings
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.analysis import assemble
from pliant.dynamics import (
    check_state,
    constraint_residual,
    energy,
    motion_names,
    projected_state,
    refuse_impossible_state,
    refuse_overlap,
)
from pliant.model import Model, State, prepare
from pliant.simulation._inputs import InputSet

_CLOSED = 1e-6  # m or rad: what a state that is given may lack; the run takes it away
_ASSEMBLED = 1e-3  # m or rad: what a file may leave open without a word


class Assembly(NamedTuple):
    """What closing the loops of the file's initial state has done: how far they were open [m or rad], and the energy
    that the robot stores since [J]."""

    gap: float
    stored: float


def starting_state(model: Model, given: State | None, start: float, inputs: InputSet) -> tuple[State, Assembly | None]:
    """The state given, or that of the file. Loops that the file leaves open are closed, and a warning says so; a state
    that is given has to have its own closed: closing them would start the run from somewhere else."""
    state = model.initial_state() if given is None else check_state(model, given)
    refuse_impossible_state(model, jnp.asarray(state.q))
    refuse_overlap(model, jnp.asarray(state.q), given is not None)
    if not model.structure.constraint_count:
        return state, None
    moment = jnp.nextafter(jnp.asarray(start, dtype=jnp.float64), jnp.inf)
    ports = inputs.values(moment, state, motion_names(model.structure))
    open_loops, gap = _open_loops(model, jnp.asarray(state.q), moment, ports)
    if given is not None and open_loops:
        raise ValueError(
            f"the state does not satisfy the constraints of robot {model.name!r}: {'; '.join(open_loops)}; at most "
            f"{_CLOSED:g} m or rad is taken. pliant.assemble(model, state.q) is the nearest configuration that does"
        )
    q = assemble(model, jnp.asarray(state.q), float(moment), ports)
    q, v = _on_constraints(model, q, jnp.asarray(state.v), moment, ports)
    if gap <= _ASSEMBLED:
        return State(q, v, state.memory), None
    stored = float(energy(model, q, v, moment)["elastic"])
    warnings.warn(
        f"the initial state of robot {model.name!r} leaves loops open: {'; '.join(open_loops)}. They were closed, and "
        f"the robot now stores {stored:.3g} J. Give an initial state with closed loops if that is not what is meant",
        RuntimeWarning,
        stacklevel=4,
    )
    return State(q, v, state.memory), Assembly(gap, stored)


@jax.jit
def _on_constraints(model: Model, q: Array, v: Array, t: Array, inputs: dict[str, Array]) -> tuple[Array, Array]:
    return projected_state(model, prepare(model.structure, model.parameters), q, v, t, inputs)


def _open_loops(model: Model, q: Array, t: Array, inputs: dict[str, Array]) -> tuple[list[str], float]:
    """Loops and ties that are open, in words, and the largest gap [m or rad]. What a programme or a controller leads
    may start from elsewhere."""
    structure = model.structure
    held = {name: kind for name, kind in structure.constraint_kinds.items() if not kind.prescribes}
    if not held:
        return [], 0.0
    rows = np.abs(np.asarray(constraint_residual(model, q, t, inputs)))
    gaps = {name: rows[structure.constraint_slices[name]] for name in held}
    found = [f"{name} is {held[name].gap_words(gap)}" for name, gap in gaps.items() if not np.max(gap) <= _CLOSED]
    return found, max(float(np.max(gap)) for gap in gaps.values())
