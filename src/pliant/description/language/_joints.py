"""How a link hangs on its parent: the joints, the names of their coordinates, their springs and dampers."""

from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import GetJsonSchemaHandler, model_validator
from pydantic_core import core_schema

from pliant.description.language._places import AXES, AxisField
from pliant.description.language.grammar import (
    ACTS_WORD,
    DAMPING_POWER,
    KINDS,
    REST_RATIO,
    ByName,
    Choice,
    ListOf,
    Meanings,
    Nothing,
    Part,
    Quantity,
    Triple,
    Vector,
    Word,
    at_field,
    is_list,
    wrong,
)

# The velocities of each joint, in the order of its generalised velocity.
VELOCITIES: dict[str, tuple[str, ...]] = {
    "fixed": (),
    "revolute": ("angle",),
    "prismatic": ("displacement",),
    "helical": ("angle",),
    "cylindrical": ("angle", "displacement"),
    "universal": ("angle_1", "angle_2"),
    "planar": ("displacement_1", "displacement_2", "angle"),
    "spherical": ("angular_x", "angular_y", "angular_z"),
    "free": ("angular_x", "angular_y", "angular_z", "linear_x", "linear_y", "linear_z"),
}
# What one number for each velocity may be: the kind for a turning one, the kind for a sliding one.
_KINDS = {
    "stiffness": ("joint stiffness", "linear stiffness"),
    "damping": ("joint damping", "linear damping"),
    "rest": ("angle", "length"),
    "motion": ("angle", "length"),
    "force": ("moment", "force"),
}
_NOT_NEGATIVE = ("stiffness", "damping")
PARALLEL = 1e-9  # sine of the angle below which two directions count as parallel


def per_velocity(names: tuple[str, ...], what: str, common: bool = False) -> Quantity | Vector:
    """One number for the velocities called `names`; with `common`, one number may stand for all of them."""
    least = 0.0 if what in _NOT_NEGATIVE else None
    items = tuple(Quantity(_KINDS[what][0 if name.startswith("ang") else 1], least=least) for name in names)
    if len(items) == 1:
        return items[0]
    each = ", ".join(f"{name} in {KINDS[item.kind].unit}" for name, item in zip(names, items, strict=True))
    wanted = f"a list of {len(items)} numbers{', each at least 0' if least == 0 else ''} ({each})"
    return Vector(items, (len(items),), common, f"{items[0].expected}, or {wanted}" if common else wanted)


def each(names: tuple[str, ...], one: Quantity | Word, default: Any = 1.0) -> Quantity | Word | ByName:
    """One value for all the velocities called `names`, or one for each."""
    return one if len(names) == 1 else ByName(names, (one,) * len(names), default, common=one)


class _Short(Part):
    """A part whose first field may stand for the whole: `revolute: y` is `revolute: {axis: y}`."""

    short: ClassVar[str] = "axis"

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {cls.short: value} if isinstance(value, str) or is_list(value) else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        full = handler.resolve_ref_schema(handler(schema))
        return {"anyOf": [full["properties"][cls.short], full]}


class Axial(_Short):
    called = "the axis of a joint"
    axis: AxisField


class Screw(Axial):
    called = "the axis and the pitch of a helical joint"
    meanings = Meanings(pitch="pitch of the helical joint, per turn")
    pitch: Annotated[float, Quantity("pitch", nonzero=True)]


class Crossed(_Short):
    called = "the two axes of a universal joint"
    short = "axes"
    axes: Annotated[tuple[AxisField, ...], ListOf("a list of two axes, e.g. [x, y]", size=2)] = ("x", "y")

    @model_validator(mode="after")
    def _not_parallel(self) -> Self:
        first, second = (direction(axis) for axis in self.axes)
        if np.linalg.norm(np.cross(first, second)) < PARALLEL:
            raise wrong(list(self.axes), "two axes that are not parallel")
        return self


class Normal(_Short):
    called = "the normal of a planar joint"
    axis: Annotated[str, Word(AXES)] = "z"


class Sprung(Part):
    """A joint that may have a spring and a damper; what shapes one of them needs it."""

    meanings = Meanings(
        stiffness="stiffness of the joint",
        damping="damping of the joint",
        rest="place at which the spring of the joint is slack",
        damping_power="exponent of the rate in the damping of the joint",
        rest_ratio="factor of the rest value of the joint",
    )

    @model_validator(mode="after")
    def _nothing_to_shape(self) -> Self:
        for name, shaped in (("damping_power", ("damping",)), ("rest_ratio", ("rest",)), ("acts", _NOT_NEGATIVE)):
            absent = all(getattr(self, other, None) is None for other in shaped)
            value = getattr(self, name, None)
            if value is not None and absent:
                words = " or a ".join(f'"{other}"' for other in shaped)
                raise at_field(name, value, wrong(value, f'a {words} beside "{name}"'))
        return self


class Revolute(Axial, Sprung):
    called = "a revolute joint"
    stiffness: Annotated[float, per_velocity(VELOCITIES["revolute"], "stiffness")] | None = None
    damping: Annotated[float, per_velocity(VELOCITIES["revolute"], "damping")] | None = None
    rest: Annotated[float, per_velocity(VELOCITIES["revolute"], "rest")] | None = None
    damping_power: Annotated[float, each(VELOCITIES["revolute"], DAMPING_POWER)] | None = None
    rest_ratio: Annotated[float, each(VELOCITIES["revolute"], REST_RATIO)] | None = None
    acts: Annotated[str, each(VELOCITIES["revolute"], ACTS_WORD, "both")] | None = None


class Prismatic(Axial, Sprung):
    called = "a prismatic joint"
    stiffness: Annotated[float, per_velocity(VELOCITIES["prismatic"], "stiffness")] | None = None
    damping: Annotated[float, per_velocity(VELOCITIES["prismatic"], "damping")] | None = None
    rest: Annotated[float, per_velocity(VELOCITIES["prismatic"], "rest")] | None = None
    damping_power: Annotated[float, each(VELOCITIES["prismatic"], DAMPING_POWER)] | None = None
    rest_ratio: Annotated[float, each(VELOCITIES["prismatic"], REST_RATIO)] | None = None
    acts: Annotated[str, each(VELOCITIES["prismatic"], ACTS_WORD, "both")] | None = None


class Helical(Screw, Sprung):
    called = "a helical joint"
    stiffness: Annotated[float, per_velocity(VELOCITIES["helical"], "stiffness")] | None = None
    damping: Annotated[float, per_velocity(VELOCITIES["helical"], "damping")] | None = None
    rest: Annotated[float, per_velocity(VELOCITIES["helical"], "rest")] | None = None
    damping_power: Annotated[float, each(VELOCITIES["helical"], DAMPING_POWER)] | None = None
    rest_ratio: Annotated[float, each(VELOCITIES["helical"], REST_RATIO)] | None = None
    acts: Annotated[str, each(VELOCITIES["helical"], ACTS_WORD, "both")] | None = None


Several = tuple[float, ...]


class Cylindrical(Axial, Sprung):
    called = "a cylindrical joint"
    stiffness: Annotated[Several, per_velocity(VELOCITIES["cylindrical"], "stiffness")] | None = None
    damping: Annotated[Several, per_velocity(VELOCITIES["cylindrical"], "damping")] | None = None
    rest: Annotated[Several, per_velocity(VELOCITIES["cylindrical"], "rest")] | None = None
    damping_power: Annotated[Several, each(VELOCITIES["cylindrical"], DAMPING_POWER)] | None = None
    rest_ratio: Annotated[Several, each(VELOCITIES["cylindrical"], REST_RATIO)] | None = None
    acts: Annotated[tuple[str, ...], each(VELOCITIES["cylindrical"], ACTS_WORD, "both")] | None = None


class Universal(Crossed, Sprung):
    called = "a universal joint"
    stiffness: Annotated[float | Several, per_velocity(VELOCITIES["universal"], "stiffness", True)] | None = None
    damping: Annotated[float | Several, per_velocity(VELOCITIES["universal"], "damping", True)] | None = None
    rest: Annotated[float | Several, per_velocity(VELOCITIES["universal"], "rest", True)] | None = None
    damping_power: Annotated[Several, each(VELOCITIES["universal"], DAMPING_POWER)] | None = None
    rest_ratio: Annotated[Several, each(VELOCITIES["universal"], REST_RATIO)] | None = None
    acts: Annotated[tuple[str, ...], each(VELOCITIES["universal"], ACTS_WORD, "both")] | None = None


class Planar(Normal, Sprung):
    called = "a planar joint"
    stiffness: Annotated[Several, per_velocity(VELOCITIES["planar"], "stiffness")] | None = None
    damping: Annotated[Several, per_velocity(VELOCITIES["planar"], "damping")] | None = None
    rest: Annotated[Several, per_velocity(VELOCITIES["planar"], "rest")] | None = None
    damping_power: Annotated[Several, each(VELOCITIES["planar"], DAMPING_POWER)] | None = None
    rest_ratio: Annotated[Several, each(VELOCITIES["planar"], REST_RATIO)] | None = None
    acts: Annotated[tuple[str, ...], each(VELOCITIES["planar"], ACTS_WORD, "both")] | None = None


class Spherical(Sprung):
    called = "a spherical joint"
    stiffness: Annotated[float | Several, per_velocity(VELOCITIES["spherical"], "stiffness", True)] | None = None
    damping: Annotated[float | Several, per_velocity(VELOCITIES["spherical"], "damping", True)] | None = None
    rest: Annotated[float | Several, per_velocity(VELOCITIES["spherical"], "rest", True)] | None = None
    damping_power: Annotated[Several, each(VELOCITIES["spherical"], DAMPING_POWER)] | None = None
    rest_ratio: Annotated[Several, each(VELOCITIES["spherical"], REST_RATIO)] | None = None
    acts: Annotated[tuple[str, ...], each(VELOCITIES["spherical"], ACTS_WORD, "both")] | None = None


class Free(Sprung):
    called = "a free joint"
    stiffness: Annotated[Several, per_velocity(VELOCITIES["free"], "stiffness")] | None = None
    damping: Annotated[Several, per_velocity(VELOCITIES["free"], "damping")] | None = None
    rest: Annotated[Several, per_velocity(VELOCITIES["free"], "rest")] | None = None
    damping_power: Annotated[Several, each(VELOCITIES["free"], DAMPING_POWER)] | None = None
    rest_ratio: Annotated[Several, each(VELOCITIES["free"], REST_RATIO)] | None = None
    acts: Annotated[tuple[str, ...], each(VELOCITIES["free"], ACTS_WORD, "both")] | None = None


class Joint(Choice):
    called = "a joint"
    beside = ("drive",)
    fixed: Nothing | None = None
    revolute: Revolute | None = None
    prismatic: Prismatic | None = None
    helical: Helical | None = None
    cylindrical: Cylindrical | None = None
    universal: Universal | None = None
    planar: Planar | None = None
    spherical: Spherical | None = None
    free: Free | None = None
    drive: Annotated[str, Word(("motion", "force"))] | None = None


class Tie(Choice):
    """A joint that closes a loop: what it leaves free, without springs."""

    called = "a joint"
    fixed: Nothing | None = None
    revolute: Axial | None = None
    prismatic: Axial | None = None
    helical: Screw | None = None
    cylindrical: Axial | None = None
    universal: Crossed | None = None
    planar: Normal | None = None
    spherical: Nothing | None = None


def directions(chosen: Part) -> list[tuple[str, str | Triple]]:
    """The axes of a joint with the words that lead to them."""
    if isinstance(chosen, Crossed):
        return [(f"axes.{index}", axis) for index, axis in enumerate(chosen.axes)]
    return [("axis", chosen.axis)] if isinstance(chosen, (Axial, Normal)) else []


def direction(axis: str | Triple) -> np.ndarray:
    """A unit vector."""
    vector = np.eye(3)[AXES.index(axis)] if isinstance(axis, str) else np.asarray(axis)
    return vector / np.linalg.norm(vector)
