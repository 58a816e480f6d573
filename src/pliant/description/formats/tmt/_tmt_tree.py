"""The tree of fields that a system of the TMT language is: attributes read and set fields, calls number items."""

from collections.abc import Iterator
from typing import Any

from pliant.description.formats.tmt._tmt_fields import Field, Group
from pliant.description.formats.tmt._tmt_values import Misfit, SymbolList
from pliant.description.language.grammar import Problem, RobotFileError, is_list, is_mapping, nearest, one_of, show

_MOST_ITEMS = 100_000  # of one kind: a larger number is a slip


class UnknownField(RobotFileError, AttributeError):
    """A field that the TMT language does not have."""


class Root:
    """What the whole tree knows: what errors call it, its symbols, and the lines of a file."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.symbols: dict[str, Any] = {}
        self.lines: dict[str, int] = {}

    def problem(self, path: str, value: Any, message: str) -> Problem:
        return Problem(self.source, self._line(path), path, value, message)

    def _line(self, path: str) -> int | None:
        while path and path not in self.lines:
            # joint(2).tr(1) is in joint(2).tr, and that in joint(2).
            path = path.rpartition("(")[0] if path.endswith(")") else path.rpartition(".")[0]
        return self.lines.get(path)


class Struct:
    """One group of fields; what is not set has its default."""

    _group: Group
    _path: str
    _root: Root
    _values: dict[str, Any]
    _children: "dict[str, Struct | Structs]"

    def __init__(self, group: Group, path: str, root: Root) -> None:
        for name, value in (("_group", group), ("_path", path), ("_root", root), ("_values", {}), ("_children", {})):
            object.__setattr__(self, name, value)

    def _at(self, name: str) -> str:
        return f"{self._path}.{name}" if self._path else name

    def _member(self, name: str) -> Field | Group:
        if name in self._group.members:
            return self._group.members[name]
        legal = self._group.names
        message = f"unknown field; {nearest(name, legal)}expected one of: {one_of(legal)}"
        raise UnknownField([self._root.problem(self._at(name), None, message)])

    def _child(self, name: str, group: Group) -> "Struct | Structs":
        if name not in self._children:
            make = Structs if group.many else Struct
            self._children[name] = make(group, self._at(name), self._root)
        return self._children[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        member = self._member(name)
        if isinstance(member, Group):
            return self._child(name, member)
        return self._values.get(name, member.default)

    def __setattr__(self, name: str, value: Any) -> None:
        member = self._member(name)
        if isinstance(member, Group):
            self._children.pop(name, None)
            self._root.lines = {
                path: line for path, line in self._root.lines.items() if not path.startswith(f"{self._at(name)}(")
            }
            if value is not None and not (is_list(value) and not value):
                fill(self._child(name, member), value)
            return
        self._values.pop(name, None)
        if value is None or (is_list(value) and not value):
            return
        self._values[name] = self._checked(name, member, value)

    def _checked(self, name: str, member: Field, value: Any) -> Any:
        if member.refused:
            raise RobotFileError([self._root.problem(self._at(name), value, f"refused; {member.refused}")])
        if member.kind is None:
            return value
        try:
            kept = member.kind.read(value, self._root.symbols)
        except Misfit as error:
            raise RobotFileError([self._root.problem(self._at(name), value, str(error))]) from None
        if isinstance(member.kind, SymbolList):
            # Texts in other fields may name them from now on.
            self._root.symbols.update(kept)
        return kept

    def __dir__(self) -> list[str]:
        return self._group.names

    def __repr__(self) -> str:
        given = [*self._values, *self._children]
        return f"<{self._path or 'system'}: {one_of(given) if given else 'all defaults'}>"


class Structs:
    """Numbered groups: `tr(2)` is the second one, and `tr.rot` is short for `tr(1).rot`."""

    _group: Group
    _path: str
    _root: Root
    _items: list[Struct]

    def __init__(self, group: Group, path: str, root: Root) -> None:
        for name, value in (("_group", group), ("_path", path), ("_root", root), ("_items", [])):
            object.__setattr__(self, name, value)

    def __call__(self, number: int) -> Struct:
        whole = isinstance(number, int) and not isinstance(number, bool)
        if not whole or not 1 <= number <= _MOST_ITEMS:
            message = f"got {show(number)}; expected a number from 1 to {_MOST_ITEMS}: items are counted from 1"
            raise RobotFileError([self._root.problem(f"{self._path}({number})", number, message)])
        while len(self._items) < number:
            self._items.append(Struct(self._group, f"{self._path}({len(self._items) + 1})", self._root))
        return self._items[number - 1]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self(1), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self(1), name, value)

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Struct]:
        return iter(tuple(self._items))

    def __dir__(self) -> list[str]:
        return self._group.names

    def __repr__(self) -> str:
        return f"<{self._path}: {len(self._items)}>"


def fill(node: Struct | Structs, data: Any) -> None:
    """Set what `data`, mappings and lists as in a file, says; all that is wrong with it is told at once."""
    problems = list(filled(node, data))
    if problems:
        raise RobotFileError(problems)


def filled(node: Struct | Structs, data: Any) -> Iterator[Problem]:
    root = node._root
    if isinstance(node, Structs):
        # A single item may stand without its list.
        for number, item in enumerate(data if is_list(data) else [data], start=1):
            yield from filled(node(number), item)
        return
    if not is_mapping(data):
        message = f"got {show(data)}; expected fields: {one_of(node._group.names)}"
        yield root.problem(node._path, data, message)
        return
    for name, value in data.items():
        member = node._group.members.get(str(name))
        if isinstance(member, Group) and value is not None and not (is_list(value) and not value):
            yield from filled(node._child(str(name), member), value)
            continue
        try:
            setattr(node, str(name), value)
        except RobotFileError as error:
            yield from error.problems
