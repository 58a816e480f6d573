"""The flattened recursion, upward half: the equations of motion of rods and joints in a handful of batched stages.

Equal to automatic differentiation of the elements' energies (`_generic`), which the element catalogue tests.
"""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
from jax import Array

from pliant.dynamics._constraints import constraint_jacobian, constraint_rates
from pliant.dynamics._kinematics import Kinematics, along, down, in_velocity_order, kinematics, project
from pliant.dynamics._mass import MassFactor, mass_factor, mass_solve, spatial_inertia
from pliant.dynamics._own_inertia import own_loads, with_own_inertia
from pliant.dynamics._springs import spring_wrenches
from pliant.dynamics._through import force_rows
from pliant.dynamics._update import refreshed
from pliant.dynamics._wrenches import applied_forces, gravity
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


def residual_of(
    structure: Structure,
    prepared: Prepared,
    kin: Kinematics,
    q: Array,
    v: Array,
    a: Array | None,
    t: Array,
    inputs: Mapping[str, Array],
    load_factor: Array | float = 1.0,
    multipliers: Array | None = None,
) -> Array:
    """(nv,) inertial + elastic + damping - applied force; a = None leaves out the terms linear in acceleration, and
    kinematics at rest those of velocity. multipliers: see `applied_forces`; None leaves constraints out."""
    rows, force = applied_forces(structure, prepared, kin, q, t, inputs, load_factor, multipliers)
    wrench, own = _inertial(structure, prepared, kin, q, v, a, t, load_factor)
    wrench = wrench if rows is None else wrench - rows
    if structure.springs:
        wrench = wrench + spring_wrenches(structure, prepared, kin)
    balance = project(structure, kin, wrench) + element_forces_of(structure, prepared, q, v, own)
    return balance if force is None else balance - force


def row_loads(
    structure: Structure,
    prepared: Prepared,
    kin: Kinematics,
    q: Array,
    a: Array | None,
    t: Array,
    inputs: Mapping[str, Array],
    load_factor: Array | float,
    multipliers: Array,
    v: Array,
) -> Array:
    """(R, 6) spatial wrench on each row: inertia and weight less what is applied to it."""
    rows, _ = applied_forces(structure, prepared, kin, q, t, inputs, load_factor, multipliers)
    wrench, _ = _inertial(structure, prepared, kin, q, v, a, t, load_factor)
    if structure.springs:
        wrench = wrench + spring_wrenches(structure, prepared, kin)
    return wrench if rows is None else wrench - rows


def _inertial(
    structure: Structure, prepared: Prepared, kin: Kinematics, q: Array, v: Array, a: Array | None, t: Array,
    load_factor: Array | float,
) -> tuple[Array, Mapping[int, Array]]:  # fmt: skip
    """(R, 6) rate of the spatial momentum of each row, in a world that accelerates upward instead of gravity, and the
    forces of elements with an inertia of their own on their coordinates."""
    tree = structure.tree
    inertia = spatial_inertia(prepared, kin)
    upward = jnp.concatenate([jnp.zeros(3), -load_factor * gravity(structure, prepared, t)])
    motion = kin.motion
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
    if not with_own_inertia(structure):
        return wrench, {}
    everywhere = jnp.concatenate([upward[None], acceleration])
    carried, forces = own_loads(structure, prepared, kin, q, v, a, everywhere)
    return wrench + carried, forces


def refuse_inextensible(structure: Structure) -> None:
    """A tendon that jerks taut has no finite tension; how it stretches has to be known."""
    names = [tendon.name for tendon in structure.inextensible]
    if names:
        raise ValueError(
            f"in motion the length-driven tendons {', '.join(names)} of robot {structure.name!r} need a stiffness "
            "(EA, e.g. '20 kN'); without one they are solved in statics only"
        )


def forward_dynamics_of(
    structure: Structure, prepared: Prepared, q: Array, v: Array, t: Array, inputs: Mapping[str, Array]
) -> tuple[Array, Array]:
    """Acceleration (nv,), and multipliers (m,) of the constraints."""
    refuse_inextensible(structure)
    prepared = refreshed(structure, prepared, q, v, t)
    kin = kinematics(structure, prepared, q, v)
    bias = residual_of(structure, prepared, kin, q, v, None, t, inputs)
    factor = mass_factor(structure, prepared, kin, q)
    free = -mass_solve(structure, factor, bias)
    if not structure.constraint_count:
        return free, jnp.zeros(0)
    rows = constraint_jacobian(structure, prepared, kin)
    _, drift = constraint_rates(structure, prepared, kin, q, v, t, inputs)
    if structure.worked:
        spread = mass_solve(structure, factor, force_rows(structure, prepared, kin, q, rows).T)
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
