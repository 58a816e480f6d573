"""The two shapes every piece of the language has: a set of fields, and a choice of one among several words."""

from typing import Any, ClassVar, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError, core_schema

from pliant.description.language.grammar._problems import nearest, nearest_words, one_of, show
from pliant.description.language.grammar._types import is_mapping, wrong


class Meanings(dict[str, str]):
    """What the numbers in the fields of a part are, by field."""


class Part(BaseModel):
    """Named fields, immutable, no others allowed."""

    # Built when first used: most robots need few of the parts, and importing the package stays quick.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    called: ClassVar[str] = "the fields of this part"
    # One line for each field that holds numbers, which "of the link finger" and the like can follow.
    meanings: ClassVar[Meanings] = Meanings()

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        for name, info in cls.model_fields.items():
            meaning, expected = cls.meaning(name), expected_of(info)
            if meaning:
                info.description = f"{meaning[0].upper()}{meaning[1:]}{f': {expected}' if expected else ''}"

    @classmethod
    def meaning(cls, name: str) -> str:
        """What the number in a field is; its class, or one that it is derived from, says so."""
        return next(
            (vars(base)["meanings"][name] for base in cls.__mro__ if name in vars(base).get("meanings", ())), ""
        )

    @classmethod
    def fields(cls) -> dict[str, Any]:
        return {info.alias or name: info for name, info in cls.model_fields.items()}

    @classmethod
    def expand(cls, value: Any) -> Any:
        """Short form to full form; the default is that there is no short form."""
        return value

    @model_validator(mode="wrap")
    @classmethod
    def _in_plain_words(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if isinstance(value, cls):
            return value
        value = cls.expand(value)
        if not is_mapping(value):
            raise wrong(value, f"{cls.called}: {one_of(cls.fields())}")
        try:
            return handler(value)
        except ValidationError as error:
            errors = error.errors(include_url=False)
            # A misspelt field is also a missing one; it is told once.
            strangers = [str(item["loc"][0]) for item in errors if _is_own(item, "extra_forbidden")]
            meant = {close for name in strangers for close in nearest_words(name, cls.fields())}
            details = [
                cls._reworded(item) for item in errors if not (_is_own(item, "missing") and item["loc"][0] in meant)
            ]
            raise ValidationError.from_exception_data(cls.__name__, details) from None

    @classmethod
    def _reworded(cls, detail: Any) -> InitErrorDetails:
        location, kind = detail["loc"], detail["type"]
        text = detail["msg"]
        if _is_own(detail, "extra_forbidden"):
            legal = list(cls.fields())
            hint = nearest(location[0], legal)
            text = f"unknown field; {hint}expected one of: {one_of(legal)}"
            kind = "unknown"
        elif _is_own(detail, "missing"):
            expected = expected_of(cls.fields()[str(location[0])])
            text = f"missing; expected {expected}" if expected else "missing"
            kind = "left_out"
        return InitErrorDetails(
            type=PydanticCustomError(kind, "{text}", {"text": text}), loc=location, input=detail["input"]
        )


def _is_own(detail: Any, kind: str) -> bool:
    """Whether pydantic found this in the part itself rather than in one of its fields."""
    return len(detail["loc"]) == 1 and detail["type"] == kind


def expected_of(field: Any) -> str:
    """What a field wants, in words: from its annotation, or from the words of the part that stands there."""
    for mark in field.metadata:
        if hasattr(mark, "expected"):
            return str(mark.expected)
    annotation = field.annotation
    if isinstance(annotation, type) and issubclass(annotation, Part):
        return f"{annotation.called}: {one_of(annotation.fields())}"
    return ""


class Choice(Part):
    """Exactly one of several words, alone (`joint: free`) or with its numbers (`joint: {revolute: {axis: y}}`).

    Every field whose default is None is such a word, unless it is named in `beside`; the others are settings that may
    stand beside it. A word with a hyphen is the alias of a field with an underscore.
    """

    beside: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def words(cls) -> list[str]:
        return [name for name, info in cls.fields().items() if info.default is None and name not in cls.beside]

    @classmethod
    def expand(cls, value: Any) -> Any:
        if isinstance(value, str) and value in cls.words():
            return {value: {}}
        if is_mapping(value):
            # `{fixed: }` and `{gvs: }` leave the numbers to their defaults.
            return {key: {} if item is None and key in cls.words() else item for key, item in value.items()}
        return value

    @model_validator(mode="wrap")
    @classmethod
    def _exactly_one(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if isinstance(value, cls):
            return value
        full, words = cls.expand(value), cls.words()
        if not is_mapping(full):
            raise wrong(value, f"{cls.called}: {one_of(words)}", nearest(value, words))
        given = [word for word in words if word in full]
        if len(given) > 1:
            raise wrong(list(full), f"only one of: {one_of(words)}")
        if not given:
            strangers = [key for key in full if key not in cls.fields()]
            hint = nearest(strangers[0], words) if strangers else ""
            raise wrong(strangers[0] if strangers else value, f"{cls.called}: {one_of(words)}", hint)
        return handler(full)

    @property
    def word(self) -> str:
        """The word chosen."""
        return next(word for word in self.words() if getattr(self, _attribute(word)) is not None)

    @property
    def chosen(self) -> Any:
        """What stands behind the word chosen."""
        return getattr(self, _attribute(self.word))

    @classmethod
    def short_forms(cls) -> list[dict[str, Any]]:
        """JSON schemas of the short forms: the words that need no numbers."""
        alone = [word for word in cls.words() if _needs_nothing(cls.fields()[word])]
        return [{"enum": alone}] if alone else []

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        full = handler.resolve_ref_schema(handler(schema))
        for word in cls.words():
            # None is how the part stores "not this word"; nobody writes it.
            branches = full["properties"][word].pop("anyOf", [])
            behind: dict[str, Any] = next((branch for branch in branches if branch != {"type": "null"}), {})
            full["properties"][word] = {**behind, **full["properties"][word]}
            full["properties"][word].pop("default", None)
        full["oneOf"] = [{"required": [word]} for word in cls.words()]
        return {"anyOf": [*cls.short_forms(), full], "description": cls.called}


def _attribute(word: str) -> str:
    return word.replace("-", "_")


def _needs_nothing(field: Any) -> bool:
    parts: list[type[Part]] = [
        part for part in getattr(field.annotation, "__args__", ()) if isinstance(part, type) and issubclass(part, Part)
    ]
    return any(all(not info.is_required() for info in part.model_fields.values()) for part in parts)


class Nothing(Part):
    """Stands behind a word that has no numbers."""

    called = "nothing (the word has no numbers)"

    @model_validator(mode="wrap")
    @classmethod
    def _empty(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if is_mapping(value) and value:
            raise wrong(value, f"nothing here, but found {show(next(iter(value)))}")
        return handler(value)
