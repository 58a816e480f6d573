"""A wire net with the numbers of its nodes, to look up what a robot file calls them."""

import math
import os
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.transforms import Bbox
from mpl_toolkits.mplot3d import proj3d
from mpl_toolkits.mplot3d.art3d import Line3DCollection

from pliant._files import write_bytes
from pliant.description import WireNet
from pliant.view._axes3d import add_axes, frame_axes
from pliant.view._figures import INK, drawn, new_figure, plain_text

_EDGE = "#28949e"
_NODE = "#16636b"
_GROUND = "#e0662f"
_MOST_LABELS = 300  # beyond that they cannot be read
_MANY = 40  # nodes whose labels are written smaller
_SIDE = 8.0  # of the figure, in inches
_DPI = 150
_INCH = 72.0  # points
_MARGIN = 10.0  # pixels
_PADDING = 0.06  # between the net and its box, of the largest extent
_FAR = 1.5  # letter heights from which a label is tied to its node by a line
# The usual view first; another has to be clearer by this factor.
_VIEWS = tuple(product((18.0, 35.0, 60.0), (-62.0, -35.0, -110.0, 25.0)))
_WORTH_TURNING = 1.3
_DIRECTIONS = np.array([[math.cos(a), math.sin(a)] for a in np.linspace(0.0, 2.0 * math.pi, 24, endpoint=False)])
_REACH = np.array([1.0, 1.3, 1.7, 2.2])  # distances at which a label is tried, in letter heights


def plot_wire_net(net: WireNet, path: str | os.PathLike[str]) -> Path:
    """Write a picture of the net: labels (from 1), edges, and nodes with a single edge, which stand on the ground.

    The suffix of `path` says the format: .png, .pdf, .svg. Returns the path.
    """
    figure = new_figure(_SIDE, _SIDE)
    axes = add_axes(figure)
    _draw(axes, net)
    kind = Path(path).suffix.lstrip(".").lower() or "png"
    return write_bytes(path, drawn(figure, kind, _DPI, bbox_inches=_covered(figure, axes)))


def _draw(axes: Any, net: WireNet) -> None:
    axes.computed_zorder = False  # nodes lie on wires, not behind them
    axes.set_proj_type("ortho")  # parallel wires stay parallel, so that a grid is seen as one
    elevation, azimuth = _clearest_view(net.nodes)
    axes.view_init(elev=elevation, azim=azimuth)
    many = len(net.nodes) > _MANY
    segments = net.nodes[np.array(net.edges, dtype=int).reshape(-1, 2)]
    axes.add_collection3d(Line3DCollection(segments, colors=_EDGE, linewidths=0.8 if many else 1.6, zorder=1))
    ground = np.zeros(len(net.nodes), dtype=bool)
    ground[list(net.single_edge_nodes())] = True
    size = 9 if many else 26
    style = {"depthshade": False, "edgecolors": "white", "linewidths": 0.6, "zorder": 2}
    axes.scatter(*net.nodes[~ground].T, s=size, color=_NODE, label="node", **style)
    if ground.any():
        name = "single edge: fixed to the ground"
        axes.scatter(*net.nodes[ground].T, s=1.8 * size, color=_GROUND, marker="s", label=name, **style)
    low, high = net.nodes.min(axis=0), net.nodes.max(axis=0)
    pad = _PADDING * float((high - low).max())
    frame_axes(axes, np.array([low - pad, high + pad]), None)
    axes.figure.canvas.draw()  # settles where nodes are on the page, which title and labels must not change
    axes.figure.set_layout_engine("none")
    labelled = len(net.nodes) <= _MOST_LABELS
    if labelled:
        _label(axes, net, 6.5 if many else 9.0)
    title = f"{plain_text(Path(net.source).name)}: {len(net.nodes)} nodes, {len(net.edges)} edges"
    title = title if labelled else f"{title} (too many to number)"
    (left, _), (right, top) = _box(axes)
    where = ((left + right) / 2, top)
    if ground.any():
        style = {"frameon": False, "fontsize": "small", "ncols": 2}
        axes.legend(loc="lower center", bbox_to_anchor=where, bbox_transform=axes.transData, **style)
    axes.annotate(
        title, where, (0, 28 if ground.any() else 10), textcoords="offset points", ha="center", fontsize="medium",
        color=INK, annotation_clip=False,
    )  # fmt: skip


def _box(axes: Any) -> tuple[np.ndarray, np.ndarray]:
    """The corners of what the box of the axes covers, in their flat coordinates."""
    corners = np.array(list(product(axes.get_xlim(), axes.get_ylim(), axes.get_zlim())))
    flat = _projected(axes, corners)
    return flat.min(axis=0), flat.max(axis=0)


def _clearest_view(nodes: np.ndarray) -> tuple[float, float]:
    """Elevation and azimuth [deg] from which the nodes hide each other least."""
    few = nodes[:_MOST_LABELS]
    best, most = _VIEWS[0], 0.0
    for elevation, azimuth in _VIEWS:
        up, about = np.radians([elevation, azimuth])
        right = np.array([-np.sin(about), np.cos(about), 0.0])
        above = np.array([-np.sin(up) * np.cos(about), -np.sin(up) * np.sin(about), np.cos(up)])
        seen = few @ np.column_stack([right, above])
        apart = np.linalg.norm(seen[:, None] - seen, axis=2) + np.diag(np.full(len(seen), np.inf))
        nearest = float(apart.min(initial=np.inf))
        if nearest > _WORTH_TURNING * most:
            best, most = (elevation, azimuth), nearest
    return best


def _covered(figure: Figure, axes: Any) -> Bbox:
    """The part of the figure [inch] that is drawn on; 3-D axes leave much of theirs empty."""
    figure.canvas.draw()
    drawn: list[Any] = [axes.xaxis, axes.yaxis, axes.zaxis, *axes.texts, *filter(None, [axes.get_legend()])]
    boxes = [artist.get_tightbbox() for artist in drawn]
    whole = Bbox.union([Bbox(axes.transData.transform(_box(axes))), *(box for box in boxes if box is not None)])
    return whole.padded(_MARGIN).transformed(figure.dpi_scale_trans.inverted())


def _projected(axes: Any, points: np.ndarray) -> np.ndarray:
    """Points (n, 3) [m] in the flat coordinates of 3-D axes (n, 2)."""
    return np.column_stack(proj3d.proj_transform(*points.T, axes.get_proj())[:2])


def _label(axes: Any, net: WireNet, height: float) -> None:
    """The label of every node beside it, where wires, nodes and other labels leave most room."""
    flat = _projected(axes, net.nodes)
    page = _INCH / axes.figure.dpi * axes.transData.transform(flat)  # points, as the height of letters
    # Every obstacle is a segment: wires, nodes (of no length), and labels as they are placed.
    taken = [*page[np.array(net.edges, dtype=int).reshape(-1, 2)], *np.stack([page, page], axis=1)]
    halo = [withStroke(linewidth=2.2, foreground="white")]
    leader = {"arrowstyle": "-", "color": INK, "linewidth": 0.4, "shrinkA": 0.4 * height, "shrinkB": 1.5}
    for place, anchor, label in zip(page, flat, net.labels, strict=True):
        half = 0.3 * height * (len(str(label)) - 1)  # half the length of the label's middle line
        centre = _roomiest(place, half, np.array(taken), height)
        taken.append(centre + np.array([[-half, 0.0], [half, 0.0]]))
        far = np.linalg.norm(centre - place) > _FAR * height + half
        axes.annotate(
            str(label), anchor, centre - place, textcoords="offset points", ha="center", va="center", zorder=10,
            fontsize=height, color=INK, path_effects=halo, annotation_clip=False, arrowprops=leader if far else None,
        )  # fmt: skip


def _roomiest(place: np.ndarray, half: float, taken: np.ndarray, height: float) -> np.ndarray:
    """The centre of a label about a node: the nearest with room for it, or else the one with the most room."""
    best, most = place, -1.0
    for reach in _REACH * height:
        stretch = np.array([reach + half, reach])
        centres = place + stretch * _DIRECTIONS
        bars = centres[:, None, :] + np.array([[-half, 0.0], [0.0, 0.0], [half, 0.0]])
        room = _distance(bars.reshape(-1, 2), taken).reshape(len(centres), 3).min(axis=1)
        winner = int(np.argmax(room))
        if room[winner] > most + 0.1 * height:
            best, most = centres[winner], float(room[winner])
        if most >= 0.75 * height:
            break
    return best


def _distance(points: np.ndarray, segments: np.ndarray) -> np.ndarray:
    """From every point (n, 2) to the nearest segment of (m, 2, 2)."""
    start, along = segments[:, 0], segments[:, 1] - segments[:, 0]
    apart = points[:, None, :] - start
    share = np.einsum("nmk,mk->nm", apart, along) / np.maximum(np.einsum("mk,mk->m", along, along), 1e-300)
    nearest = apart - np.clip(share, 0.0, 1.0)[..., None] * along
    return np.linalg.norm(nearest, axis=2).min(axis=1)
