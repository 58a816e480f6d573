"""Inertia that interactions add to rows: water that moves with a body, without weight.

A kind gives a symmetric M (6 x 6) in the frame of a row and the twist f of what it moves against, both functions of
pose and time. With the kinetic energy T = (eta - f)^T M (eta - f) / 2 and p = dT/deta a row takes the wrench
p' - ad(eta)^T p - dT/dpose: Lagrange's equations in body twists (Hamel's form), from M and f by automatic
differentiation.
"""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._evaluation import Evaluation
from pliant.interactions import AddedInertia, Force, wrench_at
from pliant.lie import se3
from pliant.numerics import apply


def _adding(at: Evaluation) -> Iterator[tuple[Force, Any]]:
    pairs = zip(at.structure.interactions, at.numbers.interactions, strict=True)
    return ((kind, numbers) for kind, numbers in pairs if kind.adds_inertia)


def _poses(at: Evaluation, rows: np.ndarray) -> Array:
    return se3.from_rotation_translation(at.rotation[rows], at.position[rows])


def _momentum(added: AddedInertia, twists: Array) -> Array:
    """(n, 6) M (eta - f)."""
    return apply(added.matrix, twists if added.field is None else twists - added.field)


def added_energy(at: Evaluation) -> Array:
    """Kinetic energy [J] of what interactions add."""
    total = jnp.zeros(())
    for kind, numbers in _adding(at):
        added = kind.added_inertia(numbers, at)
        if added is not None:
            twists = apply(se3.adjoint_inverse(_poses(at, added.rows)), at.twists[added.rows])
            moving = twists if added.field is None else twists - added.field
            total = total + 0.5 * jnp.sum(moving * _momentum(added, twists))
    return total


def added_matrices(at: Evaluation) -> Array:
    """(R, 6, 6) about the common point, of the rows."""
    total = jnp.zeros((at.structure.tree.row_count + 1, 6, 6))
    for kind, numbers in _adding(at):
        added = kind.added_inertia(numbers, at)
        if added is not None:
            to_body = se3.adjoint_inverse(_poses(at, added.rows))
            total = total.at[added.rows].add(jnp.einsum("nji,njk,nkl->nil", to_body, added.matrix, to_body))
    return total[1:]


def added_loads(at: Evaluation, acceleration: Array) -> Array:
    """(R, 6) spatial wrench that the motion asks for. acceleration (R, 6): spatial, of the rows, without gravity."""
    everywhere = jnp.concatenate([jnp.zeros((1, 6)), acceleration])
    spatial, still = at.twists, jnp.zeros_like(at.v)
    total = jnp.zeros_like(everywhere)
    for kind, numbers in _adding(at):
        first = kind.added_inertia(numbers, at)
        if first is None:
            continue
        rows = first.rows
        poses = _poses(at, rows)
        to_body = se3.adjoint_inverse(poses)
        twists, change = apply(to_body, spatial[rows]), apply(to_body, everywhere[rows])

        def momentum(time: Array, kind=kind, numbers=numbers, twists=twists, change=change) -> Array:
            later = at.displaced(time * spatial, time * at.v).at_time(at.t + time)
            added = kind.added_inertia(numbers, later)
            assert added is not None
            return _momentum(added, twists + time * change)

        def energy(moved: Array, kind=kind, numbers=numbers, twists=twists) -> Array:
            added = kind.added_inertia(numbers, at.displaced(moved, still))
            assert added is not None
            moving = twists if added.field is None else twists - added.field
            return 0.5 * jnp.sum(moving * _momentum(added, twists))

        held, rate = jax.jvp(momentum, (jnp.zeros(()),), (jnp.ones(()),))
        total = total.at[rows].add(wrench_at(poses, rate - se3.ad_transpose(twists, held)))
        total = total - jax.grad(energy)(jnp.zeros_like(everywhere))
    return total[1:]
