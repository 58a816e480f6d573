"""Rods, whole or in divisions, and where a place on a rod lies in its divisions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from pliant.description.language._links import Link
from pliant.description.language._rod_models import AnyModel, Gvs, Model, Reference, UserModel
from pliant.description.language._sections import Section
from pliant.description.language.grammar import (
    DAMPING_POWER,
    STRAINS,
    Length,
    ListOf,
    MaterialName,
    Meanings,
    NameList,
    Part,
    Word,
    show,
    wrong,
)

Allow = Annotated[tuple[str, ...], NameList("strains", STRAINS)]
DampingPower = Annotated[float, DAMPING_POWER]
Update = Annotated[str, Word(("mean-stretch",))]
_FIELDS = ("length", "section", "material", "allow", "reference", "model", "damping_power", "update")
_SAME_PLACE = 1e-12  # fractions of a rod closer than this are the same place


@dataclass(frozen=True)
class Piece:
    """A rod, or one division of it, as the blueprint knows it: its own fields and those it has from the rod.

    `paths` leads from a field to where its numbers stand in the file; `begin` and `end` are fractions of the rod.
    """

    name: str
    length: float
    section: Section
    material: str | None
    allow: tuple[str, ...]
    reference: Reference
    model: Model | UserModel
    damping_power: float | None = None
    update: str | None = None
    begin: float = 0.0
    end: float = 1.0
    drawn_length: float = 0.0
    paths: dict[str, str] = field(default_factory=dict)


class _AnyRod(Link):
    called = "a rod"
    meanings = Meanings(
        length="unstrained length",
        damping_power="exponent of the strain rate in the damping",
    )
    kind: Literal["rod"]
    length: Length | None = None
    section: Section | None = None
    material: MaterialName | None = None
    allow: Allow = STRAINS
    reference: Reference = Field(default_factory=Reference)
    model: AnyModel = Field(default_factory=lambda: Model(gvs=Gvs()))
    damping_power: DampingPower | None = None
    update: Update | None = None


class Rod(_AnyRod):
    length: Length
    section: Section
    divisions: None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        problem = _material_problem(self.section, self.material)
        if problem:
            raise PydanticCustomError("wrong", "{text}", {"text": problem})
        return self

    @property
    def pieces(self) -> tuple[Piece, ...]:
        path = f"links.{self.name}"
        paths = {name: f"{path}.{name}" for name in _FIELDS}
        values = {name: getattr(self, name) for name in _FIELDS}
        return (Piece(self.name, **values, drawn_length=self.length, paths=paths),)


class Division(Part):
    """A stretch of a rod; what it does not say is as the rod says."""

    called = "a division of a rod"
    meanings = Meanings(
        length="unstrained length",
        damping_power="exponent of the strain rate in the damping",
    )
    length: Length
    section: Section | None = None
    material: MaterialName | None = None
    allow: Allow | None = None
    reference: Reference | None = None
    model: AnyModel | None = None
    damping_power: DampingPower | None = None
    update: Update | None = None


def _no_length(value: Any) -> Any:
    if value is not None:
        raise wrong(value, 'no "length" beside "divisions", whose lengths add up to it')
    return value


class DividedRod(_AnyRod):
    length: Annotated[None, BeforeValidator(_no_length)] = None
    divisions: Annotated[tuple[Division, ...], ListOf("a list of one or more divisions of the rod")]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        problems: list[InitErrorDetails] = []

        def refuse(place: tuple[str | int, ...], value: Any, text: str) -> None:
            kind = PydanticCustomError("wrong", "{text}", {"text": text})
            problems.append(InitErrorDetails(type=kind, loc=place, input=value))

        for index, division in enumerate(self.divisions):
            section = division.section or self.section
            if section is None:
                text = "missing; expected a section here or one for the whole rod"
                refuse(("divisions", index, "section"), None, text)
                continue
            # A material of the rod's is for those divisions that need one.
            material = division.material or (None if section.bare else self.material)
            problem = _material_problem(section, material)
            if problem:
                refuse(("divisions", index), division.material, problem)
        for name in ("section", "reference"):
            inherited = getattr(self, name)
            heirs = [index + 1 for index, division in enumerate(self.divisions) if getattr(division, name) is None]
            if inherited is not None and inherited.tapers() and len(heirs) > 1:
                which = ", ".join(str(number) for number in heirs)
                text = f"it tapers, and divisions {which} have it from the rod; expected a {name} in each of them"
                refuse((name,), None, text)
        if problems:
            raise ValidationError.from_exception_data("DividedRod", problems)
        return self

    @property
    def pieces(self) -> tuple[Piece, ...]:
        total = sum(division.length for division in self.divisions)
        begin, pieces = 0.0, []
        for number, division in enumerate(self.divisions, start=1):
            own, paths = {}, {}
            for name in _FIELDS:
                value = getattr(division, name)
                inherits = value is None
                own[name] = getattr(self, name) if inherits else value
                paths[name] = (
                    f"links.{self.name}.{name}" if inherits else f"links.{self.name}.divisions.{number}.{name}"
                )
            if own["section"].bare:
                own["material"] = None
            end = 1.0 if number == len(self.divisions) else begin + division.length / total
            drawn = total if division.section is None else division.length
            name = f"{self.name}/{number}"
            pieces.append(Piece(name, **own, begin=begin, end=end, drawn_length=drawn, paths=paths))
            begin = end
        return tuple(pieces)


AnyRod = Rod | DividedRod


def _material_problem(section: Section, material: str | None) -> str:
    if not section.bare and material is None:
        return 'incomplete; expected a "material" (only a section of kind given or muscles does without)'
    if section.bare and material is not None:
        beside = f"a {section.word} section" if section.given else "a section of muscles"
        return f'got {show(material)}; expected no "material" beside {beside}, whose numbers hold as they are'
    return ""


def place_on(pieces: Sequence[Piece], at: float) -> tuple[Piece, float]:
    """Where a fraction of the rod lies: a division and a fraction of it; a boundary is the tip of the earlier one."""
    piece = next(piece for piece in pieces if at <= piece.end + _SAME_PLACE)
    return piece, _inside(piece, at)


def _inside(piece: Piece, at: float) -> float:
    if abs(at - piece.begin) < _SAME_PLACE:
        return 0.0
    return 1.0 if abs(at - piece.end) < _SAME_PLACE else (at - piece.begin) / (piece.end - piece.begin)


class Stretch(NamedTuple):
    """A run along one division: fractions there, and the part of the whole run that this is."""

    piece: Piece
    begin: float
    end: float
    span: tuple[float, float]


def stretches(pieces: Sequence[Piece], begin: float, end: float) -> list[Stretch]:
    """A run from one fraction of a rod to another, division by division; towards the base when begin > end."""
    low, high = min(begin, end), max(begin, end)
    parts = []
    for piece in pieces:
        first, last = max(low, piece.begin), min(high, piece.end)
        if last - first < _SAME_PLACE:
            continue
        bounds = (first, last) if begin < end else (last, first)
        span = tuple(abs(bound - begin) / abs(end - begin) for bound in bounds)
        parts.append(Stretch(piece, _inside(piece, bounds[0]), _inside(piece, bounds[1]), (span[0], span[1])))
    return parts if begin < end else parts[::-1]
