"""The load over the displacement of a load path, with its special points."""

from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pliant.results import LoadPath, PointKind, Stability
from pliant.view._figures import INK, light_grid, line_colours, new_figure, plain_text
from pliant.view._samples import shown_frames

_MOST_FRAMES = 6  # of which those are drawn that move most
_MARKS = {PointKind.LIMIT: "o", PointKind.BIFURCATION: "D", PointKind.FLUTTER: "*"}


def plot_load_path(path: LoadPath, frame: str | None = None) -> Figure:
    """The load factor over the displacement of a frame along the world axis in which it moves most, for each of the
    frames that move most, or for one. Where the robot is unstable the line is dashed; limit points, bifurcations and
    onsets of flutter are marked."""
    names = shown_frames(path.names) if frame is None else [frame]
    if not names:
        raise ValueError('plot_load_path: the robot has no frames; name places under "frames:"')
    factors, kinds = np.asarray(path.factors), np.asarray(path.kind)
    stable = np.asarray(path.stability) == Stability.STABLE
    displaced = {name: np.asarray(path.position(name)) - np.asarray(path.position(name))[0] for name in names}
    far = {name: np.abs(way).max(axis=0) for name, way in displaced.items()}
    drawn = sorted(names, key=lambda name: -far[name].max())[:_MOST_FRAMES]
    figure = new_figure(7.2, 4.8)
    axes = figure.subplots()
    for name, colour in zip(drawn, line_colours(len(drawn)), strict=True):
        axis = int(far[name].argmax())
        way = displaced[name][:, axis]
        for low, high in _stretches(stable):
            style = "-" if stable[low] else "--"
            axes.plot(way[low : high + 1], factors[low : high + 1], color=colour, linestyle=style, linewidth=1.6)
        axes.plot([], [], color=colour, label=f"{plain_text(name)}, along {'xyz'[axis]}")
        for kind, mark in _MARKS.items():
            axes.plot(way[kinds == kind], factors[kinds == kind], mark, color=colour, markeredgecolor=INK, markersize=8)
    axes.set_xlabel("displacement [m]")
    axes.set_ylabel("load factor [1]")
    handles, labels = axes.get_legend_handles_labels()
    for kind, mark in _MARKS.items():
        if np.any(kinds == kind):
            handles.append(Line2D([], [], marker=mark, linestyle="", color="white", markeredgecolor=INK, markersize=8))
            labels.append(kind.word)
    if not np.all(stable):
        handles.append(Line2D([], [], color=INK, linestyle="--"))
        labels.append("unstable")
    axes.legend(handles, labels, loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize="small")
    light_grid(axes)
    return figure


def _stretches(stable: np.ndarray) -> list[tuple[int, int]]:
    """First and last index of the stretches of a path with one stability; each ends where the next begins."""
    last = len(stable) - 1
    changes = [index for index, (one, two) in enumerate(pairwise(stable), start=1) if one != two]
    return [(low, high) for low, high in pairwise([0, *changes, last]) if high > low] or [(0, last)]
