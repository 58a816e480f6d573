"""Tendons and chambers on the flattened tree: their lengths and volumes, and the forces that do the conjugate work."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._kinematics import Kinematics, in_velocity_order, join
from pliant.elements import Rod
from pliant.interactions import Routes, densities, measures, tension_factors, totals
from pliant.lie import so3
from pliant.model import Prepared, Structure
from pliant.numerics import apply


class _Course(NamedTuple):
    """Where the paths run: points (P, 3) from the common point, strains (K, 6) at the samples."""

    points: Array
    strains: Array


def _used(structure: Structure, group: Any) -> bool:
    """Whether a path runs along a rod of this group."""
    rows = structure.routes.sample_row if structure.routes is not None else np.zeros(0)
    first = group.row_start
    return bool(np.any((rows >= first) & (rows < first + group.row_count)))


def _course(structure: Structure, prepared: Prepared, kin: Kinematics, q: Array, routes: Routes) -> _Course:
    if prepared.routes is None:
        raise ValueError("the parameters were prepared for another robot")
    points = kin.position[routes.point_row] + apply(kin.rotation[routes.point_row], prepared.routes.point)
    parts = []
    for group, numbers in zip(structure.groups, prepared.elements, strict=True):
        if _used(structure, group) and isinstance(group.element, Rod):
            parts.append(jax.vmap(group.element.row_strains)(numbers, q[group.q_index]))
        else:
            parts.append(jnp.zeros((group.row_count, 6)))
    return _Course(points, join(parts, (6,))[routes.sample_row - 1])


def path_measures(structure: Structure, prepared: Prepared, kin: Kinematics, q: Array) -> Array:
    """(paths,) length [m] of every tendon, volume [m^3] of every chamber."""
    routes = structure.routes
    if routes is None or prepared.routes is None:
        return jnp.zeros(0)
    return totals(routes, measures(routes, prepared.routes, *_course(structure, prepared, kin, q, routes)))


def far_end_factors(structure: Structure, prepared: Prepared, kin: Kinematics, q: Array) -> Array:
    """(paths,) share of a tendon's tension that friction leaves at its far end."""
    routes = structure.routes
    if routes is None:
        return jnp.zeros(0)
    return _factors(structure, prepared, kin, _course(structure, prepared, kin, q, routes), routes)[1]


def _factors(
    structure: Structure, prepared: Prepared, kin: Kinematics, course: _Course, routes: Routes
) -> tuple[Array, Array]:
    if not routes.friction or prepared.routes is None:
        return jnp.ones(len(routes.owner)), jnp.ones(routes.count)
    rotation = kin.rotation[routes.sample_row]
    return tension_factors(routes, prepared.routes, prepared.parameters, course.points, course.strains, rotation)


def driving_intensity(
    structure: Structure,
    prepared: Prepared,
    lengths: Array,
    t: Array,
    inputs: Mapping[str, Array],
    load_factor: Array | float,
    tensions: Array | None,
) -> Array:
    """(paths,) what multiplies the gradient of each path's measure: pressure, or minus the tension (never positive).

    tensions: of the inextensible length-driven tendons, which are unknowns; None counts as slack.
    """
    values, unknown = [], 0
    for actuator in structure.path_actuators:
        if actuator.inextensible:
            values.append(jnp.zeros(()) if tensions is None else -tensions[unknown])
            unknown += 1
            continue
        value = actuator.value(prepared.parameters, inputs, t)
        if actuator.drive == "pressure":
            values.append(load_factor * value)
        elif actuator.drive == "tension":
            values.append(-load_factor * jnp.maximum(value, 0.0))
        else:
            strain = (lengths[actuator.path] - value) / value
            values.append(-jnp.maximum(prepared.parameters[actuator.stiffness or ""] * strain, 0.0))
    return jnp.stack(values)


def path_forces(
    structure: Structure, prepared: Prepared, kin: Kinematics, q: Array, intensity: Array
) -> tuple[Array, Array]:
    """Spatial wrenches (R, 6) on the rows and generalised force (nv,) on the strains: intensity (paths,) times the
    gradient of the paths' measures."""
    routes, numbers = structure.routes, prepared.routes
    if routes is None or numbers is None:
        raise ValueError(f"robot {structure.name!r} has no tendons or chambers")
    course = _course(structure, prepared, kin, q, routes)
    factors, _ = _factors(structure, prepared, kin, course, routes)
    _, pullback = jax.vjp(lambda points, strains: measures(routes, numbers, points, strains), *course)
    force, stress = pullback(intensity[routes.owner] * factors)
    wrench = jnp.concatenate([so3.cross(course.points, force), force], axis=-1)
    rows = jnp.zeros((structure.tree.row_count + 1, 6)).at[routes.point_row].add(wrench)[1:]
    at_rows = jnp.zeros((structure.tree.row_count, 6)).at[routes.sample_row - 1].add(stress)
    return rows, _on_strains(structure, prepared, q, at_rows)


def _on_strains(structure: Structure, prepared: Prepared, q: Array, stress: Array) -> Array:
    """(nv,) generalised force of what is conjugate to the strain at the rows (R, 6)."""
    parts = []
    for group, numbers in zip(structure.groups, prepared.elements, strict=True):
        if _used(structure, group) and isinstance(group.element, Rod):
            shape = (len(group.members), group.element.segments, group.element.rows_per_segment, 6)
            own = stress[group.rows].reshape(shape)
            parts.append(jax.vmap(group.element.strain_forces)(numbers, q[group.q_index], own).reshape(-1))
        else:
            parts.append(jnp.zeros(group.v_index.size))
    return in_velocity_order(structure.tree, parts)


def section_wrenches(structure: Structure, prepared: Prepared, kin: Kinematics, q: Array, intensity: Array) -> Array:
    """(R, 6) what the paths that pass a row's end exert on the section there, body frame [moment; force]."""
    nothing = jnp.zeros((structure.tree.row_count, 6))
    routes, numbers = structure.routes, prepared.routes
    if routes is None or numbers is None:
        return nothing
    course = _course(structure, prepared, kin, q, routes)
    factors, _ = _factors(structure, prepared, kin, course, routes)
    _, pullback = jax.vjp(lambda strains: densities(routes, numbers, strains), course.strains)
    stress = pullback((intensity[routes.owner] * factors)[: len(routes.sample_row)])[0]
    return nothing.at[routes.sample_row - 1].add(stress)
