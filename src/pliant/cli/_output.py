"""Where words go: answers to stdout, everything else to stderr; JSON stands on stdout alone."""

import contextlib
import json
import os
import sys
from typing import Any

import typer
from rich.console import Console

# Names and paths are the user's: what looks like markup in them is printed as it stands.
stdout = Console(markup=False, highlight=False, emoji=False)
stderr = Console(markup=False, highlight=False, emoji=False, stderr=True)


def print_json(document: Any) -> None:
    """One JSON document on stdout."""
    typer.echo(json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False))


def print_line(text: str) -> None:
    """One line on stdout that is never folded, so that a path in it can be copied."""
    stdout.print(text, soft_wrap=True)


def complain(text: str) -> None:
    """A line or lines on stderr; where that cannot be written either, the exit code has to do."""
    with contextlib.suppress(OSError):
        stderr.print(text, soft_wrap=True)


def forget_output() -> None:
    """What waits to be written to stdout or stderr and cannot be is let go of; Python would complain of it at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
