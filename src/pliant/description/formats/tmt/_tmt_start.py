"""Where the parts of a lowered system are at the start: TMTDyn holds fixed directions at what they are then."""

from typing import Any

import numpy as np

from pliant.description.formats.tmt._tmt_document import Document
from pliant.description.formats.tmt._tmt_geometry import Offset, rotation_matrix
from pliant.description.formats.tmt._tmt_plan import MESH
from pliant.description.formats.tmt._tmt_rods import uniform_pose
from pliant.description.language import AXES, WORLD
from pliant.description.language.grammar import STRAINS

Pose = tuple[np.ndarray, np.ndarray]  # rotation (3, 3) and position (3,)


class Start:
    """Poses at the start, from the links and initial states of the document."""

    def __init__(self, document: Document, nodes: np.ndarray | None) -> None:
        self._links = {link["name"]: link for link in document.data.get("links", ())}
        self._initial: dict[str, Any] = document.data.get("initial", {})
        self._nodes = nodes
        self._known: dict[str, Pose] = {WORLD: (np.eye(3), np.zeros(3))}

    def place(self, place: dict[str, Any]) -> Pose:
        name = place["link"]
        if name == MESH and self._nodes is not None:
            turn, position = np.eye(3), self._nodes[place["node"] - 1]
        else:
            turn, position = self._link(name)
        if "at" in place:
            turn, position = _then((turn, position), self._along(name, place["at"]))
        return _then((turn, position), _offset(place.get("offset", {})))

    def _link(self, name: str) -> Pose:
        # From the nearest link that is known outwards: a long chain is no deep recursion.
        path = [name]
        while path[-1] not in self._known:
            path.append(self._links[path[-1]]["parent"]["link"])
        for own in reversed(path[:-1]):
            link = self._links[own]
            self._known[own] = _then(self.place(link["parent"]), self._moved(link))
        return self._known[name]

    def _moved(self, link: dict[str, Any]) -> Pose:
        """What the joint of a link does at the start."""
        start = self._initial.get(link["name"], {})
        joint = link.get("joint")
        words = next(iter(joint.values())) if isinstance(joint, dict) else {}
        axis = np.eye(3)[AXES.index(words["axis"])] if "axis" in words else np.zeros(3)
        if "displacement" in start:
            return np.eye(3), start["displacement"] * axis
        if "angle" in start:
            return rotation_matrix({"axis": axis, "angle": start["angle"]}), np.zeros(3)
        turn = rotation_matrix(start["rotation"]) if "rotation" in start else np.eye(3)
        return turn, np.asarray(start.get("position", np.zeros(3)), dtype=float)

    def _along(self, name: str, fraction: float) -> Pose:
        rod, start = self._links[name], self._initial.get(name, {})
        rest = {**dict.fromkeys(STRAINS, 0.0), "stretch": 1.0, **rod.get("reference", {})}
        strain = np.array([rest[name] + start.get(name, 0.0) for name in STRAINS])
        quaternion, place = uniform_pose(strain - [0, 0, 0, 0, 0, 1], np.array([fraction * rod["length"]]))
        return rotation_matrix({"quaternion": quaternion[0]}), place[0]


def _offset(words: dict[str, Any]) -> Pose:
    offset = Offset()
    offset.moved(words.get("move", [0.0, 0.0, 0.0]))
    for rotation in words.get("rotate", ()):
        offset.turned(rotation)
    return offset.turn, offset.move


def _then(first: Pose, second: Pose) -> Pose:
    return first[0] @ second[0], first[1] + first[0] @ second[1]


def quaternion_of(turn: np.ndarray) -> list[float]:
    """[w, x, y, z] of a rotation matrix."""
    # The largest of the four is found first: the others are divided by it.
    outer = np.array(
        [
            [1 + np.trace(turn), turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]],
            [0, 1 + 2 * turn[0, 0] - np.trace(turn), turn[0, 1] + turn[1, 0], turn[0, 2] + turn[2, 0]],
            [0, 0, 1 + 2 * turn[1, 1] - np.trace(turn), turn[1, 2] + turn[2, 1]],
            [0, 0, 0, 1 + 2 * turn[2, 2] - np.trace(turn)],
        ]
    )
    outer = outer + np.triu(outer, 1).T
    row = outer[int(np.argmax(np.diag(outer)))]
    return [float(value) for value in row / np.linalg.norm(row)]
