"""The triangles of STL, OBJ, PLY and OFF files."""

import io
import os
from pathlib import Path
from typing import Any

import numpy as np

from pliant.description.language.grammar import Problem, RobotFileError, one_of, show
from pliant.description.sampling import Triangles

_SUFFIXES = (".stl", ".obj", ".ply", ".off")
_MOST = 500_000  # triangles


def read_triangles(path: str | os.PathLike[str], scale: float = 1.0) -> dict[str, Any]:
    """The words `vertices` [m] and `triangles` of a mesh; scale: metres in the unit of the file."""
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        raise _problem(path, f"got the suffix {show(suffix)}; expected one of: {one_of(_SUFFIXES)}")
    try:
        import trimesh
    except ImportError:
        message = "meshes are read with trimesh, which is not installed: pip install 'pliant[cad]'"
        raise _problem(path, message) from None
    try:
        # From memory: what a file names in its folder is not opened.
        data: Any = io.BytesIO(Path(path).read_bytes())
        mesh: Any = trimesh.load_mesh(data, file_type=suffix[1:], process=False)
        places = np.asarray(mesh.vertices, dtype=float).reshape(-1, 3)
        corners = np.asarray(mesh.faces, dtype=np.int64).reshape(-1, 3)
    except OSError as error:
        raise _problem(path, f"cannot be read ({error.strerror}); expected a mesh of triangles") from None
    except Exception as error:  # noqa: BLE001  # of many readers, for files of any kind
        raise _problem(path, f"cannot be read ({show(str(error))}); expected a mesh of triangles") from None
    if not len(corners) or not np.all(np.isfinite(places)):
        raise _problem(path, "there are no triangles in it, or no finite ones; expected a mesh of triangles")
    if len(corners) > _MOST:
        raise _problem(path, f"got {len(corners):,} triangles; expected at most {_MOST:,}")
    merged = Triangles(scale * places, corners).merged()
    return {"vertices": merged.places.tolist(), "triangles": (merged.corners + 1).tolist()}


def _problem(path: str | os.PathLike[str], message: str) -> RobotFileError:
    return RobotFileError([Problem(os.fspath(path), None, "", None, message)])
