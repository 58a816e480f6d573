"""Results with more nodes, for pictures: an arm section has nodes at its two ends only, and is drawn through these.

Between neighbours a rod follows the screw from one to the other, the motion of constant strain: an arc stays an arc.
"""

import dataclasses
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.lie import se3, so3
from pliant.results import Equilibrium, LoadPath, Modes, QuasiStatic, Result, Scene

_MOST_TURN = np.deg2rad(15.0)  # from one node to the next
_LEAST_PARTS = 8  # of a rod: what is straight at rest bends in a mode

AnyResult = TypeVar("AnyResult", bound=Result)


class _Places(NamedTuple):
    """Where the M new nodes are: a share of the way from one of the K old ones to the next. Old nodes stay, share 0."""

    node: np.ndarray
    share: np.ndarray

    def blend(self, values: Any, axis: int) -> Array:
        """Values at the new nodes from those at the old ones, linear between them."""
        old = jnp.moveaxis(jnp.asarray(values), axis, -1)
        after = np.minimum(self.node + 1, old.shape[-1] - 1)
        return jnp.moveaxis((1.0 - self.share) * old[..., self.node] + self.share * old[..., after], -1, axis)


def refine(result: AnyResult) -> AnyResult:
    """The result with nodes put between those of its rods, where there are few or the rod bends much between them.

    Exact where strains are constant from node to node and turn a rod by less than 2 pi between them: the recorded
    strains tell a bend beyond pi from one the other way. More than a full turn between two nodes is drawn without it.
    """
    scene, shape = result.scene, result.shape
    if len(scene.node_link) < 2:
        return result
    places = _places(scene, np.asarray(_screws(shape.node_pose, shape.strain)))
    if len(places.node) == len(scene.node_link):
        return result
    changed: dict[str, Any] = {
        "scene": dataclasses.replace(
            scene,
            node_link=tuple(scene.node_link[node] for node in places.node),
            node_fraction=tuple(places.blend(scene.node_fraction, -1).tolist()),
            node_round=tuple(scene.node_round[node] for node in places.node),
            half_width=places.blend(scene.half_width, -2),
        ),
        "shape": dataclasses.replace(
            shape,
            node_pose=_between(shape.node_pose, shape.strain, *places),
            strain=places.blend(shape.strain, -2),
        ),
    }
    if isinstance(result, Equilibrium | LoadPath | QuasiStatic):
        changed["internal"] = places.blend(result.internal, -2)
    if isinstance(result, Modes):
        moves = _moves(shape.node_pose, shape.strain, result.node_displacement, result.node_rotation, *places)
        changed["node_displacement"], changed["node_rotation"] = moves
    return dataclasses.replace(result, **changed)


def _places(scene: Scene, screws: np.ndarray) -> _Places:
    """From the screws (..., K - 1, 6) of all configurations."""
    turn = np.nan_to_num(np.linalg.norm(screws[..., :3], axis=-1)).reshape(-1, screws.shape[-2]).max(axis=0)
    wanted = np.maximum(turn / _MOST_TURN, _LEAST_PARTS * np.diff(scene.node_fraction))
    within = np.diff(scene.node_link) == 0
    parts = np.append(np.where(within, np.ceil(wanted), 1.0), 1.0).astype(int)
    node = np.repeat(np.arange(len(parts)), parts)
    return _Places(node, (np.arange(len(node)) - np.searchsorted(node, node)) / parts[node])


@jax.jit
def _screws(pose: Array, strain: Array) -> Array:
    """(..., K - 1, 6) from every node to the next, for poses (..., K, 4, 4) and strains (..., K, 6).

    A rotation is one by an angle up to pi, or by the rest of 2 pi the other way: that with the screw more like the
    strain is taken.
    """
    step = se3.inverse(pose[..., :-1, :, :]) @ pose[..., 1:, :, :]
    across, mean = se3.translation(step), 0.5 * (strain[..., :-1, :] + strain[..., 1:, :])
    size = jnp.linalg.norm(across, axis=-1, keepdims=True)

    def screw(angular: Array) -> Array:
        linear = jnp.sum(so3.dexp_inv(angular) * across[..., :, None], axis=-2)
        return jnp.concatenate([angular, linear], axis=-1)

    def likeness(screw: Array) -> Array:
        one, two = (jnp.concatenate([size * part[..., :3], part[..., 3:]], axis=-1) for part in (screw, mean))
        return jnp.sum(one * two, axis=-1, keepdims=True) / jnp.linalg.norm(one, axis=-1, keepdims=True)

    short = so3.log(se3.rotation(step))
    near, far = screw(short), screw(short * (1.0 - 2.0 * np.pi / jnp.linalg.norm(short, axis=-1, keepdims=True)))
    return jnp.where(likeness(far) > likeness(near), far, near)  # without a rotation `far` is no number, and not taken


@jax.jit
def _between(pose: Array, strain: Array, node: Array, share: Array) -> Array:
    """Poses (..., M, 4, 4) of the new nodes."""
    screws = _screws(pose, strain)
    along = jnp.concatenate([screws, jnp.zeros_like(screws[..., :1, :])], axis=-2)[..., node, :]
    # From the end of a rod to the next rod there may be no screw: where the share is 0 none is asked for.
    step = jnp.where(share[:, None] > 0.0, share[:, None] * along, 0.0)
    return pose[..., node, :, :] @ se3.exp(step)


@jax.jit
def _moves(
    pose: Array, strain: Array, displacement: Array, rotation: Array, node: Array, share: Array
) -> tuple[Array, Array]:
    """Displacements and rotations (n, M, 3) of the new nodes, from those (n, K, 3) of the old."""

    def moved(move: Array, turn: Array) -> tuple[Array, Array]:
        rate = jnp.concatenate([so3.hat(turn) @ pose[:, :3, :3], move[..., None]], axis=-1)
        rate = jnp.concatenate([rate, jnp.zeros_like(rate[:, :1])], axis=-2)
        place, rate = jax.jvp(lambda pose: _between(pose, strain, node, share), (pose,), (rate,))
        return rate[:, :3, 3], so3.vee(rate[:, :3, :3] @ place[:, :3, :3].swapaxes(1, 2))

    return jax.vmap(moved)(displacement, rotation)
