"""Robots from robot files."""

import os
from pathlib import Path
from typing import Any

from pliant.description._robot import Robot
from pliant.description.formats.urdf import expand_urdf, urdf_files
from pliant.description.language import expand_mesh_files, expand_surface_files, mesh_files, surface_files
from pliant.description.language.grammar import (
    LARGEST_FILE,
    Problem,
    RobotFileError,
    read_value,
    read_yaml,
)


def load(path: str | os.PathLike[str]) -> Robot:
    """Read a robot file; a RobotFileError lists everything that is wrong with it."""
    return parse(read_text_file(path), source=os.fspath(path), folder=Path(path).parent)


def parse(text: str, *, source: str = "<text>", folder: str | os.PathLike[str] | None = None) -> Robot:
    """Read a robot from the text of a robot file; `source` is what errors call it.

    The files that it names lie below `folder`.
    """
    tree = read_yaml(text)
    if folder is not None:
        tree = expand_mesh_files(expand_urdf(tree, folder, source), folder, source)
        tree = expand_surface_files(tree, folder, source)
    robot = Robot._of(tree, source)
    _ = robot.description
    return robot


def parse_value(text: str, *, source: str = "<value>") -> Any:
    """A value as it would stand in a robot file: a number, a text with a unit, a list; under the limits of files."""
    tree = read_value(text)
    if tree.findings:
        raise RobotFileError([Problem(source, None, "", text, finding.message) for finding in tree.findings])
    return tree.data


def companions(path: str | os.PathLike[str]) -> list[Path]:
    """The files that a robot file names, which a copy of it needs in the same place below its folder: URDF, CAD,
    surfaces."""
    tree, folder = read_yaml(read_text_file(path)), Path(path).parent
    return [*urdf_files(tree, folder, os.fspath(path)), *mesh_files(tree, folder), *surface_files(tree, folder)]


def read_text_file(path: str | os.PathLike[str]) -> str:
    """The text of a robot file."""
    shown = os.fspath(path)
    try:
        with open(path, "rb") as file:
            raw = file.read(LARGEST_FILE + 1)  # of what may have no end, such as a device
    except FileNotFoundError:
        raise _unreadable(shown, "there is no such file; expected a robot file (YAML)") from None
    except IsADirectoryError:
        raise _unreadable(shown, "this is a folder; expected a robot file (YAML)") from None
    except (OSError, ValueError) as error:
        raise _unreadable(shown, f"cannot be read ({error}); expected a robot file (YAML)") from None
    if len(raw) > LARGEST_FILE:
        expected = f"a robot file (YAML) of at most {LARGEST_FILE // 1_000_000} MB"
        raise _unreadable(shown, f"this file is larger than {LARGEST_FILE // 1_000_000} MB; expected {expected}")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _unreadable(shown, "this is not text in UTF-8; expected a robot file (YAML)") from None
    if "\0" in text:
        raise _unreadable(shown, "this is not text in UTF-8; expected a robot file (YAML)")
    return text


def _unreadable(source: str, message: str) -> RobotFileError:
    return RobotFileError([Problem(source, None, "", None, message)])
