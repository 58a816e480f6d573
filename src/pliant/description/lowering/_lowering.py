"""The means of lowering: numbers go to the parameters, and the path of each stands in its place."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.blueprint import (
    PROGRAMMES,
    AnyProgramme,
    Axis,
    Constant,
    LoopJoint,
    Offset,
    ParameterInfo,
    ParameterPath,
    Place,
    Quaternion,
    Stretch,
    Turn,
)
from pliant.blueprint import Rotation as LoweredRotation
from pliant.description.language import WORLD, Frame, Piece, Rotation, Where, directions, place_on, stretches
from pliant.description.language import Offset as WrittenOffset
from pliant.description.language.grammar import Choice, Part
from pliant.description.lowering._info import marks_of, parameter_info

Parameters = dict[str, NDArray[np.float64]]


class Lowering:
    """Collects the parameters and what they are; `rods` are the pieces of every rod by the rod's name, `frames` stand
    for places."""

    def __init__(self, rods: dict[str, tuple[Piece, ...]], frames: dict[str, Frame]):
        self.parameters: Parameters = {}
        self.info: dict[str, ParameterInfo] = {}
        self.rods = rods
        self.frames = frames
        # What each frame stands for, once it was asked for: many places may be on frames that are on frames.
        self._leading: dict[str, tuple[Where, tuple[Offset, ...]]] = {}

    def keep(self, path: str, value: Any, marks: list[Any], meaning: str) -> ParameterPath:
        """A number, given as such; marks: annotations that say what is legal."""
        self.parameters[path] = np.asarray(value, dtype=np.float64)
        self.info[path] = parameter_info(path, self.parameters[path].shape, marks, meaning)
        return ParameterPath(path)

    def like(self, path: str, value: Any, part: type[Part], name: str) -> Any:
        """A number that is what the field of a part is, whatever it follows from; None where it is not given."""
        if value is None:
            return None
        return self.keep(path, value, marks_of(part.model_fields[name]), part.meaning(name))

    def number(self, path: str, part: Part, name: str) -> Any:
        """The path of the number in the field of a part that stands at `path`; None where it is not given."""
        if name not in type(part).model_fields:
            return None
        return self.like(f"{path}.{type(part).model_fields[name].alias or name}", getattr(part, name), type(part), name)

    def numbers(self, path: str, part: Part) -> dict[str, Any]:
        """Every field of a part that holds nothing but numbers."""
        return {name: self.number(path, part, name) for name in type(part).model_fields}

    def value(self, path: str, part: Part, name: str, otherwise: Any = None) -> Any:
        """The programme in the field of a part; otherwise: a constant where it is not given."""
        programme, own = getattr(part, name), f"{path}.{name}" if path else name
        marks, meaning = marks_of(type(part).model_fields[name]), part.meaning(name)
        if programme is None:
            return None if otherwise is None else Constant(self.keep(own, otherwise, marks, meaning))
        return self.programme(own, programme, meaning)

    def programme(self, path: str, programme: Choice, meaning: str) -> AnyProgramme:
        chosen, word = programme.chosen, programme.word
        if word == "constant":
            return Constant(self.keep(path, chosen, [programme.mark], meaning))  # type: ignore[attr-defined]
        fields = {
            name: self.keep(
                f"{path}.{word}.{info.alias or name}",
                getattr(chosen, name),
                marks_of(info),
                f"{chosen.meaning(name)}: {meaning}",
            )
            for name, info in type(chosen).model_fields.items()
        }
        return PROGRAMMES[word](**fields)  # type: ignore[return-value]

    def rotations(self, path: str, rotations: tuple[Rotation, ...]) -> tuple[LoweredRotation, ...]:
        paths = [path] if len(rotations) == 1 else [f"{path}.{index}" for index in range(len(rotations))]
        return tuple(self.rotation(own, rotation) for own, rotation in zip(paths, rotations, strict=True))

    def rotation(self, path: str, rotation: Rotation) -> LoweredRotation:
        if rotation.quaternion is not None:
            return Quaternion(self.number(path, rotation, "quaternion"))
        if rotation.axis is not None:
            return Turn(self.axis(f"{path}.axis", rotation.axis), self.number(path, rotation, "angle"))
        letter = next(name for name in ("x", "y", "z") if getattr(rotation, name) is not None)
        return Turn(letter, self.number(path, rotation, letter))

    def axis(self, path: str, axis: Any) -> Axis:
        return axis if isinstance(axis, str) else self.like(path, axis, Rotation, "axis")

    def offset(self, path: str, offset: WrittenOffset) -> Offset:
        return Offset(self.number(path, offset, "move"), self.rotations(f"{path}.rotate", offset.rotate))

    def where(self, path: str, where: Where) -> Place:
        """A place; one on a frame has the frame's own offset "before" its offset, and so on down to a link."""
        # A point of a route may have a move of its own in place of an offset.
        move = self.number(path, where, "move")
        offset = Offset(move, ()) if move is not None else self.offset(f"{path}.offset", where.offset)
        base, before = self._before(where)
        link, at = self.place(base.link, base.at)
        # Nodes count from 1 in files.
        return Place(link, at, offset, None if base.node is None else base.node - 1, before)

    def _before(self, where: Where) -> tuple[Where, tuple[Offset, ...]]:
        """The place on a link that frames lead to, and their offsets, the one nearest to the link first."""
        passed: list[Frame] = []
        while where.link in self.frames and where.link not in self._leading:
            passed.append(self.frames[where.link])
            where = passed[-1]
        base, before = self._leading.get(where.link, (where, ()))
        for frame in reversed(passed):
            before = (*before, self.offset(f"frames.{frame.name}.offset", frame.offset))
            self._leading[frame.name] = base, before
        return base, before

    def link_of(self, name: str) -> str:
        """The link, or the world, that a place of this name is on."""
        return self._before(self.frames[name])[0].link if name in self.frames else name

    def joint_link(self, name: str) -> str:
        """The link of the blueprint that the joint of a link carries: of a divided rod the first division."""
        return self.rods[name][0].name if name in self.rods else name

    def place(self, link: str, at: float | None = None) -> tuple[str | None, float | None]:
        """A link and a fraction on it; a place on a divided rod is one on the division it lies in."""
        if link not in self.rods:
            return None if link == WORLD else link, None
        piece, fraction = place_on(self.rods[link], 1.0 if at is None else at)
        return piece.name, fraction

    def stretches(self, link: str, begin: float, end: float) -> list[tuple[Stretch, tuple[float, float]]]:
        """The stretches of the divisions that a stretch of a rod goes along, and which part of it each is."""
        found = stretches(self.rods[link], begin, end)
        return [(Stretch(part.piece.name, part.begin, part.end), part.span) for part in found]

    def joint(self, path: str, joint: Choice) -> LoopJoint:
        """Kind, axes and pitch of a joint."""
        inner = f"{path}.{joint.word}"
        axes = tuple(self.axis(f"{inner}.{words}", axis) for words, axis in directions(joint.chosen))
        return LoopJoint(joint.word, axes, self.number(inner, joint.chosen, "pitch"))
