"""URDF in: the rigid links and frames of a URDF file, as a robot or as part of one."""

import os
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pliant.description.checks import validate
from pliant.description.formats.urdf._urdf_document import Document
from pliant.description.formats.urdf._urdf_reader import urdf_tree
from pliant.description.language import DRIVES, WORLD, UrdfFile
from pliant.description.language.grammar import (
    Finding,
    Location,
    Problem,
    RobotFileError,
    Tree,
    file_below,
    is_list,
    is_mapping,
    one_of,
    problems_from,
    show,
    written,
)


def read_urdf(path: str | os.PathLike[str], *, drive: str | None = None, prefix: str = "") -> Tree:
    """The robot in a URDF file as the data of a robot file; a RobotFileError lists everything that is wrong with it.

    `drive` ("motion" or "force") is put beside every joint that moves, `prefix` begins every name.
    """
    shown = os.fspath(path)
    if drive not in (None, *DRIVES):
        message = f"got {show(drive)}; expected one of: {one_of(DRIVES)}"
        raise RobotFileError([Problem(shown, None, "drive", drive, message)])
    tree = urdf_tree(Document(path), drive, prefix)
    _, findings = validate(tree)
    if findings:
        raise RobotFileError(problems_from(findings, tree, shown))
    return tree


def expand_urdf(tree: Tree, folder: str | os.PathLike[str], source: str) -> Tree:
    """The robot file without its field `urdf`: links and frames of the URDF files stand behind the file's own.

    `folder` is where the robot file lies, `source` is what errors call it.
    """
    if not is_mapping(tree.data) or tree.data.get("urdf") is None:
        return tree
    data = {key: value for key, value in tree.data.items() if key != "urdf"}
    lines = dict(tree.lines)
    for place, options in _urdf_items(tree, source):
        path = file_below(Path(folder), options.file, "a URDF file", (*place, "file"), tree, source)
        parts = read_urdf(path, drive=options.drive, prefix=options.prefix).data
        parent = _entry(tree.data, place).get("parent", WORLD)
        parent = {"link": WORLD, **parent} if is_mapping(parent) else {"link": parent}
        for section in ("links", "frames"):
            own = data.get(section) or []
            added = [_mounted(item, parent) for item in parts.get(section, [])]
            if not added or not is_list(own):
                continue
            if None in added:
                message = f'"world" is a link of {options.file}; expected a "prefix" too, or the name of a link alone'
                raise RobotFileError(problems_from([Finding((*place, "parent"), parent, message)], tree, source))
            # What turns out wrong with these parts, such as a parent that is not there, was written in `urdf`.
            here = tree.lines.get(place)
            lines |= {(section, len(own) + index): here for index in range(len(added)) if here is not None}
            data[section] = [*own, *added]
    return Tree(data, lines, tree.findings)


def urdf_files(tree: Tree, folder: str | os.PathLike[str], source: str) -> list[Path]:
    """The URDF files that a robot file names."""
    named = is_mapping(tree.data) and tree.data.get("urdf") is not None
    return [Path(folder) / options.file for _, options in _urdf_items(tree, source)] if named else []


def _urdf_items(tree: Tree, source: str) -> list[tuple[Location, UrdfFile]]:
    """What stands in `urdf`, with its place in the data: one or a list."""
    items = tree.data["urdf"]
    places: list[Location] = [("urdf", index) for index in range(len(items))] if is_list(items) else [("urdf",)]
    valid: list[tuple[Location, UrdfFile]] = []
    findings: list[Finding] = []
    for place in places:
        try:
            valid.append((place, UrdfFile.model_validate(_entry(tree.data, place))))
        except ValidationError as error:
            for item in error.errors(include_url=False):
                findings.append(Finding(written((*place, *item["loc"]), tree.data), item["input"], item["msg"]))
    if findings:
        raise RobotFileError(problems_from(findings, tree, source))
    return valid


def _entry(data: Any, place: Location) -> Any:
    for key in place:
        data = data[key]
    return data


def _mounted(item: dict[str, Any], parent: dict[str, Any]) -> dict[str, Any] | None:
    """A link or frame that stands in the world, put on another parent; None where two offsets would be one."""
    place = item.get("parent", item)
    if place["link"] != WORLD:
        return item
    if "offset" in place and parent.keys() != {"link"}:
        return None
    return {**item, "parent": {**place, **parent}} if "parent" in item else {**item, **parent}
