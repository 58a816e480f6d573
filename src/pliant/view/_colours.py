"""One palette for plots, animations and the page."""

from typing import NamedTuple

import numpy as np

from pliant.results import Scene

BACKGROUND = (247, 248, 250)
GRID = (205, 211, 220)
INK = (38, 46, 60)
SHADOW = (168, 175, 188)

# Rods and meshes in saturated colours, rigid bodies in greys: soft and hard are told apart at a glance.
RODS = ((0.16, 0.58, 0.62), (0.91, 0.49, 0.25), (0.42, 0.45, 0.78), (0.35, 0.66, 0.36), (0.82, 0.36, 0.50))
BODIES = ((0.52, 0.56, 0.63), (0.68, 0.65, 0.60), (0.42, 0.46, 0.54))
SPRING = (0.36, 0.40, 0.48)
_EVERY_OTHER_DIVISION = 0.82  # as bright as the others of its rod


def link_colours(scene: Scene) -> np.ndarray:
    """Red, green, blue in 0..1 for every link: (links, 3); the divisions of a rod are shades of one colour."""
    colours = np.zeros((len(scene.links), 3))
    for order, link in enumerate(dict.fromkeys(scene.body_link)):
        colours[link] = BODIES[order % len(BODIES)]
    for order, divisions in enumerate(scene.whole_rods().values()):
        for part, nodes in enumerate(divisions):
            shade = _EVERY_OTHER_DIVISION if part % 2 else 1.0
            colours[scene.node_link[nodes.start]] = shade * np.array(RODS[order % len(RODS)])
    return colours


class Palette(NamedTuple):
    """Red, green, blue in 0..1: of every link (links, 3), and of every mesh and spring of ``Scene.line_names``."""

    link: np.ndarray
    line: np.ndarray


def palette(scene: Scene, colour: np.ndarray | None = None) -> Palette:
    """Every part in a colour of its own, or all in one ``colour`` (3,)."""
    if colour is not None:
        return Palette(*(np.broadcast_to(colour, (len(names), 3)) for names in (scene.links, scene.line_names)))
    lines, taken = np.zeros((len(scene.line_names), 3)), len(scene.whole_rods())
    for order, kind in enumerate(scene.line_kind):  # meshes come first
        lines[order] = SPRING if kind == "spring" else RODS[(taken + order) % len(RODS)]
    return Palette(link_colours(scene), lines)
