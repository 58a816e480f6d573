"""The equations of motion from the elements' own kinematics and energies by automatic differentiation alone.

Nothing here knows a Jacobian: twists are derivatives of poses along the motion, accelerations derivatives of twists,
generalised forces their transposes. Slower than `_flattened`, and the meaning of it.
"""

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from pliant.dynamics._paths import driving_intensity
from pliant.interactions import DistributedLoad, PointLoad, measures, totals
from pliant.lie import se3
from pliant.mechanics import RigidInertia, evaluate
from pliant.model import Frame, Link, Member, Model, Prepared, offset_pose, offsets, prepare


def _own(prepared: Prepared, model: Model, member: Member) -> Any:
    """One member's prepared numbers out of its group's stack."""
    for group, stack in zip(model.structure.groups, prepared.elements, strict=True):
        if member in group.members:
            return jax.tree.map(lambda x, index=group.members.index(member): x[index], stack)
    raise KeyError(member.link)


def _coordinates(member: Member, q: Array) -> Array:
    return q[member.q_start : member.q_start + member.element.nq]


def link_pose(model: Model, prepared: Prepared, q: Array, link: Link, fraction: float | None) -> Array:
    """World pose of a link at a fraction (rods) by walking its ancestors."""
    pose = jnp.eye(4)
    if link.parent is not None:
        pose = link_pose(model, prepared, q, model.structure.links[link.parent], link.at)
    pose = pose @ offset_pose(link.offsets, prepared.parameters)
    if link.joint is not None:
        own = _own(prepared, model, link.joint)
        pose = pose @ link.joint.element.poses(own, _coordinates(link.joint, q), (1.0,))[0]
    if link.rod is not None and fraction:
        own = _own(prepared, model, link.rod)
        pose = pose @ link.rod.element.poses(own, _coordinates(link.rod, q), (fraction,))[0]
    return pose


def sample_inertias(model: Model, prepared: Prepared) -> RigidInertia:
    """(K,) inertias in the order of `sample_poses`."""
    parts = []
    for link in model.structure.links:
        if link.rod is not None:
            parts.append(link.rod.element.inertia_samples(_own(prepared, model, link.rod))[1])
        if link.body is not None:
            parts.append(jax.tree.map(lambda x, b=link.body: x[b][None], prepared.body_inertia))
    return RigidInertia(*(jnp.concatenate(fields) for fields in zip(*parts, strict=True)))


def sample_poses(model: Model, prepared: Prepared, q: Array) -> Array:
    """(K, 4, 4) world poses of everything that has mass."""
    poses = []
    for link in model.structure.links:
        if link.rod is not None:
            fractions, _ = link.rod.element.inertia_samples(_own(prepared, model, link.rod))
            poses.append(_rod_poses(model, prepared, q, link, fractions))
        if link.body is not None:
            poses.append(link_pose(model, prepared, q, link, None)[None])
    return jnp.concatenate(poses)


def _rod_poses(model: Model, prepared: Prepared, q: Array, link: Link, fractions: tuple[float, ...]) -> Array:
    """(K, 4, 4) world poses along a rod."""
    if link.rod is None:
        raise ValueError(f"link {link.name!r} is not a rod")
    own = _own(prepared, model, link.rod)
    return link_pose(model, prepared, q, link, None) @ link.rod.element.poses(own, _coordinates(link.rod, q), fractions)


def _twists(model: Model, poses: Callable[[Array], Array], q: Array, v: Array) -> Array:
    """(K, 6) body twists: the derivative of the poses along the motion."""
    pose, rate = jax.jvp(poses, (q,), (model.rate(q, v),))
    return se3.twist(pose, rate)


def kinetic_energy(model: Model, prepared: Prepared, q: Array, v: Array) -> Array:
    twists = _twists(model, lambda q: sample_poses(model, prepared, q), q, v)
    return 0.5 * jnp.einsum("ki,kij,kj->", twists, sample_inertias(model, prepared).matrix(), twists)


def potential_energy(model: Model, prepared: Prepared, q: Array, t: Array) -> Array:
    """Stored energy of the elements plus the potential of gravity [J]."""
    inertia = sample_inertias(model, prepared)
    poses = sample_poses(model, prepared, q)
    moment = jnp.einsum("kij,kj->ki", poses[:, :3, :3], inertia.moment) + inertia.mass[:, None] * poses[:, :3, 3]
    weight = -jnp.sum(moment @ evaluate(model.structure.gravity, prepared.parameters, t))
    stored = [m.element.energy(_own(prepared, model, m), _coordinates(m, q)) for m in model.structure.members]
    return weight + sum(stored)


def dissipation(model: Model, prepared: Prepared, q: Array, v: Array) -> Array:
    """Rayleigh function [W]."""
    return sum(
        (
            m.element.dissipation(_own(prepared, model, m), _coordinates(m, q), v[m.v_start : m.v_start + m.element.nv])
            for m in model.structure.members
        ),
        jnp.zeros(()),
    )


def frame_pose(model: Model, prepared: Prepared, q: Array, frame: Frame) -> Array:
    """World pose of a frame by walking its ancestors."""
    links = {link.name: link for link in model.structure.links}
    base = jnp.eye(4)
    if frame.where["link"] is not None:
        base = link_pose(model, prepared, q, links[frame.where["link"]], frame.where["at"])
    return base @ offset_pose(offsets(frame.where), prepared.parameters)


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
        total += pulled_back(lambda q, k=link, s=spread: _rod_poses(model, prepared, q, k, s.fractions), weight, spread)  # type: ignore[misc]
    return total


def path_measures(model: Model, prepared: Prepared, q: Array) -> Array:
    """(paths,) length of every tendon and volume of every chamber, from the poses and strains of the elements."""
    routes, numbers = model.structure.routes, prepared.routes
    if routes is None or numbers is None:
        return jnp.zeros(0)
    rows = _row_owners(model)
    strains = []
    for row in routes.sample_row:
        member, fraction = rows[int(row)]
        strains.append(member.element.strain(_own(prepared, model, member), _coordinates(member, q), (fraction,))[0])  # type: ignore[attr-defined]
    links = {link.name: link for link in model.structure.links}
    points = []
    for row, point in zip(routes.point_row, numbers.point, strict=True):
        pose = jnp.eye(4)
        if row > 0:
            member, fraction = rows[int(row)]
            link = links[member.link]
            pose = link_pose(model, prepared, q, link, fraction if member is link.rod else None)
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
    inertial = pullback(wrench)[0]

    def power(v: Array) -> Array:
        return jax.jvp(lambda q: potential_energy(model, prepared, q, t), (q,), (model.rate(q, v),))[1]

    damping = jax.grad(lambda v: dissipation(model, prepared, q, v))(v)
    applied = _load_forces(model, prepared, q, t, inputs or {}) + _actuator_forces(model, prepared, q, t, inputs or {})
    return inertial + jax.grad(power)(v) + damping - applied
