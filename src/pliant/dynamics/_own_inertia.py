"""Elements whose kinetic energy is a form of their own rather than that of inertias at their rows (CoG sections).

With x = [twist of the element's base; its velocities] the energy is x^T M(q) x / 2. Its base takes the wrench
p' - ad(eta)^T p with p = dT/deta, and its own coordinates the force d/dt(dT/dv) - dT/dq: Lagrange's equations with a
base that moves (Hamel's form), all from M by automatic differentiation.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._evaluation import Evaluation
from pliant.elements import OwnInertia
from pliant.lie import so3
from pliant.mechanics import RigidInertia
from pliant.model import Group, Structure
from pliant.numerics import apply, apply_transposed, multiply


class Based(NamedTuple):
    """A group of such elements: its number, the rows (n,) its members hang on, and the poses of their bases."""

    number: int
    group: Group
    numbers: Any
    rows: np.ndarray
    rotation: Array  # (n, 3, 3)
    position: Array  # (n, 3), from the common point


def with_own_inertia(structure: Structure) -> tuple[int, ...]:
    """Numbers of the groups of such elements."""
    return tuple(index for index, group in enumerate(structure.groups) if group.element.has_own_inertia)


def bases(at: Evaluation) -> Iterator[Based]:
    for index in with_own_inertia(at.structure):
        group, offset = at.structure.groups[index], at.numbers.offsets[index]
        rows = np.array([member.parent_row for member in group.members])
        rotation, position = at.rotation[rows], at.position[rows]
        if offset is not None:
            position = position + apply(rotation, offset[:, :3, 3])
            rotation = multiply(rotation, offset[:, :3, :3])
        yield Based(index, group, at.numbers.elements[index], rows, rotation, position)


def _motion_in_base(based: Based, spatial: Array) -> Array:
    """(n, 6) body motion vectors of the bases from spatial ones."""
    angular = spatial[:, :3]
    linear = spatial[:, 3:] - so3.cross(based.position, angular)
    return jnp.concatenate(
        [apply_transposed(based.rotation, angular), apply_transposed(based.rotation, linear)], axis=-1
    )


def wrench_from_base(based: Based, wrench: Array) -> Array:
    """(n, 6) spatial wrenches from body ones of the bases."""
    force = apply(based.rotation, wrench[:, 3:])
    moment = apply(based.rotation, wrench[:, :3]) + so3.cross(based.position, force)
    return jnp.concatenate([moment, force], axis=-1)


def own_inertias(based: Based, q: Array) -> OwnInertia:
    """(n,) blocks of M, in the bases."""
    return jax.vmap(based.group.element.own_inertia)(based.numbers, q[based.group.q_index])


def own_momentum(own: OwnInertia, twist: Array, v: Array) -> tuple[Array, Array]:
    """dT/dtwist (6,) and dT/dv (nv,)."""
    return own.base.momentum(twist) + apply(own.coupling, v), apply_transposed(own.coupling, twist) + apply(own.own, v)


def own_loads(at: Evaluation, a: Array | None, acceleration: Array) -> tuple[Array, dict[int, Array]]:
    """(R, 6) spatial wrench on the rows that carry such elements, and the force (n, nv) of each of their groups.

    acceleration (R + 1, 6): spatial, of all rows, the world's first; gravity is a world that accelerates upward."""
    total = jnp.zeros_like(acceleration)
    forces = {}
    q, v, twists = at.q, at.v, at.twists
    for based in bases(at):
        group = based.group
        own_a = None if a is None else a[group.v_index]
        up = _motion_in_base(based, acceleration[based.rows])
        if not at.moves:
            still = jnp.zeros_like(v[group.v_index]) if own_a is None else own_a
            wrench, force = jax.vmap(own_momentum)(own_inertias(based, q), up, still)
        else:
            moving = _motion_in_base(based, twists[based.rows])
            load = jax.vmap(group.element.own_load)
            wrench, force = load(based.numbers, q[group.q_index], v[group.v_index], own_a, moving, up)
        total = total.at[based.rows].add(wrench_from_base(based, wrench))
        forces[based.number] = force
    return total[1:], forces


class OwnMass(NamedTuple):
    """One group: inertia (n,) of its members as if they were rigid, their momentum (n, 6, w) per unit of their own
    velocities, both spatial, and (n, w, w)."""

    rows: np.ndarray
    base: RigidInertia
    coupling: Array
    own: Array


def own_masses(at: Evaluation) -> Mapping[int, OwnMass]:
    """By the numbers of the groups."""
    result = {}
    for based in bases(at):
        own = own_inertias(based, at.q)
        columns = jax.vmap(lambda wrench, based=based: wrench_from_base(based, wrench), in_axes=-1, out_axes=-1)
        base = own.base.transform(based.rotation, based.position)
        result[based.number] = OwnMass(based.rows, base, columns(own.coupling), own.own)
    return result


def own_kinetic_energy(at: Evaluation) -> Array:
    twists, total = at.twists, jnp.zeros(())
    for based in bases(at):
        own_v, moving = at.v[based.group.v_index], _motion_in_base(based, twists[based.rows])
        at_base, own = jax.vmap(own_momentum)(own_inertias(based, at.q), moving, own_v)
        total += 0.5 * (jnp.sum(moving * at_base) + jnp.sum(own_v * own))
    return total
