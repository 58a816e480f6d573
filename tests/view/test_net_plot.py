"""The picture of a wire net: every label beside its node, none on a wire."""

import numpy as np
from PIL import Image

from pliant.description import WireNet
from pliant.view import plot_wire_net
from pliant.view._axes3d import add_axes
from pliant.view._figures import new_figure
from pliant.view._net_plot import _distance, _draw


def star(arms):
    angle = 2 * np.pi * np.arange(arms) / arms
    ring = np.column_stack([np.cos(angle), np.sin(angle), 0.2 * np.cos(2 * angle)])
    nodes = np.concatenate([[[0, 0, 0]], 0.5 * ring, ring])
    edges = [edge for k in range(1, arms + 1) for edge in ((0, k), (k, k + arms), (k, k % arms + 1))]
    return WireNet(nodes, tuple(edges), "$star$.obj")


def test_the_picture_is_written_in_the_format_of_its_name(tmp_path):
    path = plot_wire_net(star(6), tmp_path / "star.png")
    with Image.open(path) as image:
        assert min(image.size) > 400
    assert plot_wire_net(star(3), tmp_path / "star.pdf").read_bytes().startswith(b"%PDF")


def test_labels_stand_clear_of_wires_nodes_and_each_other():
    net = star(6)
    figure = new_figure(8.0, 8.0)
    axes = add_axes(figure)
    _draw(axes, net)
    *labels, title = axes.texts
    assert [label.get_text() for label in labels] == [str(label) for label in net.labels]
    assert title.get_text() == r"\$star\$.obj: 13 nodes, 18 edges"
    anchors = axes.transData.transform([label.xy for label in labels])
    wires = anchors[np.array(net.edges)]
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in labels]
    centres = np.array([[(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2] for box in boxes])
    assert _distance(centres, wires).min() > 0.4 * min(box.height for box in boxes)
    shrunk = [box.padded(-1.0) for box in boxes]
    assert not any(one.overlaps(other) for k, one in enumerate(shrunk) for other in shrunk[:k])


def test_a_large_net_is_drawn_without_labels():
    count = 400
    nodes = np.column_stack([np.arange(count), np.sin(np.arange(count)), np.zeros(count)])
    figure = new_figure(8.0, 8.0)
    axes = add_axes(figure)
    _draw(axes, WireNet(nodes, tuple((k, k + 1) for k in range(count - 1))))
    assert [text.get_text() for text in axes.texts] == ["wire net: 400 nodes, 399 edges (too many to number)"]
