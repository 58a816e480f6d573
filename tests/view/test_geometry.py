"""Surfaces are closed and have the volume of the body they stand for."""

import numpy as np
import pytest

from pliant.view._geometry import Detail, body_surface, extent, robot_surface, rod_surface
from pliant.view._samples import samples_of, spread

FINE = Detail(sides=64, rings=64, faces=4)


def volume(quads: np.ndarray) -> float:
    """By the divergence theorem; positive when the faces look outward."""
    first, second, third, fourth = np.moveaxis(quads, 1, 0)
    halves = ((first, second, third), (first, third, fourth))
    return float(sum(np.einsum("ij,ij->", a, np.cross(b, c)) for a, b, c in halves) / 6)


@pytest.mark.parametrize(
    ("shape", "size", "expected"),
    [
        ("box", [1.0, 2.0, 3.0], 6.0),
        ("sphere", [2.0, 2.0, 2.0], 4 / 3 * np.pi * 8),
        ("cylinder", [2.0, 2.0, 3.0], 12 * np.pi),
        ("ellipsoid", [1.0, 2.0, 3.0], 8 * np.pi),
        ("point", [0.0, 0.0, 0.0], 4 / 3 * np.pi * 0.1**3),
    ],
)
def test_volume_of_bodies(shape, size, expected):
    assert volume(body_surface(shape, np.array(size), 0.1, FINE)) == pytest.approx(expected, rel=6e-3)


@pytest.mark.parametrize(("round_", "area"), [(True, np.pi), (False, 4.0)])
@pytest.mark.parametrize("nodes", [2, 5, 80])
def test_volume_of_a_straight_rod(round_, area, nodes):
    pose = np.tile(np.eye(4), (nodes, 1, 1))
    pose[:, 2, 3] = np.linspace(0, 3, nodes)
    half_width = np.tile([0.2, 0.1], (nodes, 1))
    tube = rod_surface(pose, half_width, (round_,) * nodes, FINE)
    assert volume(tube) == pytest.approx(3 * area * 0.02, rel=3e-3)


def test_few_nodes_give_nearly_the_same_tube_as_many(trajectory):
    samples = samples_of(trajectory)
    pose, half_width = samples.node[0], np.asarray(trajectory.scene.half_width)
    many = rod_surface(pose, half_width, (True,) * len(pose), FINE)
    few = rod_surface(pose[[0, 5, 11]], half_width[[0, 5, 11]], (True,) * 3, FINE)
    assert volume(few) == pytest.approx(volume(many), rel=0.01)


def test_surface_of_the_robot_names_its_links(trajectory):
    samples = samples_of(trajectory)
    surface = robot_surface(trajectory.scene, samples.node[3], samples.body[3], 0.001)
    assert set(surface.link) == {0, 1, 2, 3}
    assert np.isfinite(surface.quads).all()


def test_helpers():
    assert extent(np.array([[0.0, 0, 0], [3, 4, 0]])) == 5
    assert extent(np.zeros((0, 3))) == 1
    assert list(spread(5, 10)) == [0, 1, 2, 3, 4]
    assert list(spread(101, 3)) == [0, 50, 100]
