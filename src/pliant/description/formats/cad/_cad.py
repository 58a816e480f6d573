"""CAD files in: the lines of an IGES, STEP, STL or OBJ file as a wire net."""

import os
from collections.abc import Callable
from pathlib import Path

from pliant.description.formats.cad._cad_curves import Polyline, iges_lines, step_lines
from pliant.description.formats.cad._cad_facets import obj_lines, stl_lines
from pliant.description.formats.cad._wire_net import WireNet, net_of_lines
from pliant.description.language.grammar import NotAQuantity, Problem, RobotFileError, one_of, show, to_si

_CURVES: dict[str, Callable[[Path, int], list[Polyline]]] = {
    ".iges": iges_lines,
    ".igs": iges_lines,
    ".step": step_lines,
    ".stp": step_lines,
}
_FACETS: dict[str, Callable[[Path], list[Polyline]]] = {".stl": stl_lines, ".obj": obj_lines}
CAD_SUFFIXES = (*_CURVES, *_FACETS)
MOST_PIECES = 1000  # of a curve
DEFAULT_TOLERANCE = 1e-3  # metres; TMTDyn's fabric sleeve (Table 9) has it too


def read_wire_net(
    path: str | os.PathLike[str],
    *,
    tolerance: float | str | None = DEFAULT_TOLERANCE,
    scale: float = 1.0,
    pieces: int = 1,
) -> WireNet:
    """The net of a CAD file, in metres: an edge for every line and for every curve from end to end.

    Nodes are numbered in order of first appearance along the lines of the file. Points no farther apart than
    `tolerance` (metres, or a text such as "1 mm"; None: only equal points) are one node, and edges between the same
    nodes are one. `scale` multiplies all lengths: IGES and STEP files say what unit they are in, the numbers of STL and
    OBJ files count as metres. A curve is cut into `pieces` straight edges of equal length along it; lines stay whole.
    Of surfaces and solids the edges are taken.
    """
    source = os.fspath(path)
    suffix = Path(path).suffix.lower()
    if suffix not in CAD_SUFFIXES:
        raise _problem(source, "", suffix, f"got the suffix {show(suffix)}; expected one of: {one_of(CAD_SUFFIXES)}")
    if not 0 < scale < float("inf"):
        raise _problem(source, "scale", scale, f"got {scale:g}; expected a factor above 0")
    if not 1 <= pieces <= MOST_PIECES:
        raise _problem(source, "pieces", pieces, f"got {pieces}; expected from 1 to {MOST_PIECES}")
    distance = _length(source, tolerance)
    try:
        with Path(path).open("rb"):  # so that every reader may take the file for readable
            pass
    except OSError as error:
        raise _problem(source, "", None, f"cannot be read ({error.strerror}); expected a CAD file") from None
    lines = _CURVES[suffix](Path(path), pieces) if suffix in _CURVES else _FACETS[suffix](Path(path))
    if not lines:
        raise _problem(source, "", None, "there are no lines in it; expected lines, curves, or surfaces with edges")
    net = net_of_lines([[scale * point for point in line] for line in lines], source)
    return net.merged(distance)


def _length(source: str, tolerance: float | str | None) -> float:
    try:
        return 0.0 if tolerance is None else to_si(tolerance, "length")
    except NotAQuantity as error:
        why = f" ({error})" if str(error) else ""
        expected = 'expected a length such as "1 mm"'
        raise _problem(source, "tolerance", tolerance, f"got {show(tolerance)}{why}; {expected}") from None


def _problem(source: str, field: str, value: object, message: str) -> RobotFileError:
    return RobotFileError([Problem(source, None, field, value, message)])
