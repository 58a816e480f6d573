"""Several values in one field: by the names of directions or coordinates, and one for each of many edges or nodes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from pliant.description.language.grammar._problems import nearest, one_of
from pliant.description.language.grammar._types import Checked, Quantity, Word, is_list, is_mapping, split_list, wrong
from pliant.description.language.grammar._units import KINDS

# The six components of a deformation, in the order of the blueprint.
COMPONENTS = ("rx", "ry", "rz", "x", "y", "z")
# When a spring and its damper act, seen from where the spring is slack.
ACTS = {"compression": -1, "tension": 1, "both": 0}
ACTS_WORD = Word(tuple(ACTS))
INITIAL = "initial"
# What shapes a damper and a spring: the exponent of the rate, and the factor of the value at rest.
DAMPING_POWER = Quantity("number", above=0)
REST_RATIO = Quantity("number", above=0, most=1)


@dataclass(frozen=True)
class OrInitial(Checked):
    """A quantity, or the word `initial` (None once checked): what it is where the robot starts."""

    quantity: "Quantity | Each"

    @property
    def kind(self) -> str:
        return getattr(self.quantity, "kind", "number")

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        return self.quantity.quantities

    @property
    def expected(self) -> str:
        return f"{self.quantity.expected}, or the word {INITIAL}"

    def check(self, value: Any) -> float | None:
        if value is None or (isinstance(value, str) and value == INITIAL):
            return None
        try:
            return self.quantity.check(value)
        except PydanticCustomError:
            raise wrong(value, self.expected) from None

    def json_schema(self) -> dict[str, Any]:
        return {"anyOf": [*self.quantity.json_schema()["anyOf"], {"enum": [INITIAL]}]}


class AllInitial(Checked):
    """The word `initial` in place of several values."""

    expected = f"the word {INITIAL}"

    def check(self, value: Any) -> None:
        Word((INITIAL,)).check(INITIAL if value is None else value)

    def json_schema(self) -> dict[str, Any]:
        return {"enum": [INITIAL]}


@dataclass(frozen=True)
class ByName(Checked):
    """One value for each of several names: `{z: 2 kN/m}`, the others at `default`, or a list in the order of the names.

    `common` is what may stand for all of them.
    """

    names: tuple[str, ...]
    items: tuple[Quantity | OrInitial | Word, ...]
    default: Any = 0.0
    common: Checked | None = None

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        return tuple(own for item in self.items if not isinstance(item, Word) for own in item.quantities)

    @property
    def expected(self) -> str:
        def unit(name: str) -> str:
            kind = getattr(self.items[self.names.index(name)], "kind", "number")
            return f" in {KINDS[kind].unit}" if KINDS[kind].unit else ""

        groups = "; ".join(one_of(group) + words for words, group in groupby(self.names, unit))
        least = " of at least 0" if getattr(self.items[0], "least", None) == 0 else ""
        listed = f"values{least} by name ({groups}), or a list of all {len(self.names)} in this order"
        return listed if self.common is None else f"{self.common.expected}, or {listed}"

    def check(self, value: Any) -> tuple[Any, ...]:
        if is_mapping(value):
            for name in value:
                if name not in self.names:
                    raise wrong(name, self.expected, nearest(name, self.names))
            named = zip(self.names, self.items, strict=True)
            return gather((name, item.check, value.get(name, self.default)) for name, item in named)
        value = split_list(value)
        if is_list(value) and len(value) == len(self.names):
            checks = [item.check for item in self.items]
            return gather(zip(range(len(value)), checks, value, strict=True))
        if is_list(value) or self.common is None:
            raise wrong(value, self.expected)
        return (self.common.check(value),) * len(self.names)

    def json_schema(self) -> dict[str, Any]:
        size = len(self.names)
        named = {name: item.json_schema() for name, item in zip(self.names, self.items, strict=True)}
        alternatives: list[dict[str, Any]] = [
            {"type": "object", "properties": named, "additionalProperties": False},
            {"type": "array", "items": self.items[0].json_schema(), "minItems": size, "maxItems": size},
            {"type": "string", "pattern": r"^\s*\["},
        ]
        return {"anyOf": [*([] if self.common is None else [self.common.json_schema()]), *alternatives]}


@dataclass(frozen=True)
class Each(Checked):
    """One value for all edges (or nodes) of a mesh, or a list of one for each."""

    item: Quantity | ByName
    thing: str

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        return self.item.quantities

    @property
    def expected(self) -> str:
        return f"{self.item.expected}; or a list of one for each {self.thing}"

    def check(self, value: Any) -> Any:
        value = split_list(value)
        rows = is_list(value) and bool(value)
        if isinstance(self.item, ByName):
            rows = rows and (is_list(value[0]) or is_mapping(value[0]))
        return gather((index, self.item.check, row) for index, row in enumerate(value)) if rows else self._one(value)

    def _one(self, value: Any) -> Any:
        # An empty list is neither form.
        if is_list(value) and not isinstance(self.item, ByName):
            raise wrong(value, self.expected)
        return self.item.check(value)

    def json_schema(self) -> dict[str, Any]:
        one = self.item.json_schema()
        return {"anyOf": [*one["anyOf"], {"type": "array", "items": one}, {"type": "string", "pattern": r"^\s*\["}]}


def gather(items: Iterable[tuple[str | int, Callable[[Any], Any], Any]]) -> tuple[Any, ...]:
    """The values checked, each by its own check; every mistake is told, at the key of its value."""
    found: list[Any] = []
    problems: list[InitErrorDetails] = []
    for key, check, value in items:
        try:
            found.append(check(value))
        except PydanticCustomError as error:
            problems.append(InitErrorDetails(type=error, loc=(key,), input=value))
        except ValidationError as error:
            problems += [moved(detail, (key,)) for detail in error.errors(include_url=False)]
    if problems:
        raise ValidationError.from_exception_data("", problems)
    return tuple(found)


def moved(detail: Any, before: tuple[str | int, ...]) -> InitErrorDetails:
    """A mistake found inside a part, as one of what the part stands in."""
    kind = PydanticCustomError("wrong", "{text}", {"text": detail["msg"]})
    return InitErrorDetails(type=kind, loc=(*before, *detail["loc"]), input=detail["input"])


def refuse(location: tuple[str | int, ...], value: Any, text: str) -> InitErrorDetails:
    """A mistake of a whole part that the reader will mend at `location` in it."""
    return InitErrorDetails(type=PydanticCustomError("wrong", "{text}", {"text": text}), loc=location, input=value)


def components(turning: str, sliding: str, least: float | None = None) -> ByName:
    """Six quantities: of one kind for the three that turn, of another for the three that slide."""
    items = (Quantity(turning, least=least),) * 3 + (Quantity(sliding, least=least),) * 3
    return ByName(COMPONENTS, items)


def acts_numbers(words: str | tuple[str, ...]) -> tuple[int, ...]:
    return tuple(ACTS[word] for word in ((words,) if isinstance(words, str) else words))
