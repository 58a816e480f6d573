"""Systems of the TMT language as YAML: the same tree of fields, with the line of each."""

import os
from typing import Any

from pliant.description.formats.tmt._tmt_fields import SYSTEM, Field, Group
from pliant.description.language.grammar import (
    Location,
    Problem,
    RobotFileError,
    Tree,
    is_list,
    is_mapping,
    one_of,
    read_yaml,
    show,
)

SUFFIXES = (".tmt.yaml", ".tmt.yml")
NAME = "robot"  # beside the groups of TMTDyn: what the robot is called


def read_system(text: str, source: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, int]]:
    """The fields of a file, and the lines on which they stand, by their paths in the TMT language."""
    tree = read_yaml(text)
    shown = os.fspath(source)
    if tree.findings or not is_mapping(tree.data):
        raise RobotFileError(_unreadable(tree, shown))
    lines = {path_of(location): line for location, line in tree.lines.items()}
    return _with_symbols(tree.data), lines


def _unreadable(tree: Tree, source: str) -> list[Problem]:
    if not tree.findings:
        message = f"got {show(tree.data)}; expected a system, with the fields {one_of([NAME, *SYSTEM.names])}"
        return [Problem(source, None, "", tree.data, message)]
    return [
        Problem(source, own.line or tree.lines.get(own.location), path_of(own.location), own.value, own.message)
        for own in tree.findings
    ]


def path_of(location: Location) -> str:
    """`joint(1).tr(2).rot` of a place in the file; a single item may stand without its list."""
    words: list[str] = []
    member: Field | Group | None = SYSTEM
    waiting = False  # for the number of an item
    for key in location:
        if isinstance(key, int):
            if waiting:
                words[-1] += f"({key + 1})"
                waiting = False
            continue
        if waiting:
            words[-1] += "(1)"
        words.append(str(key))
        member = member.members.get(str(key)) if isinstance(member, Group) else None
        waiting = isinstance(member, Group) and member.many
    return ".".join(words)


def _with_symbols(data: dict[str, Any]) -> dict[str, Any]:
    """The fields with par first, since others may name its symbols; names and values of symbols as pairs."""
    par: Any = data.get("par")
    if not is_mapping(par):
        return data
    names, values = par.get("sym"), par.get("var")
    paired = is_list(names) and is_list(values) and len(names) == len(values)
    if paired and all(isinstance(name, str) for name in names):
        par = {**par, "sym": dict(zip(names, values, strict=True)), "var": None}
    par = {"sym": par.get("sym"), **{key: value for key, value in par.items() if key != "sym"}}
    return {"par": par, **{key: value for key, value in data.items() if key != "par"}}
