"""Constraints on the flattened tree: what they ask for, and their rates."""

import jax.numpy as jnp
from jax import Array

from pliant.dynamics._evaluation import Evaluation
from pliant.dynamics._interactions import constraint_kinds
from pliant.dynamics._kinematics import down
from pliant.lie import se3


def _joined(parts: list[Array]) -> Array:
    return jnp.concatenate(parts) if parts else jnp.zeros(0)


def constraint_values(at: Evaluation) -> Array:
    """(m,) how far each loop is from closed and each prescribed joint from where it should be [m or rad]."""
    return _joined([kind.values(numbers, at) for kind, numbers, _ in constraint_kinds(at)])


def constraint_rates(at: Evaluation, a: Array | None = None, pushed: Array | None = None) -> tuple[Array, Array]:
    """(m,) first and second time derivative of the constraints, for accelerations a (nv,) with `pushed` (R, 6), the
    spatial motion they give the rows (None: zero). In rows that a controller leads the second is its law."""
    motion = at.kinematics.motion
    if motion is None:
        raise ValueError("rates of constraints need kinematics with velocities")
    across = motion.drift + se3.bracket(motion.twist, motion.relative)
    if pushed is not None:
        across = across + pushed
    acceleration = jnp.concatenate([jnp.zeros((1, 6)), down(at.structure.tree, across)])
    a = jnp.zeros_like(at.v) if a is None else a
    found = [kind.rates(numbers, at, a, acceleration) for kind, numbers, _ in constraint_kinds(at)]
    return _joined([rates.first for rates in found]), _joined([rates.second for rates in found])


def reactions(at: Evaluation, multipliers: Array) -> dict[str, Array]:
    """Loop name -> wrench (6,) [moment; force] on the second frame, at that frame and in its axes."""
    found: dict[str, Array] = {}
    for kind, numbers, rows in constraint_kinds(at):
        found |= kind.reactions(numbers, at, multipliers[rows])
    return found
