"""The mass matrix on the flattened tree: full where bodies hang on each other, block-diagonal where nodes are free.

Nothing of size nv x nv is formed for the nodes of a mesh: solves go block by block.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._added_inertia import added_matrices
from pliant.dynamics._evaluation import Evaluation
from pliant.dynamics._kinematics import Kinematics, carried, jacobian_columns, split_rows, subspaces
from pliant.dynamics._own_inertia import OwnMass, own_masses
from pliant.mechanics import RigidInertia
from pliant.model import Prepared, Structure
from pliant.numerics import (
    blocks_solvable,
    checked_cholesky_solve,
    cholesky,
    running_sum,
    small_cholesky,
    small_cholesky_solve,
    symmetric_product,
)


class Mass(NamedTuple):
    """joined (J, J): the full part; lone: per lone block (S, w, w)."""

    joined: Array
    lone: tuple[Array, ...]


class MassFactor(NamedTuple):
    """Cholesky factors of the same parts; diagonal: of the full part; solvable: 1, or NaN where a lone block has no
    mass in some direction."""

    joined: Array
    diagonal: Array
    lone: tuple[Array, ...]
    solvable: Array | float


def spatial_inertia(prepared: Prepared, kin: Kinematics) -> RigidInertia:
    """(R,) inertia of the rows about the common point."""
    return prepared.inertia.transform(kin.rotation[1:], kin.position[1:])


def mass_of(at: Evaluation) -> Mass:
    """Each segment sees its own rows with everything that hangs on them; couplings between segments are the momentum of
    the lower one seen by the Jacobian of its base."""
    tree = at.structure.tree
    inertia = spatial_inertia(at.numbers, at.kinematics)
    apart = own_masses(at)
    for part in apart.values():
        inertia = _with_own(inertia, part)
    inertia = RigidInertia(*(carried(tree, field) for field in inertia))
    whole = inertia.matrix()
    if at.structure.adds_inertia:
        whole = whole + carried(tree, added_matrices(at))
    matrices = split_rows(tree, whole)
    motion = subspaces(at.structure, at.kinematics)
    own = [running_sum(part, axis=1) for part in motion]
    momenta = [jnp.einsum("smij,smjw->smiw", m, d) for m, d in zip(matrices, own, strict=True)]
    blocks = [symmetric_product(d, p) for d, p in zip(own, momenta, strict=True)]
    blocks = [block + apart[index].own if index in apart else block for index, block in enumerate(blocks)]
    full = [index for index, lone in enumerate(tree.lone) if not lone]
    diagonal = [blocks[index].reshape(-1) for index in full]
    if tree.chain is None:
        couplings = [jnp.zeros(len(tree.joined) ** 2)]
    else:
        columns = jacobian_columns(motion)[tree.base_jacobian_gather]  # (joined segments, J, 6)
        couplings, start = [], 0
        for index in full:
            base = columns[start : start + tree.blocks[index].count]
            total = momenta[index].sum(axis=1)
            total = total + apart[index].coupling if index in apart else total
            couplings.append(jnp.einsum("sni,siw->swn", base, total).reshape(-1))
            start += tree.blocks[index].count
    joined = jnp.concatenate([*diagonal, *couplings, jnp.zeros(1)])[tree.mass_gather]
    return Mass(joined, tuple(blocks[index] for index, lone in enumerate(tree.lone) if lone))


def _with_own(inertia: RigidInertia, part: OwnMass) -> RigidInertia:
    """Rows (R,) that also carry what hangs on them with an inertia of its own; what hangs on the world is not moved."""
    moved = part.rows > 0
    rows = part.rows[moved] - 1
    return RigidInertia(*(whole.at[rows].add(own[moved]) for whole, own in zip(inertia, part.base, strict=True)))


def _lone_columns(structure: Structure) -> list[np.ndarray]:
    """Per lone block (S, w): its velocities."""
    tree = structure.tree
    return [block.columns for block, lone in zip(tree.blocks, tree.lone, strict=True) if lone]


def mass_matrix_of(at: Evaluation) -> Array:
    """(nv, nv), all of it."""
    structure, mass = at.structure, mass_of(at)
    columns = _lone_columns(structure)
    if not columns:
        return mass.joined
    joined = structure.tree.joined
    whole = jnp.zeros((structure.nv, structure.nv)).at[np.ix_(joined, joined)].set(mass.joined)
    for own, part in zip(columns, mass.lone, strict=True):
        whole = whole.at[own[:, :, None], own[:, None, :]].set(part)
    return whole


def mass_columns(structure: Structure) -> list[np.ndarray]:
    """Velocities (S, w) of the blocks that the mass matrix has on its diagonal."""
    joined = structure.tree.joined
    return ([joined[None]] if len(joined) else []) + _lone_columns(structure)


def mass_blocks_of(at: Evaluation) -> list[Array]:
    """Those blocks, (S, w, w) each."""
    mass = mass_of(at)
    return ([mass.joined[None]] if len(at.structure.tree.joined) else []) + list(mass.lone)


def mass_factor(at: Evaluation) -> MassFactor:
    mass = mass_of(at)
    joined, lone = cholesky(mass.joined), tuple(small_cholesky(part) for part in mass.lone)
    sound: Array | float = 1.0
    for factors, part in zip(lone, mass.lone, strict=True):
        sound = sound * blocks_solvable(factors, part)
    return MassFactor(joined, jnp.sum(mass.joined * jnp.eye(len(mass.joined)), axis=-1), lone, sound)


def mass_solve(structure: Structure, factor: MassFactor, b: Array) -> Array:
    """x with M x = b, for b (nv,) or (nv, k); NaN where something of the robot moves without mass, as the base of an
    `eba` rod on a slider does."""
    columns = _lone_columns(structure)
    if not columns:
        return checked_cholesky_solve(factor.joined, factor.diagonal, b)
    b = factor.solvable * b
    joined = structure.tree.joined
    parts, order = [], []
    if len(joined):
        parts.append(checked_cholesky_solve(factor.joined, factor.diagonal, b[joined]))
        order.append(joined)
    for own, lower in zip(columns, factor.lone, strict=True):
        solved = small_cholesky_solve(lower, b[own].reshape(*own.shape, -1))
        parts.append(solved.reshape(own.size, *b.shape[1:]))
        order.append(own.ravel())
    return jnp.concatenate(parts)[np.argsort(np.concatenate(order))]
