"""The means of lowering: numbers go to the parameters, and the path of each stands in its place."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.description.language import WORLD, Frame, Offset, Piece, Rotation, Where, directions, place_on
from pliant.description.language.grammar import Choice

Structure = dict[str, Any]
Parameters = dict[str, NDArray[np.float64]]


class Lowering:
    """Collects the parameters; `rods` are the pieces of every rod by the rod's name, `frames` stand for places."""

    def __init__(self, rods: dict[str, tuple[Piece, ...]], frames: dict[str, Frame]):
        self.parameters: Parameters = {}
        self.rods = rods
        self.frames = frames

    def number(self, path: str, value: Any) -> str | None:
        if value is None:
            return None
        self.parameters[path] = np.asarray(value, dtype=np.float64)
        return f"@{path}"

    def numbers(self, path: str, part: Any) -> dict[str, str | None]:
        """Every field of a part that holds nothing but numbers."""
        names = {name: info.alias or name for name, info in type(part).model_fields.items()}
        return {alias: self.number(f"{path}.{alias}", getattr(part, name)) for name, alias in names.items()}

    def value(self, path: str, programme: Choice) -> Structure:
        if programme.word == "constant":
            return {"programme": "constant", "value": self.number(path, programme.chosen)}
        return {"programme": programme.word, **self.numbers(f"{path}.{programme.word}", programme.chosen)}

    def constant(self, path: str, value: Any) -> Structure:
        return {"programme": "constant", "value": self.number(path, value)}

    def rotations(self, path: str, rotations: tuple[Rotation, ...]) -> list[Structure]:
        paths = [path] if len(rotations) == 1 else [f"{path}.{index}" for index in range(len(rotations))]
        return [self.rotation(own, rotation) for own, rotation in zip(paths, rotations, strict=True)]

    def rotation(self, path: str, rotation: Rotation) -> Structure:
        if rotation.quaternion is not None:
            return {"quaternion": self.number(f"{path}.quaternion", rotation.quaternion)}
        if rotation.axis is not None:
            axis = self.axis(f"{path}.axis", rotation.axis)
            return {"axis": axis, "angle": self.number(f"{path}.angle", rotation.angle)}
        letter = next(name for name in ("x", "y", "z") if getattr(rotation, name) is not None)
        return {"axis": letter, "angle": self.number(f"{path}.{letter}", getattr(rotation, letter))}

    def axis(self, path: str, axis: Any) -> str | None:
        return axis if isinstance(axis, str) else self.number(path, axis)

    def offset(self, path: str, offset: Offset) -> Structure:
        return {
            "move": self.number(f"{path}.move", offset.move),
            "rotate": self.rotations(f"{path}.rotate", offset.rotate),
        }

    def where(self, path: str, where: Where) -> Structure:
        """A place; one on a frame has the frame's own offset "before" its offset, and so on down to a link."""
        offset = self.offset(f"{path}.offset", where.offset)
        before: list[Structure] = []
        while where.link in self.frames:
            frame = where = self.frames[where.link]
            before.insert(0, self.offset(f"frames.{frame.name}.offset", frame.offset))
        # Nodes count from 1 in files.
        node = {} if where.node is None else {"node": where.node - 1}
        place = self.place(where.link, where.at)
        return {**place, **node, **({"before": before} if before else {}), "offset": offset}

    def link_of(self, name: str) -> str:
        """The link, or the world, that a place of this name is on."""
        while name in self.frames:
            name = self.frames[name].link
        return name

    def joint_link(self, name: str) -> str:
        """The link of the blueprint that the joint of a link carries: of a divided rod the first division."""
        return self.rods[name][0].name if name in self.rods else name

    def place(self, link: str, at: float | None = None) -> Structure:
        """A link and a fraction on it; a place on a divided rod is one on the division it lies in."""
        if link not in self.rods:
            return {"link": None if link == WORLD else link, "at": None}
        piece, fraction = place_on(self.rods[link], 1.0 if at is None else at)
        return {"link": piece.name, "at": fraction}

    def joint(self, path: str, joint: Choice) -> Structure:
        """Kind, axes and pitch of a joint."""
        inner = f"{path}.{joint.word}"
        axes = [self.axis(f"{inner}.{words}", axis) for words, axis in directions(joint.chosen)]
        pitch = self.number(f"{inner}.pitch", getattr(joint.chosen, "pitch", None))
        return {"kind": joint.word, "axes": axes, "pitch": pitch}
