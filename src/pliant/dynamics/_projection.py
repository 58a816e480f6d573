"""Putting a robot back onto its constraints: positions and velocities, by the shortest way in kinetic energy."""

from collections.abc import Callable, Mapping

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._constraints import constraint_jacobian, constraint_rates, constraint_values
from pliant.dynamics._flattened import constrained_step
from pliant.dynamics._kinematics import Kinematics, kinematics
from pliant.dynamics._mass import mass_factor, mass_solve
from pliant.model import Model, Prepared

_CHORDS = 3  # corrections of position with one Jacobian: a step of a stepper drifts little


def _asked(model: Model, prepared: Prepared, kin: Kinematics) -> tuple[Array, Array]:
    """Jacobian (m, nv) of the constraints and a factor (m,) on what they lack: both zero in the rows that a controller
    leads, which are not put anywhere."""
    structure = model.structure
    rows = constraint_jacobian(structure, prepared, kin)
    if structure.held is None:
        return rows, jnp.ones(())
    held = jnp.asarray(structure.held)
    return rows * held[:, None], held


def projected_position(model: Model, prepared: Prepared, q: Array, t: Array, inputs: Mapping[str, Array]) -> Array:
    """q moved by one Newton step towards the constraints at time t."""
    structure = model.structure
    kin = kinematics(structure, prepared, q)
    rows, held = _asked(model, prepared, kin)
    excess = held * constraint_values(structure, prepared, kin, q, t, inputs)
    step, _ = constrained_step(structure, mass_factor(structure, prepared, kin, q), rows, excess)
    return model.integrate(q, step)


def projected_state(
    model: Model, prepared: Prepared, q: Array, v: Array, t: Array, inputs: Mapping[str, Array]
) -> tuple[Array, Array]:
    """A state near the constraints put onto them: loops closed and staying closed, driven joints in place and at the
    rate prescribed at time t. One Jacobian serves all corrections; what they have to take away is evaluated anew."""
    structure = model.structure
    kin = kinematics(structure, prepared, q)
    factor = mass_factor(structure, prepared, kin, q)
    rows, held = _asked(model, prepared, kin)
    for chord in range(_CHORDS):
        kin = kin if chord == 0 else kinematics(structure, prepared, q)
        excess = held * constraint_values(structure, prepared, kin, q, t, inputs)
        q = model.integrate(q, constrained_step(structure, factor, rows, excess)[0])
    rate, _ = constraint_rates(structure, prepared, kinematics(structure, prepared, q, v), q, v, t, inputs)
    return q, v + constrained_step(structure, factor, rows, held * rate)[0]


def constraint_gaps(model: Model, prepared: Prepared, q: Array, t: Array, inputs: Mapping[str, Array]) -> Array:
    """(m,) the constraints [m or rad] with prepared parameters; zero in the rows that a controller leads."""
    kin = kinematics(model.structure, prepared, q)
    gaps = constraint_values(model.structure, prepared, kin, q, t, inputs)
    return gaps if model.structure.held is None else gaps * jnp.asarray(model.structure.held)


def control_errors(model: Model, prepared: Prepared, q: Array, t: Array, inputs: Mapping[str, Array]) -> Array:
    """(k,) how far each direction that a controller leads is from where it shall be [m or rad]."""
    if model.structure.held is None:
        return jnp.zeros(0)
    kin = kinematics(model.structure, prepared, q)
    return constraint_values(model.structure, prepared, kin, q, t, inputs)[np.flatnonzero(model.structure.held == 0.0)]


def inertial_solver(model: Model, prepared: Prepared, q: Array) -> Callable[[Array], Array]:
    """Solves the equations of motion without stiffness and damping: from a residual (forces (nv,), second rates of the
    constraints (m,)) to accelerations and multipliers that would cause it."""
    structure = model.structure
    kin = kinematics(structure, prepared, q)
    factor = mass_factor(structure, prepared, kin, q)
    if not structure.constraint_count:
        return lambda residual: mass_solve(structure, factor, residual)
    rows = constraint_jacobian(structure, prepared, kin)

    def solve(residual: Array) -> Array:
        free = mass_solve(structure, factor, residual[: model.nv])
        step, multipliers = constrained_step(structure, factor, rows, rows @ free - residual[model.nv :])
        return jnp.concatenate([free + step, multipliers])

    return solve
