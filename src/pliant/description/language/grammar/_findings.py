"""A mistake before it is known in which file it stands, and how a place in the data is named to the reader."""

from dataclasses import dataclass, field
from typing import Any

from pliant.description.language.grammar._problems import Problem
from pliant.description.language.grammar._types import is_list, is_mapping

Location = tuple[str | int, ...]

# Names that the schema's unions put into a location though nobody wrote them.
_UNWRITTEN = {"list", "one", "letter", "run", "point", "spread", "[key]"}
# Lists whose items go by their number, counted from 1: the links finger/1, finger/2, the nodes and edges of a mesh.
NUMBERED = ("divisions", "nodes", "edges")


@dataclass(frozen=True)
class Finding:
    """`location` holds keys and indices into the data as written; `line` only where the location cannot give it."""

    location: Location
    value: Any
    message: str
    line: int | None = None


@dataclass(frozen=True)
class Tree:
    """Data as read, the line of every entry, and what was found wrong while reading."""

    data: Any
    lines: dict[Location, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def written(location: Location, data: Any) -> Location:
    """The part of a schema location that exists in the data: short forms and unions add steps nobody wrote."""
    steps: list[str | int] = []
    for position, key in enumerate(location):
        last = position == len(location) - 1
        if is_mapping(data):
            if key in data:
                data = data[key]
            elif isinstance(key, int) or key in _UNWRITTEN or not last:
                continue
        elif is_list(data) and isinstance(key, int) and key < len(data):
            data = data[key]
        elif data == key:
            # A word that stands alone where its numbers are wanted.
            data = {}
        else:
            continue
        steps.append(key)
    return tuple(steps)


def label(items: Any, index: int, above: str) -> str:
    """How an item of the list `above` is called: by its name, an analysis by its kind, anything else by its index."""
    item = items[index]
    if above in NUMBERED:
        return str(index + 1)
    if is_mapping(item) and isinstance(item.get("name"), str) and "." not in item["name"]:
        return str(item["name"])
    kind = _only_key(item)
    if isinstance(kind, str) and kind in ("statics", "modes", "simulate"):
        alike = sum(_only_key(other) == kind for other in items)
        return kind if alike == 1 else str(index)
    return str(index)


def _only_key(item: Any) -> Any:
    """The word of an analysis, with or without settings."""
    return next(iter(item)) if is_mapping(item) and len(item) == 1 else item


def path_of(location: Location, data: Any) -> str:
    """`links.finger.length`: names instead of indices where the item has a name."""
    words: list[str] = []
    for key in location:
        if is_list(data) and isinstance(key, int) and key < len(data):
            words.append(label(data, key, words[-1] if words else ""))
            data = data[key]
        else:
            # An analysis is called by its kind, which is also its only key.
            if words[-1:] != [key] or words[:1] != ["analyses"]:
                words.append(str(key))
            data = data.get(key) if is_mapping(data) else None
    return ".".join(words)


def problems_from(findings: list[Finding], tree: Tree, source: str) -> list[Problem]:
    """The findings with file, line and path, in the order of the file."""
    problems = []
    for finding in findings:
        location = finding.location
        line = finding.line
        while line is None and tree.lines:
            line = tree.lines.get(location)
            if not location:
                break
            location = location[:-1]
        path = path_of(finding.location, tree.data)
        problems.append(Problem(source, line, path, finding.value, finding.message))
    return sorted(problems, key=lambda problem: problem.line or 0)
