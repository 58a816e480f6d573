"""Putting a robot back onto its constraints: positions and velocities, by the shortest way in kinetic energy."""

from collections.abc import Mapping

from jax import Array

from pliant.dynamics._constraints import constraint_jacobian, constraint_rates, constraint_values
from pliant.dynamics._flattened import constrained_step
from pliant.dynamics._kinematics import kinematics
from pliant.dynamics._mass import mass_factor
from pliant.model import Model, Prepared

_CHORDS = 3  # corrections of position with one Jacobian: a step of a stepper drifts little


def projected_position(model: Model, prepared: Prepared, q: Array, t: Array, inputs: Mapping[str, Array]) -> Array:
    """q moved by one Newton step towards the constraints at time t."""
    structure = model.structure
    kin = kinematics(structure, prepared, q)
    factor = mass_factor(structure, prepared, kin)
    excess = constraint_values(structure, prepared, kin, q, t, inputs)
    step, _ = constrained_step(structure, factor, constraint_jacobian(structure, prepared, kin), excess)
    return model.integrate(q, step)


def projected_state(
    model: Model, prepared: Prepared, q: Array, v: Array, t: Array, inputs: Mapping[str, Array]
) -> tuple[Array, Array]:
    """A state near the constraints put onto them: loops closed and staying closed, driven joints in place and at the
    rate prescribed at time t. One Jacobian serves all corrections; what they have to take away is evaluated anew."""
    structure = model.structure
    kin = kinematics(structure, prepared, q)
    factor = mass_factor(structure, prepared, kin)
    rows = constraint_jacobian(structure, prepared, kin)
    for chord in range(_CHORDS):
        kin = kin if chord == 0 else kinematics(structure, prepared, q)
        step, _ = constrained_step(structure, factor, rows, constraint_values(structure, prepared, kin, q, t, inputs))
        q = model.integrate(q, step)
    rate, _ = constraint_rates(structure, prepared, kinematics(structure, prepared, q, v), q, v, t, inputs)
    return q, v + constrained_step(structure, factor, rows, rate)[0]


def constraint_gaps(model: Model, prepared: Prepared, q: Array, t: Array, inputs: Mapping[str, Array]) -> Array:
    """(m,) the constraints [m or rad] with prepared parameters."""
    kin = kinematics(model.structure, prepared, q)
    return constraint_values(model.structure, prepared, kin, q, t, inputs)
