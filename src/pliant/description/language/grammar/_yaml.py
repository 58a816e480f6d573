"""Text to plain data with the line of every entry, and back. YAML 1.2, no tags, no code."""

import io
import math
import re
from functools import cache
from typing import Any

from pliant.description.language.grammar._findings import Finding, Location, Tree
from pliant.description.language.grammar._problems import shortened, show

_STANDARD = "tag:yaml.org,2002:"
_SCALARS = ("null", "bool", "int", "float", "str", "timestamp")
LARGEST_FILE = 2_000_000  # bytes
# Aliases let a small text stand for an enormous tree; no robot comes near this many entries.
MOST_ENTRIES = 100_000
DEEPEST = 40
_LARGEST_VALUE = 100_000  # characters of a value that stands alone
_LONGEST_DIGITS = 400  # a whole number too long for Python's parser is no physical quantity either
_LONGEST_REASON = 200
_TOO_LARGE = "too many entries, nested too deeply, or an alias that contains itself"


class _TooLarge(Exception):
    """There is more in a text than is read."""


def read_yaml(text: str) -> Tree:
    """The data in `text`, the line on which each entry stands, and what is wrong with the text itself."""
    node, lines, findings = _composed(text, LARGEST_FILE)
    if findings:
        return Tree(None, lines, findings)
    if node is None:
        return Tree(
            None, {}, [Finding((), None, 'the file is empty; expected a robot, e.g. "robot: finger" and "links:"')]
        )
    return _read(node)


def read_value(text: str) -> Tree:
    """A value that stands alone, as it would stand in a robot file; nothing is None."""
    node, lines, findings = _composed(text, _LARGEST_VALUE)
    return Tree(None, lines, findings) if node is None else _read(node)


def _read(node: Any) -> Tree:
    reader = _Reader()
    data = reader.read(node, (), ())
    return Tree(data, reader.lines, reader.findings)


def _composed(text: str, most: int) -> tuple[Any, dict[Location, int], list[Finding]]:
    """ruamel's node of a text; where there is none the lines and findings that say why, if it is not empty."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    if len(text) > most:
        return None, {}, [Finding((), None, f"got {len(text)} characters; expected at most {most}")]
    yaml: Any = YAML(typ="safe", pure=True)
    yaml.Composer = _limited_composer()
    try:
        return yaml.compose(text), {}, []
    except MarkedYAMLError as error:
        mark, words = error.problem_mark or error.context_mark, str(error.problem or error.context or "")
        return None, {(): mark.line + 1} if mark else {}, [_unreadable(words)]
    except _TooLarge:
        return None, {}, [Finding((), None, _TOO_LARGE)]
    except (YAMLError, ValueError, RecursionError) as error:
        return None, {}, [_unreadable(str(error))]


def _unreadable(reason: str) -> Finding:
    words = shortened(re.sub(r"\s+", " ", reason[: 2 * _LONGEST_REASON]), _LONGEST_REASON)
    return Finding((), None, f"not readable as YAML: {words or 'it cannot be read'}")


@cache
def _limited_composer() -> Any:
    """ruamel's composer, which gives up where a text holds too much instead of reading it all."""
    from ruamel.yaml.composer import Composer

    class LimitedComposer(Composer):
        def __init__(self, loader: Any = None) -> None:
            super().__init__(loader)
            self.warn_double_anchors = False  # the last one counts, as YAML says
            self.entries = self.level = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            self.entries += 1
            if self.entries > MOST_ENTRIES or self.level > DEEPEST:
                raise _TooLarge
            self.level += 1
            try:
                return super().compose_node(parent, index)
            finally:
                self.level -= 1

    return LimitedComposer


class _Reader:
    def __init__(self) -> None:
        self.lines: dict[Location, int] = {}
        self.findings: list[Finding] = []
        self.entries = 0
        self.full = False

    def read(self, node: Any, location: Location, above: tuple[int, ...]) -> Any:
        self.lines.setdefault(location, node.start_mark.line + 1)
        self.entries += 1
        if id(node) in above or len(above) > DEEPEST or self.entries > MOST_ENTRIES:
            if not self.full:
                self.findings.append(Finding(location, None, _TOO_LARGE))
            self.full = True
            return None
        tag = str(node.tag or "")
        kind = tag.removeprefix(_STANDARD) if tag.startswith(_STANDARD) else ""
        expected = _SCALARS if isinstance(node.value, str) else ("map", "seq")
        if kind not in expected:
            message = f"got the tag {show(tag)}; expected plain data without tags"
            self.findings.append(Finding(location, tag, message))
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
        if len(plain) >= _LONGEST_DIGITS:
            return math.inf
        for prefix, base in (("0o", 8), ("0x", 16), ("0b", 2)):
            if plain.lstrip("+-").startswith(prefix):
                return int(plain.replace(prefix, "", 1), base)
        return int(plain)
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
