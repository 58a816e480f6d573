"""Surfaces of a robot as quadrilaterals: tubes along the rods, and the rigid bodies; and its lines.

Everything here is numpy on the host. A surface is an array (n, 4, 3) of corners, counter-clockwise seen from outside;
a triangle repeats a corner.
"""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np

from pliant.results import Scene


class SpringLook(NamedTuple):
    """How a spring is drawn: teeth of a half width ``width`` of the robot's size and at most ``share`` of the spring's
    length, between straight ends of ``lead`` of that length."""

    teeth: int
    lead: float
    width: float
    share: float


SPRING = SpringLook(teeth=11, lead=0.15, width=0.02, share=0.15)


class Detail(NamedTuple):
    """How finely surfaces are cut."""

    sides: int = 24  # around a tube, a sphere or a cylinder; a multiple of 4
    rings: int = 48  # along a rod, at least
    faces: int = 6  # along an edge of a box: depth sorting needs small faces


class Surface(NamedTuple):
    """Quadrilaterals (n, 4, 3) [m] and, for each, the index of its link."""

    quads: np.ndarray
    link: np.ndarray


class Lines(NamedTuple):
    """Segments (n, 2, 3) [m] and, for each, the index of its mesh or spring in ``Scene.line_names``."""

    segments: np.ndarray
    owner: np.ndarray


def robot_lines(scene: Scene, ends: np.ndarray, towards_eye: np.ndarray, size: float) -> Lines:
    """Edges of meshes, and springs as zig-zags that lie square to the view; ends (L, 2, 3), ``size`` of the robot [m].

    ``towards_eye`` (3,) is a direction.
    """
    owner = np.array(scene.line_link, dtype=int)
    spring = np.array([kind == "spring" for kind in scene.line_kind], dtype=bool)[owner]
    coils = _zigzags(ends[spring], towards_eye, SPRING.width * size)
    return Lines(
        np.concatenate([ends[~spring], coils.reshape(-1, 2, 3)]),
        np.concatenate([owner[~spring], np.repeat(owner[spring], coils.shape[1])]),
    )


def _zigzags(ends: np.ndarray, towards_eye: np.ndarray, width: float) -> np.ndarray:
    """(S, parts, 2, 3): straight at both ends, teeth of half width ``width`` [m] between them."""
    along = ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(along, axis=1, keepdims=True)
    across = np.cross(along, towards_eye)
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), np.finfo(float).tiny)
    across *= np.minimum(width, SPRING.share * length)
    teeth = SPRING.lead + (1 - 2 * SPRING.lead) * (np.arange(SPRING.teeth) + 0.5) / SPRING.teeth
    place = np.array([0.0, SPRING.lead, *teeth, 1 - SPRING.lead, 1.0])
    swing = np.array([0.0, 0.0, *(-1.0) ** np.arange(SPRING.teeth), 0.0, 0.0])
    points = ends[:, :1] + place[:, None] * along[:, None] + swing[:, None] * across[:, None]
    return np.stack([points[:, :-1], points[:, 1:]], axis=2)


def robot_surface(
    scene: Scene, node_pose: np.ndarray, body_pose: np.ndarray, point_radius: float, detail: Detail = Detail()
) -> Surface:
    """The surface of the robot in one configuration: node poses (K, 4, 4), body poses (B, 4, 4)."""
    half_width = np.asarray(scene.half_width)
    parts: list[tuple[np.ndarray, int]] = []
    for span in scene.rods().values():
        tube = rod_surface(node_pose[span], half_width[span], scene.node_round[span], detail)
        parts.append((tube, scene.node_link[span.start]))
    for pose, shape, size, link in zip(
        body_pose, scene.body_shape, np.asarray(scene.body_size), scene.body_link, strict=True
    ):
        local = body_surface(shape, size, point_radius, detail)
        parts.append((local @ pose[:3, :3].T + pose[:3, 3], link))
    if not parts:
        return Surface(np.zeros((0, 4, 3)), np.zeros(0, int))
    return Surface(
        np.concatenate([quads for quads, _ in parts]),
        np.concatenate([np.full(len(quads), link) for quads, link in parts]),
    )


def rod_surface(pose: np.ndarray, half_width: np.ndarray, round_: Iterable[bool], detail: Detail) -> np.ndarray:
    """The closed tube around one rod: poses (K, 4, 4) base to tip, half sizes (K, 2) [m]."""
    outlines = half_width[:, None, :] * np.stack([outline(flag, detail.sides) for flag in round_])
    pose, outlines = _refined(pose, outlines, detail.rings)
    axes, centre = pose[:, :3, :2], pose[:, :3, 3]
    rings = centre[:, None] + np.einsum("rij,rsj->rsi", axes, outlines)
    after = np.roll(rings, -1, axis=1)
    sides = np.stack([rings[:-1], after[:-1], after[1:], rings[1:]], axis=2).reshape(-1, 4, 3)
    caps = [_fan(rings[0, ::-1], centre[0]), _fan(rings[-1], centre[-1])]
    return np.concatenate([sides, *caps])


@cache
def outline(round_: bool, sides: int) -> np.ndarray:
    """Points (sides, 2) around the unit circle or the square of half width 1, counter-clockwise."""
    angle = 2 * np.pi * np.arange(sides) / sides
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    if round_:
        return circle
    turn = np.array([[np.cos(np.pi / 4), -np.sin(np.pi / 4)], [np.sin(np.pi / 4), np.cos(np.pi / 4)]])
    corners_first = circle @ turn.T  # a multiple of 4 sides then has a point on every corner
    return corners_first / np.abs(corners_first).max(axis=1, keepdims=True)


def body_surface(shape: str, size: np.ndarray, point_radius: float, detail: Detail) -> np.ndarray:
    """One rigid body about its own frame."""
    if shape == "box":
        return _unit_box(detail.faces) * size
    if shape == "cylinder":
        return _unit_cylinder(detail.sides, detail.faces) * size
    return _unit_sphere(detail.sides) * (point_radius if shape == "point" else size)


def extent(points: np.ndarray) -> float:
    """Diagonal of the box around the points (..., 3) [m]; 1 when there is none."""
    flat = points.reshape(-1, 3)
    flat = flat[np.isfinite(flat).all(axis=1)]
    diagonal = float(np.linalg.norm(np.ptp(flat, axis=0))) if len(flat) else 0.0
    return diagonal or 1.0


def _refined(pose: np.ndarray, outlines: np.ndarray, rings: int) -> tuple[np.ndarray, np.ndarray]:
    """Poses and outlines with points put between the nodes, so that a rod of few nodes is drawn smooth."""
    intervals = len(pose) - 1
    if intervals < 1 or intervals >= rings:
        return pose, outlines
    parts = -(-rings // intervals)
    place = np.arange(intervals * parts + 1) / parts
    index = np.minimum(place.astype(int), intervals - 1)
    t = (place - index)[:, None]
    centre, tangent = pose[:, :3, 3], pose[:, :3, 2]
    chord = np.linalg.norm(np.diff(centre, axis=0), axis=1, keepdims=True)
    cosine = np.clip(np.sum(tangent[:-1] * tangent[1:], axis=1, keepdims=True), -1.0, 1.0)
    speed = (2.0 * chord / (1.0 + np.sqrt(0.5 + 0.5 * cosine)))[index]  # the middle of an arc is then on the arc
    refined = np.zeros((len(place), 4, 4))
    refined[:, 3, 3] = 1.0
    refined[:, :3, 3] = (  # cubic Hermite: rods leave a node along its z axis
        (1 + 2 * t) * (1 - t) ** 2 * centre[index]
        + t * (1 - t) ** 2 * speed * tangent[index]
        + t**2 * (3 - 2 * t) * centre[index + 1]
        + t**2 * (t - 1) * speed * tangent[index + 1]
    )
    blend = (1 - t[..., None]) * pose[index, :3, :3] + t[..., None] * pose[index + 1, :3, :3]
    refined[:, :3, :3] = _orthonormal(blend)
    weight = t[..., None]
    return refined, (1 - weight) * outlines[index] + weight * outlines[index + 1]


def _orthonormal(matrices: np.ndarray) -> np.ndarray:
    """Gram-Schmidt on z then x: the right-handed frames nearest to (n, 3, 3) blends of rotations."""
    z = matrices[..., 2] / np.linalg.norm(matrices[..., 2], axis=-1, keepdims=True)
    x = matrices[..., 0] - np.sum(matrices[..., 0] * z, axis=-1, keepdims=True) * z
    x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return np.stack([x, np.cross(z, x), z], axis=-1)


def _fan(ring: np.ndarray, centre: np.ndarray) -> np.ndarray:
    middle = np.broadcast_to(centre, ring.shape)
    return np.stack([middle, ring, np.roll(ring, -1, axis=0), middle], axis=1)


@cache
def _unit_sphere(sides: int) -> np.ndarray:
    latitude = np.pi * (np.arange(sides // 2 + 1) / (sides // 2) - 0.5)
    rings = np.concatenate(
        [
            np.cos(latitude)[:, None, None] * outline(True, sides),
            np.broadcast_to(np.sin(latitude)[:, None, None], (len(latitude), sides, 1)),
        ],
        axis=2,
    )
    after = np.roll(rings, -1, axis=1)
    return np.stack([rings[:-1], after[:-1], after[1:], rings[1:]], axis=2).reshape(-1, 4, 3)


@cache
def _unit_cylinder(sides: int, faces: int) -> np.ndarray:
    """Radius 1, length 1 along z, about the centre."""
    height = np.arange(faces + 1) / faces - 0.5
    circle = outline(True, sides)
    rings = np.stack([np.column_stack([circle, np.full(sides, z)]) for z in height])
    after = np.roll(rings, -1, axis=1)
    wall = np.stack([rings[:-1], after[:-1], after[1:], rings[1:]], axis=2).reshape(-1, 4, 3)
    return np.concatenate([wall, _fan(rings[0, ::-1], np.array([0, 0, -0.5])), _fan(rings[-1], np.array([0, 0, 0.5]))])


@cache
def _unit_box(faces: int) -> np.ndarray:
    """Edge lengths 1, about the centre."""
    steps = np.arange(faces + 1) / faces - 0.5
    a, b = np.meshgrid(steps, steps, indexing="ij")
    grid = np.stack([a, b, np.full_like(a, 0.5)], axis=-1)
    top = np.stack([grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]], axis=2).reshape(-1, 4, 3)
    walls = []
    for axis in range(3):
        side = np.roll(top, axis + 1, axis=-1)  # a cyclic permutation keeps the orientation
        walls += [side, -side[:, ::-1]]
    return np.concatenate(walls)
