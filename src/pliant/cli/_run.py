"""The command that does all a file asks for: run."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from pliant.cli._arguments import AsJson, RobotFile, SetValues
from pliant.cli._files import save_outcome, save_views
from pliant.cli._output import print_json, print_line, stdout
from pliant.cli._progress import Progress
from pliant.cli._report import balance, growing, number, record, show_configuration, simulated, stability, walked
from pliant.cli._robots import find_robot
from pliant.cli._solve import refuse_inaccurate, solved
from pliant.cli._study import Outcome, Study


def run(
    file: RobotFile,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", file_okay=False, show_default=False, help="Folder for all files; default runs/<robot>."
        ),
    ] = None,
    set_: SetValues = None,
    json_: AsJson = False,
) -> None:
    """Do all analyses of the file in order, and write results, plots, a film and a page."""
    from pliant.description import Problem, RobotFileError

    robot = find_robot(file, set_)
    if not robot.description.analyses:
        message = 'nothing to run; expected "analyses:" in the file, e.g. [statics, modes, {simulate: {until: 2 s}}]'
        raise RobotFileError([Problem(file, None, "analyses", None, message)])
    folder = out or Path("runs") / robot.name
    progress = Progress(wanted=not json_)
    study = Study(robot, progress)
    outcomes: list[Outcome] = []
    files: list[Path] = []
    for outcome in solved(study, range(len(study.analyses)), folder):
        outcomes.append(outcome)
        files += save_outcome(outcome, folder)  # at once, so that a later failure does not lose it
    with progress.waiting("film and page"):
        files += save_views(robot.name, outcomes, folder)
    documents = [record(outcome) for outcome in outcomes]
    if json_:
        print_json({"robot": robot.name, "out": str(folder), "analyses": documents, "files": [str(f) for f in files]})
    else:
        _show(robot.name, outcomes, documents)
        for path in files:
            print_line(f"  {path}")
        print_line(f"\nOpen {folder / 'index.html'} in a browser.")
    refuse_inaccurate(documents)


def _show(robot: str, outcomes: list[Outcome], documents: list[dict[str, Any]]) -> None:
    """The table of the whole run."""
    stdout.print(robot, style="bold")
    for outcome, numbers in zip(outcomes, documents, strict=True):
        if outcome.kind != "modes":
            title = "at the end of " if outcome.kind == "simulate" else "at rest: "
            stdout.print(f"\n{title}{outcome.name}")
            show_configuration(outcome, numbers)
    stdout.print()
    table = Table("analysis", "result", box=None, pad_edge=False)
    table.add_column("wall time [s]", justify="right")
    for outcome, numbers in zip(outcomes, documents, strict=True):
        for line, text in enumerate(_lines(outcome.kind, numbers)):
            first = line == 0
            table.add_row(outcome.name if first else "", text, f"{outcome.seconds:.2f}" if first else "")
    stdout.print(table)
    stdout.print("\nfiles")


def _lines(kind: str, numbers: dict[str, Any]) -> list[str]:
    if kind == "statics":
        residual = numbers["largest_residual" if "points" in numbers else "residual"]
        return [
            f"residual {number(residual)} after {numbers['iterations']} iterations in {walked(numbers)}",
            f"smallest eigenvalue {number(numbers['smallest_eigenvalue'])}{stability(numbers)}",
        ]
    if kind == "modes":
        rows = ["frequencies " + ", ".join(number(frequency) for frequency in numbers["frequency_Hz"]) + " Hz"]
        if any(numbers["damping_ratio"]):
            rows.append("damping ratios " + ", ".join(number(ratio) for ratio in numbers["damping_ratio"]))
        if numbers["stable"] is False:
            rows.append(growing(numbers))
        return rows
    rows = [simulated(numbers)]
    if numbers["real_time_factor"] is not None:
        rows.append(f"{number(numbers['real_time_factor'])} times real time once compiled")
    return [*rows, f"energy balance error {balance(numbers)}"]
