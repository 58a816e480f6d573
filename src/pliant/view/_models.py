"""Rod models side by side: how their errors fall, and the shapes they give one robot."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from pliant.results import Result
from pliant.view._axes3d import add_axes, frame_axes
from pliant.view._figures import INK, legend_beside, light_grid, line_colours, new_figure, plain_text
from pliant.view._refine import refine

Line = tuple[Sequence[float], Sequence[float]]  # degrees of freedom, errors


def plot_convergence(panels: Mapping[str, Mapping[str, Line]], ylabel: str) -> Figure:
    """Errors of models over their degrees of freedom, both logarithmic: one panel for each title."""
    figure = new_figure(0.8 + 4.6 * len(panels), 4.4)
    names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    colours = dict(zip(names, line_colours(len(names)), strict=True))
    every = np.atleast_1d(figure.subplots(1, len(panels), sharey=True))
    for axes, (title, lines) in zip(every, panels.items(), strict=True):
        for name, (dof, error) in lines.items():
            axes.loglog(dof, error, "o-", color=colours[name], label=plain_text(name), markersize=4, linewidth=1.4)
        ticks = sorted({number for dof, _ in lines.values() for number in dof})
        axes.set_xticks(ticks, [f"{number:g}" for number in ticks], fontsize="small")
        axes.set_xticks([], minor=True)
        axes.set_xlabel("degrees of freedom")
        axes.set_title(title, fontsize="medium")
        light_grid(axes)
    every[0].set_ylabel(ylabel)
    legend_beside(every[-1])
    return figure


def plot_shapes(panels: Mapping[str, Mapping[str, Result]], reference: Result) -> Figure:
    """Centre lines of all rods in results of one robot by name, with their nodes, over those of a reference (wide,
    grey): one panel for each title. Of a sequence of configurations the last is drawn."""
    figure = new_figure(0.8 + 5.6 * len(panels), 5.2)
    grid = figure.add_gridspec(1, len(panels))
    names = list(dict.fromkeys(name for results in panels.values() for name in results))
    colours = dict(zip(names, line_colours(len(names)), strict=True))
    points = np.concatenate(_centre_lines(refine(reference)))
    for column, (title, results) in enumerate(panels.items()):
        axes = add_axes(figure, grid[column])
        _draw(axes, reference, {"color": INK, "alpha": 0.25, "linewidth": 7.0, "label": "reference"})
        for name, result in results.items():
            _draw(axes, result, {"color": colours[name], "linewidth": 1.4, "label": plain_text(name)})
            for nodes in _centre_lines(result):
                axes.plot(*nodes.T, color=colours[name], linestyle="", marker="o", markersize=2.5)
        frame_axes(axes, points, reference.scene)
        axes.set_title(title, fontsize="medium")
    legend_beside(axes)
    return figure


def _centre_lines(result: Result) -> list[np.ndarray]:
    """(n, 3) nodes of every rod, base to tip."""
    nodes = np.asarray(result.shape.node_pose)[..., :3, 3]
    last = nodes[-1] if result.lead else nodes
    return [np.concatenate([last[part] for part in parts]) for parts in result.scene.whole_rods().values()]


def _draw(axes: Any, result: Result, style: dict[str, Any]) -> None:
    for line in _centre_lines(refine(result)):
        axes.plot(*line.T, **style)
        style = {**style, "label": None}
