"""Putting a robot back onto its constraints: positions and velocities, by the shortest way in kinetic energy."""

from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._constraints import constraint_rates, constraint_values
from pliant.dynamics._evaluation import Evaluation, evaluation
from pliant.dynamics._flattened import constrained_step
from pliant.dynamics._interactions import constraint_jacobian
from pliant.dynamics._mass import mass_factor, mass_solve
from pliant.model import Model, Prepared

_CHORDS = 3  # corrections of position with one Jacobian: a step of a stepper drifts little


def _asked(at: Evaluation) -> tuple[Array, Array]:
    """Jacobian (m, nv) of the constraints and a factor (m,) on what they lack: both zero in the rows that a controller
    leads, which are not put anywhere."""
    rows = constraint_jacobian(at)
    if at.structure.held is None:
        return rows, jnp.ones(())
    held = jnp.asarray(at.structure.held)
    return rows * held[:, None], held


def projected_position(model: Model, prepared: Prepared, q: Array, t: Array, inputs: Mapping[str, Array]) -> Array:
    """q moved by one Newton step towards the constraints at time t."""
    at = evaluation(model.structure, prepared, q, None, t, inputs)
    rows, held = _asked(at)
    step, _ = constrained_step(model.structure, mass_factor(at), rows, held * constraint_values(at))
    return model.integrate(q, step)


@jax.custom_jvp
def projected_state(
    model: Model, prepared: Prepared, q: Array, v: Array, t: Array, inputs: Mapping[str, Array]
) -> tuple[Array, Array]:
    """A state near the constraints put onto them: loops closed and staying closed, driven joints in place and at the
    rate prescribed at time t. One Jacobian serves all corrections; what they have to take away is evaluated anew.

    Its derivative is that of one Newton step at the place where the corrections end (implicit function theorem): the
    constraints hold there, so that how the Jacobian of the positions changes does not matter.
    """
    structure = model.structure
    at = evaluation(structure, prepared, q, None, t, inputs)
    factor = mass_factor(at)
    rows, held = _asked(at)
    for chord in range(_CHORDS):
        at = at if chord == 0 else evaluation(structure, prepared, q, None, t, inputs)
        q = model.integrate(q, constrained_step(structure, factor, rows, held * constraint_values(at))[0])
    rate, _ = constraint_rates(evaluation(structure, prepared, q, v, t, inputs))
    return q, v + constrained_step(structure, factor, rows, held * rate)[0]


@projected_state.defjvp
def _projected_state_jvp(primals: tuple, tangents: tuple) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    place, rate = projected_state(*primals)

    def corrected(
        model: Model, prepared: Prepared, q: Array, v: Array, t: Array, inputs: Mapping[str, Array]
    ) -> tuple[Array, Array]:
        structure = model.structure
        at = evaluation(structure, prepared, q, None, t, inputs)
        factor = mass_factor(at)
        rows, held = _asked(at)
        lacked = jax.lax.stop_gradient(-rows @ model.difference(place, q))
        there = model.integrate(q, constrained_step(structure, factor, rows, lacked)[0])
        lacks = held * constraint_values(evaluation(structure, prepared, there, None, t, inputs))
        there = model.integrate(there, constrained_step(structure, *jax.lax.stop_gradient((factor, rows)), lacks)[0])
        rate, _ = constraint_rates(evaluation(structure, prepared, there, v, t, inputs))
        return there, v + constrained_step(structure, factor, rows, held * rate)[0]

    return (place, rate), jax.jvp(corrected, primals, tangents)[1]


def constraint_gaps(model: Model, prepared: Prepared, q: Array, t: Array, inputs: Mapping[str, Array]) -> Array:
    """(m,) the constraints [m or rad] with prepared parameters; zero in the rows that a controller leads."""
    gaps = constraint_values(evaluation(model.structure, prepared, q, None, t, inputs))
    return gaps if model.structure.held is None else gaps * jnp.asarray(model.structure.held)


def control_errors(model: Model, prepared: Prepared, q: Array, t: Array, inputs: Mapping[str, Array]) -> Array:
    """(k,) how far each direction that a controller leads is from where it shall be [m or rad]."""
    if model.structure.held is None:
        return jnp.zeros(0)
    errors = constraint_values(evaluation(model.structure, prepared, q, None, t, inputs))
    return errors[np.flatnonzero(model.structure.held == 0.0)]


def inertial_solver(model: Model, prepared: Prepared, q: Array, t: Array) -> Callable[[Array], Array]:
    """Solves the equations of motion without stiffness and damping: from a residual (forces (nv,), second rates of the
    constraints (m,)) to accelerations and multipliers that would cause it."""
    structure = model.structure
    at = evaluation(structure, prepared, q, None, t, {})
    factor = mass_factor(at)
    if not structure.constraint_count:
        return lambda residual: mass_solve(structure, factor, residual)
    rows = constraint_jacobian(at)

    def solve(residual: Array) -> Array:
        free = mass_solve(structure, factor, residual[: model.nv])
        step, multipliers = constrained_step(structure, factor, rows, rows @ free - residual[model.nv :])
        return jnp.concatenate([free + step, multipliers])

    return solve
