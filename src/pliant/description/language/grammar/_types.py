"""Annotations for the fields of the robot language: each checks one kind of value and words its own error."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import GetJsonSchemaHandler, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError, core_schema

from pliant.blueprint import NAME_RULE, is_name, lost_in_products, name_rule
from pliant.description.language.grammar._problems import nearest, one_of, show
from pliant.description.language.grammar._units import KINDS, NotAQuantity, to_si

STRAINS = ("bend_x", "bend_y", "twist", "shear_x", "shear_y", "stretch")


def wrong(value: Any, expected: str, hint: str = "") -> PydanticCustomError:
    """The error of a value that is not what was expected."""
    # The message is not a template: a dictionary shown in it may hold braces, and no context is passed.
    return PydanticCustomError("wrong", "{text}", {"text": f"got {show(value)}; {hint}expected {expected}"})


def lacking(expected: str) -> PydanticCustomError:
    """The error of something left out."""
    return PydanticCustomError("incomplete", "{text}", {"text": f"incomplete; expected {expected}"})


def at_field(name: str, value: Any, error: PydanticCustomError) -> ValidationError:
    """An error of a whole part that the reader will mend in one of its fields."""
    return ValidationError.from_exception_data("", [InitErrorDetails(type=error, loc=(name,), input=value)])


class Checked:
    """An annotation whose `check` turns what was written into the stored value."""

    @property
    def expected(self) -> str:
        raise NotImplementedError

    def check(self, value: Any) -> Any:
        raise NotImplementedError

    def json_schema(self) -> dict[str, Any]:
        raise NotImplementedError

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**self.json_schema(), "description": self.expected}


@dataclass(frozen=True)
class Quantity(Checked):
    """A number of one physical kind, in SI once checked."""

    kind: str
    above: float | None = None
    least: float | None = None
    most: float | None = None
    nonzero: bool = False

    @property
    def quantities(self) -> "tuple[Quantity, ...]":
        return (self,)

    @property
    def unit(self) -> str:
        return KINDS[self.kind].unit

    @property
    def expected(self) -> str:
        kind = KINDS[self.kind]
        if self.least is not None and self.most is not None:
            return f"{kind.words} from {self.least:g} to {self.most:g}, e.g. {kind.example}"
        limits = [f"greater than {self.above:g}"] if self.above is not None else []
        limits += [f"at least {self.least:g}"] if self.least is not None else []
        limits += [f"at most {self.most:g}"] if self.most is not None else []
        limits += ["other than 0"] if self.nonzero else []
        example = f'"{kind.example}"' if kind.unit else kind.example
        return f"{' '.join([kind.words, ' and '.join(limits)]).strip()}, e.g. {example}"

    def check(self, value: Any) -> float:
        try:
            number = to_si(value, self.kind)
        except NotAQuantity as error:
            reason = f"{error}; " if str(error) else ""
            raise wrong(value, self.expected, reason) from None
        below = (self.above is not None and number <= self.above) or (self.least is not None and number < self.least)
        if below or (self.most is not None and number > self.most) or (self.nonzero and number == 0):
            raise wrong(value, self.expected)
        low = self.least if self.above is None else self.above
        lost = "" if low is None else lost_in_products(number, low, self.above is not None)
        if lost:
            raise wrong(value, self.expected, f"{lost}; ")
        return number

    def json_schema(self) -> dict[str, Any]:
        number: dict[str, Any] = {"type": "number"}
        for key, limit in (("exclusiveMinimum", self.above), ("minimum", self.least), ("maximum", self.most)):
            if limit is not None:
                number[key] = limit
        return {"anyOf": [number, {"type": "string"}]}


def split_list(value: Any) -> Any:
    """`"[1, 2, 3] mm"` as a list of quantities; anything else unchanged."""
    text = value.strip() if isinstance(value, str) else ""
    inside, closed, unit = text[1:].partition("]")
    if not text.startswith("[") or not closed or "[" in inside or "[" in unit or "]" in unit:
        return value
    return [f"{item.strip()} {unit.strip()}".strip() for item in inside.split(",")]


def is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


@dataclass(frozen=True)
class Vector:
    """A list of quantities, in SI once checked; `items` are its members, `sizes` the lengths allowed."""

    items: tuple[Quantity, ...]
    sizes: tuple[int, ...]
    scalar: bool = False  # a single quantity may stand alone
    wanted: str = ""

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        return self.items

    @property
    def expected(self) -> str:
        if self.wanted:
            return self.wanted
        count = " or ".join(str(size) for size in self.sizes)
        words = KINDS[self.items[0].kind].words
        return f"a list of {count} numbers, each {words}" if words != "a number" else f"a list of {count} numbers"

    def check(self, value: Any) -> Any:
        value = split_list(value)
        if self.scalar and not is_list(value):
            return value
        if not is_list(value) or len(value) not in self.sizes:
            raise wrong(value, self.expected)
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        one: list[core_schema.CoreSchema] = [
            core_schema.no_info_plain_validator_function(item.check) for item in self.items
        ]
        listed = core_schema.chain_schema(
            [
                core_schema.no_info_plain_validator_function(self.check),
                core_schema.tuple_schema(one, variadic_item_index=len(one) - 1),
            ]
        )
        if not self.scalar:
            return listed
        # A tagged union, so that an error is told once and not once for each alternative.
        return core_schema.tagged_union_schema(
            {"list": listed, "one": one[0]},
            discriminator=lambda value: "list" if is_list(split_list(value)) else "one",
        )

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        listed = {
            "type": "array",
            "items": self.items[0].json_schema(),
            "minItems": min(self.sizes),
            "maxItems": max(self.sizes),
        }
        alternatives: list[dict[str, Any]] = [listed, {"type": "string", "pattern": r"^\s*\["}]
        if self.scalar:
            alternatives = [self.items[0].json_schema(), *alternatives]
        return {"anyOf": alternatives, "description": self.expected}


def vector(kind: str, *sizes: int, **limits: Any) -> Vector:
    return Vector((Quantity(kind, **limits),), sizes or (3,))


def taper(kind: str, ends: str = "[base, tip]", **limits: Any) -> Vector:
    """One quantity, or two: at the base and at the tip."""
    quantity = Quantity(kind, **limits)
    return Vector((quantity,), (2,), scalar=True, wanted=f"{quantity.expected}, or two of them: {ends}")


@dataclass(frozen=True)
class Wanted:
    """What a field wants, in words, where its type cannot say it."""

    expected: str


class ListOf:
    """Makes a tuple field take a list of `least` or more items (of `size` items, where given).

    With `text`, the items are quantities and the list may be a text with their common unit, `"[1, 2] mm"`.
    """

    def __init__(self, expected: str, least: int = 1, size: int | None = None, text: bool = False):
        self.expected = expected
        self.text = text
        self.least = least if size is None else size
        self.size = size

    def check(self, value: Any) -> Any:
        value = split_list(value) if self.text else value
        if not is_list(value) or len(value) < self.least or self.size not in (None, len(value)):
            raise wrong(value, self.expected)
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_before_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        listed = {**handler(schema), "minItems": self.least}
        if self.size is not None:
            listed["maxItems"] = self.size
        options = [listed, *([{"type": "string", "pattern": r"^\s*\["}] if self.text else [])]
        return {"anyOf": options, "description": self.expected}


@dataclass(frozen=True)
class WholeNumber(Checked):
    words: str
    least: int
    most: int

    @property
    def expected(self) -> str:
        return f"{self.words}, a whole number from {self.least} to {self.most}"

    def check(self, value: Any) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not self.least <= value <= self.most:
            raise wrong(value, self.expected)
        return value

    def json_schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


@dataclass(frozen=True)
class Word(Checked):
    words: tuple[str, ...]

    @property
    def expected(self) -> str:
        return f"one of: {one_of(self.words)}" if len(self.words) > 1 else f"the word {self.words[0]}"

    def check(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.words:
            raise wrong(value, self.expected, nearest(value, self.words))
        return value

    def json_schema(self) -> dict[str, Any]:
        return {"enum": list(self.words)}


@dataclass(frozen=True)
class NameOf(Checked):
    """A name; that the thing so called exists is checked when the whole robot is known."""

    thing: str

    @property
    def expected(self) -> str:
        return f"{self.thing}: {NAME_RULE}"

    def check(self, value: Any) -> str:
        if not is_name(value):
            raise wrong(value, f"{self.thing}: {name_rule(value)}")
        return str(value)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": r"^[^.\s]+$"}


@dataclass(frozen=True)
class YesOrNo(Checked):
    @property
    def expected(self) -> str:
        return "true or false"

    def check(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise wrong(value, self.expected)
        return value

    def json_schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True)
class NameList(Checked):
    """A list of names, or one name standing alone; given `words`, they come out in the order of `words`."""

    thing: str
    words: tuple[str, ...] = ()
    least: int = 0

    @property
    def expected(self) -> str:
        return f"a list of {self.thing}" + (f" out of: {one_of(self.words)}" if self.words else "")

    def check(self, value: Any) -> tuple[str, ...]:
        names = [value] if isinstance(value, str) else value
        if not is_list(names) or len(names) < self.least:
            raise wrong(value, self.expected)
        for index, name in enumerate(names):
            if not isinstance(name, str) or (self.words and name not in self.words):
                raise wrong(name, self.expected, nearest(name, self.words))
            if name in names[:index]:
                raise wrong(value, f"each name once, but {show(name)} stands twice")
        return tuple(sorted(names, key=self.words.index)) if self.words else tuple(names)

    def json_schema(self) -> dict[str, Any]:
        item = {"enum": list(self.words)} if self.words else {"type": "string"}
        return {"anyOf": [item, {"type": "array", "items": item, "minItems": self.least}]}


Triple = tuple[float, float, float]
Angle = Annotated[float, Quantity("angle")]
Length = Annotated[float, Quantity("length", above=0)]
Time = Annotated[float, Quantity("time")]
Duration = Annotated[float, Quantity("time", above=0)]
Fraction = Annotated[float, Quantity("fraction", least=0, most=1)]
Tapering = Annotated[float | tuple[float, float], taper("length", above=0)]
Move = Annotated[Triple, vector("length")]
LinkName = Annotated[str, NameOf("the name of a link")]
MaterialName = Annotated[str, NameOf("the name of a material")]
Switch = Annotated[bool, YesOrNo()]


def is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)
