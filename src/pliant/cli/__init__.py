"""The command line: `pliant --help`. Nothing heavy is imported before a command needs it."""

from pliant.cli._app import app, main

__all__ = ["app", "main"]
