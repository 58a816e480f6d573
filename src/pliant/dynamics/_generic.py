"""The equations of motion from the elements' own kinematics and energies by automatic differentiation alone.

Nothing here knows a Jacobian: twists are derivatives of poses along the motion, accelerations derivatives of twists,
generalised forces their transposes. Slower than `_flattened`, and the meaning of it.
"""

import copy
import functools
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._evaluation import first_memory
from pliant.dynamics._inputs import Inputs, check_inputs
from pliant.dynamics._own_inertia import own_momentum
from pliant.interactions import Frame
from pliant.lie import se3
from pliant.mechanics import RigidInertia, evaluate
from pliant.model import Link, Member, Model, Placing, Prepared, own_coordinates, own_numbers, prepare


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
    inertia = member.element.own_inertia(numbers, own_coordinates(member, q))
    at_base, own = own_momentum(inertia, twist, own_v)
    return 0.5 * (twist @ at_base + own_v @ own)


def potential_energy(model: Model, prepared: Prepared, q: Array, t: Array) -> Array:
    """Energy that elements and interactions store, and the potential of gravity [J]."""
    at = Walked(model, prepared, q, jnp.zeros(model.nv), t, {})
    pairs = zip(model.structure.interactions, prepared.interactions, strict=True)
    stored: list[Any] = [kind.energy(numbers, at) for kind, numbers in pairs if kind.has_energy]
    return sum(stored, _element_potential(model, prepared, q, t))


def _element_potential(model: Model, prepared: Prepared, q: Array, t: Array) -> Array:
    """Stored energy of the elements and the potential of gravity [J]."""
    inertia = sample_inertias(model, prepared)
    poses = sample_poses(model, prepared, q)
    moment = jnp.einsum("kij,kj->ki", poses[:, :3, :3], inertia.moment) + inertia.mass[:, None] * poses[:, :3, 3]
    total = jnp.sum(moment, axis=0)
    for member, numbers, base in own_motion(model, prepared):
        own = member.element.own_inertia(numbers, own_coordinates(member, q)).base
        pose = base(q)[0]
        total = total + pose[:3, :3] @ own.moment + own.mass * pose[:3, 3]
    weight = -total @ evaluate(model.structure.gravity, prepared.parameters, t)
    stored = [m.element.energy(_own(prepared, model, m), own_coordinates(m, q)) for m in model.structure.members]
    return weight + sum(stored)


def _base(model: Model, prepared: Prepared, link: Link, q: Array) -> Array:
    return _placing(model, prepared, q).base(link)[None]


def own_motion(model: Model, prepared: Prepared) -> list[tuple[Member, Any, Callable[[Array], Array]]]:
    """Elements with a kinetic energy of their own: member, numbers, and the pose of its base as a function of q."""
    found: list[tuple[Member, Any, Callable[[Array], Array]]] = []
    for link in model.structure.links:
        if link.rod is not None and link.rod.element.has_own_inertia:
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


def dissipation(model: Model, prepared: Prepared, q: Array, v: Array, t: Array | float = 0.0) -> Array:
    """Rayleigh function [W] of elements and interactions."""
    at = Walked(model, prepared, q, v, jnp.asarray(t, dtype=q.dtype), {})
    pairs = zip(model.structure.interactions, prepared.interactions, strict=True)
    lost: list[Any] = [kind.dissipation(numbers, at) for kind, numbers in pairs if kind.has_dissipation]
    return sum(lost, _element_dissipation(model, prepared, q, v))


def _element_dissipation(model: Model, prepared: Prepared, q: Array, v: Array) -> Array:
    total = jnp.zeros(())
    for m in model.structure.members:
        own_v = v[m.v_start : m.v_start + m.element.nv]
        total += m.element.dissipation(_own(prepared, model, m), own_coordinates(m, q), own_v)
    return total


def frame_pose(model: Model, prepared: Prepared, q: Array, frame: Frame) -> Array:
    """World pose of a frame by walking its ancestors."""
    return _placing(model, prepared, q).frame(frame)


class Slopes(NamedTuple):
    """Derivatives of what a kind of interaction stores (nv,) and of its travels (nv, n) along the velocities, and of
    its dissipation by them (nv,)."""

    energy: Array
    travel: Array
    dissipation: Array


class Walked:
    """The robot at one instant as an interaction sees it (`pliant.interactions.At`), from the elements' own poses and
    strains alone: nothing of the flattened tree. The common point is the world's origin."""

    def __init__(self, model: Model, prepared: Prepared, q: Array, v: Array, t: Array, inputs: Inputs) -> None:
        self.model, self.prepared, self.structure = model, prepared, model.structure
        self.q, self.v, self.t, self.inputs = q, v, t, dict(inputs)
        self.load_factor, self.moves, self.origin = 1.0, True, jnp.zeros(3)
        self.memory = first_memory(self.structure)
        self.parameters = prepared.parameters

    @functools.cached_property
    def _placing(self) -> Placing:
        return _placing(self.model, self.prepared, self.q)

    @functools.cached_property
    def poses(self) -> Array:
        """(R + 1, 4, 4) of the ends of all rows, the world first."""
        links = {link.name: link for link in self.structure.links}
        found = [jnp.eye(4)[None]]
        for group in self.structure.groups:
            for member in group.members:
                link = links[member.link]
                along = member is link.rod
                ends = group.element.row_ends()
                found.append(self._placing.rod(link, ends) if along else self._placing.base(link)[None])
        return jnp.concatenate(found)

    @property
    def rotation(self) -> Array:
        return self.poses[:, :3, :3]

    @property
    def position(self) -> Array:
        return self.poses[:, :3, 3]

    @functools.cached_property
    def motions(self) -> Array:
        """(nv, R + 1, 6) spatial twists of the rows per unit of every velocity: the derivative of the poses."""
        return self._spatial(self.along_velocities(lambda at: at.poses))

    def _spatial(self, rates: Array) -> Array:
        twists = jax.vmap(lambda rate: se3.twist(self.poses, rate))(rates)
        return jnp.einsum("nij,vnj->vni", se3.adjoint(self.poses), twists)

    @functools.cached_property
    def slopes(self) -> list["Slopes"]:
        """Slopes of every kind of interaction. The motions come with them: one walk does for both."""
        if not self.structure.interactions:
            return []
        pairs = list(zip(self.structure.interactions, self.prepared.interactions, strict=True))
        nothing = jnp.zeros(())

        def by_place(at: Walked) -> Any:
            stored = [kind.energy(numbers, at) if kind.has_energy else nothing for kind, numbers in pairs]
            travels = [kind.travel(numbers, at) if kind.efforts else jnp.zeros(0) for kind, numbers in pairs]
            return at.poses, stored, travels

        def by_velocity(v: Array) -> Any:
            at = self.at_velocity(v)
            return [kind.dissipation(numbers, at) if kind.has_dissipation else nothing for kind, numbers in pairs]

        rates, energy, travel = self.along_velocities(by_place)
        self.motions = self._spatial(rates)
        return [Slopes(*own) for own in zip(energy, travel, jax.jacrev(by_velocity)(self.v), strict=True)]

    @property
    def twists(self) -> Array:
        return jnp.einsum("vni,v->ni", self.motions, self.v)

    def moved(self, q: Array) -> "Walked":
        return Walked(self.model, self.prepared, q, self.v, self.t, self.inputs)

    def at_velocity(self, v: Array) -> "Walked":
        """This configuration, whose poses and motions are known, with another velocity."""
        _ = self.motions
        other = copy.copy(self)
        other.v = v
        return other

    def along_velocities(self, function: "Callable[[Walked], Any]") -> Any:
        """Derivatives of a function of the configuration along every velocity, (nv, ...)."""

        def along(v: Array) -> Any:
            return jax.jvp(lambda q: function(self.moved(q)), (self.q,), (self.model.rate(self.q, v),))[1]

        return jax.vmap(along)(jnp.eye(self.model.nv))

    def strains(self, rows: np.ndarray) -> Array:
        if not len(rows):
            return jnp.zeros((0, 6))
        owners = [_row_owners(self.model)[int(row)] for row in rows]
        found: list[Array] = []
        place: dict[tuple[int, float], int] = {}
        for member in {id(member): member for member, _ in owners}.values():
            ends = tuple(sorted({end for owner, end in owners if owner is member}))
            numbers = _own(self.prepared, self.model, member)
            place |= {(id(member), end): len(place) + index for index, end in enumerate(ends)}
            found.append(member.element.strain(numbers, own_coordinates(member, self.q), ends))  # type: ignore[attr-defined]
        return jnp.concatenate(found)[np.array([place[id(member), end] for member, end in owners])]

    def frame(self, name: str) -> Frame:
        return self.structure.frames[self.structure.frame_index(name)]

    def pose(self, frame: str) -> Array:
        return self._placing.frame(self.frame(frame))

    def twist(self, frame: str) -> Array:
        return _twists(self.model, lambda q: self.moved(q).pose(frame)[None], self.q, self.v)[0]

    def from_common_point(self, pose: Array) -> Array:
        return pose

    def input(self, port: str) -> Array:
        known = self.structure.ports[port]
        if port in self.inputs or known.programme is None:
            return self.inputs.get(port, jnp.zeros(known.shape))
        return evaluate(known.programme, self.parameters, self.t)


def _row_owners(model: Model) -> dict[int, tuple[Member, float]]:
    """Row -> the element it belongs to and the fraction of that element at its end."""
    owners = {}
    for group in model.structure.groups:
        ends = group.element.row_ends()
        for index, member in enumerate(group.members):
            for k, end in enumerate(ends):
                owners[group.row_start + index * len(ends) + k] = (member, float(end))
    return owners


def interaction_forces(at: Walked) -> list[Array]:
    """(nv,) generalised force of every kind of interaction: the gradients of its energy and its dissipation, its
    efforts times the gradients of its travels, and the virtual work of anything else that it applies."""
    forces = []
    for kind, numbers, own in zip(at.structure.interactions, at.prepared.interactions, at.slopes, strict=True):
        force = -own.energy - own.dissipation
        sense = np.array([effort.sense for effort in kind.efforts])
        if len(sense) and sense.all():
            forces.append(force + own.travel @ (sense * kind.effort(numbers, at)))
            continue
        push = kind.applies(numbers, at)
        if push is not None and push.force is not None:
            force = force + push.force
        if push is not None and push.wrench is not None and push.rows is not None:
            force = force + jnp.einsum("vni,ni->v", at.motions[:, push.rows], push.wrench)
        forces.append(force)
    return forces


def residual(
    model: Model, q: Array, v: Array, a: Array, t: Array | float = 0.0, inputs: Mapping[str, Array] | None = None
) -> Array:
    """(nv,) the residual (docs/theory.md), term by term from AD. Friction of tendons, inertia that interactions add,
    updates and constraints are left to the flattened path."""
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
        return jax.jvp(lambda q: _element_potential(model, prepared, q, t), (q,), (model.rate(q, v),))[1]

    damping = jax.grad(lambda v: _element_dissipation(model, prepared, q, v))(v)
    acting = interaction_forces(Walked(model, prepared, q, v, t, check_inputs(model, inputs)))
    return inertial + jax.grad(power)(v) + damping - sum(acting, jnp.zeros(model.nv))
