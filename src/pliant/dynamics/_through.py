"""Constraints that actuators keep: their efforts are the multipliers (TMTDyn Eqs. 41 to 43, Jacobian control)."""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._kinematics import Kinematics, project
from pliant.dynamics._paths import path_forces
from pliant.model import Prepared, Structure


def without_efforts(structure: Structure, inputs: Mapping[str, Array]) -> Mapping[str, Array]:
    """The inputs with every actuator that works for a constraint at zero: what it does comes from its multiplier."""
    return {**inputs, **{name: jnp.zeros(()) for name in structure.worked}} if structure.worked else inputs


def ideal_rows(structure: Structure) -> np.ndarray:
    """(m,) 1 for rows kept by an ideal reaction, 0 for those that actuators keep."""
    ideal = np.ones(structure.constraint_count)
    ideal[list(structure.worked.values())] = 0.0
    return ideal


def worked_forces(
    structure: Structure, prepared: Prepared, kin: Kinematics, q: Array, multipliers: Array
) -> tuple[Array, Array]:
    """Spatial wrenches (R, 6) and generalised force (nv,) of the efforts that the multipliers (m,) are."""
    rows, force = jnp.zeros((structure.tree.row_count, 6)), jnp.zeros(structure.nv)
    intensity = jnp.zeros(len(structure.path_actuators))
    for path in structure.path_actuators:
        if path.name in structure.worked:
            effort = multipliers[structure.worked[path.name]]
            intensity = intensity.at[path.path].set(effort if path.drive == "pressure" else -effort)
    if any(path.name in structure.worked for path in structure.path_actuators):
        rows, force = path_forces(structure, prepared, kin, q, intensity)
    for joint in structure.joint_actuators:
        if joint.name in structure.worked:
            force = force.at[joint.velocities].add(multipliers[structure.worked[joint.name]])
    return rows, force


def force_rows(structure: Structure, prepared: Prepared, kin: Kinematics, q: Array, rows: Array) -> Array:
    """(m, nv) generalised force per unit of each multiplier: the Jacobian `rows`, or what the actuator does."""
    if not structure.worked:
        return rows

    def one(multipliers: Array) -> Array:
        wrench, force = worked_forces(structure, prepared, kin, q, multipliers)
        return project(structure, kin, wrench) + force

    ideal = jnp.asarray(ideal_rows(structure))[:, None]
    return ideal * rows + jax.vmap(one)(jnp.eye(structure.constraint_count))
