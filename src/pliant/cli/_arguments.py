"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

RobotFile = Annotated[
    str, typer.Argument(metavar="FILE", show_default=False, help="A robot file, or the name of a library robot.")
]
SetValues = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        show_default=False,
        help="Change one value of the robot, addressed as in the file; may be repeated.",
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="LOAD", show_default=False, help="Leave this load out; may be repeated."),
]
Accuracy = Annotated[
    float | None,
    typer.Option(help="Error allowed, as a share of the motion; default 0.01.", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
OutFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        file_okay=False,
        show_default=False,
        help="Write results (.nc) and plots (.png) into this folder.",
    ),
]
