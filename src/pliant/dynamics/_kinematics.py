"""The flattened recursion, downward half: poses, motions and twists of all rows about the world's origin.

Everything is expressed at the world's origin in world axes ("spatial"), so that a sum over ancestors is a plain sum.
"""

from collections.abc import Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.elements import Rows
from pliant.lie import se3, so3
from pliant.model import Prepared, Structure, Tree


class Kinematics(NamedTuple):
    """rotation (R + 1, 3, 3) and position (R + 1, 3) of every row's end frame, the world first; motion per block
    (S, m, 6, w) spatial; drift (R, 6) spatial; velocity per block (S, w); relative (R, 6) spatial twist across each
    row; twist (R, 6) spatial twist of each row."""

    rotation: Array
    position: Array
    motion: tuple[Array, ...]
    drift: Array
    velocity: tuple[Array, ...]
    relative: Array
    twist: Array


def multiply(a: Array, b: Array) -> Array:
    """Batched product of small matrices (or matrix and vector with a trailing axis) as one fused loop: a call into a
    matrix library costs more than these products."""
    return jnp.sum(a[..., :, :, None] * b[..., None, :, :], axis=-2)


def apply(a: Array, x: Array) -> Array:
    """Batched small matrix times vector."""
    return jnp.sum(a * x[..., None, :], axis=-1)


def to_world(rotation: Array, position: Array, motion: Array) -> Array:
    """Spatial motion vectors (..., 6) from body ones: the adjoint of the pose, without forming it."""
    angular = apply(rotation, motion[..., :3])
    return jnp.concatenate([angular, apply(rotation, motion[..., 3:]) + so3.cross(position, angular)], axis=-1)


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


def running_sum(part: Array) -> Array:
    """Inclusive sum along the rows of each segment, (S, m, ...)."""
    m = part.shape[1]
    if m == 1:
        return part
    lower = jnp.asarray(np.tri(m))
    return jnp.einsum("rk,sk...->sr...", lower, part)


def down(tree: Tree, rows: Array) -> Array:
    """(R, 6): for every row the sum over itself and its ancestors."""
    total = join([running_sum(part) for part in split_rows(tree, rows)], rows.shape[1:])
    if tree.base_from_rows is None:
        return total
    return total + (jnp.asarray(tree.base_from_rows) @ rows)[tree.row_segment]


def up(tree: Tree, rows: Array) -> Array:
    """(R, 6): for every row the sum over itself and its descendants."""
    parts = split_rows(tree, rows)
    total = join([running_sum(part[:, ::-1])[:, ::-1] for part in parts], rows.shape[1:])
    if tree.base_from_rows is None:
        return total
    per_segment = jnp.concatenate([part.sum(axis=1) for part in parts])
    return total + jnp.asarray(tree.base_from_rows).T @ per_segment


def _local(structure: Structure, prepared: Prepared, q: Array, v: Array) -> list[Rows]:
    """Rows of every group, (S, m, ...), the constant offset of a member folded into its first row."""
    result = []
    for group, numbers, offset in zip(structure.groups, prepared.elements, prepared.offsets, strict=True):
        rows = jax.vmap(group.element.rows)(numbers, q[group.q_index], v[group.v_index])
        if offset is not None:
            turn, move = offset[:, :3, :3], offset[:, :3, 3]
            first_turn, first_move = rows.rotation[:, 0, 0], rows.translation[:, 0, 0]
            rows = rows._replace(
                rotation=rows.rotation.at[:, 0, 0].set(multiply(turn, first_turn)),
                translation=rows.translation.at[:, 0, 0].set(move + apply(turn, first_move)),
            )
        segments = (group.segment_count, group.element.rows_per_segment)
        result.append(Rows(*(x.reshape(*segments, *x.shape[3:]) for x in rows)))
    return result


def _compose(tree: Tree, rotation: Array, position: Array) -> tuple[Array, Array]:
    """World poses of all rows from the local ones by pointer jumping: log2(depth) rounds of one batched product."""
    rotation = jnp.concatenate([jnp.eye(3)[None], rotation])
    position = jnp.concatenate([jnp.zeros((1, 3)), position])
    for jump in tree.jumps:
        above_rotation, above_position = rotation[jump], position[jump]
        position = above_position + apply(above_rotation, position)
        rotation = multiply(above_rotation, rotation)
    return rotation, position


def kinematics(structure: Structure, prepared: Prepared, q: Array, v: Array) -> Kinematics:
    """Poses, motion subspaces and twists of all rows."""
    tree = structure.tree
    local = _local(structure, prepared, q, v)
    rotation, position = _compose(
        tree,
        join([rows.rotation for rows in local], (3, 3)),
        join([rows.translation for rows in local], (3,)),
    )
    turns, places = split_rows(tree, rotation[1:]), split_rows(tree, position[1:])
    motion, relative, velocity = [], [], []
    for rows, turn, place, block in zip(local, turns, places, tree.blocks, strict=True):
        columns = jnp.swapaxes(rows.motion, -1, -2)
        spatial = jnp.swapaxes(to_world(turn[:, :, None], place[:, :, None], columns), -1, -2)
        own = v[block.columns]
        motion.append(spatial)
        velocity.append(own)
        relative.append(apply(spatial, own[:, None]))
    drift = to_world(rotation[1:], position[1:], join([rows.drift for rows in local], (6,)))
    across = join(relative, (6,))
    return Kinematics(rotation, position, tuple(motion), drift, tuple(velocity), across, down(tree, across))


def jacobian_columns(tree: Tree, motion: Sequence[Array]) -> Array:
    """(C + 1, 6) stacked columns of the segments' own spatial Jacobians at every row, then a zero: what
    `Tree.jacobian_gather` indexes."""
    columns = [jnp.swapaxes(running_sum(part), -1, -2).reshape(-1, 6) for part in motion]
    return jnp.concatenate([*columns, jnp.zeros((1, 6))])


def point_poses(kin: Kinematics, rows: np.ndarray, offset: Array) -> Array:
    """(n, 4, 4) world poses of frames that hang on rows with constant offsets (n, 4, 4)."""
    rotation = multiply(kin.rotation[rows], offset[:, :3, :3])
    position = kin.position[rows] + apply(kin.rotation[rows], offset[:, :3, 3])
    return se3.from_rotation_translation(rotation, position)


def row_twists(kin: Kinematics) -> Array:
    """(R + 1, 6) spatial twists, the world's zero first."""
    return jnp.concatenate([jnp.zeros((1, 6)), kin.twist])
