"""A measured path beside simulated ones."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from pliant.view._figures import INK, calm, legend_beside, light_grid, line_colours, new_figure, plain_text

Path = tuple[np.ndarray, np.ndarray]  # times (n,) [s], places (n, 3) [m]


def plot_compared(measured: Path, simulated: Mapping[str, Path], title: str = "") -> Figure:
    """x, y and z of a measured path over time, and those of simulated ones by name."""
    figure = new_figure(9.0, 6.5)
    panels = figure.subplots(3, 1, sharex=True)
    colours = line_colours(len(simulated))
    for index, (panel, axis) in enumerate(zip(panels, "xyz", strict=True)):
        for (name, (time, places)), colour in zip(simulated.items(), colours, strict=True):
            panel.plot(time, 1e3 * places[:, index], color=colour, linewidth=1.0, label=plain_text(name))
        time, places = measured
        panel.plot(time, 1e3 * places[:, index], color=INK, linewidth=1.4, linestyle="--", label="measured")
        panel.set_ylabel(f"{axis} [mm]")
        calm([panel])
        light_grid(panel)
    panels[-1].set_xlabel("time [s]")
    panels[0].set_title(title)
    legend_beside(panels[0])
    return figure


def plot_series(lines: Mapping[str, Path], labels: Sequence[str], title: str = "") -> Figure:
    """The same k quantities of several runs over time, one panel for each: name -> (times, values (n, k))."""
    figure = new_figure(9.0, 1.0 + 1.4 * len(labels))
    panels = figure.subplots(len(labels), 1, sharex=True)
    colours = line_colours(len(lines))
    for index, (panel, label) in enumerate(zip(panels, labels, strict=True)):
        for (name, (time, values)), colour in zip(lines.items(), colours, strict=True):
            panel.plot(time, values[:, index], color=colour, linewidth=1.0, label=plain_text(name))
        panel.set_ylabel(label)
        calm([panel])
        light_grid(panel)
    panels[-1].set_xlabel("time [s]")
    panels[0].set_title(title)
    legend_beside(panels[0])
    return figure
