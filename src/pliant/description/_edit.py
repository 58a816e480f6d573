"""Changing one value of a robot's data by its path."""

from typing import Any

from pliant.description._findings import label
from pliant.description._problems import Problem, RobotFileError, nearest, one_of
from pliant.description._types import is_list, is_mapping

# Short forms that a path may lead into: `parent: base` is `parent: {link: base}`, `revolute: y` is `{axis: y}`.
_SHORT_FIELD = {"parent": "link", "where": "link", "revolute": "axis"}
_LISTS = ("links", "frames", "loads", "analyses")


def with_value_at(data: Any, path: str, value: Any, robot: str) -> Any:
    """A copy of `data` in which the entry at `path` is `value`; what cannot be reached is refused."""

    def refuse(word: str, words: list[str]) -> RobotFileError:
        known = f"expected one of: {one_of(words)}" if words else "there is nothing to go into"
        return RobotFileError([Problem(robot, None, path, value, f'no "{word}" here; {nearest(word, words)}{known}')])

    def changed(node: Any, words: list[str], above: str) -> Any:
        if not words:
            return value
        word, rest = words[0], words[1:]
        if node is None:
            node = [] if above in _LISTS else {}
        elif not is_mapping(node) and above in _SHORT_FIELD:
            node = {_SHORT_FIELD[above]: node}
        elif node == word:
            node = {word: {}}
        if is_list(node):
            labels = [label(node, index) for index in range(len(node))]
            index = labels.index(word) if word in labels else int(word) if word.isdecimal() else -1
            if index < 0 and len(node) == 1 and is_mapping(node[0]) and above in ("rotate", "rotation"):
                return [changed(node[0], words, above)]
            if not 0 <= index < len(node):
                raise refuse(word, labels)
            # An analysis is addressed by its kind, which is also the key inside the item.
            inside = words if is_mapping(node[index]) and "name" not in node[index] and word in node[index] else rest
            if node[index] == word:
                inside = words
            return [*node[:index], changed(node[index], inside, word), *node[index + 1 :]]
        if is_mapping(node):
            if rest and word not in node and above == "materials":
                raise refuse(word, list(node))
            return {**node, word: changed(node.get(word), rest, word)}
        raise refuse(word, [])

    words = path.split(".")
    if not all(words):
        raise refuse(path, [])
    return changed(data, words, "")
