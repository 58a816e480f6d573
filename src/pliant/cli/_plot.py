"""The command that draws a saved result: plot."""

from pathlib import Path
from typing import Annotated

import typer

from pliant.cli._errors import BAD_INPUT
from pliant.cli._files import save_pictures
from pliant.cli._output import complain, print_line


def plot(
    result: Annotated[
        Path, typer.Argument(metavar="RESULT.nc", show_default=False, help="A result that Pliant has written.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            file_okay=False,
            show_default=False,
            help="Folder for the pictures; default: beside the result, with its name.",
        ),
    ] = None,
) -> None:
    """Draw every plot that fits a saved result."""
    from pliant.results import load_result

    loaded = load_result(result)
    try:
        paths = save_pictures(loaded, out or result.with_suffix(""))
    except ValueError as error:  # a batch, or a result without finite numbers
        complain(f"{result}: {error}")
        raise typer.Exit(BAD_INPUT) from None
    for path in paths:
        print_line(str(path))
