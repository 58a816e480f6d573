"""Plots of results. Each returns a matplotlib Figure of its own; no global pyplot state is touched."""

import math
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from pliant.results import Modes, Result, Trajectory
from pliant.view._axes3d import add_axes, draw_robot, frame_axes
from pliant.view._colours import link_colours
from pliant.view._geometry import extent
from pliant.view._samples import Samples, samples_of, spread

_MOST_SHAPES = 9  # drawn in one picture
_MOST_MODES = 9
_MODE_AMPLITUDE = 0.18  # largest displacement drawn, of the robot's size
_STRAIN_LABELS = (
    "bend x [rad/m]",
    "bend y [rad/m]",
    "twist [rad/m]",
    "shear x [1]",
    "shear y [1]",
    "stretch [1]",
)
_GREY = np.array([0.78, 0.80, 0.83])


def plot_shape(result: Result, axes: Any = None) -> Figure:
    """The robot in space: one equilibrium, the shapes along a load path, or a motion as by a stroboscope.

    ``axes``: 3-D axes of a figure of yours to draw into.
    """
    samples = samples_of(result)
    several = len(samples.value) > 1
    samples = samples.take(spread(len(samples.value), _MOST_SHAPES))
    figure = _figure(7.2, 5.6) if axes is None else axes.figure
    axes = add_axes(figure) if axes is None else axes
    tints = _tints(samples)
    for index in range(len(samples.value)):
        colours = np.broadcast_to(tints[index], (len(result.scene.links), 3)) if several else link_colours(result.scene)
        draw_robot(axes, result.scene, samples.node[index], samples.body[index], colours, extent(samples.points()))
    frame_axes(axes, samples.points(), result.scene)
    if several:
        _colour_bar(figure, axes, samples)
    return figure


def plot_strain(result: Result) -> Figure:
    """The six strains along every rod; several configurations are coloured by time or load factor."""
    samples = samples_of(result)
    samples = samples.take(spread(len(samples.value), _MOST_SHAPES))
    scene, several = result.scene, len(samples.value) > 1
    rods = scene.rods()
    if not rods:
        raise ValueError("plot_strain: the robot has no rods")
    figure = _figure(9.0, 5.4)
    panels = figure.subplots(2, 3, sharex=True).ravel()
    tints, colours = _tints(samples), link_colours(scene)
    styles = ("-", "--", ":", "-.")
    for component, (panel, label) in enumerate(zip(panels, _STRAIN_LABELS, strict=True)):
        for order, (name, span) in enumerate(rods.items()):
            for index, strain in enumerate(samples.strain):
                panel.plot(
                    scene.node_fraction[span],
                    strain[span, component],
                    color=tints[index] if several else colours[scene.node_link[span.start]],
                    linestyle=styles[order % len(styles)] if several else "-",
                    label=_plain_text(name) if index == 0 else None,
                )
        panel.set_ylabel(label)
        panel.ticklabel_format(axis="y", useOffset=False)
        _wide_enough(panel)
        _light_grid(panel)
    for panel in panels[3:]:
        panel.set_xlabel("place on the rod, base 0 to tip 1")
    if len(rods) > 1:
        panels[0].legend(fontsize="small")
    if several:
        _colour_bar(figure, list(panels), samples)
    return figure


def plot_path(trajectory: Trajectory, frame: str) -> Figure:
    """Where a frame goes: its position over time, and its path in space."""
    place = np.asarray(trajectory.position(frame))
    time = np.asarray(trajectory.time)
    kept = np.isfinite(place).all(axis=1)
    place, time = place[kept], time[kept]
    figure = _figure(9.0, 4.4)
    grid = figure.add_gridspec(1, 2, width_ratios=(1.2, 1.0))
    left = figure.add_subplot(grid[0])
    for axis, name, colour in zip(place.T, "xyz", ("#c8553d", "#2a9d6f", "#3a6ea5"), strict=True):
        left.plot(time, axis, label=name, color=colour)
    left.set_xlabel("time [s]")
    left.set_ylabel("position [m]")
    left.set_title(_plain_text(frame))
    left.legend()
    _light_grid(left)
    right = add_axes(figure, grid[1])
    right.plot(*place.T, color="#28949e", linewidth=1.4)
    right.scatter(*place[0], color="#c8553d", label="start")
    right.scatter(*place[-1], color="#262e3c", label="end")
    right.legend(fontsize="small")
    frame_axes(right, place, None)
    return figure


def plot_energy(trajectory: Trajectory) -> Figure:
    """Every energy of the motion over time."""
    if not trajectory.energy:
        raise ValueError("plot_energy: this trajectory holds no energies")
    figure = _figure(7.2, 4.4)
    axes = figure.subplots()
    for name, series in trajectory.energy.items():
        style: dict[str, Any] = {"color": "#262e3c", "linewidth": 2.0, "linestyle": "--"} if name == "total" else {}
        axes.plot(np.asarray(trajectory.time), np.asarray(series), label=_plain_text(name), **style)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("energy [J]")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
    _light_grid(axes)
    return figure


def plot_modes(modes: Modes) -> Figure:
    """Small multiples of the mode shapes over the grey equilibrium, labelled with their frequencies."""
    frequency = np.asarray(modes.frequency)[:_MOST_MODES]
    if frequency.size == 0:
        raise ValueError("plot_modes: this result holds no modes")
    samples = samples_of(modes)
    size = extent(samples.points())
    columns = min(3, math.ceil(math.sqrt(len(frequency))))
    rows = -(-len(frequency) // columns)
    figure = _figure(3.4 * columns, 3.3 * rows)
    grid = figure.add_gridspec(rows, columns)
    colours = link_colours(modes.scene)
    grey = np.broadcast_to(_GREY, colours.shape)
    for mode, omega in enumerate(frequency):
        axes = add_axes(figure, grid[mode // columns, mode % columns])
        node, body = mode_shape(modes, mode, _MODE_AMPLITUDE * size)
        draw_robot(axes, modes.scene, samples.node[0], samples.body[0], grey, size)
        draw_robot(axes, modes.scene, node, body, colours, size)
        points = np.concatenate([samples.points(), node[:, :3, 3], body[:, :3, 3]])
        frame_axes(axes, points, modes.scene, sparse=True)
        axes.set_title(f"mode {mode + 1}: {omega / (2 * np.pi):.4g} Hz", fontsize="medium")
    return figure


def save_plots(result: Result, folder: str | os.PathLike[str]) -> list[Path]:
    """Write every plot that fits the result as PNG into ``folder`` (made when missing)."""
    figures: dict[str, Figure] = {}
    if isinstance(result, Modes):
        if np.size(result.frequency):
            figures["modes"] = plot_modes(result)
    else:
        figures["shape"] = plot_shape(result)
        if result.scene.node_link:
            figures["strain"] = plot_strain(result)
    if isinstance(result, Trajectory):
        if result.energy:
            figures["energy"] = plot_energy(result)
        for index, frame in enumerate(result.names.frames):
            # Frame names are the user's; a file name keeps the safe letters, and the number keeps it unique.
            figures[f"path_{index + 1}_{re.sub(r'[^A-Za-z0-9_-]+', '_', frame)}"] = plot_path(result, frame)
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, figure in figures.items():
        path = target / f"{name}.png"
        figure.savefig(path, dpi=130)
        paths.append(path)
    return paths


def mode_shape(modes: Modes, mode: int, largest: float) -> tuple[np.ndarray, np.ndarray]:
    """Node and body poses displaced by one mode, scaled so that its largest displacement is ``largest`` [m].

    Cross-sections turn with the tangent of the displaced centreline; bodies are moved without being turned.
    """
    node_move = np.asarray(modes.node_displacement)[mode]
    body_move = np.asarray(modes.body_displacement)[mode]
    peak = max(float(np.linalg.norm(move, axis=-1).max(initial=0.0)) for move in (node_move, body_move))
    scale = largest / peak if peak > 0 else 0.0
    node, body = np.array(modes.shape.node_pose), np.array(modes.shape.body_pose)
    for span in modes.scene.rods().values():
        fraction = np.asarray(modes.scene.node_fraction[span])
        still, moved = node[span, :3, 3], node[span, :3, 3] + scale * node_move[span]
        turn = _turns(_tangents(fraction, still), _tangents(fraction, moved))
        node[span, :3, :3] = turn @ node[span, :3, :3]
        node[span, :3, 3] = moved
    body[:, :3, 3] += scale * body_move
    return node, body


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


def _figure(width: float, height: float) -> Figure:
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _tints(samples: Samples) -> np.ndarray:
    """A colour (N, 3) for every configuration, by its value."""
    return colormaps["viridis"](_normalised(samples)(samples.value))[:, :3]


def _normalised(samples: Samples) -> Normalize:
    return Normalize(float(samples.value.min()), float(samples.value.max()))


def _colour_bar(figure: Figure, axes: Any, samples: Samples) -> None:
    mappable = ScalarMappable(_normalised(samples), colormaps["viridis"])
    figure.colorbar(mappable, ax=axes, label=samples.label, shrink=0.75, pad=0.02 if isinstance(axes, list) else 0.1)


def _light_grid(axes: Any) -> None:
    axes.grid(True, color="#e3e7ed", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _wide_enough(axes: Any) -> None:
    """Rounding errors of a strain that a rod does not have must not fill the panel."""
    low, high = axes.get_ylim()
    middle, half = (low + high) / 2, (high - low) / 2
    least = max(1e-6, 1e-6 * abs(middle))
    if half < least:
        axes.set_ylim(middle - 0.05, middle + 0.05)


def _plain_text(text: str) -> str:
    """A user's name in a plot: dollar signs are not formulas."""
    return text.replace("$", r"\$")
