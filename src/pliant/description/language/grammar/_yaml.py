"""Text to plain data with the line of every entry, and back. YAML 1.2, no tags, no code."""

import io
import math
import re
from typing import Any

from pliant.description.language.grammar._findings import Finding, Location, Tree
from pliant.description.language.grammar._problems import show

_STANDARD = "tag:yaml.org,2002:"
_SCALARS = ("null", "bool", "int", "float", "str", "timestamp")
# Aliases let a small text stand for an enormous tree; no robot comes near this many entries.
_MOST_ENTRIES = 100_000
_DEEPEST = 40


def read_yaml(text: str) -> Tree:
    """The data in `text`, the line on which each entry stands, and what is wrong with the text itself."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        node = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        words = re.sub(r"\s+", " ", str(error.problem or error.context or "it cannot be read"))
        return Tree(None, {(): mark.line + 1} if mark else {}, [Finding((), None, f"not readable as YAML: {words}")])
    except (YAMLError, ValueError, RecursionError) as error:
        words = re.sub(r"\s+", " ", str(error))
        return Tree(None, {}, [Finding((), None, f"not readable as YAML: {words}")])
    if node is None:
        return Tree(
            None, {}, [Finding((), None, 'the file is empty; expected a robot, e.g. "robot: finger" and "links:"')]
        )
    reader = _Reader()
    data = reader.read(node, (), ())
    return Tree(data, reader.lines, reader.findings)


class _Reader:
    def __init__(self) -> None:
        self.lines: dict[Location, int] = {}
        self.findings: list[Finding] = []
        self.entries = 0

    def read(self, node: Any, location: Location, above: tuple[int, ...]) -> Any:
        self.lines.setdefault(location, node.start_mark.line + 1)
        self.entries += 1
        if id(node) in above or len(above) > _DEEPEST or self.entries > _MOST_ENTRIES:
            message = "too many entries, nested too deeply, or an alias that contains itself"
            if not any(finding.message == message for finding in self.findings):
                self.findings.append(Finding(location, None, message))
            return None
        tag = str(node.tag or "")
        kind = tag.removeprefix(_STANDARD) if tag.startswith(_STANDARD) else ""
        expected = _SCALARS if isinstance(node.value, str) else ("map", "seq")
        if kind not in expected:
            self.findings.append(Finding(location, tag, f'got the tag "{tag}"; expected plain data without tags'))
            return None
        above = (*above, id(node))
        if kind == "map":
            return self._mapping(node, location, above)
        if kind == "seq":
            return [self.read(item, (*location, index), above) for index, item in enumerate(node.value)]
        try:
            return _scalar(kind, node.value)
        except ValueError:
            return node.value

    def _mapping(self, node: Any, location: Location, above: tuple[int, ...]) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value) if isinstance(key_node.value, str) else show("a list or mapping as a key")
            place = (*location, key)
            line = key_node.start_mark.line + 1
            if key in data:
                message = f"stands twice (first on line {self.lines[place]}); expected each field once"
                self.findings.append(Finding(place, key, message, line))
                continue
            self.lines[place] = line
            data[key] = self.read(value_node, place, above)
        return data


def _scalar(kind: str, text: str) -> Any:
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() == "true"
    plain = text.replace("_", "")
    if kind == "int":
        for prefix, base in (("0o", 8), ("0x", 16), ("0b", 2)):
            if plain.lstrip("+-").startswith(prefix):
                return int(plain.replace(prefix, "", 1), base)
        # A whole number too long for Python's parser is no physical quantity either.
        return int(plain) if len(plain) < 400 else math.inf
    if kind == "float":
        return float(plain.lower().replace(".inf", "inf").replace(".nan", "nan"))
    return text


def write_yaml(data: dict[str, Any]) -> str:
    """The data as YAML: a line for each item, short parts within the line."""
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    def styled(value: Any, depth: int) -> Any:
        if isinstance(value, dict):
            mapping = CommentedMap((key, styled(item, depth + 1)) for key, item in value.items())
            if depth >= 3:
                mapping.fa.set_flow_style()
            return mapping
        if isinstance(value, list):
            sequence = CommentedSeq(styled(item, depth + 1) for item in value)
            if not any(isinstance(item, dict) for item in value) or depth >= 3:
                sequence.fa.set_flow_style()
            return sequence
        return value

    yaml = YAML()
    yaml.width = 4096  # never breaks inside a part
    yaml.indent(mapping=2, sequence=4, offset=2)
    stream = io.StringIO()
    yaml.dump(styled(data, 0), stream)
    return stream.getvalue()
