"""Springs between places of the robot, on the flattened tree: equal springs together, forces by virtual work."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._kinematics import Kinematics, from_common_point, point_poses, row_twists
from pliant.interactions import SpringKind, point_wrench
from pliant.lie import se3
from pliant.model import Prepared, Spring, Structure
from pliant.numerics import apply


class _Stretched(NamedTuple):
    """One group of n springs: rows (2 n,) its ends hang on (first ends, then second ends), their poses from the common
    point and body twists, the numbers, deformation beyond rest (n, c) and its rate, and the transposed map from what is
    conjugate to the deformation to body wrenches (2 n, 6) on the ends."""

    springs: tuple[Spring, ...]
    kind: SpringKind
    rows: np.ndarray
    poses: Array
    numbers: Mapping[str, Array]
    excess: Array
    rate: Array
    pull: Callable[[Array], Array]


def _stretched(structure: Structure, prepared: Prepared, kin: Kinematics) -> list[_Stretched]:
    result = []
    for group, numbers, offset in zip(structure.spring_groups, prepared.springs, prepared.spring_offset, strict=True):
        kind, n = group[0].kind, len(group)
        rows = np.array([spring.first.row for spring in group] + [spring.second.row for spring in group], dtype=int)
        poses = from_common_point(kin, point_poses(kin, rows, offset))

        def excess(twists: Array, kind=kind, poses=poses, n=n, rest=numbers["rest"]) -> Array:
            moved = poses + poses @ se3.hat(twists)
            return kind.measure(moved[:n], moved[n:]) - rest

        value, pullback = jax.vjp(excess, jnp.zeros((2 * n, 6)))
        rate = jnp.zeros_like(value)
        if kin.motion is not None:
            twists = apply(se3.adjoint_inverse(poses), row_twists(kin)[rows])
            rate = jax.jvp(excess, (jnp.zeros((2 * n, 6)),), (twists,))[1]
        result.append(_Stretched(group, kind, rows, poses, numbers, value, rate, lambda s, p=pullback: p(s)[0]))  # type: ignore[misc]
    return result


def _on_rows(structure: Structure, stretched: _Stretched, stress: Array) -> Array:
    """(R, 6) spatial wrenches of what is conjugate (n, c) to the deformation."""
    wrench = stretched.pull(stress)
    turn, place = stretched.poses[:, :3, :3], stretched.poses[:, :3, 3]
    own = point_wrench(turn, place, wrench[:, :3], wrench[:, 3:], in_world=False)
    return jnp.zeros((structure.tree.row_count + 1, 6)).at[stretched.rows].add(own)[1:]


def spring_wrenches(structure: Structure, prepared: Prepared, kin: Kinematics) -> Array:
    """(R, 6) spatial wrenches with which springs and dampers resist, on the left of the equations."""
    total = jnp.zeros((structure.tree.row_count, 6))
    for own in _stretched(structure, prepared, kin):
        stress = own.kind.elastic(own.numbers, own.excess)
        if kin.motion is not None:
            stress = stress + own.kind.damping(own.numbers, own.excess, own.rate)
        total = total + _on_rows(structure, own, stress)
    return total


def spring_inputs(
    structure: Structure, prepared: Prepared, kin: Kinematics, t: Array, inputs: Mapping[str, Array]
) -> Array | None:
    """(R, 6) spatial wrenches of the inputs along springs; None where there are none."""
    total = None
    for own in _stretched(structure, prepared, kin):
        if own.kind.driven:
            pushes = [spring.value(prepared.parameters, inputs, t) for spring in own.springs]
            pushed = _on_rows(structure, own, jnp.stack(pushes).reshape(own.excess.shape))
            total = pushed if total is None else total + pushed
    return total


def spring_energy(structure: Structure, prepared: Prepared, kin: Kinematics) -> Array:
    """Stored energy [J]."""
    stored = [jnp.sum(own.kind.energy(own.numbers, own.excess)) for own in _stretched(structure, prepared, kin)]
    return sum(stored, jnp.zeros(()))


def spring_loss(structure: Structure, prepared: Prepared, kin: Kinematics) -> Array:
    """Power lost in the dampers [W]."""
    lost = [
        jnp.sum(own.rate * own.kind.damping(own.numbers, own.excess, own.rate))
        for own in _stretched(structure, prepared, kin)
    ]
    return sum(lost, jnp.zeros(()))


def spring_states(structure: Structure, prepared: Prepared, kin: Kinematics) -> dict[str, tuple[Array, Array]]:
    """Spring name -> deformation beyond rest and the force that opposes it, (c,) each."""
    found = {}
    for own in _stretched(structure, prepared, kin):
        stress = own.kind.elastic(own.numbers, own.excess)
        if kin.motion is not None:
            stress = stress + own.kind.damping(own.numbers, own.excess, own.rate)
        found.update({spring.name: (own.excess[i], stress[i]) for i, spring in enumerate(own.springs)})
    return found
