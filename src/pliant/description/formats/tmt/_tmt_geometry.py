"""Transformations of the TMT language: fixed ones as offsets of the robot language, free ones as freedoms of joints."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pliant.description.formats.tmt._tmt_items import Item
from pliant.description.language import AXES

_UNIT = 1e-6  # how far the norm of a quaternion may be from 1


@dataclass
class Offset:
    """A fixed transformation: a move, then rotations in the words of the robot language."""

    move: np.ndarray = field(default_factory=lambda: np.zeros(3))
    rotations: list[dict[str, Any]] = field(default_factory=list)
    turn: np.ndarray = field(default_factory=lambda: np.eye(3))

    def moved(self, translation: Sequence[float]) -> None:
        self.move = self.move + self.turn @ np.asarray(translation, dtype=float)

    def turned(self, rotation: dict[str, Any] | None) -> None:
        if rotation is not None:
            self.rotations = [*self.rotations, rotation]
            self.turn = self.turn @ rotation_matrix(rotation)

    @property
    def words(self) -> dict[str, Any]:
        """The words of a robot file for it; what does nothing is left out."""
        own: dict[str, Any] = {"move": [float(value) for value in self.move]} if np.any(self.move) else {}
        return {**own, "rotate": self.rotations} if self.rotations else own


def rotation_matrix(rotation: dict[str, Any]) -> np.ndarray:
    if "quaternion" in rotation:
        quaternion = np.asarray(rotation["quaternion"], dtype=float)
    else:
        letter = next((axis for axis in AXES if axis in rotation), None)
        axis = np.eye(3)[AXES.index(letter)] if letter else np.asarray(rotation["axis"], dtype=float)
        angle = rotation[letter] if letter else rotation["angle"]
        quaternion = np.concatenate([[math.cos(angle / 2)], math.sin(angle / 2) * axis / np.linalg.norm(axis)])
    w, *vector = quaternion / np.linalg.norm(quaternion)
    x, y, z = vector
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross


def rotation_vector(vector: Sequence[float]) -> dict[str, Any] | None:
    """The rotation by a vector: its axis, and its length as the angle; None where it is zero."""
    angle = float(np.linalg.norm(vector))
    return {"axis": [float(value) for value in vector], "angle": angle} if angle > 0.0 else None


def unit_quaternion(vector: Sequence[float]) -> list[float] | None:
    """[w, x, y, z] of unit length with this vector part; None where the part is too long."""
    square = float(np.dot(vector, vector))
    if square > 1.0 + _UNIT:
        return None
    return [math.sqrt(max(0.0, 1.0 - square)), *(float(value) for value in vector)]


def fixed_rotation(tr: Item, whole_quaternion: bool) -> dict[str, Any] | None:
    """`rot` without inf as a rotation; None where it turns nothing.

    Four numbers are [angle, axis] or [0, vector part of a quaternion]; with `whole_quaternion` they are a quaternion.
    """
    rot = tr.value("rot")
    if len(rot) == 2:
        return {AXES[int(rot[0]) - 1]: float(rot[1])} if rot[0] and rot[1] else None
    if len(rot) == 3:
        return rotation_vector(rot)
    if rot[0] == 0:
        quaternion = unit_quaternion(rot[1:])
        if quaternion is None:
            tr.refuse("rot", "expected a vector part of at most unit length after the 0")
            return None
        return {"quaternion": quaternion} if any(rot[1:]) else None
    if whole_quaternion:
        if abs(np.linalg.norm(rot) - 1.0) > _UNIT:
            tr.refuse("rot", "expected a unit quaternion: here four numbers are [Q0, Q1, Q2, Q3]; or [axis, angle]")
        return {"quaternion": [float(value) for value in rot]}
    if not any(rot[1:]):
        tr.refuse("rot", "expected an axis that is not zero after the angle: [angle, x, y, z]")
        return None
    return {"axis": [float(value) for value in rot[1:]], "angle": float(rot[0])}


def fixed_offset(transformations: list[Item], whole_quaternion: bool = False) -> Offset:
    """The transformations one after the other, none of which may have a freedom."""
    offset = Offset()
    for tr in transformations:
        for name in ("trans", "rot"):
            if math.inf in tr.value(name):
                tr.refuse(name, "got inf; expected numbers: only joints of the main kinematic chain have freedoms")
                return offset
        offset.moved(tr.value("trans"))
        offset.turned(fixed_rotation(tr, whole_quaternion))
    return offset


@dataclass(frozen=True)
class Freedom:
    """What moves: `kind` is slide, turn, bend (about axes in a plane), ball or free.

    before: the fixed transformation that leads to it. axes: indices of the axes that are free. dofs: the numbers of the
    degrees of freedom, of slides first. measure: what the numbers of a rotation are: an angle, a rotation vector, or
    the vector part of a unit or scaled quaternion; scalar: the degree of freedom of the latter's scalar part.
    """

    kind: str
    before: Offset
    axes: tuple[int, ...]
    dofs: tuple[int, ...]
    measure: str = "angle"
    scalar: int | None = None


def freedoms(transformations: list[Item]) -> tuple[list[Freedom], Offset]:
    """The freedoms in their order, and the fixed transformation that follows the last."""
    found: list[Freedom] = []
    offset, number = Offset(), 0
    for tr in transformations:
        trans = tr.value("trans")
        offset.moved([0.0 if value == math.inf else value for value in trans])
        for axis in range(3):
            if trans[axis] == math.inf:
                number += 1
                found.append(Freedom("slide", offset, (axis,), (number,)))
                offset = Offset()
        rot = tr.value("rot")
        if math.inf not in rot:
            offset.turned(fixed_rotation(tr, whole_quaternion=False))
            continue
        freedom, number = _rotation(tr, rot, offset, number)
        if freedom is not None:
            found.append(freedom)
            offset = Offset()
    return found, offset


def _rotation(tr: Item, rot: list[float], before: Offset, number: int) -> tuple[Freedom | None, int]:
    """A free rotation, and the number of the last degree of freedom so far."""
    if len(rot) == 2:
        if rot[1] != math.inf or rot[0] not in (1, 2, 3):
            tr.refuse("rot", "expected [axis, inf] with the axis 1, 2 or 3")
            return None, number
        return Freedom("turn", before, (int(rot[0]) - 1,), (number + 1,)), number + 1
    vector, scalar = rot[-3:], None
    measure = "vector"
    if len(rot) == 4:
        if rot[0] not in (0, math.inf):
            tr.refuse("rot", "an angle and an axis cannot have freedoms; expected a quaternion: 0 or inf first")
            return None, number
        measure = "unit" if rot[0] == 0 else "scaled"
        if measure == "scaled":
            number += 1
            scalar = number
    if any(value not in (0, math.inf) for value in vector):
        tr.refuse("rot", "expected 0 beside inf; a fixed rotation stands in a tr of its own")
        return None, number
    axes = tuple(axis for axis in range(3) if vector[axis] == math.inf)
    if not axes:
        tr.refuse("rot", "expected inf in the vector part too: a scalar part alone turns nothing")
        return None, number
    dofs = tuple(range(number + 1, number + 1 + len(axes)))
    kind = {1: "turn", 2: "bend", 3: "ball"}[len(axes)]
    return Freedom(kind, before, axes, dofs, measure, scalar), number + len(axes)
