"""Matplotlib 3-D axes with equal scales, and the robot drawn into them."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

from pliant.results import Scene
from pliant.view._colours import Palette
from pliant.view._geometry import Detail, Surface, robot_lines, robot_surface
from pliant.view._samples import Configuration

_DETAIL = Detail(sides=16, rings=28, faces=3)
_LEAST_WIDTH = 0.5  # of the box of the axes, to its largest
_ELEVATION, _AZIMUTH = 18.0, -62.0  # deg, of the eye
_LINE_WIDTH = 0.8  # points
_LIGHT = np.array([0.35, -0.6, 0.72])


def add_axes(figure: Figure, place: SubplotSpec | None = None) -> Any:
    """Perspective 3-D axes, seen from the front and a little above."""
    axes: Any = figure.add_subplot(place if place is not None else 111, projection="3d")
    axes.view_init(elev=_ELEVATION, azim=_AZIMUTH)
    return axes


def draw_robot(axes: Any, scene: Scene, placed: Configuration, colours: Palette, size: float) -> None:
    """The lit surface and the lines of one configuration; ``size`` of the robot [m]."""
    surface = robot_surface(scene, placed.node, placed.body, 0.015 * size, _DETAIL)
    if len(surface.quads):
        _draw_surface(axes, surface, colours.link)
    up, about = np.radians([_ELEVATION, _AZIMUTH])
    towards_eye = np.array([np.cos(up) * np.cos(about), np.cos(up) * np.sin(about), np.sin(up)])
    lines = robot_lines(scene, placed.line, towards_eye, size)
    if len(lines.segments):
        tones = colours.line[lines.owner]
        axes.add_collection3d(Line3DCollection(lines.segments, colors=tones, linewidths=_LINE_WIDTH))


def _draw_surface(axes: Any, surface: Surface, colours: np.ndarray) -> None:
    normal = np.cross(surface.quads[:, 2] - surface.quads[:, 0], surface.quads[:, 3] - surface.quads[:, 1])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    light = 0.62 + 0.38 * (normal @ (_LIGHT / np.linalg.norm(_LIGHT)))
    tones = np.clip(colours[surface.link] * light[:, None] * 1.12, 0.0, 1.0)
    axes.add_collection3d(Poly3DCollection(surface.quads, facecolors=tones, edgecolors=tones, linewidths=0.3))


def frame_axes(axes: Any, points: np.ndarray, scene: Scene | None, sparse: bool = False) -> None:
    """Equal scales around the points (n, 3) [m] and labels with units; ``sparse``: few ticks."""
    pad = 0.0
    if scene is not None:
        sizes = (np.asarray(scene.half_width), np.asarray(scene.body_size) / 2)
        pad = max(float(array.max(initial=0.0)) for array in sizes)
    low, high = points.min(axis=0) - pad, points.max(axis=0) + pad
    # A flat motion still needs a box with some depth.
    widths = np.maximum(high - low, _LEAST_WIDTH * float(np.max(high - low)) or 1.0)
    middle = (low + high) / 2
    for name, centre, width in zip("xyz", middle, widths, strict=True):
        getattr(axes, f"set_{name}lim")(centre - width / 2, centre + width / 2)
        getattr(axes, f"set_{name}label")(f"{name} [m]", labelpad=2 if sparse else 20 if name == "z" else 8)
        share = width / widths.max()
        axes.locator_params(axis=name, nbins=2 if sparse else (5 if share > 0.7 else 3))
        axis = getattr(axes, f"{name}axis")
        axis.set_pane_color((0.97, 0.975, 0.98, 1.0))
        axis._axinfo["grid"].update(color="#dde2e9", linewidth=0.7)
    axes.tick_params(labelsize="x-small" if sparse else "small", pad=-1 if sparse else 2)
    axes.tick_params(axis="z", pad=3 if sparse else 8)  # or the axis runs through its numbers
    axes.set_box_aspect(widths / widths.max(), zoom=0.78)  # the layout does not see 3-D labels; this leaves room
