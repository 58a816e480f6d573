"""What varies along the rods: strains, and the wrench in the material."""

import numpy as np
from matplotlib.figure import Figure

from pliant.results import Equilibrium, LoadPath, QuasiStatic, Result, Scene
from pliant.view._colours import link_colours
from pliant.view._figures import calm, colour_bar, light_grid, new_figure, plain_text, tints
from pliant.view._samples import Samples, samples_of, spread

_MOST_SHAPES = 9  # drawn in one picture
_STRAINS = (
    "bend x [rad/m]",
    "bend y [rad/m]",
    "twist [rad/m]",
    "shear x [1]",
    "shear y [1]",
    "stretch [1]",
)
_WRENCH = ("moment x [N m]", "moment y [N m]", "moment z [N m]", "force x [N]", "force y [N]", "force z [N]")
_LEAST_STRAIN = 1e-6  # rad/m or 1: below it a strain is a rounding error
_LEAST_WRENCH = 1e-12  # N m or N, likewise
_STYLES = ("-", "--", ":", "-.")


def plot_strain(result: Result) -> Figure:
    """The six strains along every rod; several configurations are coloured by time or load factor."""
    samples = _drawn(result, "plot_strain")
    return _panels(result.scene, samples, samples.strain, _STRAINS, _LEAST_STRAIN)


def plot_internal_wrench(result: Equilibrium | LoadPath | QuasiStatic) -> Figure:
    """Moment and force diagrams along every rod, in the axes of the section: what the material carries there.

    A positive force z is tension.
    """
    if not isinstance(result, Equilibrium | LoadPath | QuasiStatic):
        raise ValueError(f"plot_internal_wrench: a {type(result).__name__} does not hold the wrench in the rods")
    samples = _drawn(result, "plot_internal_wrench")
    return _panels(result.scene, samples, samples.internal, _WRENCH, _LEAST_WRENCH)


def _drawn(result: Result, name: str) -> Samples:
    if not result.scene.node_link:
        raise ValueError(f"{name}: the robot has no rods")
    samples = samples_of(result)
    return samples.take(spread(len(samples.value), _MOST_SHAPES))


def _panels(scene: Scene, samples: Samples, values: np.ndarray, labels: tuple[str, ...], least: float) -> Figure:
    """Six panels of values (N, K, 6) over the place on the rod."""
    several = len(samples.value) > 1
    rods = scene.whole_rods()
    place = places(scene, samples.node[0], samples.strain[0])
    figure = new_figure(9.0, 5.4)
    panels = figure.subplots(2, 3, sharex=True).ravel()
    tint, colours = tints(samples), link_colours(scene)
    for component, (panel, label) in enumerate(zip(panels, labels, strict=True)):
        for order, (name, divisions) in enumerate(rods.items()):
            for index in range(len(samples.value)):
                # Divisions are lines of their own: what jumps from one to the next is drawn as a jump.
                for part, nodes in enumerate(divisions):
                    panel.plot(
                        place[nodes],
                        values[index, nodes, component],
                        color=tint[index] if several else colours[scene.node_link[divisions[0].start]],
                        linestyle=_STYLES[order % len(_STYLES)] if several else "-",
                        label=plain_text(name) if index == part == 0 else None,
                    )
        panel.set_ylabel(label)
        panel.ticklabel_format(axis="y", useOffset=False, scilimits=(-3, 4))
        light_grid(panel)
    for row in (panels[:3], panels[3:]):
        calm(row, least)
    if len(rods) == 1:
        for boundary in [place[nodes.start] for nodes in next(iter(rods.values()))[1:]]:
            for panel in panels:
                panel.axvline(boundary, color="#b9c1cc", linewidth=0.8, zorder=0)
    for panel in panels[3:]:
        panel.set_xlabel("place on the rod, base 0 to tip 1")
    if len(rods) > 1:
        panels[0].legend(fontsize="small")
    if several:
        colour_bar(figure, list(panels), samples)
    return figure


def places(scene: Scene, pose: np.ndarray, strain: np.ndarray) -> np.ndarray:
    """Place (K,) of every node on its whole rod, 0 to 1 by arclength, from one configuration: (K, 4, 4) and (K, 6)."""
    place = np.array(scene.node_fraction)
    for divisions in scene.whole_rods().values():
        lengths = np.array([_rest_length(pose[nodes], strain[nodes]) for nodes in divisions])
        starts = np.concatenate([[0.0], np.cumsum(lengths)]) / lengths.sum()
        for nodes, start, end in zip(divisions, starts[:-1], starts[1:], strict=True):
            place[nodes] = start + (end - start) * place[nodes]
    return place


def _rest_length(pose: np.ndarray, strain: np.ndarray) -> float:
    """Length of a rod [m] when it is not stretched: arcs between the nodes, each divided by its stretch."""
    chord = np.linalg.norm(np.diff(pose[:, :3, 3], axis=0), axis=1)
    cosine = np.sum(pose[:-1, :3, 2] * pose[1:, :3, 2], axis=1)
    half = 0.5 * np.arccos(np.clip(cosine, -1.0, 1.0))
    arc = chord / np.sinc(half / np.pi)
    stretch = np.linalg.norm(strain[:, 3:], axis=1)
    return float(np.sum(arc / (0.5 * (stretch[:-1] + stretch[1:]))))
