"""Where things stand: rotations, offsets, and places on links."""

from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic_core import core_schema

from pliant.description.language.grammar import (
    Angle,
    Fraction,
    LinkName,
    Meanings,
    Move,
    Part,
    Quantity,
    Triple,
    Vector,
    WholeNumber,
    is_list,
    split_list,
    vector,
    wrong,
)

WORLD = "world"
AXES = ("x", "y", "z")


class _NotZero:
    nonzero = True

    def __init__(self, expected: str):
        self.expected = expected

    def check(self, value: tuple[float, ...]) -> tuple[float, ...]:
        if not any(value):
            raise wrong(list(value), self.expected)
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(source))


class Axis(Vector):
    """The letter of an axis, or a direction of any length but zero."""

    nonzero = True

    def __init__(self) -> None:
        super().__init__((Quantity("number"),), (3,), wanted="x, y, z, or a direction of 3 numbers that are not all 0")

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        listed = core_schema.no_info_after_validator_function(
            _NotZero(self.expected).check, super().__get_pydantic_core_schema__(source, handler)
        )
        letter = core_schema.no_info_plain_validator_function(lambda value: value)
        return core_schema.tagged_union_schema(
            {"letter": letter, "list": listed},
            discriminator=lambda value: "letter" if isinstance(value, str) and value in AXES else "list",
        )

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        listed = super().__get_pydantic_json_schema__(schema, handler)
        return {"anyOf": [{"enum": list(AXES)}, *listed["anyOf"]], "description": self.expected}


AxisField = Annotated[str | Triple, Axis()]
Quaternion = Annotated[
    tuple[float, float, float, float], vector("number", 4), _NotZero("a quaternion [w, x, y, z] that is not 0")
]


class Rotation(Part):
    """One rotation: `{y: 90 deg}`, `{axis: [1, 1, 0], angle: 90 deg}` or `{quaternion: [w, x, y, z]}`."""

    called = "a rotation"
    meanings = Meanings(
        x="angle of the rotation about x",
        y="angle of the rotation about y",
        z="angle of the rotation about z",
        axis="direction of the axis",
        angle="angle of the rotation about its axis",
        quaternion="quaternion (w, x, y, z) of the rotation",
    )
    x: Angle | None = None
    y: Angle | None = None
    z: Angle | None = None
    axis: AxisField | None = None
    angle: Angle | None = None
    quaternion: Quaternion | None = None

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        given = sorted(name for name, value in self if value is not None)
        if given not in ([name] for name in (*AXES, "quaternion")) and given != ["angle", "axis"]:
            raise wrong(
                given,
                "one rotation: {y: 90 deg}, {axis: [1, 1, 0], angle: 90 deg} or {quaternion: [w, x, y, z]}; "
                "several rotations are a list",
            )
        return self


class OneOrMore:
    """A single item may stand without its list; `expected` says what an item is."""

    def __init__(self, expected: str) -> None:
        self.expected = expected

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        def listed(value: Any) -> Any:
            items = split_list(value)
            return items if is_list(items) else [value]

        return core_schema.no_info_before_validator_function(listed, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        listed = handler(schema)
        return {"anyOf": [listed["items"], listed]}


Rotations = Annotated[tuple[Rotation, ...], OneOrMore("one or more rotations, e.g. {y: 90 deg}")]


class Offset(Part):
    """First the move, then the rotations, each about the axes left by those before."""

    called = "an offset"
    meanings = Meanings(move="translation of the place")
    move: Move | None = None
    rotate: Rotations = ()


MOST_NODES = 1_000_000  # of a mesh
NodeNumber = Annotated[int, WholeNumber("the number of a node of a mesh", 1, MOST_NODES)]


class Where(Part):
    called = "a place"
    short: ClassVar[bool] = True  # the name of a link may stand alone
    link: LinkName
    at: Fraction | None = None
    node: NodeNumber | None = None
    offset: Offset = Field(default_factory=Offset)

    @classmethod
    def expand(cls, value: Any) -> Any:
        return {"link": value} if isinstance(value, str) and cls.short else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        full = handler.resolve_ref_schema(handler(schema))
        return {"anyOf": [{"type": "string"}, full]} if cls.short else full


class Parent(Where):
    called = "a parent"
    link: LinkName = WORLD


class Along(Part):
    called = "a stretch of a rod"
    link: LinkName
    from_: Fraction = Field(default=0.0, alias="from")
    to: Fraction = 1.0

    @model_validator(mode="after")
    def _forward(self) -> Self:
        if self.from_ >= self.to:
            raise wrong({"from": self.from_, "to": self.to}, '"from" less than "to"')
        return self
