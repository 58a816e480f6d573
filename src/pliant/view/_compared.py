"""Runs beside each other over time, and beside a measurement."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from pliant.view._figures import INK, calm, legend_beside, light_grid, line_colours, new_figure, plain_text

Path = tuple[np.ndarray, np.ndarray]  # times (n,) [s], values (n, k)


def plot_compared(measured: Path, simulated: Mapping[str, Path], title: str = "") -> Figure:
    """x, y and z [m] of a measured path over time, and those of simulated ones by name."""
    lines = {name: (time, 1e3 * places) for name, (time, places) in simulated.items()}
    return plot_series(lines, ["x [mm]", "y [mm]", "z [mm]"], title, (measured[0], 1e3 * measured[1]))


def plot_series(
    lines: Mapping[str, Path], labels: Sequence[str], title: str = "", measured: Path | None = None
) -> Figure:
    """Plot of k quantities of several runs over time, one panel for each: name -> (times, values (n, k))."""
    figure = new_figure(9.0, 1.1 + 1.8 * len(labels))
    panels = figure.subplots(len(labels), 1, sharex=True)
    colours = line_colours(len(lines))
    for index, (panel, label) in enumerate(zip(panels, labels, strict=True)):
        for (name, (time, values)), colour in zip(lines.items(), colours, strict=True):
            panel.plot(time, values[:, index], color=colour, linewidth=1.0, label=plain_text(name))
        if measured is not None:
            time, values = measured
            panel.plot(time, values[:, index], color=INK, linewidth=1.4, linestyle="--", label="measured")
        panel.set_ylabel(label)
        calm([panel])
        light_grid(panel)
    panels[-1].set_xlabel("time [s]")
    panels[0].set_title(title)
    legend_beside(panels[0])
    return figure
