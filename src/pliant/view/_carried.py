"""What actuators and closed loops carry, over time or load factor."""

import numpy as np
from matplotlib.figure import Figure

from pliant.results import readable
from pliant.view._figures import (
    AXIS_COLOURS,
    INK,
    calm,
    legend_beside,
    light_grid,
    line_colours,
    marks,
    new_figure,
    plain_text,
)
from pliant.view._samples import Series, axis_of

_HEIGHT = 2.6  # inch, of a row of panels


def plot_actuation(result: Series) -> Figure:
    """Effort and travel of every actuator: one row of panels for tendons, one for chambers, and so on by unit.

    The far end of a tendon with friction is dashed.
    """
    value, label = _axis(result, "plot_actuation")
    forces, names = result.forces, result.names
    if not forces.effort:
        raise ValueError("plot_actuation: the robot has no actuators")
    rows: dict[tuple[str, str], list[str]] = {}
    for name in forces.effort:
        units = (names.unit("effort", name) or "SI", names.unit("travel", name) or "SI")
        rows.setdefault(units, []).append(name)
    figure = new_figure(9.0, 0.7 + _HEIGHT * len(rows))
    panels = figure.subplots(len(rows), 2, sharex=True, squeeze=False)
    style = marks(len(value))
    for (effort, travel), members, (left, right) in zip(rows, rows.values(), panels, strict=True):
        sides = ((left, "effort", effort, forces.effort), (right, "travel", travel, forces.travel))
        for panel, what, unit, series in sides:
            shown, factor = readable(unit)
            for name, colour in zip(members, line_colours(len(members)), strict=True):
                panel.plot(value, factor * np.asarray(series[name]), color=colour, label=plain_text(name), **style)
                if what == "effort" and name in forces.far_end:
                    far = factor * np.asarray(forces.far_end[name])
                    panel.plot(value, far, color=colour, linestyle="--", linewidth=1.0)
            panel.set_ylabel(f"{what} [{shown}]")
            panel.ticklabel_format(axis="y", useOffset=False, scilimits=(-3, 4))
            calm([panel])
            light_grid(panel)
        if any(name in forces.far_end for name in members):
            right.plot([], [], color=INK, linestyle="--", linewidth=1.0, label="far end")
        legend_beside(right)
    for panel in panels[-1]:
        panel.set_xlabel(label)
    return figure


def plot_reactions(result: Series) -> Figure:
    """Force and moment of every closed loop on its second frame: their components in that frame for a single loop,
    their magnitudes for several."""
    value, label = _axis(result, "plot_reactions")
    reactions = {name: np.asarray(wrench) for name, wrench in result.forces.reaction.items()}
    if not reactions:
        raise ValueError("plot_reactions: the robot has no closed loops")
    figure = new_figure(9.0, 0.7 + _HEIGHT)
    panels = figure.subplots(1, 2)
    style = marks(len(value))
    for panel, what, unit, part in ((panels[0], "force", "N", slice(3, 6)), (panels[1], "moment", "N m", slice(0, 3))):
        if len(reactions) == 1:
            (wrench,) = reactions.values()
            for axis, series in zip("xyz", wrench[:, part].T, strict=True):
                panel.plot(value, series, color=AXIS_COLOURS[axis], label=axis, **style)
            size = np.linalg.norm(wrench[:, part], axis=1)
            panel.plot(value, size, color=INK, linestyle="--", linewidth=1.0, label="magnitude")
        else:
            for (name, wrench), colour in zip(reactions.items(), line_colours(len(reactions)), strict=True):
                size = np.linalg.norm(wrench[:, part], axis=1)
                panel.plot(value, size, color=colour, label=plain_text(name), **style)
        panel.set_xlabel(label)
        panel.set_ylabel(f"{what} [{unit}]")
        panel.ticklabel_format(axis="y", useOffset=False, scilimits=(-3, 4))
        calm([panel])
        light_grid(panel)
    legend_beside(panels[1])
    if len(reactions) == 1:
        figure.suptitle(plain_text(next(iter(reactions))), fontsize="medium")
    return figure


def _axis(result: Series, name: str) -> tuple[np.ndarray, str]:
    axis = axis_of(result)
    if axis is None:
        kinds = "a Trajectory, a QuasiStatic or a LoadPath"
        raise ValueError(f"{name}: got a single configuration ({type(result).__name__}); expected {kinds}")
    return axis
