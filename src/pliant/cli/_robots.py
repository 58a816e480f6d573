"""From what the user typed to a robot: files, library names, changed values, settings of an analysis."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from pliant.description import Robot

_SHOWN = 100  # characters of what was typed that a message repeats
DEFAULT_UNTIL = "1 s"  # of a simulation that the file says nothing about


def find_robot(file: str, changes: Iterable[str] | None = None) -> "Robot":
    """The robot in a file, or of that name in the library, with `path=value` changes."""
    from pliant import library
    from pliant.description import Problem, RobotFileError, load, parse_value
    from pliant.tmt import SUFFIXES
    from pliant.tmt import load as load_system

    if Path(file).is_file() or (file not in library.names() and Path(file).exists()):
        robot = load_system(file).robot() if file.endswith(SUFFIXES) else load(file)
    elif file in library.names():
        robot = library.load(file)
    else:
        message = (
            "there is no such file, and no robot of this name in the library; "
            f"expected a robot file (YAML) or one of: {', '.join(library.names())}"
        )
        raise RobotFileError([Problem(file[:_SHOWN], None, "", file, message)])
    for change in changes or ():
        path, equals, value = change.partition("=")
        if not (path and equals):
            raise typer.BadParameter(f"{change[:_SHOWN]!r}: expected PATH=VALUE, e.g. links.arm.length='200 mm'")
        robot = robot.with_value(path.strip(), parse_value(value, source=f"--set {path[:_SHOWN]}"))
    robot.blueprint()  # all changes are checked together, before anything is computed or written
    return robot


def typed_value(text: str | None, option: str) -> Any:
    """What was typed after an option, as it would stand in a robot file; None where nothing was."""
    from pliant.description import parse_value

    return None if text is None else parse_value(text, source=option)


def with_settings(robot: "Robot", kind: str, settings: dict[str, Any], instead_of: Iterable[str] = ()) -> "Robot":
    """The robot with settings of its first analysis of this kind changed; one is added where the file has none.

    instead_of: settings of the file that the given ones replace.
    """
    given = {name: value for name, value in settings.items() if value is not None}
    places = [index for index, analysis in enumerate(robot.description.analyses) if analysis.word == kind]
    if places:
        # By its number where its kind is that of others too.
        first = f"analyses.{kind}" if len(places) == 1 else f"analyses.{places[0]}.{kind}"
        for other in instead_of:
            robot = robot.with_value(f"{first}.{other}", None)
        for name, value in given.items():
            robot = robot.with_value(f"{first}.{name}", value)
    else:
        defaults = {"until": DEFAULT_UNTIL} if kind == "simulate" else {}
        robot = robot.analysis(kind, **{**defaults, **given})
    _ = robot.description
    return robot
