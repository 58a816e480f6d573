"""The equations of motion from the elements' own kinematics and energies by automatic differentiation alone.

Nothing here knows a Jacobian: twists are derivatives of poses along the motion, accelerations derivatives of twists,
generalised forces their transposes. Slower than `_flattened`, and the meaning of it.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from pliant.dynamics._own_inertia import own_momentum
from pliant.dynamics._paths import driving_intensity
from pliant.elements import has_own_inertia
from pliant.interactions import DistributedLoad, PointLoad, measures, totals
from pliant.lie import se3
from pliant.mechanics import RigidInertia, evaluate
from pliant.model import Frame, Link, Member, Model, Placing, Prepared, Spring, own_coordinates, own_numbers, prepare


def _own(prepared: Prepared, model: Model, member: Member) -> Any:
    return own_numbers(model.structure, prepared.elements, member)


def _placing(model: Model, prepared: Prepared, q: Array) -> Placing:
    return Placing(model.structure, prepared.elements, prepared.parameters, q)


def sample_inertias(model: Model, prepared: Prepared) -> RigidInertia:
    """(K,) inertias in the order of `sample_poses`."""
    parts = [RigidInertia(jnp.zeros(0), jnp.zeros((0, 3)), jnp.zeros((0, 3, 3)))]
    for link in model.structure.links:
        if link.rod is not None:
            parts.append(link.rod.element.inertia_samples(_own(prepared, model, link.rod))[1])
        if link.body is not None:
            parts.append(jax.tree.map(lambda x, b=link.body: x[b][None], prepared.body_inertia))
    return RigidInertia(*(jnp.concatenate(fields) for fields in zip(*parts, strict=True)))


def sample_poses(model: Model, prepared: Prepared, q: Array) -> Array:
    """(K, 4, 4) world poses of everything that has mass."""
    poses, placing = [jnp.zeros((0, 4, 4))], _placing(model, prepared, q)
    for link in model.structure.links:
        if link.rod is not None:
            fractions, _ = link.rod.element.inertia_samples(_own(prepared, model, link.rod))
            poses.append(placing.rod(link, fractions))
        if link.body is not None:
            poses.append(placing.base(link)[None])
    return jnp.concatenate(poses)


def _twists(model: Model, poses: Callable[[Array], Array], q: Array, v: Array) -> Array:
    """(K, 6) body twists: the derivative of the poses along the motion."""
    pose, rate = jax.jvp(poses, (q,), (model.rate(q, v),))
    return se3.twist(pose, rate)


def kinetic_energy(model: Model, prepared: Prepared, q: Array, v: Array) -> Array:
    twists = _twists(model, lambda q: sample_poses(model, prepared, q), q, v)
    total = 0.5 * jnp.einsum("ki,kij,kj->", twists, sample_inertias(model, prepared).matrix(), twists)
    for member, numbers, base in own_motion(model, prepared):
        total = total + own_energy(member, numbers, q, _twists(model, base, q, v)[0], v)
    return total


def own_energy(member: Member, numbers: Any, q: Array, twist: Array, v: Array) -> Array:
    """Kinetic energy of such an element whose base moves with a twist."""
    own_v = v[member.v_start : member.v_start + member.element.nv]
    inertia = member.element.own_inertia(numbers, own_coordinates(member, q))  # type: ignore[attr-defined]
    at_base, own = own_momentum(inertia, twist, own_v)
    return 0.5 * (twist @ at_base + own_v @ own)


def potential_energy(model: Model, prepared: Prepared, q: Array, t: Array) -> Array:
    """Stored energy of the elements plus the potential of gravity [J]."""
    inertia = sample_inertias(model, prepared)
    poses = sample_poses(model, prepared, q)
    moment = jnp.einsum("kij,kj->ki", poses[:, :3, :3], inertia.moment) + inertia.mass[:, None] * poses[:, :3, 3]
    total = jnp.sum(moment, axis=0)
    for member, numbers, base in own_motion(model, prepared):
        own = member.element.own_inertia(numbers, own_coordinates(member, q)).base  # type: ignore[attr-defined]
        pose = base(q)[0]
        total = total + pose[:3, :3] @ own.moment + own.mass * pose[:3, 3]
    weight = -total @ evaluate(model.structure.gravity, prepared.parameters, t)
    stored = [m.element.energy(_own(prepared, model, m), own_coordinates(m, q)) for m in model.structure.members]
    return (
        weight
        + sum(stored)
        + sum(
            jnp.sum(group[0].kind.energy(numbers, _spring_excess(model, prepared, group, numbers, q)))
            for group, numbers in zip(model.structure.spring_groups, prepared.springs, strict=True)
        )
    )


def _spring_excess(
    model: Model, prepared: Prepared, group: tuple[Spring, ...], numbers: Mapping[str, Array], q: Array
) -> Array:
    """(n, c) deformation of equal springs beyond rest."""
    placing = _placing(model, prepared, q)
    first = jnp.stack([placing.frame(spring.first) for spring in group])
    second = jnp.stack([placing.frame(spring.second) for spring in group])
    return group[0].kind.measure(first, second) - numbers["rest"]


def _base(model: Model, prepared: Prepared, link: Link, q: Array) -> Array:
    return _placing(model, prepared, q).base(link)[None]


def own_motion(model: Model, prepared: Prepared) -> list[tuple[Member, Any, Callable[[Array], Array]]]:
    """Elements with a kinetic energy of their own: member, numbers, and the pose of its base as a function of q."""
    found: list[tuple[Member, Any, Callable[[Array], Array]]] = []
    for link in model.structure.links:
        if link.rod is not None and has_own_inertia(link.rod.element):
            found.append((link.rod, _own(prepared, model, link.rod), partial(_base, model, prepared, link)))
    return found


def _own_load(
    element: Any, numbers: Any, q: Array, v: Array, a: Array, twist: Array, acceleration: Array
) -> tuple[Array, Array]:
    """Wrench (6,) on the base of such an element and force (nv,) on its coordinates, from its energy: Lagrange's
    equations with a base that moves (Hamel's form)."""

    def momenta(q: Array, twist: Array, v: Array) -> tuple[Array, Array]:
        return own_momentum(element.own_inertia(numbers, q), twist, v)

    def kinetic(q: Array) -> Array:
        at_base, own = momenta(q, twist, v)
        return 0.5 * (twist @ at_base + v @ own)

    (at_base, _), (rate, own_rate) = jax.jvp(momenta, (q, twist, v), (v, acceleration, a))
    return rate - se3.ad_transpose(twist, at_base), own_rate - jax.grad(kinetic)(q)


def _own_forces(model: Model, prepared: Prepared, q: Array, v: Array, a: Array) -> Array:
    """(nv,) inertial force of such elements."""
    total = jnp.zeros(model.nv)
    for member, numbers, base in own_motion(model, prepared):

        def twist(q: Array, v: Array, base: Callable[[Array], Array] = base) -> Array:
            return _twists(model, base, q, v)[0]

        moving, acceleration = jax.jvp(twist, (q, v), (model.rate(q, v), a))
        own = slice(member.v_start, member.v_start + member.element.nv)
        load = _own_load(member.element, numbers, own_coordinates(member, q), v[own], a[own], moving, acceleration)
        _, pullback = jax.vjp(lambda v, twist=twist: twist(q, v), v)  # type: ignore[misc]
        total = (total + pullback(load[0])[0]).at[own].add(load[1])
    return total


def dissipation(model: Model, prepared: Prepared, q: Array, v: Array) -> Array:
    """Rayleigh function [W]."""
    total = jnp.zeros(())
    for m in model.structure.members:
        own_v = v[m.v_start : m.v_start + m.element.nv]
        total += m.element.dissipation(_own(prepared, model, m), own_coordinates(m, q), own_v)
    for group, numbers in zip(model.structure.spring_groups, prepared.springs, strict=True):
        excess, rate = jax.jvp(
            lambda q, g=group, n=numbers: _spring_excess(model, prepared, g, n, q),  # type: ignore[misc]
            (q,),
            (model.rate(q, v),),
        )
        total += jnp.sum(group[0].kind.dissipation(numbers, excess, rate))
    return total


def frame_pose(model: Model, prepared: Prepared, q: Array, frame: Frame) -> Array:
    """World pose of a frame by walking its ancestors."""
    return _placing(model, prepared, q).frame(frame)


def _load_forces(model: Model, prepared: Prepared, q: Array, t: Array, inputs: Mapping[str, Array]) -> Array:
    """(nv,) generalised force of the file's point and distributed loads."""
    structure = model.structure
    links = {link.name: link for link in structure.links}

    def pulled_back(poses: Callable[[Array], Array], weight: Array, load: PointLoad | DistributedLoad) -> Array:
        moment, force = load.values(prepared.parameters, inputs, t)
        rotation = poses(q)[:, :3, :3]
        wrench = jnp.broadcast_to(jnp.stack([moment, force]), (len(rotation), 2, 3))
        if load.in_world:
            wrench = jnp.einsum("kji,kcj->kci", rotation, wrench)
        _, pullback = jax.vjp(lambda v: _twists(model, poses, q, v), jnp.zeros(model.nv))
        return pullback(weight[:, None] * wrench.reshape(-1, 6))[0]

    total = jnp.zeros(model.nv)
    for load, frame in zip(structure.point_loads, structure.point_load_frames, strict=True):
        total += pulled_back(lambda q, f=frame: frame_pose(model, prepared, q, f)[None], jnp.ones(1), load)  # type: ignore[misc]
    for spread in structure.distributed_loads:
        link = links[spread.link]
        weight = prepared.parameters[spread.length] * jnp.asarray(spread.weight)

        def along(q: Array, link: Any = link, spread: DistributedLoad = spread) -> Array:
            return _placing(model, prepared, q).rod(link, spread.fractions)

        total += pulled_back(along, weight, spread)
    return total


def path_measures(model: Model, prepared: Prepared, q: Array) -> Array:
    """(paths,) length of every tendon and volume of every chamber, from the poses and strains of the elements."""
    routes, numbers = model.structure.routes, prepared.routes
    if routes is None or numbers is None:
        return jnp.zeros(0)
    rows = _row_owners(model)
    strains: list[Any] = [None] * len(routes.sample_row)
    for member in {rows[int(row)][0]: None for row in routes.sample_row}:
        own = [sample for sample, row in enumerate(routes.sample_row) if rows[int(row)][0] is member]
        at = tuple(rows[int(routes.sample_row[sample])][1] for sample in own)
        found = member.element.strain(_own(prepared, model, member), own_coordinates(member, q), at)  # type: ignore[attr-defined]
        for sample, strain in zip(own, found, strict=True):
            strains[sample] = strain
    links = {link.name: link for link in model.structure.links}
    points, placing = [], _placing(model, prepared, q)
    in_legs = set(routes.leg.ravel().tolist())
    for index, (row, point) in enumerate(zip(routes.point_row, numbers.point, strict=True)):
        pose = jnp.eye(4)
        if row > 0 and index in in_legs:
            member, fraction = rows[int(row)]
            link = links[member.link]
            pose = placing.link(link, fraction if member is link.rod else None)
        points.append(pose[:3, :3] @ point + pose[:3, 3])
    return totals(
        routes, measures(routes, numbers, jnp.stack(points), jnp.stack(strains or [jnp.zeros(6)])[: len(strains)])
    )


def _row_owners(model: Model) -> dict[int, tuple[Member, float]]:
    """Row -> the element it belongs to and the fraction of that element at its end."""
    owners = {}
    for group in model.structure.groups:
        element: Any = group.element
        ends = element.grid.end.ravel() if hasattr(element, "grid") else [1.0]
        for index, member in enumerate(group.members):
            for k, end in enumerate(ends):
                owners[group.row_start + index * len(ends) + k] = (member, float(end))
    return owners


def _actuator_forces(model: Model, prepared: Prepared, q: Array, t: Array, inputs: Mapping[str, Array]) -> Array:
    """(nv,) generalised force of tendons, chambers and driven joints: efforts times gradients of travels."""
    structure = model.structure
    total = jnp.zeros(model.nv)
    if structure.path_actuators:
        intensity = driving_intensity(structure, prepared, path_measures(model, prepared, q), t, inputs, 1.0, None)

        def power(v: Array) -> Array:
            rate = jax.jvp(lambda q: path_measures(model, prepared, q), (q,), (model.rate(q, v),))[1]
            return intensity @ rate

        total += jax.grad(power)(jnp.zeros(model.nv))
    for joint in structure.joint_actuators:
        if joint.drive == "force":
            total = total.at[joint.velocities].add(joint.value(prepared.parameters, inputs, t))
    return total


def residual(
    model: Model, q: Array, v: Array, a: Array, t: Array | float = 0.0, inputs: Mapping[str, Array] | None = None
) -> Array:
    """(nv,) the residual (docs/theory.md), term by term from AD. User forces, friction of tendons and constraints are
    left to the flattened path."""
    prepared = prepare(model.structure, model.parameters)
    t = jnp.asarray(t, dtype=q.dtype)
    inertia = sample_inertias(model, prepared).matrix()

    def twists(q: Array, v: Array) -> Array:
        return _twists(model, lambda q: sample_poses(model, prepared, q), q, v)

    twist, acceleration = jax.jvp(twists, (q, v), (model.rate(q, v), a))
    momentum = jnp.einsum("kij,kj->ki", inertia, twist)
    wrench = jnp.einsum("kij,kj->ki", inertia, acceleration) - se3.ad_transpose(twist, momentum)
    _, pullback = jax.vjp(lambda v: twists(q, v), v)
    inertial = pullback(wrench)[0] + _own_forces(model, prepared, q, v, a)

    def power(v: Array) -> Array:
        return jax.jvp(lambda q: potential_energy(model, prepared, q, t), (q,), (model.rate(q, v),))[1]

    damping = jax.grad(lambda v: dissipation(model, prepared, q, v))(v)
    applied = _load_forces(model, prepared, q, t, inputs or {}) + _actuator_forces(model, prepared, q, t, inputs or {})
    return inertial + jax.grad(power)(v) + damping - applied
