"""The configurations of a result as plain numpy arrays."""

from typing import NamedTuple

import numpy as np

from pliant.results import LoadPath, Result, Trajectory


class Samples(NamedTuple):
    """Configurations along one axis: node (N, K, 4, 4), body (N, B, 4, 4), frame (N, F, 4, 4), strain (N, K, 6).

    ``value`` (N,) is the time [s], the load factor or the index, and ``label`` says which.
    """

    node: np.ndarray
    body: np.ndarray
    frame: np.ndarray
    strain: np.ndarray
    value: np.ndarray
    label: str

    def points(self) -> np.ndarray:
        """All positions (n, 3) [m]."""
        return np.concatenate([poses[..., :3, 3].reshape(-1, 3) for poses in (self.node, self.body, self.frame)])

    def take(self, index: np.ndarray) -> "Samples":
        """These configurations only."""
        return self._replace(
            node=self.node[index],
            body=self.body[index],
            frame=self.frame[index],
            strain=self.strain[index],
            value=self.value[index],
        )


def samples_of(result: Result) -> Samples:
    """The configurations of ``result``; those that a failed solve left without finite numbers are dropped."""
    shape = result.shape
    poses = [np.asarray(array) for array in (shape.node_pose, shape.body_pose, shape.frame_pose, shape.strain)]
    if not result.lead:
        poses = [array[None] for array in poses]
    if poses[0].ndim != 4:
        raise ValueError(
            "a batch of results cannot be drawn; take one member: jax.tree.map(lambda leaf: leaf[i], result)"
        )
    count = len(poses[0])
    value, label = np.arange(count, dtype=float), "configuration"
    if isinstance(result, Trajectory):
        value, label = np.asarray(result.time), "time [s]"
    elif isinstance(result, LoadPath):
        value, label = np.asarray(result.factors), "load factor [1]"
    node, body, frame, strain = poses
    finite = np.isfinite(value)
    for array in poses:
        finite &= np.isfinite(array.reshape(count, -1)).all(axis=1)
    if not finite.any():
        raise ValueError("the result holds no configuration with finite numbers; there is nothing to draw")
    return Samples(node, body, frame, strain, value, label).take(np.flatnonzero(finite))


def spread(count: int, limit: int) -> np.ndarray:
    """At most ``limit`` indices evenly over ``count``, first and last included."""
    return np.unique(np.linspace(0, count - 1, min(count, limit)).round().astype(int))
