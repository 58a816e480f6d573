"""Commands that solve one analysis: statics, modes, simulate."""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pliant.cli._arguments import Accuracy, AsJson, Drop, OutFolder, RobotFile, SetValues
from pliant.cli._errors import SOLVE_FAILED
from pliant.cli._files import save_mode_films, save_outcome, save_partial
from pliant.cli._output import complain, print_json, print_line
from pliant.cli._progress import Progress
from pliant.cli._report import record, show
from pliant.cli._robots import find_robot, typed_value, with_settings
from pliant.cli._study import Outcome, Study

if TYPE_CHECKING:
    from pliant.description import Robot


class StepperKind(StrEnum):
    TSIT5 = "tsit5"
    DOPRI8 = "dopri8"
    RK4 = "rk4"
    NEWMARK = "newmark"
    GENERALISED_ALPHA = "generalised-alpha"


class Start(StrEnum):
    STATICS = "statics"
    INITIAL = "initial"


def statics(
    file: RobotFile,
    steps: Annotated[int | None, typer.Option(help="Load steps.", show_default=False)] = None,
    times: Annotated[
        str | None,
        typer.Option(metavar="T1,T2,...", help="At these times, each from the one before.", show_default=False),
    ] = None,
    path: Annotated[
        str | None,
        typer.Option(metavar="FACTOR", help="Follow it from no load to this load factor.", show_default=False),
    ] = None,
    branch: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Leave the path at its N-th bifurcation; -N: the branch's other half.", show_default=False
        ),
    ] = None,
    drop: Drop = None,
    set_: SetValues = None,
    out: OutFolder = None,
    json_: AsJson = False,
) -> None:
    """Find the robot at rest under its loads, at rest at each of several times, or along a path of loads."""
    if branch is not None and path is None:
        raise typer.BadParameter("--branch belongs to --path, e.g. --path 1.5 --branch 1")
    settings = {
        "steps": steps,
        "times": times if times is None else [typed_value(time.strip(), "--times") for time in times.split(",")],
        "path": path if path is None else {"to": typed_value(path, "--path"), "branch": branch or 0},
        "drop": drop or None,
    }
    # One equilibrium in load steps, one at each time, or a path: an option replaces what the file says of the others.
    ways = ("steps", "times", "path")
    given = [way for way in ways if settings[way] is not None]
    others = [way for way in ways if way not in given] if given else []
    robot = with_settings(find_robot(file, set_), "statics", settings, instead_of=others)
    _solve_one(robot, "statics", out, json_)


def modes(
    file: RobotFile,
    count: Annotated[int | None, typer.Option(help="Number of modes.", show_default=False)] = None,
    film: Annotated[
        bool, typer.Option("--film", help="Write a film of every mode; without --out to runs/<robot>.")
    ] = False,
    set_: SetValues = None,
    out: OutFolder = None,
    json_: AsJson = False,
) -> None:
    """Find the lowest vibration modes, about an equilibrium unless the file says otherwise."""
    robot = with_settings(find_robot(file, set_), "modes", {"count": count})
    folder = Path("runs") / robot.name if film and out is None else out
    _solve_one(robot, "modes", folder, json_, film)


def simulate(
    file: RobotFile,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="End time.", show_default=False)] = None,
    from_: Annotated[Start | None, typer.Option("--from", help="Where to start.", show_default=False)] = None,
    drop: Drop = None,
    stepper: Annotated[StepperKind | None, typer.Option(help="Time stepper.", show_default=False)] = None,
    step: Annotated[
        str | None, typer.Option(metavar="TIME", help="Time step of rk4 and implicit steppers.", show_default=False)
    ] = None,
    save_every: Annotated[
        str | None, typer.Option(metavar="TIME", help="Time between saved states.", show_default=False)
    ] = None,
    accuracy: Accuracy = None,
    energy: Annotated[
        bool | None, typer.Option("--energy/--no-energy", help="Record the energy balance.", show_default=False)
    ] = None,
    set_: SetValues = None,
    out: OutFolder = None,
    json_: AsJson = False,
) -> None:
    """Simulate the robot's motion. TIME is text with a unit ('4 ms') or a number of seconds."""
    settings = {
        "until": typed_value(until, "--until"),
        "from": from_ if from_ is None else from_.value,
        "drop": drop or None,
        "stepper": stepper if stepper is None else stepper.value,
        "step": typed_value(step, "--step"),
        "save_every": typed_value(save_every, "--save-every"),
        "accuracy": accuracy,
        "energy": energy,
    }
    _solve_one(with_settings(find_robot(file, set_), "simulate", settings), "simulate", out, json_)


def _solve_one(robot: "Robot", kind: str, out: Path | None, json_: bool, film: bool = False) -> None:
    progress = Progress(wanted=not json_)
    study = Study(robot, progress, only=kind)
    documents: list[dict[str, Any]] = []
    files: list[Path] = []
    for outcome in solved(study, [study.first(kind)], out):
        documents.append(record(outcome))
        if out is not None:
            files += save_outcome(outcome, out)
            if film:
                with progress.waiting("film"):
                    files += save_mode_films(outcome, out)
        if not json_:
            show(outcome)
    if json_:
        # An equilibrium that had to be found first stands inside the document that was asked for.
        start = {"start": documents[0]} if len(documents) > 1 else {}
        print_json({**documents[-1], **start, "files": [str(path) for path in files]})
    elif out is not None:
        print_line(f"{len(files)} files in {out}")
    refuse_inaccurate(documents)


def refuse_inaccurate(documents: Iterable[dict[str, Any]]) -> None:
    """Ends the command with a code of failure where a motion is whole but not as accurate as was asked for."""
    found = [document["inaccurate"] for document in documents if document.get("inaccurate")]
    for sentence in found:
        complain(f"{sentence}. With --accuracy, or accuracy: in the file, a larger error is accepted.")
    if found:
        raise typer.Exit(SOLVE_FAILED)


def solved(study: Study, indices: Iterable[int], out: Path | None) -> Iterator[Outcome]:
    """The outcomes of these analyses; when one fails, what it computed is kept in the folder `out`."""
    from pliant.numerics import SolveError

    try:
        for index in indices:
            yield from study.solve(index)
    except SolveError as error:
        error.add_note(save_partial(error.partial, out))
        raise
