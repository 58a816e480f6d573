"""Frozen dataclasses as plain JSON and back: the fields say how.

A number is "@" and its path; a class with a `kind` of its own writes it, so that a union knows which of its members to
make; a field that is at its default is left out.
"""

import dataclasses
import functools
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

from pliant.blueprint._parameters import ParameterPath, word

T = TypeVar("T")


def to_json(part: Any) -> Any:
    """The part as dict, list, str, int, float, bool and None."""
    if isinstance(part, ParameterPath):
        return f"@{part}"
    if isinstance(part, Mapping):
        return {str(key): to_json(value) for key, value in part.items()}
    if isinstance(part, tuple | list):
        return [to_json(item) for item in part]
    if not dataclasses.is_dataclass(part):
        return part
    found = {word(field): getattr(part, field.name) for field in dataclasses.fields(part) if not _left(part, field)}
    own = {} if "kind" in found or _kind(type(part)) is None else {"kind": _kind(type(part))}
    return {**own, **{name: to_json(value) for name, value in found.items()}}


def from_json(kind: type[T], plain: Any) -> T:
    """The part of a class that `to_json` made `plain` of."""
    return typing.cast(T, _made(kind, plain))


def _left(part: Any, field: dataclasses.Field) -> bool:
    return field.default is not dataclasses.MISSING and getattr(part, field.name) == field.default


def _kind(made: type) -> Any:
    """The word of a class, where it has one for all of its instances."""
    return None if any(field.name == "kind" for field in dataclasses.fields(made)) else getattr(made, "kind", None)


def _made(kind: Any, plain: Any) -> Any:
    if isinstance(plain, str) and plain.startswith("@"):
        return ParameterPath(plain[1:])
    if dataclasses.is_dataclass(kind):
        return _part(kind, plain)
    origin, members = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return None if plain is None else _made(_member(members, plain), plain)
    if isinstance(plain, list):
        inner = members or (Any, ...)
        each = inner[:1] * len(plain) if inner[-1] is ... else inner
        return tuple(_made(own, item) for own, item in zip(each, plain, strict=True))
    if isinstance(plain, dict):
        return {key: _made(members[1] if members else Any, value) for key, value in plain.items()}
    return plain


def _part(kind: Any, plain: Mapping[str, Any]) -> Any:
    hints, fields = _fields(kind)
    known = {name: _made(hints[own], plain[name]) for name, own in fields.items() if name in plain}
    unknown = set(plain) - set(fields) - {"kind"}
    if unknown:
        raise ValueError(f"a {kind.__name__} of a blueprint has no {', '.join(sorted(unknown))}")
    return kind(**{fields[name]: value for name, value in known.items()})


@functools.cache
def _fields(kind: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Types of the fields of a class, and their names by their words."""
    return typing.get_type_hints(kind), {word(field): field.name for field in dataclasses.fields(kind)}


def _member(members: tuple[Any, ...], plain: Any) -> Any:
    """The member of a union that the plain form is of."""
    classes = [member for member in members if dataclasses.is_dataclass(member)]
    if len(classes) < 2:
        return next((member for member in members if member not in (type(None), ParameterPath)), Any)
    for member in classes:
        if getattr(member, "kind", None) == plain["kind"]:
            return member
    legal = ", ".join(str(getattr(member, "kind", "")) for member in classes)
    raise ValueError(f"no part of a blueprint is of the kind {plain['kind']!r} here; legal: {legal}")
