"""Plots of results. Each returns a matplotlib Figure of its own; no global pyplot state is touched."""

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from pliant._files import make_folder, write_all
from pliant.results import Equilibrium, LoadPath, Modes, QuasiStatic, Result, Trajectory
from pliant.view._along import plot_internal_wrench, plot_strain
from pliant.view._axes3d import add_axes, draw_robot, frame_axes
from pliant.view._carried import plot_actuation, plot_reactions
from pliant.view._colours import palette
from pliant.view._figures import AXIS_COLOURS, INK, colour_bar, drawn, light_grid, marks, new_figure, plain_text, tints
from pliant.view._geometry import extent
from pliant.view._load_path import plot_load_path
from pliant.view._mode_shapes import mode_scale, mode_shape
from pliant.view._refine import refine
from pliant.view._samples import Motion, Series, samples_of, shown_frames, spread

_MOST_SHAPES = 9  # drawn in one picture
_MOST_STAGES = 60  # of a quasi-static sequence that get a picture of their own
_MOST_MODES = 9
_MODE_AMPLITUDE = 0.18  # largest displacement drawn, of the robot's size
_GREY = np.array([0.78, 0.80, 0.83])


def plot_shape(result: Result, axes: Any = None, at: int | None = None) -> Figure:
    """The robot in space: one equilibrium, the shapes along a load path, or a motion as by a stroboscope.

    ``axes``: 3-D axes of a figure of yours to draw into. ``at``: draw only this one of several configurations, in a box
    that has room for all of them.
    """
    result = refine(result)
    samples = samples_of(result)
    everything = samples.points()
    count = len(samples.value)
    if at is not None and not -count <= at < count:
        raise ValueError(f"plot_shape: at={at}; expected an index into {count} configurations")
    samples = samples.take(spread(count, _MOST_SHAPES) if at is None else np.array([at]))
    several = len(samples.value) > 1
    figure = new_figure(7.2, 5.6) if axes is None else axes.figure
    axes = add_axes(figure) if axes is None else axes
    tint = tints(samples)
    for index in range(len(samples.value)):
        colours = palette(result.scene, tint[index] if several else None)
        draw_robot(axes, result.scene, samples.at(index), colours, extent(everything))
    frame_axes(axes, everything, result.scene)
    if several:
        colour_bar(figure, axes, samples)
    elif at is not None:
        name, _, unit = samples.label.removesuffix("]").partition(" [")
        axes.set_title(f"{name} {samples.value[0]:.6g} {unit.removeprefix('1')}".rstrip(), fontsize="medium", y=0.93)
    return figure


def plot_path(motion: Motion, frame: str) -> Figure:
    """Where a frame goes: its position over time, and its path in space."""
    place = np.asarray(motion.position(frame))
    time = np.asarray(motion.time)
    kept = np.isfinite(place).all(axis=1)
    place, time = place[kept], time[kept]
    figure = new_figure(9.0, 4.4)
    style = marks(len(time))
    grid = figure.add_gridspec(1, 2, width_ratios=(1.2, 1.0))
    left = figure.add_subplot(grid[0])
    for series, (axis, colour) in zip(place.T, AXIS_COLOURS.items(), strict=True):
        left.plot(time, series, label=axis, color=colour, **style)
    left.set_xlabel("time [s]")
    left.set_ylabel("position [m]")
    left.set_title(plain_text(frame))
    left.legend()
    light_grid(left)
    right = add_axes(figure, grid[1])
    right.plot(*place.T, color="#28949e", linewidth=1.4, **style)
    right.scatter(*place[0], color=AXIS_COLOURS["x"], label="start")
    right.scatter(*place[-1], color=INK, label="end")
    right.legend(fontsize="small")
    frame_axes(right, place, None)
    return figure


def plot_energy(trajectory: Trajectory) -> Figure:
    """Every energy of the motion over time."""
    if not trajectory.energy:
        raise ValueError("plot_energy: this trajectory holds no energies")
    figure = new_figure(7.2, 4.4)
    axes = figure.subplots()
    for name, series in trajectory.energy.items():
        style: dict[str, Any] = {"color": INK, "linewidth": 2.0, "linestyle": "--"} if name == "total" else {}
        axes.plot(np.asarray(trajectory.time), np.asarray(series), label=plain_text(name), **style)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("energy [J]")
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
    light_grid(axes)
    return figure


def plot_modes(modes: Modes) -> Figure:
    """Small multiples of the mode shapes over the grey equilibrium, labelled with their frequencies."""
    frequency = np.asarray(modes.frequency)[:_MOST_MODES]
    if frequency.size == 0:
        raise ValueError("plot_modes: this result holds no modes")
    modes = refine(modes)
    samples = samples_of(modes)
    size = extent(samples.points())
    columns = min(3, math.ceil(math.sqrt(len(frequency))))
    rows = -(-len(frequency) // columns)
    figure = new_figure(3.4 * columns, 3.3 * rows)
    grid = figure.add_gridspec(rows, columns)
    colours, grey = palette(modes.scene), palette(modes.scene, _GREY)
    for mode, omega in enumerate(frequency):
        axes = add_axes(figure, grid[mode // columns, mode % columns])
        moved = mode_shape(modes, mode, mode_scale(modes, mode, _MODE_AMPLITUDE * size))
        draw_robot(axes, modes.scene, samples.at(0), grey, size)
        draw_robot(axes, modes.scene, moved, colours, size)
        frame_axes(axes, np.concatenate([samples.points(), moved.points()]), modes.scene, sparse=True)
        axes.set_title(f"mode {mode + 1}: {omega / (2 * np.pi):.4g} Hz", fontsize="medium")
    return figure


def save_plots(result: Result, folder: str | os.PathLike[str]) -> list[Path]:
    """Write every plot that fits the result as PNG into ``folder`` (made when missing): all of them, or none where one
    cannot be drawn or written."""
    contents = {Path(folder) / f"{name}.png": drawn(figure) for name, figure in _plots(result)}
    if contents:
        make_folder(folder)
        write_all(contents)
    return list(contents)


def _plots(result: Result) -> Iterator[tuple[str, Figure]]:
    """Names and figures, made one after the other: a long sequence has many."""
    if isinstance(result, Modes):
        if np.size(result.frequency):
            yield "modes", plot_modes(result)
        return
    yield "shape", plot_shape(result)
    if isinstance(result, QuasiStatic):
        for stage in spread(len(samples_of(result).value), _MOST_STAGES):
            yield f"shape-{stage + 1}", plot_shape(result, at=int(stage))
    if isinstance(result, LoadPath) and shown_frames(result.names):
        yield "load-path", plot_load_path(result)
    if result.scene.node_link:
        yield "strain", plot_strain(result)
        if isinstance(result, Equilibrium | LoadPath | QuasiStatic):
            yield "internal-wrench", plot_internal_wrench(result)
    if isinstance(result, Series):
        if result.forces.effort:
            yield "actuation", plot_actuation(result)
        if result.forces.reaction:
            yield "reactions", plot_reactions(result)
    if isinstance(result, Trajectory) and result.energy:
        yield "energy", plot_energy(result)
    if isinstance(result, Motion):
        for index, frame in enumerate(shown_frames(result.names)):
            # Frame names are the user's; a file name keeps the safe letters, and the number keeps it unique.
            yield f"path_{index + 1}_{re.sub(r'[^A-Za-z0-9_-]+', '_', frame)}", plot_path(result, frame)
