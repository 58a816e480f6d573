"""The flattened recursion, downward half: poses, motions and twists of all rows in one common frame.

Everything is expressed in world axes at one point ("spatial"), so that a sum over ancestors is a plain sum. The point
is where the first row of the robot is at the moment: any fixed point gives the same forces, and a near one keeps the
terms that cancel small, wherever in the world the robot is.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.elements import Element, Rows
from pliant.lie import se3, so3
from pliant.model import Prepared, Structure, Tree
from pliant.numerics import apply, apply_transposed, for_scalars, multiply, running_sum


class Motion(NamedTuple):
    """Spatial vectors of the rows (R, 6): drift of each row, relative twist across it, twist of its end frame."""

    drift: Array
    relative: Array
    twist: Array


class Kinematics(NamedTuple):
    """rotation (R + 1, 3, 3) and position (R + 1, 3), from the common point, of every row's end frame, the world first;
    origin (3,): the common point in the world; detail per group, of the elements' rows; motion: None at rest."""

    rotation: Array
    position: Array
    origin: Array
    detail: tuple[Any, ...]
    motion: Motion | None


def to_world(rotation: Array, position: Array, motion: Array) -> Array:
    """Spatial motion vectors (..., 6) from body ones: the adjoint of the pose, without forming it."""
    angular = apply(rotation, motion[..., :3])
    return jnp.concatenate([angular, apply(rotation, motion[..., 3:]) + so3.cross(position, angular)], axis=-1)


def to_body(rotation: Array, position: Array, wrench: Array) -> Array:
    """Body wrenches (..., 6) from spatial ones: the transpose of `to_world`."""
    moment = wrench[..., :3] - so3.cross(position, wrench[..., 3:])
    return jnp.concatenate([apply_transposed(rotation, moment), apply_transposed(rotation, wrench[..., 3:])], axis=-1)


def split_rows(tree: Tree, rows: Array) -> list[Array]:
    """(R, ...) -> per block (S, m, ...)."""
    parts, start = [], 0
    for block in tree.blocks:
        size = block.count * block.rows
        parts.append(rows[start : start + size].reshape(block.count, block.rows, *rows.shape[1:]))
        start += size
    return parts


def join(parts: Sequence[Array], trailing: tuple[int, ...]) -> Array:
    """Per block (S, m, ...) -> (R, ...)."""
    flat = [part.reshape(-1, *trailing) for part in parts]
    if not flat:
        return jnp.zeros((0, *trailing))
    return flat[0] if len(flat) == 1 else jnp.concatenate(flat)


def down(tree: Tree, rows: Array) -> Array:
    """(R, 6): for every row the sum over itself and its ancestors."""
    total = join([running_sum(part, axis=1) for part in split_rows(tree, rows)], rows.shape[1:])
    if tree.chain is None:
        return total
    # A segment inherits, from every segment it hangs on, what that has gathered where the next one leaves.
    inherited = jnp.asarray(tree.chain) @ total[tree.attached_row]
    return total + jnp.concatenate([inherited, jnp.zeros((1, *rows.shape[1:]))])[tree.inherited]


def carried(tree: Tree, rows: Array) -> Array:
    """(R, ...): every row plus the sum over all segments that hang on it, with everything that hangs on those."""
    if tree.chain is None:
        return rows
    per_segment = jnp.concatenate([part.sum(axis=1) for part in split_rows(tree, rows)])
    subtree = jnp.tensordot(jnp.asarray(tree.chain.T), per_segment[tree.hanging], axes=1)
    return rows.at[tree.attached_row].add(subtree)


def up(tree: Tree, rows: Array) -> Array:
    """(R, 6): for every row the sum over itself and its descendants."""
    parts = split_rows(tree, carried(tree, rows))
    return join([running_sum(part, axis=1, reverse=True) for part in parts], rows.shape[1:])


def _local(structure: Structure, prepared: Prepared, q: Array) -> list[Rows]:
    """Rows of every group, (n, P, m, ...), the constant offset of a member folded into its first row."""
    result = []
    for group, numbers, offset in zip(structure.groups, prepared.elements, prepared.offsets, strict=True):
        rows = jax.vmap(group.element.rows)(numbers, q[group.q_index])
        if offset is not None:
            rows = _moved(rows, offset, group.element.is_chain)
        result.append(rows)
    return result


def _moved(rows: Rows, offset: Array, is_chain: bool) -> Rows:
    """Rows (n, P, m, ...) with the members' offsets (n, 4, 4) before the first row of the member, or of each of its
    segments where these do not hang on each other."""
    n, pieces, m = rows.translation.shape[:3]
    runs = (n, pieces * m) if is_chain else (n * pieces, m)
    turns, moves = rows.rotation.reshape(*runs, 3, 3), rows.translation.reshape(*runs, 3)
    offset = offset if is_chain else jnp.repeat(offset, pieces, axis=0)
    turn, move = offset[:, :3, :3], offset[:, :3, 3]
    # Joined anew rather than set in place: XLA's CPU compiler may overwrite the matrix it still reads from.
    turns = jnp.concatenate([multiply(turn, turns[:, 0])[:, None], turns[:, 1:]], axis=1)
    moves = jnp.concatenate([(move + apply(turn, moves[:, 0]))[:, None], moves[:, 1:]], axis=1)
    return rows._replace(rotation=turns.reshape(n, pieces, m, 3, 3), translation=moves.reshape(n, pieces, m, 3))


def _compose(tree: Tree, rotation: Array, position: Array) -> tuple[Array, Array]:
    """World poses of all rows from the local ones by pointer jumping: log2(depth) rounds of one batched product."""
    if for_scalars():
        return _compose_in_order(tree, rotation, position)
    rotation = jnp.concatenate([jnp.eye(3)[None], rotation])
    position = jnp.concatenate([jnp.zeros((1, 3)), position])
    for jump in tree.jumps:
        above_rotation, above_position = rotation[jump], position[jump]
        position = above_position + apply(above_rotation, position)
        rotation = multiply(above_rotation, rotation)
    return rotation, position


def _compose_in_order(tree: Tree, rotation: Array, position: Array) -> tuple[Array, Array]:
    """The same, row by row: one product for each."""
    poses = {0: (jnp.eye(3), jnp.zeros(3))}
    for row in tree.downward:
        parent = int(tree.parent[row])
        turn, place = rotation[row - 1], position[row - 1]
        if parent:
            above, where = poses[parent]
            turn, place = multiply(above, turn), where + apply(above, place)
        poses[int(row)] = (turn, place)
    turns, places = zip(*(poses[row] for row in range(len(tree.parent))), strict=True)
    return jnp.stack(turns), jnp.stack(places)


def kinematics(structure: Structure, prepared: Prepared, q: Array, v: Array | None = None) -> Kinematics:
    """Poses of all rows, and their motion when a velocity is given."""
    local = _local(structure, prepared, q)
    rotation, position = _compose(
        structure.tree,
        join([rows.rotation for rows in local], (3, 3)),
        join([rows.translation for rows in local], (3,)),
    )
    # Held fixed in derivatives: nothing depends on where the common point is.
    origin = jax.lax.stop_gradient(position[1] if len(position) > 1 else position[0])
    rest = Kinematics(rotation, position - origin, origin, tuple(rows.detail for rows in local), None)
    if v is None:
        return rest
    relative = along(structure, rest, v)
    return rest._replace(motion=Motion(_drift(structure, rest, v), relative, down(structure.tree, relative)))


def along(structure: Structure, kin: Kinematics, v: Array) -> Array:
    """(R, 6) spatial motion across each row for velocities v (nv,)."""
    parts = [
        jax.vmap(group.element.relative)(detail, v[group.v_index])
        for group, detail in zip(structure.groups, kin.detail, strict=True)
    ]
    return to_world(kin.rotation[1:], kin.position[1:], join(parts, (6,)))


def _drift(structure: Structure, kin: Kinematics, v: Array) -> Array:
    """(R, 6) spatial rate of the motion across each row at constant v, in the moving row."""
    parts = []
    for group, detail in zip(structure.groups, kin.detail, strict=True):
        drift = jax.vmap(group.element.drift)(detail, v[group.v_index])
        parts.append(jnp.zeros((group.row_count, 6)) if drift is None else drift)
    return to_world(kin.rotation[1:], kin.position[1:], join(parts, (6,)))


def project(structure: Structure, kin: Kinematics, wrench: Array) -> Array:
    """(nv,) generalised force of spatial wrenches (R, 6) on the rows: the transpose of `along` after `down`."""
    tree = structure.tree
    body = to_body(kin.rotation[1:], kin.position[1:], up(tree, wrench))
    parts = []
    for group, detail in zip(structure.groups, kin.detail, strict=True):
        shape = (len(group.members), group.element.segments, group.element.rows_per_segment, 6)

        def transposed(detail: Any, force: Array, element: Element = group.element) -> Array:
            return jax.linear_transpose(lambda v: element.relative(detail, v), jnp.zeros(element.nv))(force)[0]

        parts.append(jax.vmap(transposed)(detail, body[group.rows].reshape(shape)).reshape(-1))
    return in_velocity_order(tree, parts)


def in_velocity_order(tree: Tree, parts: Sequence[Array]) -> Array:
    """(nv,) from the concatenation over groups."""
    stacked = parts[0] if len(parts) == 1 else jnp.concatenate(parts)
    return stacked[tree.velocity_order]


def subspaces(structure: Structure, kin: Kinematics) -> tuple[Array, ...]:
    """Per block (S, m, 6, w): spatial motion across each row per unit of its segment's velocities."""
    tree = structure.tree
    turns, places = split_rows(tree, kin.rotation[1:]), split_rows(tree, kin.position[1:])
    result = []
    for group, detail, turn, place in zip(structure.groups, kin.detail, turns, places, strict=True):
        own = jax.vmap(group.element.subspace)(detail).reshape(*turn.shape[:2], 6, group.width)
        angular, linear = multiply(turn, own[..., :3, :]), multiply(turn, own[..., 3:, :])
        result.append(jnp.concatenate([angular, linear + multiply(so3.hat(place), angular)], axis=-2))
    return tuple(result)


def jacobian_columns(subspace: Sequence[Array]) -> Array:
    """(C + 1, 6) stacked columns of the segments' own spatial Jacobians at every row, then a zero: what
    `Tree.jacobian_gather` indexes."""
    columns = [jnp.swapaxes(running_sum(part, axis=1), -1, -2).reshape(-1, 6) for part in subspace]
    return jnp.concatenate([*columns, jnp.zeros((1, 6))])


def point_poses(kin: Kinematics, rows: np.ndarray, offset: Array) -> Array:
    """(n, 4, 4) world poses of frames that hang on rows with constant offsets (n, 4, 4)."""
    rotation = multiply(kin.rotation[rows], offset[:, :3, :3])
    position = kin.position[rows] + apply(kin.rotation[rows], offset[:, :3, 3])
    return se3.from_rotation_translation(rotation, position + kin.origin)


def from_common_point(kin: Kinematics, poses: Array) -> Array:
    """World poses (..., 4, 4) moved to where the common point is the origin, for use with spatial vectors."""
    return se3.from_rotation_translation(poses[..., :3, :3], poses[..., :3, 3] - kin.origin)


def row_twists(kin: Kinematics) -> Array:
    """(R + 1, 6) spatial twists, the world's first; zero at rest."""
    if kin.motion is None:
        return jnp.zeros((len(kin.position), 6))
    return jnp.concatenate([jnp.zeros((1, 6)), kin.motion.twist])
