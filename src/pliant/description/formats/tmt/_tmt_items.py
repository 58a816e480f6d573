"""A system of the TMT language with numbers in place of symbols, as checks and lowering read it."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from pliant.description.formats.tmt._tmt_fields import Field, Group
from pliant.description.formats.tmt._tmt_symbols import Expression, resolved
from pliant.description.formats.tmt._tmt_tree import Root, Struct, Structs
from pliant.description.formats.tmt._tmt_values import Inertia, Rows, programme_width
from pliant.description.language.grammar import Problem, is_mapping


class Notes:
    """What is found wrong, by the path of the field."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self.problems: list[Problem] = []

    def refuse(self, path: str, value: Any, message: str) -> None:
        if not any(problem.path == path for problem in self.problems):
            self.problems.append(self.root.problem(path, value, message))


class Item:
    """One group of fields, by dotted names: `joint.value("spring.coeff")`."""

    def __init__(self, struct: Struct, values: Mapping[str, float], notes: Notes) -> None:
        self._struct = struct
        self._values = values
        self.notes = notes

    def path(self, name: str = "") -> str:
        return ".".join(part for part in (self._struct._path, name) if part)

    def _find(self, name: str) -> tuple[Struct, Field, str]:
        struct, (*groups, last) = self._struct, name.split(".")
        for group in groups:
            struct = getattr(struct, group)
        field: Any = struct._group.members[last]
        return struct, field, last

    def given(self, *names: str) -> list[str]:
        """Those of the fields that are set."""
        found = []
        for name in names:
            struct, _, last = self._find(name)
            if last in struct._values:
                found.append(name)
        return found

    def value(self, name: str) -> Any:
        struct, field, last = self._find(name)
        return resolved(struct._values.get(last, field.default), self._values)

    def is_symbol(self, name: str) -> bool:
        """Whether symbols stand in the value."""
        struct, _, last = self._find(name)

        def any_in(value: Any) -> bool:
            items = value.values() if is_mapping(value) else value if isinstance(value, list) else ()
            return isinstance(value, Expression) or any(any_in(item) for item in items)

        return any_in(struct._values.get(last))

    def refuse(self, name: str, message: str) -> None:
        value = self.value(name) if name and self._is_field(name) else None
        self.notes.refuse(self.path(name), value, message)

    def _is_field(self, name: str) -> bool:
        struct: Any = self._struct
        for part in name.split("."):
            member = struct._group.members.get(part)
            if isinstance(member, Group):
                struct = getattr(struct, part)
                if isinstance(struct, Structs):
                    return False
            else:
                return isinstance(member, Field)
        return False

    def items(self, name: str) -> "list[Item]":
        """The numbered groups of a name."""
        return [Item(struct, self._values, self.notes) for struct in getattr(self._struct, name)]

    def item(self, name: str) -> "Item":
        return Item(getattr(self._struct, name), self._values, self.notes)

    def set_fields(self, prefix: str = "") -> Iterator[str]:
        """Dotted names of all fields that are set, groups that are not numbered included."""
        yield from (f"{prefix}{name}" for name in self._struct._values)
        for name, child in self._struct._children.items():
            if isinstance(child, Struct):
                yield from Item(child, self._values, self.notes).set_fields(f"{prefix}{name}.")
            elif len(child):
                yield f"{prefix}{name}"

    def rows(self, name: str, count: int, columns: int) -> list[Any]:
        """One row of `columns` numbers for each of `count` elements; a single number where a row has one column.

        A row with one number where several are wanted holds it for all of them.
        """
        _, field, _ = self._find(name)
        kind = field.kind
        assert isinstance(kind, Rows)
        value = self.value(name)
        if value is None:
            return [None] * count
        if is_mapping(value):
            return [value] * count
        split = kind.split(value) or [[]]
        if len(split) not in (1, count):
            things = "one element" if count == 1 else f"{count} elements"
            message = f"got {len(split)} rows; expected one row, or one for each element: the joint has {things}"
            self.refuse(name, message)
            split = split[:1]
        wide = [row * columns if len(row) == 1 else row for row in split]
        if any(len(row) != columns for row in wide):
            self.refuse(name, f"got {len(wide[0])} columns; expected {columns}")
            wide = [[0.0] * columns]
        rows = wide * count if len(wide) == 1 else wide
        return [row[0] for row in rows] if columns == 1 else rows

    def width(self, name: str) -> int:
        """How many numbers a row of a field has that is set; 1 where it is not."""
        struct, field, last = self._find(name)
        value = self.value(name)
        if last not in struct._values or not isinstance(field.kind, Rows):
            return 1
        if is_mapping(value):
            return programme_width(value)
        split = field.kind.split(value)
        return len(split[0]) if split else 1

    def inertias(self, count: int) -> list[np.ndarray]:
        """The inertia of each of `count` elements (3, 3)."""
        matrices = Inertia().matrices(self.value("I")) or [np.eye(3)]
        if len(matrices) not in (1, count):
            self.refuse("I", f"got {len(matrices)} matrices; expected one, or {count}: one for each element")
            matrices = matrices[:1]
        return matrices * count if len(matrices) == 1 else matrices
