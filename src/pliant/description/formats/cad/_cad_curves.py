"""Curves of IGES and STEP files, read with Open CASCADE."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from pliant.description.language.grammar import Problem, RobotFileError

Polyline = list[np.ndarray]  # points (3,) [m]
_MILLIMETRE = 1e-3
_LEAST_OF_A_RING = 3  # pieces: two would lie on one another


def iges_lines(path: Path, pieces: int) -> list[Polyline]:
    """The lines of an IGES file: wires as they stand, and the edges of faces."""
    return _lines("IGES", path, pieces)


def step_lines(path: Path, pieces: int) -> list[Polyline]:
    """The lines of a STEP file: wires as they stand, and the edges of faces."""
    return _lines("STEP", path, pieces)


def _lines(kind: str, path: Path, pieces: int) -> list[Polyline]:
    try:
        import OCP.BRep as brep
        import OCP.BRepAdaptor as adaptor
        import OCP.TopAbs as kinds
        import OCP.TopExp as explore
        import OCP.TopoDS as topology
        import OCP.UnitsMethods as units
    except ImportError:
        message = f"{kind} files are read with Open CASCADE (OCP), which is not installed: pip install 'pliant[cad]'"
        raise _problem(path, message) from None
    with _quiet():
        shape = _shape(kind, path)
    unit = _MILLIMETRE * units.UnitsMethods.GetCasCadeLengthUnit_s()  # that the reader has turned the file's into
    lines: list[Polyline] = []
    edges = explore.TopExp_Explorer(shape, kinds.TopAbs_EDGE)
    while edges.More():
        edge = topology.TopoDS.Edge(edges.Current())
        edges.Next()
        if brep.BRep_Tool.Degenerated_s(edge):  # a side of a face that is a point, as at the tip of a cone
            continue
        points = _points(adaptor.BRepAdaptor_Curve(edge), pieces)
        if len(points) <= _LEAST_OF_A_RING and np.allclose(points[0], points[-1], rtol=0, atol=_closed(points)):
            message = (
                f"the curve through ({', '.join(f'{unit * value:.6g}' for value in points[0])}) m is closed, and "
                f"{len(points) - 1} piece{'s' if len(points) > 2 else ''} of it would be no edge; expected "
                f"pieces={_LEAST_OF_A_RING} or more"
            )
            raise _problem(path, message)
        if edge.Orientation() == kinds.TopAbs_REVERSED:
            points.reverse()
        lines.append([unit * point for point in points])
    return lines


def _closed(points: Polyline) -> float:
    """The distance at which the ends of a curve are the same point."""
    return 1e-9 * (1.0 + float(np.abs(points).max()))


def _shape(kind: str, path: Path) -> Any:
    """Everything in the file; what Open CASCADE would leave out is refused."""
    from OCP.IFSelect import IFSelect_RetDone
    from OCP.IGESControl import IGESControl_Reader
    from OCP.STEPControl import STEPControl_Reader

    reader = IGESControl_Reader() if kind == "IGES" else STEPControl_Reader()
    # Transferring what could not be read ends the process, not the call.
    if reader.ReadFile(str(path)) != IFSelect_RetDone or reader.WS().NbStartingEntities() == 0:
        raise _problem(path, f"cannot be read as {kind}; expected a file of that format")
    reader.TransferRoots()
    session = reader.WS()
    failures = [*_failures(session.ModelCheckList(True)), *_failures(session.TransferReader().LastCheckList())]
    if failures:
        what = "; ".join(failures[:3]) + (f"; and {len(failures) - 3} more" if len(failures) > 3 else "")
        message = f"parts of it cannot be read: {what}; expected a whole file: export it again"
        raise _problem(path, message)
    return reader.OneShape()


def _failures(checks: Any) -> list[str]:
    """What failed, with the numbers of the entities."""
    found: list[str] = []
    checks.Start()
    while checks.More():
        check = checks.Value()
        texts = [check.CFail(index + 1) for index in range(check.NbFails())]
        found.extend(f"entity {checks.Number()} ({text.strip(' .')})" for text in texts)
        checks.Next()
    return found


def _points(curve: Any, pieces: int) -> Polyline:
    """Ends of the straight parts of a curve: of a line its own, of a broken line all, of others `pieces`."""
    from OCP.GCPnts import GCPnts_UniformAbscissa
    from OCP.GeomAbs import GeomAbs_BSplineCurve, GeomAbs_Line

    first, last = curve.FirstParameter(), curve.LastParameter()
    kind = curve.GetType()
    parameters = [first, last]
    if kind == GeomAbs_BSplineCurve and curve.Degree() == 1:
        spline = curve.BSpline()
        knots = [spline.Knot(index + 1) for index in range(spline.NbKnots())]
        parameters = [first, *(knot for knot in knots if first < knot < last), last]
    elif kind != GeomAbs_Line and pieces > 1:
        cuts = GCPnts_UniformAbscissa(curve, pieces + 1, first, last)
        parameters = [first, *(cuts.Parameter(index + 1) for index in range(1, pieces)), last]
    places = [curve.Value(parameter) for parameter in parameters]
    return [np.array([place.X(), place.Y(), place.Z()]) for place in places]


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps Open CASCADE from printing its progress to stdout."""
    from OCP.Message import Message

    messenger = Message.DefaultMessenger_s()
    sequence = messenger.Printers()
    printers = [sequence.Value(index + 1) for index in range(sequence.Length())]
    for printer in printers:
        messenger.RemovePrinter(printer)
    try:
        yield
    finally:
        for printer in printers:
            messenger.AddPrinter(printer)


def _problem(path: Path, message: str) -> RobotFileError:
    return RobotFileError([Problem(str(path), None, "", None, message)])
