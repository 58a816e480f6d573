"""The derivative of the equations of motion in closed form: the comprehensive motion transformation of Ishigaki,
Ayusawa and Yamamoto (CMTM), carried from constant strain to every element and from a chain to a tree.

A virtual displacement moves every row of the tree by a twist psi. Its time derivatives psi' and psi'' (the alpha, beta
and gamma of the CMTM) are, in world axes at one point, the same for all that hangs on the row that moves: no
transformation is left, and the derivative of the forces is one matrix per row,

    df + C(f) psi = I psi'' + B psi',   B = -(I ad(eta) + ad(eta)^T I + C(I eta)),   C(f) psi = ad(psi)^T f,

which sums up the tree like the inertia itself. What an element does within its own rows comes from derivatives of its
rows along the velocities of one segment, all segments at once.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._evaluation import Evaluation, evaluation
from pliant.dynamics._inputs import Inputs
from pliant.dynamics._interactions import Acting, acting_forces, all_rest, resting_forces, steady_forces
from pliant.dynamics._kinematics import (
    along,
    carried,
    down,
    jacobian_columns,
    split_rows,
    subspaces,
    to_body,
    to_world,
    up,
)
from pliant.dynamics._mass import spatial_inertia
from pliant.dynamics._own_inertia import with_own_inertia
from pliant.elements import Element
from pliant.lie import se3, so3
from pliant.model import Model, Prepared, State, Structure, Tree
from pliant.numerics import for_scalars, running_sum

_WORTHWHILE = 2  # velocities of the robot over those of its widest segment


class Weights(NamedTuple):
    """What a unit of each unknown moves: the configuration, the velocity and the acceleration."""

    q: Array | float
    v: Array | float
    a: Array | float


def has_closed_tangent(structure: Structure) -> bool:
    """Whether `closed_tangent` knows everything about the robot. Constraints, parameters that follow the motion,
    inertia of elements' and interactions' own, and rods and meshes whose nodes stand side by side are left to automatic
    differentiation."""
    apart = any(group.element.segments > 1 and not group.element.is_chain for group in structure.groups)
    follows = structure.update is not None or any(group.members[0].update for group in structure.groups)
    if apart or follows or with_own_inertia(structure) or structure.adds_inertia:
        return False
    return not (structure.unknown_count or any(structure.tree.lone))


def closed_tangent_is_cheaper(structure: Structure) -> bool:
    """Than automatic differentiation, which pushes nv directions through everything; here as many as the widest segment
    has velocities go through the elements' own rows, so a robot of one wide segment gains nothing."""
    widest = max((block.width for block in structure.tree.blocks), default=0)
    return has_closed_tangent(structure) and structure.nv >= _WORTHWHILE * widest


def closed_tangent(
    model: Model, prepared: Prepared, state: State, a: Array, t: Array, inputs: Inputs, weights: Weights
) -> Array:
    """(nv, nv) derivative of the residual along every velocity's direction times weights.q, by the velocity times
    weights.v and by the acceleration times weights.a, all added up."""
    structure, tree = model.structure, model.structure.tree
    at = evaluation(structure, prepared, state.q, state.v, t, inputs, memory=state.memory or None)
    kin = at.kinematics
    assert kin.motion is not None
    inertia = spatial_inertia(prepared, kin)
    upward = jnp.concatenate([jnp.zeros(3), -at.gravity])
    twist, relative = kin.motion.twist, kin.motion.relative
    across = kin.motion.drift + se3.bracket(twist, relative) + along(structure, kin, a)
    acceleration = upward + down(tree, across)
    held = inertia.momentum(twist)
    wrench = inertia.momentum(acceleration) - se3.ad_transpose(twist, held)
    pushed = acting_forces(at)
    total = wrench if pushed.rows is None else wrench - pushed.rows

    matrix, turning = inertia.matrix(), se3.ad(twist)
    coupled = matrix @ turning
    gyration = -(coupled + jnp.swapaxes(coupled, -1, -2) + _crossed(held))
    passed = up(tree, total)
    parts = _Parts(
        inertia=split_rows(tree, carried(tree, matrix)),
        gyration=split_rows(tree, carried(tree, gyration)),
        crossed=split_rows(tree, carried(tree, _crossed(total))),
        passed=split_rows(tree, _crossed(passed)),
    )
    on_rows = to_body(kin.rotation[1:], kin.position[1:], passed)
    local = _local(at, a, on_rows, weights)
    before = (split_rows(tree, se3.ad(twist - relative)), split_rows(tree, se3.ad(acceleration - across)))
    tangents = _tangents(subspaces(structure, kin), local, before, split_rows(tree, turning), weights)
    whole = _assembled(tree, parts, local, tangents, weights)
    if pushed.rows is None and pushed.force is None:
        return whole
    return whole - _pushed_tangent(model, at, weights, tangents, pushed)


class _Parts(NamedTuple):
    """Per block (S, m, 6, 6): I, B and C(f) of each row with all that hangs on it, and C of the wrench that the row
    passes on, which is that of all rows beyond it."""

    inertia: list[Array]
    gyration: list[Array]
    crossed: list[Array]
    passed: list[Array]


class _Local(NamedTuple):
    """Per block, along the velocities of the row's own segment: spatial change of the motion across the row
    (S, m, 6, w), of its rate (S, m, 6, w), and of the segment's own forces (S, w, w)."""

    relative: list[Array]
    rate: list[Array]
    force: list[Array]


def _crossed(wrench: Array) -> Array:
    """(..., 6, 6) C with C psi = ad(psi)^T wrench."""
    moment, force = so3.hat(wrench[..., :3]), so3.hat(wrench[..., 3:])
    upper = jnp.concatenate([moment, force], axis=-1)
    lower = jnp.concatenate([force, jnp.zeros_like(force)], axis=-1)
    return jnp.concatenate([upper, lower], axis=-2)


def _local(at: Evaluation, a: Array, wrench: Array, weights: Weights) -> _Local:
    structure, prepared, kin, q, v = at.structure, at.numbers, at.kinematics, at.q, at.v
    tree = structure.tree
    turns, places = split_rows(tree, kin.rotation[1:]), split_rows(tree, kin.position[1:])
    result = _Local([], [], [])
    for group, numbers, turn, place in zip(structure.groups, prepared.elements, turns, places, strict=True):
        element = group.element
        pieces, rows, width = element.segments, element.rows_per_segment, group.width
        directions = jnp.asarray(np.tile(np.eye(width), (1, pieces)))
        own = wrench[group.rows].reshape(len(group.members), pieces, rows, 6)

        def changes(numbers: Any, q: Array, v: Array, a: Array, own: Array, element=element, directions=directions):
            def along_one(direction: Array):
                moved = (weights.q * element.rate(q, direction), weights.v * direction, weights.a * direction)
                return jax.jvp(lambda *state: _own(element, numbers, own, *state), (q, v, a), moved)[1]

            return jax.vmap(along_one)(directions)

        relative, rate, force = jax.vmap(changes)(numbers, q[group.q_index], v[group.v_index], a[group.v_index], own)
        for found, kept in ((relative, result.relative), (rate, result.rate)):
            per_row = jnp.moveaxis(found, 1, -2).reshape(-1, rows, width, 6)
            spatial = to_world(turn[:, :, None], place[:, :, None], per_row)
            kept.append(jnp.swapaxes(spatial, -1, -2))
        by_piece = force.reshape(len(group.members), width, pieces, width)
        result.force.append(jnp.moveaxis(by_piece, 1, -1).reshape(-1, width, width))
    return result


def _own(element: Element, numbers: Any, wrench: Array, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
    """Body motion across the rows, its rate, and the forces on the element's velocities of a body wrench (P, m, 6) that
    stays, and of its own elasticity and damping."""
    detail = element.rows(numbers, q).detail
    rate, drift = element.relative(detail, a), element.drift(detail, v)
    carries = jax.linear_transpose(lambda v: element.relative(detail, v), jnp.zeros(element.nv))(wrench)[0]
    return element.relative(detail, v), rate if drift is None else rate + drift, carries + element.force(numbers, q, v)


class _Tangents(NamedTuple):
    """Per block (S, m, 6, w), each row's own part per unit of its segment's unknowns: the motion across it, psi' and
    psi''. psi is weights.q times the first."""

    motion: tuple[Array, ...]
    first: list[Array]
    second: list[Array]


def _tangents(
    motion: tuple[Array, ...], local: _Local, before: tuple[list[Array], list[Array]], turning: list[Array],
    weights: Weights,
) -> _Tangents:  # fmt: skip
    """before: ad of the twist and of the acceleration where the rows begin; turning: ad of the twist where they end."""
    result = _Tangents(motion, [], [])
    for block, subspace in enumerate(motion):
        shift, change = weights.q * subspace, local.relative[block]
        base_twist, base_acceleration = before[0][block], before[1][block]
        rate = base_twist @ shift + change
        result.first.append(rate)
        result.second.append(
            base_acceleration @ shift + base_twist @ rate + turning[block] @ change + local.rate[block]
        )
    return result


def _assembled(tree: Tree, parts: _Parts, local: _Local, tangents: _Tangents, weights: Weights) -> Array:
    own, rates, seconds = ([running_sum(part, axis=1) for part in blocks] for blocks in tangents)
    forces, flat = [], []
    for index, subspace in enumerate(tangents.motion):
        shift = weights.q * own[index]
        change = parts.inertia[index] @ seconds[index] + parts.gyration[index] @ rates[index]
        force = running_sum(change - parts.crossed[index] @ shift, axis=1, reverse=True)
        forces.append(force[:, 0])
        across = jnp.einsum("smia,smib->sab", subspace, force + parts.passed[index] @ shift)
        flat.append((across + local.force[index]).reshape(-1))
    if tree.chain is None:
        return jnp.concatenate([*flat, jnp.zeros(2 * tree.nv**2 + 1)])[tree.tangent_gather]
    base, base_rate, base_second = (jacobian_columns(part)[tree.base_jacobian_gather] for part in tangents)
    above, start = [], 0
    for index, block in enumerate(tree.blocks):
        at = slice(start, start + block.count)
        start += block.count
        seen = jnp.einsum("smia,smij->saj", own[index], parts.inertia[index])
        bent = jnp.einsum("smia,smij->saj", own[index], parts.gyration[index])
        below = jnp.einsum("saj,snj->san", seen, base_second[at]) + jnp.einsum("saj,snj->san", bent, base_rate[at])
        flat.append(below.reshape(-1))
        above.append(jnp.einsum("snj,sja->san", base[at], forces[index]).reshape(-1))
    return jnp.concatenate([*flat, *above, jnp.zeros(1)])[tree.tangent_gather]


def _pushed_tangent(model: Model, at: Evaluation, weights: Weights, tangents: _Tangents, pushed: Acting) -> Array:
    """(nv, nv) of what acts, beyond wrenches that keep their place on the moving rows: derivatives along the motion of
    all rows, which is known, so that no kinematics is differentiated."""
    structure, tree, kin = at.structure, at.structure.tree, at.kinematics
    motion = kin.motion
    assert motion is not None
    gather = tree.jacobian_gather(np.arange(1, tree.row_count + 1)).T
    columns, rates = (jacobian_columns(part)[gather] for part in (tangents.motion, tangents.first))  # (nv, R, 6)

    def tangent_of(forces: Callable[[Evaluation], Acting], pushed: Acting) -> Array:
        def push(rotation: Array, position: Array, twist: Array, q: Array, v: Array) -> Acting:
            placed = kin._replace(rotation=rotation, position=position, motion=motion._replace(twist=twist))
            return forces(at.rebuilt(placed, q, v))

        def along_one(unit: Array, psi: Array, rate: Array) -> Acting:
            turn = jnp.concatenate([jnp.zeros((1, 6)), psi])
            change = (
                so3.hat(turn[:, :3]) @ kin.rotation,
                turn[:, 3:] + so3.cross(turn[:, :3], kin.position),
                rate - se3.bracket(motion.twist, psi),
                weights.q * model.rate(at.q, unit),
                weights.v * unit,
            )
            return jax.jvp(push, (kin.rotation, kin.position, motion.twist, at.q, at.v), change)[1]

        moved = weights.q * columns
        changed, force = jax.vmap(along_one)(jnp.eye(structure.nv), moved, rates)
        total = jnp.zeros((structure.nv, structure.nv)) if force is None else force.T
        if pushed.rows is None or changed is None:
            return total
        changed = changed + jnp.einsum("rij,nrj->nri", _crossed(pushed.rows), moved)
        return jnp.einsum("ari,nri->an", columns, changed) + total

    if not for_scalars() or not any(kind.may_rest for kind in structure.interactions):
        return tangent_of(acting_forces, pushed)
    # What rests has no derivative: a program of scalars goes on without it.
    nothing = jnp.zeros((structure.nv, structure.nv))
    steady = tangent_of(steady_forces, steady_forces(at))
    return steady + jax.lax.cond(all_rest(at), lambda: nothing, lambda: tangent_of(resting_forces, resting_forces(at)))
