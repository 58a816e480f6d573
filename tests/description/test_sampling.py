"""Meshes and heights sampled on grids, and what is said of those that cannot be."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pliant.description import Robot, RobotFileError, load, parse
from pliant.description.sampling import SamplingError, sampled_heights, sampled_triangles
from triangles import Table, box, rows, torus

TORUS = (1.0, 0.3)
BOX = np.array([1.0, 0.6, 0.4])
RNG = np.random.default_rng(7)


def _box_distance(points: np.ndarray) -> np.ndarray:
    beyond = np.abs(points) - 0.5 * BOX
    return np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(axis=1), 0.0)


def _torus_distance(points: np.ndarray) -> np.ndarray:
    return np.hypot(np.hypot(points[:, 0], points[:, 1]) - TORUS[0], points[:, 2]) - TORUS[1]


def test_distance_of_a_torus_converges() -> None:
    points = np.array([0.0, 0.0, 0.0]) + RNG.uniform(-1.35, 1.35, (4000, 3)) * np.array([1.0, 1.0, 0.3])
    known = _torus_distance(points)
    # Not at the middle of its tube, where the distance has a kink, nor on its axis.
    points, known = points[(known > -0.2) & (known < 0.2)], known[(known > -0.2) & (known < 0.2)]
    errors = []
    for count, resolution in ((32, 0.12), (64, 0.06)):
        found = sampled_triangles(*torus(*TORUS, count), resolution, 0.0)
        errors.append(np.abs(found.at(points) - known).max())
    assert errors[1] < 4e-3 and errors[0] > 3.5 * errors[1]  # the facets are of order 2


def test_distance_of_a_box() -> None:
    found = sampled_triangles(*box(BOX), 0.05, 0.1)
    points = RNG.uniform(-1.0, 1.0, (3000, 3)) * (0.5 * BOX + 0.25)
    known = _box_distance(points)
    off = np.abs(found.at(points) - known)
    assert np.all((found.at(points) > 0.0) == (known > 0.0), where=np.abs(known) > 0.2 * 0.05)
    assert off.max() < 0.4 * 0.05  # at kinks
    # The middle of a side is flat.
    faces = np.array([[0.5 + d, 0.03, 0.02] for d in (-0.05, 0.0, 0.07)])
    np.testing.assert_allclose(found.at(faces), [-0.05, 0.0, 0.07], atol=5e-4)


def test_triangles_that_all_face_inwards_are_turned() -> None:
    vertices, triangles = box(BOX)
    inwards = tuple((a, c, b) for a, b, c in triangles)
    one, other = (sampled_triangles(vertices, own, 0.1, 0.0).coefficients for own in (triangles, inwards))
    np.testing.assert_array_equal(one, other)


def test_distance_of_heights() -> None:
    """A slope, whose distance is known."""
    x = np.linspace(-1.0, 1.0, 9)
    found = sampled_heights(rows(np.broadcast_to(0.5 * x[:, None], (9, 5))), (2.0, 1.0), 0.1, 0.2)
    points = RNG.uniform(-1.0, 1.0, (500, 3)) * np.array([0.4, 0.4, 0.5])
    known = (points[:, 2] - 0.5 * points[:, 0]) / np.hypot(1.0, 0.5)
    np.testing.assert_allclose(found.at(points)[np.abs(known) < 0.3], known[np.abs(known) < 0.3], atol=1e-5)


@pytest.mark.parametrize(
    ("spoil", "resolution", "message"),
    [
        (lambda t: t[1:], 0.1, "got a mesh with 1 hole (3 edges of one triangle); expected a closed mesh"),
        (lambda t: t[1:2] + t[3:], 0.1, "got a mesh with 2 holes (6 edges of one triangle); expected a closed mesh"),
        (
            lambda t: (t[0][::-1], *t[1:]),
            0.1,
            "got a mesh whose triangles are turned both ways (at 3 edges); expected triangles that all show the same "
            "side outwards",
        ),
        (
            lambda t: t,
            0.6,
            "got a resolution of 0.6 m, and 36% of the mesh is thinner than that; expected a resolution of at most "
            "half the thickness of its thin parts",
        ),
        (
            lambda t: t,
            1e-4,
            "got a resolution of 0.0001 m, which needs 2.41e+11 places, 1.93e+06 MB; expected at most 4,000,000 "
            "places, 32 MB: a resolution of 0.0046 m or more",
        ),
    ],
)
def test_what_cannot_be_sampled_is_refused(spoil: Any, resolution: float, message: str) -> None:
    vertices, triangles = box(BOX)
    with pytest.raises(SamplingError) as refused:
        sampled_triangles(vertices, spoil(triangles), resolution, 0.0)
    assert str(refused.value) == message


def _stl(path: Path, vertices: Table, triangles: Table) -> None:
    lines = ["solid mesh"]
    for triple in triangles:
        corners = [f"vertex {' '.join(map(repr, vertices[number - 1]))}" for number in triple]
        lines += ["facet normal 0 0 0", "outer loop", *corners, "endloop", "endfacet"]
    path.write_text("\n".join([*lines, "endsolid mesh"]))


FILE = """
robot: ground
links:
  - {name: ball, kind: rigid, mass: 1 kg, shape: {sphere: {radius: 20 mm}}, joint: free}
surfaces:
  - {name: stone, where: world, mesh: {file: stone.stl, resolution: 10 cm, scale: 2}}
  - {name: hills, where: world, heightfield: {file: hills.csv, size: [1 m, 2 m]}}
contacts:
  - {name: lies, between: [ball, hills], stiffness: 1 kN/m}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pytest.importorskip("trimesh")
    _stl(tmp_path / "stone.stl", *box(BOX))
    (tmp_path / "hills.csv").write_text("0, 0.1, 0\n0.1, 0.2, 0.1\n")
    (tmp_path / "robot.yaml").write_text(FILE)
    return tmp_path


def _problems(call: Any) -> str:
    with pytest.raises(RobotFileError) as refused:
        call()
    return str(refused.value)


def test_files_are_read_and_kept(folder: Path) -> None:
    """What stands in the files becomes part of the robot, which needs them no more."""
    robot = load(folder / "robot.yaml")
    plan, numbers = robot.blueprint()
    shapes = {surface.name: surface.shape for surface in plan.surfaces}
    assert shapes["stone"].kind == "mesh" and shapes["hills"].kind == "heightfield"
    # The box twice as large, and four spacings around it.
    np.testing.assert_allclose(numbers["surfaces.stone.mesh.corner"], -BOX - 0.4, atol=1e-12)
    assert numbers["surfaces.stone.mesh.coefficients"].shape == (31, 23, 19)
    # As far above as the ball is round.
    spacing = 1.0
    assert numbers["surfaces.hills.heightfield.spacing"] == spacing
    assert plan.parameters["surfaces.hills.heightfield.coefficients"].unit == "m"
    again = parse(robot.to_yaml())
    assert again == robot
    in_python = Robot("ground").rigid("ball", mass=1.0, shape={"sphere": {"radius": 0.02}}, joint="free")
    in_python = (
        in_python.surface("stone", where="world", mesh={"file": folder / "stone.stl", "resolution": 0.1, "scale": 2})
        .surface("hills", where="world", heightfield={"file": folder / "hills.csv", "size": [1.0, 2.0]})
        .contact("lies", between=["ball", "hills"], stiffness=1e3)
    )
    assert in_python == robot


def test_what_is_wrong_with_files_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def spoilt(old: str, new: str) -> str:
        (folder / "robot.yaml").write_text(FILE.replace(old, new))
        return _problems(lambda: load(folder / "robot.yaml"))

    assert (
        ':6: surfaces.stone.mesh.file: got "rock.stl"; there is no such file; expected a mesh of triangles below the '
        "folder of this file" in spoilt("stone.stl", "rock.stl")
    )
    assert "expected the path of a mesh of triangles (STL, OBJ, PLY, OFF)" in spoilt("stone.stl", "../stone.stl")
    assert ":7: surfaces.hills.heightfield.size: missing; expected a list of 2 numbers" in spoilt(
        ", size: [1 m, 2 m]", ""
    )
    assert ":6: surfaces.stone.mesh: got a resolution of 5 m, and 100% of the mesh" in spoilt("10 cm", "5 m")
    assert ':6: surfaces.stone.mesh.resolution: got "-1 m"; expected a length greater' in spoilt("10 cm", "-1 m")
    (folder / "hills.csv").write_text("0, 0.1, 0\n0.1, 0.2\n")
    assert "hills.csv: cannot be read" in spoilt("", "")
    (folder / "hills.csv").write_text("0, high\n0.1, 0.2\n")
    assert "hills.csv: cannot be read" in spoilt("", "")
    (folder / "stone.stl").write_text("stone")
    assert "stone.stl: " in spoilt("", "") and "expected a mesh of triangles" in spoilt("", "")
    monkeypatch.setitem(sys.modules, "trimesh", None)
    assert "pip install 'pliant[cad]'" in spoilt("", "")


def test_a_mesh_is_of_a_file_or_of_triangles() -> None:
    text = FILE.replace("file: hills.csv", "heights: [[0, 1], [1, 2]]")
    assert 'expected "file" only in a robot file' in _problems(lambda: parse(text))
    for shape, message in (
        ("{resolution: 1 mm}", 'incomplete; expected a "file", or "vertices" and "triangles"'),
        ("{resolution: 1, vertices: [[0, 0]], triangles: []}", "expected a list of four or more places [x, y, z]"),
        (
            "{resolution: 1, vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "
            "triangles: [[1, 2, 3], [1, 2, 4], [1, 3, 4], [2, 3, 5]]}",
            "got [2, 3, 5]; expected numbers of vertices from 1 to 4",
        ),
    ):
        own = text.replace("{file: stone.stl, resolution: 10 cm, scale: 2}", shape)
        assert message in _problems(lambda own=own: parse(own))
