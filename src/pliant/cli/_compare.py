"""The command that solves one robot with every rod model: compare."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pliant.cli._arguments import AsJson, OutFolder, RobotFile, SetValues
from pliant.cli._errors import SOLVE_FAILED
from pliant.cli._output import print_json, print_line, stdout
from pliant.cli._progress import Progress
from pliant.cli._robots import find_robot

if TYPE_CHECKING:
    from pliant.validation import Comparison, ModelRow

MODELS = ("gvs", "pcs", "rom", "srl", "ebr", "eba")


def compare(
    file: RobotFile,
    models: Annotated[str, typer.Option(metavar="A,B", help="Rod models to compare.")] = ",".join(MODELS),
    frame: Annotated[
        str | None, typer.Option(metavar="NAME", show_default=False, help="Whose position; default: the last frame.")
    ] = None,
    dynamic: Annotated[bool, typer.Option("--dynamic", help="Also where it is after a short motion.")] = False,
    set_: SetValues = None,
    out: OutFolder = None,
    json_: AsJson = False,
) -> None:
    """Solve one robot with every rod model, each at several refinements, against gvs of high order."""
    words = [word.strip() for word in models.split(",") if word.strip()]
    unknown = [word for word in words if word not in MODELS]
    if unknown or not words:
        raise typer.BadParameter(f"got {models!r}; expected some of: {', '.join(MODELS)}", param_hint="--models")
    robot = find_robot(file, set_)
    from pliant.validation import compare_models

    progress = Progress(wanted=not json_)
    with progress.steps() as say:
        found = compare_models(robot, words, frame=frame, dynamic=dynamic, say=say)
    files = [] if out is None else _draw(found, out)
    if json_:
        print_json({**record(found), "files": [str(path) for path in files]})
    else:
        _show(found)
        if out is not None:
            print_line(f"{len(files)} files in {out}")
    if any(row.problem and not row.not_for_this_rod for row in found.rows):
        raise typer.Exit(SOLVE_FAILED)


def record(found: "Comparison") -> dict[str, Any]:
    """The comparison as plain data, in SI."""

    def row(item: "ModelRow") -> dict[str, Any]:
        return {
            "model": item.model,
            "refinement": item.refinement,
            "degrees_of_freedom": item.dof,
            "position_m": item.place,
            "error_m": item.error,
            "error_of_length": _share(item.error, found.length),
            "end_position_m": item.end,
            "end_error_m": item.end_error,
            "end_error_of_length": _share(item.end_error, found.length),
            "seconds": item.seconds,
            "motion_seconds": item.motion_seconds,
            "compile_seconds": item.compile_seconds,
            "problem": _problem(item) or None,
        }

    return {
        "robot": found.robot,
        "frame": found.frame,
        "length_m": found.length,
        "motion_s": found.motion,
        "reference": row(found.reference),
        "rows": [row(item) for item in found.rows],
        "observed": {
            model: {"measure": found.measure(model), "rest": found.observed(model), "end": found.observed(model, True)}
            for model in dict.fromkeys(item.model for item in found.rows)
        },
    }


def _share(error: float | None, length: float) -> float | None:
    return None if error is None else error / length


def _problem(row: "ModelRow") -> str:
    if not row.problem:
        return ""
    return f"{'not for this rod' if row.not_for_this_rod else 'not solved'}: {row.problem}"


def _show(found: "Comparison") -> None:
    stdout.print(f"{found.frame} of {found.robot}; length of rods up to it {1000 * found.length:.4g} mm", style="bold")
    last = {row.model: row for row in found.rows if not row.problem}
    rows = [_cells(found, row, last.get(row.model) is row) for row in (found.reference, *found.rows) if not row.problem]
    titles = _titles(found)
    widths = [max(len(cells[column]) for cells in (titles, *rows)) for column in range(len(titles))]
    # Lines of our own, never folded: the table is wider than most terminals.
    for cells in (titles, *rows):
        columns = enumerate(zip(cells, widths, strict=True))
        print_line("  ".join(f"{cell:{'<' if column < 2 else '>'}{width}}" for column, (cell, width) in columns))
    print_line(
        "\nerror: distance from gvs of high order (first row), and its share of the length.\n"
        "time: of one solve once compiled. observed: order of convergence in the number of pieces; for gvs and rom, "
        "which have\nno such order, the factor by which the error falls with every polynomial order (*)."
    )
    for row in found.rows:
        if row.problem:
            print_line(f"{row.model if row.not_for_this_rod else f'{row.model} {row.refinement}'}: {_problem(row)}")


def _titles(found: "Comparison") -> list[str]:
    groups = [("rest", "[ms]"), *([(f"{found.motion:g} s", "[s]")] if found.motion is not None else [])]
    titles = ["model", "refined", "DoF"]
    for name, unit in groups:
        titles += [f"{name}: x [mm]", "y", "z", "error [mm]", "[%]", f"time {unit}", "observed"]
    return [*titles, "compile [s]"]


def _cells(found: "Comparison", row: "ModelRow", is_last: bool) -> list[str]:
    def group(place: tuple[float, ...] | None, error: float | None, seconds: str, moving: bool) -> list[str]:
        places = ["-"] * 3 if place is None else [f"{1000 * x:.3f}" for x in place]
        errors = ["-"] * 2 if not error else [f"{1000 * error:.3g}", f"{100 * error / found.length:.2g}"]
        observed = found.observed(row.model, moving) if is_last else None
        star = "*" if found.measure(row.model) != "order" else ""
        return [*places, *errors, seconds, "" if observed is None else f"{observed:.3g}{star}"]

    cells = [row.model, row.refinement, str(row.dof)]
    cells += group(row.place, row.error, f"{1000 * (row.seconds or 0.0):.3g}", False)
    if found.motion is not None:
        cells += group(row.end, row.end_error, f"{row.motion_seconds or 0.0:.3g}", True)
    return [*cells, f"{row.compile_seconds or 0.0:.1f}"]


def _draw(found: "Comparison", folder: Path) -> list[Path]:
    """convergence.png and shapes.png."""
    from pliant.view import plot_convergence, plot_shapes, save_figure

    solved = [row for row in found.rows if not row.problem]
    panels: dict[str, Any] = {"at rest": _lines(found, solved, False)}
    if found.motion is not None:
        panels[f"after {found.motion:g} s of motion"] = _lines(found, solved, True)
    shapes: dict[str, dict[str, Any]] = {"coarsest": {}, "finest": {}}
    for row in solved:
        shapes["coarsest"].setdefault(row.model, row.rest)
        shapes["finest"][row.model] = row.rest
    pictures = {
        "convergence": plot_convergence(panels, f"error of {found.frame} [% of length]"),
    }
    if found.reference.rest is not None:
        pictures["shapes"] = plot_shapes(shapes, found.reference.rest)
    return [save_figure(figure, folder / f"{name}.png") for name, figure in pictures.items()]


def _lines(found: "Comparison", rows: "list[ModelRow]", moving: bool) -> dict[str, Any]:
    lines: dict[str, tuple[list[float], list[float]]] = {}
    for row in rows:
        error = row.end_error if moving else row.error
        if error and row.dof:
            dof, errors = lines.setdefault(row.model, ([], []))
            dof.append(row.dof)
            errors.append(100 * error / found.length)
    return lines
