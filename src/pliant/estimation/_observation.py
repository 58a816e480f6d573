"""What was measured, compared with what a model predicts: positions in the world, rotations on their manifold."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.lie import so3


class Observed(NamedTuple):
    """poses (m, 4, 4) and weights (m, 6): one over the deviations of turn [1/rad] and place [1/m]; 0: not seen."""

    poses: Array
    weights: Array


def noise_deviations(noise: Any, marker_count: int) -> np.ndarray:
    """(m, 6) standard deviations of turn [rad] and place [m] from (place, turn), a number or one for each marker; a
    turn of None is not measured (infinite)."""
    try:
        place, turn = noise
    except (TypeError, ValueError):
        raise ValueError(
            f"noise is a pair: deviation of position [m], deviation of rotation [rad] or None; got {noise!r}"
        ) from None
    columns = []
    for what, value in (("rotation", np.inf if turn is None else turn), ("position", place)):
        given = np.asarray(value, dtype=float)
        if given.shape not in ((), (marker_count,)):
            raise ValueError(
                f"noise of {what}: one number, or one for each of {marker_count} markers; got shape {given.shape}"
            )
        if not np.all(given > 0.0):
            raise ValueError(f"noise of {what} must be above 0; got {value!r} (None for a rotation not measured)")
        columns.append(np.repeat(np.broadcast_to(given, (marker_count,))[:, None], 3, axis=1))
    return np.concatenate(columns, axis=1)


def as_poses(observed: Any, marker_count: int, measures_turn: bool) -> np.ndarray:
    """Observations (m, 4, 4), from positions (m, 3) too where rotations are not measured."""
    poses = np.asarray(observed, dtype=float)
    if poses.shape == (marker_count, 3) and not measures_turn:
        padded = np.tile(np.eye(4), (marker_count, 1, 1))
        padded[:, :3, 3] = poses
        return padded
    if poses.shape != (marker_count, 4, 4):
        wanted = f"poses ({marker_count}, 4, 4)" + ("" if measures_turn else f" or positions ({marker_count}, 3)")
        cure = "; give noise=(position, None) where rotations are not measured" if poses.shape[1:] == (3,) else ""
        raise ValueError(f"observed must be {wanted}, one for each marker; got shape {poses.shape}{cure}")
    return poses


def weighted(poses: Array, deviations: Array) -> Observed:
    """Observations with their weights; a marker whose numbers are not finite was not seen in this sample."""
    placed = jnp.all(jnp.isfinite(poses[:, :3, 3]), axis=1)
    turned = jnp.all(jnp.isfinite(poses[:, :3, :3]), axis=(1, 2))
    seen = jnp.stack([turned, turned, turned, placed, placed, placed], axis=1)
    safe = jnp.where(jnp.isfinite(poses), poses, 0.0)
    safe = safe.at[:, :3, :3].set(jnp.where(turned[:, None, None], safe[:, :3, :3], jnp.eye(3)))
    return Observed(safe, jnp.where(seen, 1.0 / deviations, 0.0))


def errors(poses: Array, observed: Array) -> Array:
    """(m, 6) from predicted to observed poses: turn [rad] in the predicted axes, way [m] in those of the world."""
    turn = so3.log(jnp.swapaxes(poses[:, :3, :3], -1, -2) @ observed[:, :3, :3])
    return jnp.concatenate([turn, observed[:, :3, 3] - poses[:, :3, 3]], axis=1)


def whitened(poses: Array, rates: Array, observed: Observed) -> tuple[Array, Array]:
    """Errors over their deviations (6m,), and how the prediction's part of them follows the unknowns (6m, n)."""

    def error(poses: Array) -> Array:
        return (errors(poses, observed.poses) * observed.weights).reshape(-1)

    value, along = jax.linearize(error, poses)
    return value, -jax.vmap(along)(rates).T
