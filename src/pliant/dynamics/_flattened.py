"""The flattened recursion, upward half: the equations of motion of rods and joints in a handful of batched stages.

Equal to automatic differentiation of the elements' energies (`_generic`), which the element catalogue tests.
"""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
from jax import Array

from pliant.dynamics._added_inertia import added_loads
from pliant.dynamics._constraints import constraint_rates
from pliant.dynamics._evaluation import Evaluation
from pliant.dynamics._interactions import acting_forces, constraint_jacobian, force_rows
from pliant.dynamics._kinematics import along, down, in_velocity_order, project
from pliant.dynamics._mass import MassFactor, mass_factor, mass_solve, spatial_inertia
from pliant.dynamics._own_inertia import own_loads, with_own_inertia
from pliant.lie import se3
from pliant.model import Prepared, Structure
from pliant.numerics import lu_solve, solve_semidefinite


def element_forces_of(
    structure: Structure, prepared: Prepared, q: Array, v: Array, beside: Mapping[int, Array] | None = None
) -> Array:
    """(nv,) elastic and damping forces of all elements, on the left of the equations. beside: number of a group ->
    forces (n, nv) on its members to be added."""
    parts = [
        jax.vmap(group.element.force)(numbers, q[group.q_index], v[group.v_index])
        for group, numbers in zip(structure.groups, prepared.elements, strict=True)
    ]
    added = [part + beside[index] if beside and index in beside else part for index, part in enumerate(parts)]
    return in_velocity_order(structure.tree, [part.reshape(-1) for part in added])


def residual_of(at: Evaluation, a: Array | None, multipliers: Array | None = None) -> Array:
    """(nv,) inertial + elastic + damping - applied force; a = None leaves out the terms linear in acceleration, and
    kinematics at rest those of velocity. multipliers: see `applied_forces`; None leaves constraints out."""
    wrench, own, force = _row_loads(at, a, multipliers)
    balance = project(at.structure, at.kinematics, wrench)
    balance = balance + element_forces_of(at.structure, at.numbers, at.q, at.v, own)
    return balance if force is None else balance - force


def row_loads(at: Evaluation, a: Array | None, multipliers: Array) -> Array:
    """(R, 6) spatial wrench on each row: inertia and weight less what acts on it."""
    return _row_loads(at, a, multipliers)[0]


def _row_loads(
    at: Evaluation, a: Array | None, multipliers: Array | None
) -> tuple[Array, Mapping[int, Array], Array | None]:
    """The same, forces of elements with an inertia of their own, and the generalised forces that act."""
    acting = acting_forces(at, multipliers)
    wrench, own = _inertial(at, a)
    return wrench if acting.rows is None else wrench - acting.rows, own, acting.force


def _inertial(at: Evaluation, a: Array | None) -> tuple[Array, Mapping[int, Array]]:
    """(R, 6) rate of the spatial momentum of each row, in a world that accelerates upward instead of gravity, and the
    forces of elements with an inertia of their own on their coordinates."""
    structure, kin = at.structure, at.kinematics
    tree, motion = structure.tree, kin.motion
    inertia = spatial_inertia(at.numbers, kin)
    upward = jnp.concatenate([jnp.zeros(3), -at.load_factor * at.gravity])
    across = None
    if motion is not None:
        across = motion.drift + se3.bracket(motion.twist, motion.relative)
    if a is not None:
        pushed = along(structure, kin, a)
        across = pushed if across is None else across + pushed
    acceleration = jnp.broadcast_to(upward, (tree.row_count, 6)) if across is None else upward + down(tree, across)
    wrench = inertia.momentum(acceleration)
    if motion is not None:
        wrench = wrench - se3.ad_transpose(motion.twist, inertia.momentum(motion.twist))
    if structure.adds_inertia:
        wrench = wrench + added_loads(at, acceleration - upward)
    if not with_own_inertia(structure):
        return wrench, {}
    everywhere = jnp.concatenate([upward[None], acceleration])
    carried, forces = own_loads(at, a, everywhere)
    return wrench + carried, forces


def refuse_immovable(structure: Structure) -> None:
    """A ValueError where an interaction cannot be set in motion."""
    for kind in structure.interactions:
        if kind.motion_refusal is not None:
            raise ValueError(f"robot {structure.name!r}: {kind.motion_refusal}")


def forward_dynamics_of(at: Evaluation) -> tuple[Array, Array]:
    """Acceleration (nv,), and multipliers (m,) of the constraints."""
    structure = at.structure
    refuse_immovable(structure)
    bias = residual_of(at, None)
    factor = mass_factor(at)
    free = -mass_solve(structure, factor, bias)
    if not structure.constraint_count:
        return free, jnp.zeros(0)
    rows = constraint_jacobian(at)
    _, drift = constraint_rates(at)
    if structure.worked:
        spread = mass_solve(structure, factor, force_rows(at, rows).T)
        multipliers = -lu_solve(rows @ spread, drift + rows @ free)
        return free + spread @ multipliers, multipliers
    step, multipliers = constrained_step(structure, factor, rows, drift + rows @ free)
    return free + step, multipliers


def constrained_step(structure: Structure, factor: MassFactor, rows: Array, excess: Array) -> tuple[Array, Array]:
    """The change (nv,) of least kinetic energy that takes away `excess` (m,) = rows times it, and its multipliers.

    factor: of the mass matrix; rows (m, nv) may depend on each other."""
    spread = mass_solve(structure, factor, rows.T)
    multipliers = -solve_semidefinite(rows @ spread, excess)
    return spread @ multipliers, multipliers
