"""Sides of the faces of STL and OBJ files, and the lines of OBJ files."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from pliant.description.formats.cad._cad_curves import Polyline
from pliant.description.language.grammar import Problem, RobotFileError, show

_EXPECTED = {
    "v": "three coordinates",
    "l": "numbers of vertices that stand before it",
    "f": "numbers of vertices that stand before it",
}


def stl_lines(path: Path) -> list[Polyline]:
    """The sides of all triangles, in the order of the file."""
    try:
        import trimesh
    except ImportError:
        message = "STL files are read with trimesh, which is not installed: pip install 'pliant[cad]'"
        raise RobotFileError([Problem(str(path), None, "", None, message)]) from None
    try:
        mesh: Any = trimesh.load_mesh(path, file_type="stl", process=False)
        triangles = np.asarray(mesh.triangles, dtype=float)
    except (ValueError, TypeError, LookupError) as error:  # what its parsing of text raises
        message = f"cannot be read as STL ({error}); expected an STL file"
        raise RobotFileError([Problem(str(path), None, "", None, message)]) from None
    return [line for triangle in triangles for line in _ring(list(triangle))]


def obj_lines(path: Path) -> list[Polyline]:
    """The lines (`l`) and the sides of all faces (`f`), in the order of the file.

    Read here because trimesh leaves lines out and cuts faces of four sides into triangles, whose diagonals are no
    wires.
    """
    vertices: list[np.ndarray] = []
    lines: list[Polyline] = []
    text = path.read_text(encoding="utf-8", errors="replace").replace("\\\n", " ")
    for number, words in enumerate(map(str.split, text.splitlines()), start=1):
        try:
            if words[:1] == ["v"]:
                vertices.append(np.array([float(word) for word in words[1:4]]).reshape(3))
            elif words[:1] in (["l"], ["f"]):
                points = [_vertex(word, vertices) for word in words[1:]]
                closed = words[0] == "f"
                lines.extend(_ring(points) if closed else _sides(points))
        except (ValueError, IndexError):
            message = f"got {show(' '.join(words))}; expected {_EXPECTED[words[0]]}"
            raise RobotFileError([Problem(str(path), number, words[0], " ".join(words), message)]) from None
    return lines


def _vertex(word: str, vertices: list[np.ndarray]) -> np.ndarray:
    """`7/2/3` is the seventh vertex, `-1` the last one so far."""
    number = int(word.partition("/")[0])
    if number == 0 or number < -len(vertices):
        raise IndexError(number)
    return vertices[number - 1 if number > 0 else number]


def _ring(points: Polyline) -> list[Polyline]:
    return _sides([*points, points[0]]) if points else []


def _sides(points: Polyline) -> list[Polyline]:
    """One line for each side; a face that is folded together has sides without length, which are no wires."""
    return [[start, end] for start, end in pairwise(points) if not np.array_equal(start, end)]
