"""Changing one value of a robot's data by its path."""

from collections.abc import Callable
from typing import Any

from pliant.description.language._joints import VELOCITIES
from pliant.description.language.grammar import (
    DEEPEST,
    NUMBERED,
    Problem,
    RobotFileError,
    is_list,
    is_mapping,
    label,
    nearest,
    one_of,
    show,
    split_list,
)

# Short forms that a path may lead into: `parent: base` is `parent: {link: base}`, `revolute: y` is `{axis: y}`.
_SHORT_FIELD = {
    "parent": "link",
    "where": "link",
    "revolute": "axis",
    "prismatic": "axis",
    "helical": "axis",
    "cylindrical": "axis",
    "planar": "axis",
    "universal": "axes",
}
# Lists whose items are places, which may be the name of a link alone.
_PLACES = ("between", "route")
_LISTS = (
    "links",
    "frames",
    "loads",
    "actuators",
    "constraints",
    "springs",
    "surfaces",
    "contacts",
    "meshes",
    "analyses",
)


def with_value_at(data: Any, path: str, value: Any, robot: str) -> Any:
    """A copy of `data` in which the entry at `path` is `value`; what cannot be reached is refused."""

    def refuse(message: str) -> RobotFileError:
        return RobotFileError([Problem(robot, None, path, value, message)])

    def unreachable(word: str, words: list[str]) -> RobotFileError:
        known = f"expected one of: {one_of(words)}" if words else "there is nothing to go into"
        return refuse(f"no {show(word)} here; {nearest(word, words)}{known}")

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
            labels = [label(node, index, above) for index in range(len(node))]
            by_number = word.isdecimal() and above not in NUMBERED
            index = labels.index(word) if word in labels else int(word) if by_number else -1
            if index < 0 and len(node) == 1 and is_mapping(node[0]) and above in ("rotate", "rotation"):
                return [changed(node[0], words, above)]
            if not 0 <= index < len(node):
                raise unreachable(word, labels)
            item = node[index]
            # An analysis is addressed by its kind, which is also the key inside the item.
            inside = words if is_mapping(item) and "name" not in item and word in item else rest
            if item == word:
                inside = words
            if isinstance(item, str) and above in _PLACES and rest:
                item = {"link": item}
            return [*node[:index], changed(item, inside, word), *node[index + 1 :]]
        if is_mapping(node):
            if rest and word not in node and above == "materials":
                raise unreachable(word, list(node))
            if word == "link" and "links" in node:
                word = "links"
            return {**node, word: changed(node.get(word), rest, word)}
        raise unreachable(word, [])

    words = path.split(".")
    if not all(words) or len(words) > DEEPEST:
        raise unreachable(path, [])
    if is_mapping(data) and words[0] == "actuators" and len(words) > 2:
        data, words = _actuator_written(data, words, refuse)
    return changed(data, words, "")


def _actuator_written(data: Any, words: list[str], refuse: Callable[[str], RobotFileError]) -> tuple[Any, list[str]]:
    """The data with the actuator that the path names written out, and the path to it there.

    Two kinds of actuators stand in no list: those of a pattern of chambers, and the `drive` of a joint.
    """
    items = data.get("actuators")
    items = list(items) if is_list(items) else []
    if any(is_mapping(item) and item.get("name") == words[1] for item in items):
        return data, words
    pattern, _, number = words[1].rpartition("-")
    for index, item in enumerate(items):
        count = _angles(item)
        if not (is_mapping(item) and item.get("name") == pattern and number.isdecimal() and 1 <= int(number) <= count):
            continue
        if words[2] != "pressure":
            around = f"actuators.{pattern}.chamber.around"
            raise refuse(f'this number follows from the pattern "{pattern}"; change {around} instead')
        pressure = split_list(item.get("pressure"))
        pressures = pressure if is_list(pressure) else [pressure] * count
        items[index] = {**item, "pressure": pressures}
        return {**data, "actuators": items}, ["actuators", pattern, "pressure", str(int(number) - 1), *words[3:]]
    links = data.get("links")
    links = list(links) if is_list(links) else []
    for index, link in enumerate(links):
        joint: Any = link.get("joint") if is_mapping(link) and link.get("name") == words[1] else None
        if is_mapping(joint) and joint.get("drive") == words[2]:
            size = sum(len(VELOCITIES[word]) for word in joint if word in VELOCITIES)
            links[index] = {**link, "joint": {word: item for word, item in joint.items() if word != "drive"}}
            items.append({"name": words[1], "joint": words[1], words[2]: 0 if size == 1 else [0] * size})
            return {**data, "links": links, "actuators": items}, words
    return data, words


def _angles(item: Any) -> int:
    """How many actuators a pattern of chambers stands for; none if it is no pattern."""
    for word in ("chamber", "around", "angles"):
        item = item.get(word) if is_mapping(item) else None
    angles = split_list(item)
    return len(angles) if is_list(angles) else 0
