"""What the fields of the TMT language take: numbers, rows of numbers for the elements of a mesh, transformations."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant.blueprint import PROGRAMMES
from pliant.description.formats.tmt._tmt_symbols import Expression, NoValue, read_text, resolved, sym
from pliant.description.language.grammar import is_list, is_mapping, show

Symbols = Mapping[str, Expression]
_RANGE = re.compile(r"\s*(\d{1,6})\s*:\s*(\d{1,6})\s*")
# The values inside a programme, beside times and other settings.
_PROGRAMMES = {word: kind.value_words() for word, kind in PROGRAMMES.items() if word != "constant"}


class Misfit(ValueError):
    """A value that a field does not take; the message says what was expected."""


def plain(value: Any, symbols: Symbols) -> Any:
    """Numbers, lists and expressions; texts such as inf or `m2 / l` are read."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist(), symbols)
    if isinstance(value, str):
        try:
            return read_text(value, symbols)
        except ValueError as error:
            raise Misfit(f"got {show(value)}; {error}") from None
    if isinstance(value, range | tuple) or is_list(value):
        return [plain(item, symbols) for item in value]
    if isinstance(value, bool):
        return int(value)
    return value


def _now(kept: Any, given: Any) -> Any:
    """A value with the numbers that its symbols have now; given: as it was written."""
    try:
        return resolved(kept, {})
    except NoValue as error:
        raise Misfit(f"got {show(given)}; {error}") from None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def shown(value: Any) -> str:
    return show(resolved(value, {}) if not is_mapping(value) else value)


class Kind:
    """What one field takes; `expected` says so in words."""

    @property
    def expected(self) -> str:
        raise NotImplementedError

    def read(self, value: Any, symbols: Symbols) -> Any:
        """The value as it is kept; a Misfit tells what is wrong with it."""
        kept = plain(value, symbols)
        if not self.fits(_now(kept, value)):
            raise self.misfit(kept)
        return kept

    def misfit(self, value: Any) -> Misfit:
        return Misfit(f"got {shown(value)}; expected {self.expected}")

    def fits(self, value: Any) -> bool:
        raise NotImplementedError


@dataclass(frozen=True)
class OneOf(Kind):
    values: tuple[int, ...]

    @property
    def expected(self) -> str:
        return f"one of: {', '.join(str(value) for value in self.values)}"

    def fits(self, value: Any) -> bool:
        return _is_number(value) and value in self.values


@dataclass(frozen=True)
class Whole(Kind):
    least: int
    most: int

    @property
    def expected(self) -> str:
        return f"a whole number from {self.least} to {self.most}"

    def fits(self, value: Any) -> bool:
        return _is_number(value) and float(value).is_integer() and self.least <= value <= self.most


@dataclass(frozen=True)
class Number(Kind):
    words: str = "a number"
    least: float | None = None

    @property
    def expected(self) -> str:
        return self.words

    def fits(self, value: Any) -> bool:
        return _is_number(value) and math.isfinite(value) and (self.least is None or value >= self.least)


@dataclass(frozen=True)
class Rows(Kind):
    """A row of numbers that holds for all elements of a mesh, or one row for each of them.

    columns: how many numbers a row may have. A flat list of as many numbers is one row; any other flat list is a
    column, where a row may have one number.
    """

    words: str
    columns: tuple[int, ...] = (1,)
    least: float | None = None
    above: float | None = None
    most: float | None = None
    nan: bool = False
    whole: bool = False
    programme: bool = False

    @property
    def expected(self) -> str:
        sizes = " or ".join(str(size) for size in self.columns)
        count = "a number" if self.columns == (1,) else f"{sizes} numbers"
        beside = [*(["nan (as it is at the start)"] if self.nan else []), *(["a programme"] if self.programme else [])]
        others = f" (or {' or '.join(beside)})" if beside else ""
        return f"{self.words}: {count}{others}, or such a row for each element of a mesh"

    def read(self, value: Any, symbols: Symbols) -> Any:
        if is_mapping(value):
            return self._programme(value, symbols)
        return super().read(value, symbols)

    def _programme(self, value: Mapping[str, Any], symbols: Symbols) -> Any:
        words = [*value]
        if not self.programme or len(words) != 1 or words[0] not in _PROGRAMMES or not is_mapping(value[words[0]]):
            raise Misfit(f"got {show(dict(value))}; expected {self.expected}")
        kept = {words[0]: {key: plain(item, symbols) for key, item in value[words[0]].items()}}
        _now(kept, dict(value))
        return kept

    def fits(self, value: Any) -> bool:
        rows = self.split(value)
        return rows is not None and all(self._one(number) for row in rows for number in row)

    def split(self, value: Any) -> list[list[float]] | None:
        """Rows of equal length; None where it is neither a number, a row nor rows."""
        if not is_list(value):
            return [[value]] if 1 in self.columns else None
        if not value:
            return None
        if not any(is_list(item) for item in value):
            if len(value) in self.columns:
                return [list(value)]
            return [[item] for item in value] if 1 in self.columns else None
        if not all(is_list(item) and len(item) == len(value[0]) for item in value):
            return None
        return [list(item) for item in value] if len(value[0]) in self.columns else None

    def _one(self, value: Any) -> bool:
        if not _is_number(value):
            return False
        if math.isnan(value):
            return self.nan
        inside = (self.least is None or value >= self.least) and (self.above is None or value > self.above)
        inside = inside and (self.most is None or value <= self.most)
        return math.isfinite(value) and inside and (not self.whole or float(value).is_integer())


def mapped(value: Any, change: Any) -> Any:
    """A value, or a programme with its values changed."""
    if not is_mapping(value):
        return change(value)
    word, settings = next(iter(value.items()))
    own = {
        key: ([change(item) for item in held] if key == "values" else change(held))
        if key in _PROGRAMMES[word]
        else held
        for key, held in settings.items()
    }
    return {word: own}


def programme_width(value: Mapping[str, Any]) -> int:
    """How many numbers each value of a programme has."""
    word, settings = next(iter(value.items()))
    held: Any = next((settings[key] for key in _PROGRAMMES[word] if key in settings), 0.0)
    if word == "table" and is_list(held) and held:
        held = held[0]
    return len(held) if is_list(held) else 1


@dataclass(frozen=True)
class Places(Kind):
    """The number of a body, and after it elements of its mesh or lengths along its rod."""

    @property
    def expected(self) -> str:
        return (
            "the number of a body (0: the ground), or a list of it and of elements of its mesh (or the length along a "
            'rod), e.g. [1, 2] or [1, "1:5"]'
        )

    def read(self, value: Any, symbols: Symbols) -> Any:
        items: list[Any] = []
        given = plain(value, {}) if isinstance(value, np.ndarray | np.generic) else value
        given = list(given) if isinstance(given, range | tuple) or is_list(given) else [given]
        for item in given:
            match = _RANGE.fullmatch(item) if isinstance(item, str) else None
            items += range(int(match[1]), int(match[2]) + 1) if match else [plain(item, symbols)]
        if not self.fits(_now(items, value)):
            raise self.misfit(value)
        return items

    def fits(self, value: Any) -> bool:
        numbers = all(_is_number(item) and math.isfinite(item) and item >= 0 for item in value)
        return bool(value) and numbers and float(value[0]).is_integer()


@dataclass(frozen=True)
class Translation(Kind):
    free: bool

    @property
    def expected(self) -> str:
        return "a list of 3 numbers, each a length in metres" + (" or inf (a degree of freedom)" if self.free else "")

    def fits(self, value: Any) -> bool:
        if not is_list(value) or len(value) != 3 or not all(_is_number(item) for item in value):
            return False
        return all(math.isfinite(item) or (self.free and item == math.inf) for item in value)


@dataclass(frozen=True)
class Turn(Kind):
    free: bool

    @property
    def expected(self) -> str:
        words = (
            "[axis, angle] with the axis 1, 2 or 3, three numbers (the bending vector), or four: a quaternion"
            " [0, x, y, z] or [angle, x, y, z] about an axis"
        )
        return words + ("; inf is a degree of freedom" if self.free else "")

    def fits(self, value: Any) -> bool:
        if not is_list(value) or len(value) not in (2, 3, 4) or not all(_is_number(item) for item in value):
            return False
        if not all(math.isfinite(item) or (self.free and item == math.inf) for item in value):
            return False
        return len(value) != 2 or value[0] in (1, 2, 3) or list(value) == [0, 0]


@dataclass(frozen=True)
class Inertia(Kind):
    @property
    def expected(self) -> str:
        return "a number (the same about every axis), a 3 x 3 matrix, or one for each element of a mesh"

    def fits(self, value: Any) -> bool:
        return self.matrices(value) is not None

    def matrices(self, value: Any) -> list[np.ndarray] | None:
        """One matrix, or one for each element; None where it is neither."""
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            return None
        if not np.isfinite(array).all():
            return None
        if array.ndim == 0:
            return [float(array) * np.eye(3)]
        matrices = [array] if array.shape == (3, 3) else list(array) if array.shape[1:] == (3, 3) else []
        symmetric = all(np.allclose(own, own.T, rtol=1e-9, atol=1e-15) for own in matrices)
        return matrices if matrices and symmetric else None


@dataclass(frozen=True)
class Text(Kind):
    @property
    def expected(self) -> str:
        return "a text"

    def read(self, value: Any, symbols: Symbols) -> Any:
        if not isinstance(value, str) or not value:
            raise Misfit(f"got {show(value)}; expected {self.expected}")
        return value


@dataclass(frozen=True)
class SymbolList(Kind):
    """Symbols by name: `{"l0": 0.05}`, or a list of what `tmt.sym` made."""

    @property
    def expected(self) -> str:
        return 'symbols with their values, {"l0": 0.05}, or a list of symbols made by tmt.sym'

    def read(self, value: Any, symbols: Symbols) -> dict[str, Expression]:
        if is_mapping(value):
            try:
                return {name: sym(name, number) for name, number in value.items()}
            except ValueError as error:
                raise Misfit(str(error)) from None
        items = list(value) if is_list(value) else [value]
        if not all(isinstance(item, Expression) and len(item.inputs) == 1 for item in items):
            raise Misfit(f"got {show([str(item) for item in items])}; expected {self.expected}")
        return {next(iter(item.inputs)): item for item in items}


@dataclass(frozen=True)
class SymbolValues(Kind):
    """Values of symbols, by name or in the order of par.sym."""

    @property
    def expected(self) -> str:
        return 'a number for every symbol of par.sym, by name ({"l0": 0.05}) or in their order'

    def read(self, value: Any, symbols: Symbols) -> dict[str, float]:
        names = list(symbols)
        if is_list(value) and len(value) == len(names):
            value = dict(zip(names, value, strict=True))
        numbers: list[Any] = list(value.values()) if is_mapping(value) else [None]
        if not all(_is_number(number) and math.isfinite(number) for number in numbers):
            raise Misfit(f"got {show(value)}; expected {self.expected}")
        unknown = [name for name in value if name not in names]
        if unknown:
            known = ", ".join(names) or "none"
            raise Misfit(f"got {show(unknown[0])}; expected a symbol of par.sym ({known})")
        return {name: float(number) for name, number in value.items()}
