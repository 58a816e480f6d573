"""Mode shapes of a size that can be seen: nodes, bodies and lines moved along one mode."""

import numpy as np

from pliant.results import Modes
from pliant.view._samples import Configuration

_MOST_TURN = 0.7  # rad: a mode that turns more than it moves is drawn with this largest rotation


def mode_scale(modes: Modes, mode: int, largest: float) -> float:
    """Amplitude at which the largest displacement of a mode is ``largest`` [m], or less where a body would spin."""
    moves = (modes.node_displacement, modes.body_displacement, modes.line_displacement)
    moved = max(_peak(part, mode) for part in moves)
    turned = max(_peak(modes.node_rotation, mode), _peak(modes.body_rotation, mode))
    limits = [bound / peak for bound, peak in ((largest, moved), (_MOST_TURN, turned)) if peak > 0]
    return min(limits, default=0.0)


def _peak(vectors: object, mode: int) -> float:
    return float(np.linalg.norm(np.asarray(vectors)[mode], axis=-1).max(initial=0.0))


def mode_shape(modes: Modes, mode: int, amplitude: float) -> Configuration:
    """The robot displaced by one mode with an amplitude (see ``mode_scale``; negative: the other way).

    Cross-sections stay square to the displaced centreline and twist about it; bodies move and turn.
    """
    node, body = np.array(modes.shape.node_pose), np.array(modes.shape.body_pose)
    node_move, node_turn, body_move, body_turn = (
        amplitude * np.asarray(part)[mode]
        for part in (modes.node_displacement, modes.node_rotation, modes.body_displacement, modes.body_rotation)
    )
    for span in modes.scene.rods().values():
        fraction = np.asarray(modes.scene.node_fraction[span])
        still, moved = node[span, :3, 3], node[span, :3, 3] + node_move[span]
        tangent = _tangents(fraction, still)
        twist = rotations(np.sum(node_turn[span] * tangent, axis=1, keepdims=True) * tangent)
        node[span, :3, :3] = _turns(tangent, _tangents(fraction, moved)) @ twist @ node[span, :3, :3]
        node[span, :3, 3] = moved
    body[:, :3, :3] = rotations(body_turn) @ body[:, :3, :3]
    body[:, :3, 3] += body_move
    line = np.asarray(modes.shape.line_ends) + amplitude * np.asarray(modes.line_displacement)[mode]
    return Configuration(node, body, line)


def rotations(vectors: np.ndarray) -> np.ndarray:
    """Rotation matrices (n, 3, 3) of rotation vectors (n, 3) [rad]."""
    angle = np.linalg.norm(vectors, axis=1)[:, None, None]
    hat = np.cross(vectors[:, None, :], np.eye(3)).swapaxes(1, 2)
    half = np.sinc(angle / (2 * np.pi))  # sin(angle / 2) / (angle / 2)
    return np.eye(3) + np.sinc(angle / np.pi) * hat + 0.5 * half**2 * hat @ hat


def _tangents(fraction: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Unit tangents (K, 3) of the curve through points (K, 3) at increasing fractions (K,)."""
    slope = np.gradient(points, fraction, axis=0, edge_order=2 if len(points) > 2 else 1)
    return slope / np.maximum(np.linalg.norm(slope, axis=1, keepdims=True), np.finfo(float).tiny)


def _turns(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The smallest rotations (K, 3, 3) that take the unit vectors ``before`` (K, 3) to ``after``."""
    axis = np.cross(before, after)
    cosine = np.sum(before * after, axis=1)
    hat = np.cross(axis[:, None, :], np.eye(3)).swapaxes(1, 2)
    # Opposite vectors have no smallest rotation; the bound keeps the picture finite.
    return np.eye(3) + hat + hat @ hat / np.maximum(1.0 + cosine, 1e-6)[:, None, None]
