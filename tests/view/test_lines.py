"""Meshes and springs: drawn in plots, films and the page, beside a robot or alone."""

import base64
import json

import numpy as np
import pytest
from mpl_toolkits.mplot3d.art3d import Line3DCollection
from PIL import Image
from view_helpers import CORNERS, with_lines

from pliant.view import animate_gif, animate_mode, plot_modes, plot_shape, save_plots, write_page
from pliant.view._colours import RODS, SPRING, palette
from pliant.view._geometry import robot_lines
from pliant.view._mode_shapes import mode_scale, mode_shape
from pliant.view._samples import samples_of

SMALL = (160, 120)
UP = np.array([0.0, 0.0, 1.0])


def test_edges_are_straight_and_springs_go_from_end_to_end(equilibrium):
    result = with_lines(equilibrium)
    ends = samples_of(result).line[0]
    lines = robot_lines(result.scene, ends, np.array([0.0, 1.0, 0.0]), 1.0)
    np.testing.assert_array_equal(lines.segments[:4], ends[:4])
    assert set(lines.owner[:4]) == {0} and set(lines.owner[4:]) == {1}
    spring = lines.segments[4:]
    np.testing.assert_allclose(spring[1:, 0], spring[:-1, 1])
    np.testing.assert_allclose([spring[0, 0], spring[-1, 1]], ends[4], atol=1e-15)
    np.testing.assert_allclose(spring[..., 1], ends[4, 0, 1])  # the view is along y: teeth are square to it
    assert 0.01 < np.ptp(spring[..., 0]) < 0.1


@pytest.mark.parametrize("along", [np.zeros(3), UP])
def test_a_spring_without_length_or_along_the_view_is_finite(equilibrium, along):
    result = with_lines(equilibrium)
    ends = samples_of(result).line[0].copy()
    ends[4, 1] = ends[4, 0] + along
    assert np.isfinite(robot_lines(result.scene, ends, UP, 1.0).segments).all()


def test_extents_include_lines(trajectory):
    before, after = samples_of(trajectory).points(), samples_of(with_lines(trajectory)).points()
    assert len(after) == len(before) + 101 * 10
    assert before[:, 2].min() > 0.0 == after[:, 2].min()


def test_colours(equilibrium):
    scene = with_lines(equilibrium).scene
    np.testing.assert_array_equal(palette(scene).line, [RODS[1], SPRING])  # the rod has the first
    assert palette(scene, np.ones(3)).line.tolist() == [[1.0] * 3] * 2


def collections(axes) -> list[Line3DCollection]:
    return [item for item in axes.collections if isinstance(item, Line3DCollection)]


def test_plots_draw_lines(equilibrium, modes):
    assert len(collections(plot_shape(with_lines(equilibrium)).axes[0])) == 1
    assert not collections(plot_shape(equilibrium).axes[0])
    assert all(len(collections(axes)) == 2 for axes in plot_modes(with_lines(modes)).axes)  # at rest and displaced


def test_modes_move_lines(modes):
    still, moved = with_lines(modes, alone=True), mode_shape(with_lines(modes), 0, 0.01)
    rest = np.asarray(still.shape.line_ends)
    assert mode_scale(still, 0, 0.01) == pytest.approx(0.005)
    np.testing.assert_allclose(moved.line - rest, 0.01 * np.asarray(still.line_displacement[0]), atol=1e-15)


def packed(text: str, *shape: int) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<f4").reshape(shape)


def records(page) -> list[dict]:
    return json.loads(page.read_text("utf-8").split('id="data">')[1].split("</script>")[0])["results"]


def test_page_holds_every_point_once(trajectory, modes, tmp_path):
    motion, shapes = (with_lines(result) for result in (trajectory, modes))
    for record, result in zip(
        records(write_page([motion, shapes], tmp_path / "page.html", "net")), (motion, shapes), strict=True
    ):
        ends = samples_of(result).line
        points = packed(record["points"], len(ends), len(CORNERS) + 1, 3)
        which = packed(record["lineEnds"], 5, 2).astype(int)
        np.testing.assert_allclose(points[:, which], ends, atol=1e-7)
        assert packed(record["lineOwner"], 5).tolist() == [0, 0, 0, 0, 1]
        assert record["lineKind"] == ["mesh", "spring"] and len(record["lineColours"]) == 2
    moves = packed(record["modes"]["points"], 4, 5, 3)[:, which]
    expected = np.asarray(shapes.line_displacement)
    np.testing.assert_allclose(moves, expected * (moves[0, 1, 1, 2] / expected[0, 1, 1, 2]), atol=1e-7)


def test_large_meshes_thin_the_page(trajectory, tmp_path, monkeypatch):
    monkeypatch.setattr("pliant.view._page._MOST_NUMBERS", 10 * 3 * 5)
    (record,) = records(write_page([with_lines(trajectory, alone=True)], tmp_path / "page.html", "net"))
    assert packed(record["value"], -1).shape == (10,)


@pytest.mark.parametrize("kind", ["trajectory", "equilibrium", "load_path", "quasi_static", "modes"])
def test_a_mesh_alone_can_be_drawn(kind, request, tmp_path):
    result = with_lines(request.getfixturevalue(kind), alone=True)
    names = {path.stem for path in save_plots(result, tmp_path)}
    assert ("modes" if kind == "modes" else "shape") in names and "strain" not in names
    assert write_page([result], tmp_path / "page.html", "net").stat().st_size > 10_000


def test_films_of_a_mesh_alone_move(trajectory, modes, tmp_path):
    motion, shapes = (with_lines(result, alone=True) for result in (trajectory, modes))
    films = [
        animate_gif(motion, tmp_path / "motion.gif", fps=5, size=SMALL),
        animate_mode(shapes, 0, tmp_path / "mode.gif", fps=5, size=SMALL),
    ]
    for path in films:
        with Image.open(path) as film:
            pictures = []
            for frame in range(film.n_frames):
                film.seek(frame)
                pictures.append(np.asarray(film.convert("RGB")).astype(int))
        assert max(np.abs(picture - pictures[0]).max() for picture in pictures) > 50
