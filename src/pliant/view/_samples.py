"""The configurations of a result as plain numpy arrays."""

from typing import NamedTuple

import numpy as np

from pliant.results import Equilibrium, LoadPath, Names, QuasiStatic, Result, Trajectory, rod_of

Motion = Trajectory | QuasiStatic  # what has a time, and can be filmed
Series = Trajectory | QuasiStatic | LoadPath  # several configurations with their forces


_MOST_ENDS = 1_000_000  # of lines, that the extents are taken from


class Configuration(NamedTuple):
    """What is drawn of a robot: poses node (K, 4, 4) and body (B, 4, 4), ends of lines (L, 2, 3)."""

    node: np.ndarray
    body: np.ndarray
    line: np.ndarray

    def points(self) -> np.ndarray:
        """All positions (n, 3) [m]."""
        return np.concatenate([self.node[:, :3, 3], self.body[:, :3, 3], self.line.reshape(-1, 3)])


class Samples(NamedTuple):
    """Configurations along one axis: node (N, K, 4, 4), body (N, B, 4, 4), frame (N, F, 4, 4), ends of lines
    (N, L, 2, 3), strain (N, K, 6).

    ``internal`` (N, K, 6) is the wrench in the rods, NaN where the result does not hold it. ``value`` (N,) is the time
    [s], the load factor or the index, and ``label`` says which.
    """

    node: np.ndarray
    body: np.ndarray
    frame: np.ndarray
    line: np.ndarray
    strain: np.ndarray
    internal: np.ndarray
    value: np.ndarray
    label: str

    def points(self) -> np.ndarray:
        """All positions (n, 3) [m]; of a large mesh those of configurations spread evenly."""
        ends = self.line[spread(len(self.line), max(2, _MOST_ENDS // max(1, 2 * self.line.shape[1])))]
        poses = (self.node, self.body, self.frame)
        return np.concatenate([*(array[..., :3, 3].reshape(-1, 3) for array in poses), ends.reshape(-1, 3)])

    def at(self, index: int) -> Configuration:
        """One configuration."""
        return Configuration(self.node[index], self.body[index], self.line[index])

    def take(self, index: np.ndarray) -> "Samples":
        """These configurations only."""
        return self._replace(**{name: getattr(self, name)[index] for name in self._fields if name != "label"})


def axis_of(result: Result) -> tuple[np.ndarray, str] | None:
    """What the configurations of ``result`` are listed along, and its name with the unit; None for a single one."""
    if isinstance(result, Trajectory | QuasiStatic):
        value, label = np.asarray(result.time), "time [s]"
    elif isinstance(result, LoadPath):
        value, label = np.asarray(result.factors), "load factor [1]"
    else:
        return None
    _refuse_batch(value.ndim > 1)
    return value, label


def _refuse_batch(batch: bool) -> None:
    if batch:
        raise ValueError(
            "a batch of results cannot be drawn; take one member: jax.tree.map(lambda leaf: leaf[i], result)"
        )


def samples_of(result: Result) -> Samples:
    """The configurations of ``result``; those that a failed solve left without finite numbers are dropped."""
    shape = result.shape
    fields = (shape.node_pose, shape.body_pose, shape.frame_pose, shape.line_ends, shape.strain)
    poses = [np.asarray(array) for array in fields]
    internal = np.asarray(result.internal) if isinstance(result, Equilibrium | LoadPath | QuasiStatic) else None
    if not result.lead:
        poses = [array[None] for array in poses]
        internal = internal if internal is None else internal[None]
    _refuse_batch(poses[0].ndim != 4)
    count = len(poses[0])
    value, label = axis_of(result) or (np.arange(count, dtype=float), "configuration")
    node, body, frame, line, strain = poses
    finite = np.isfinite(value)
    for array in poses:
        finite &= np.isfinite(array.reshape(count, -1)).all(axis=1)
    if not finite.any():
        raise ValueError("the result holds no configuration with finite numbers; there is nothing to draw")
    internal = np.full_like(strain, np.nan) if internal is None else internal
    return Samples(node, body, frame, line, strain, internal, value, label).take(np.flatnonzero(finite))


def shown_frames(names: Names) -> list[str]:
    """The frames that a reader is shown: those of the file and the links, not the divisions of a rod."""
    return [name for name in names.frames if rod_of(name) == name]


def spread(count: int, limit: int) -> np.ndarray:
    """At most ``limit`` indices evenly over ``count``, first and last included."""
    return np.unique(np.linspace(0, count - 1, min(count, limit)).round().astype(int))
