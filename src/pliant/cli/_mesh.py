"""The command that shows what a CAD file holds: mesh."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from pliant._files import make_folder
from pliant.cli._arguments import AsJson
from pliant.cli._errors import BAD_INPUT
from pliant.cli._output import complain, print_json, print_line, stdout

if TYPE_CHECKING:
    from pliant.description import WireNet

_PICTURES = (".png", ".pdf", ".svg")
_MOST_ROWS = 100  # of the table; --json has all of them
_ROUNDING = 1e-9  # metres; what CAD programs leave of 0


def mesh(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", show_default=False, help="A CAD file: IGES, STEP, STL or OBJ.")
    ],
    tolerance: Annotated[
        str, typer.Option(metavar="LENGTH", help="Points no farther apart than this are one node.")
    ] = "1 mm",
    scale: Annotated[
        float, typer.Option(help="Multiplies all lengths; STL and OBJ files have no unit and count as metres.")
    ] = 1.0,
    pieces: Annotated[int, typer.Option(help="Straight edges that a curve is cut into.")] = 1,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="PICTURE", dir_okay=False, show_default=False, help="Draw the net: .png, .pdf or .svg."),
    ] = None,
    json_: AsJson = False,
) -> None:
    """Read the wires of a CAD file as a net, and show its nodes and edges."""
    if plot is not None and plot.suffix.lower() not in _PICTURES:
        complain(f"--plot: got {plot}; expected a file that ends in one of: {', '.join(_PICTURES)}")
        raise typer.Exit(BAD_INPUT)
    from pliant.description import read_wire_net

    net = read_wire_net(file, tolerance=tolerance, scale=scale, pieces=pieces)
    if plot is not None:
        from pliant.view import plot_wire_net

        make_folder(plot.parent)
        plot_wire_net(net, plot)
    if json_:
        print_json(_document(net, plot))
        return
    _show(net)
    if plot is not None:
        print_line(f"\nThe net with these labels is drawn in {plot}")


def _document(net: "WireNet", plot: Path | None) -> dict[str, Any]:
    """Everything about the net, as JSON; nodes are named by their labels, which count from 1."""
    found = net.statistics()
    return {
        "file": net.source,
        "nodes": [
            {"label": label, "position_m": place, "edges": count}
            for label, place, count in zip(net.labels, net.nodes.tolist(), net.edge_counts().tolist(), strict=True)
        ],
        "edges": [[first + 1, second + 1] for first, second in net.edges],
        "single_edge_nodes": [index + 1 for index in net.single_edge_nodes()],
        "parts": found.parts,
        "extent_m": {axis: [found.low[k], found.high[k]] for k, axis in enumerate("xyz")},
        "edge_length_m": {"shortest": found.shortest, "longest": found.longest, "total": found.total},
        "plot": None if plot is None else str(plot),
    }


def _show(net: "WireNet") -> None:
    found = net.statistics()
    parts = "in one part" if found.parts == 1 else f"in {found.parts} parts that do not touch"
    print_line(f"{net.source}: {found.nodes} nodes, {found.edges} edges, {parts}")
    for axis, low, high in zip("xyz", found.low, found.high, strict=True):
        print_line(f"{axis} from {_number(low)} to {_number(high)} m")
    print_line(
        f"edges from {_number(found.shortest)} to {_number(found.longest)} m long, {_number(found.total)} m in all"
    )
    single = ", ".join(str(index + 1) for index in net.single_edge_nodes())
    print_line(f"nodes with a single edge: {single or 'none'}")
    if found.nodes > _MOST_ROWS:
        print_line(f"{found.nodes} nodes are too many to list here; --json lists them")
        return
    around: list[list[str]] = [[] for _ in net.labels]
    for first, second in net.edges:
        around[first].append(str(second + 1))
        around[second].append(str(first + 1))
    table = Table(box=None, pad_edge=False)
    for title in ("node", "x [m]", "y [m]", "z [m]"):
        table.add_column(title, justify="right")
    table.add_column("edges to")
    for label, place, others in zip(net.labels, net.nodes, around, strict=True):
        table.add_row(str(label), *(_number(value) for value in place), ", ".join(others))
    stdout.print()
    stdout.print(table)


def _number(value: float) -> str:
    return f"{0.0 if abs(value) < _ROUNDING else value:.6g}"
