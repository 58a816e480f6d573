"""Where a run starts: loops closed and staying closed, driven joints in place and at their rate."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.analysis import assemble
from pliant.dynamics import check_state, constraint_residual, motion_names, projected_state, refuse_impossible_state
from pliant.model import Model, State, prepare
from pliant.simulation._inputs import InputSet

_CLOSED = 1e-6  # m or rad: what a state that is given may lack; the run takes it away


def starting_state(model: Model, given: State | None, start: float, inputs: InputSet) -> State:
    """The state given, or that of the file. Loops that the file leaves open are closed; a state that is given has to
    have its own closed: closing them would start the run from somewhere else."""
    state = model.initial_state() if given is None else check_state(model, given)
    refuse_impossible_state(model, jnp.asarray(state.q))
    if not model.structure.constraint_count:
        return state
    moment = jnp.nextafter(jnp.asarray(start, dtype=jnp.float64), jnp.inf)
    ports = inputs.values(moment, state, motion_names(model.structure))
    if given is not None:
        _refuse_open_loops(model, jnp.asarray(given.q), moment, ports)
    q = assemble(model, jnp.asarray(state.q), float(moment), ports)
    q, v = _on_constraints(model, q, jnp.asarray(state.v), moment, ports)
    return State(q, v, state.memory)


@jax.jit
def _on_constraints(model: Model, q: Array, v: Array, t: Array, inputs: dict[str, Array]) -> tuple[Array, Array]:
    return projected_state(model, prepare(model.structure, model.parameters), q, v, t, inputs)


def _refuse_open_loops(model: Model, q: Array, t: Array, inputs: dict[str, Array]) -> None:
    """Loops that are held closed, and ties. What a programme or a controller leads may start from elsewhere."""
    structure = model.structure
    held = {name: kind for name, kind in structure.constraint_kinds.items() if not kind.prescribes}
    if not held:
        return
    rows = np.asarray(constraint_residual(model, q, t, inputs))
    found = [
        f"{name} is {kind.gap_words(np.abs(rows[structure.constraint_slices[name]]))}"
        for name, kind in held.items()
        if not np.max(np.abs(rows[structure.constraint_slices[name]])) <= _CLOSED
    ]
    if found:
        raise ValueError(
            f"the state does not satisfy the constraints of robot {model.name!r}: {'; '.join(found)}; at most "
            f"{_CLOSED:g} m or rad is taken. pliant.assemble(model, state.q) is the nearest configuration that does"
        )
