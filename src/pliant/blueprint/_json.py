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

# What JSON has for each of the plain types of fields.
_PLAIN: dict[Any, tuple[type, ...]] = {
    str: (str,),
    int: (int,),
    float: (int, float),
    bool: (bool,),
    type(None): (type(None),),
}


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
    """The part of a class that `to_json` made `plain` of; a ValueError says what does not fit the class."""
    return typing.cast(T, _made(kind, plain))


def _left(part: Any, field: dataclasses.Field) -> bool:
    return field.default is not dataclasses.MISSING and getattr(part, field.name) == field.default


def _kind(made: type) -> Any:
    """The word of a class, where it has one for all of its instances."""
    return None if any(field.name == "kind" for field in dataclasses.fields(made)) else getattr(made, "kind", None)


def _made(kind: Any, plain: Any) -> Any:
    origin, members = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _made(_member(members, plain), plain)
    if kind is ParameterPath and isinstance(plain, str) and plain.startswith("@"):
        return ParameterPath(plain[1:])
    if dataclasses.is_dataclass(kind):
        return _part(kind, plain)
    if origin is tuple and isinstance(plain, list):
        each = members[:1] * len(plain) if members[-1] is ... else members
        if len(each) == len(plain):
            return tuple(_made(own, item) for own, item in zip(each, plain, strict=True))
    if origin is Mapping and isinstance(plain, dict):
        return {key: _made(members[1], value) for key, value in plain.items()}
    if kind is Any:
        return _anything(plain)
    number = isinstance(plain, str) and plain.startswith("@")  # by its path, which is no text
    if kind in _PLAIN and isinstance(plain, _PLAIN[kind]) and isinstance(plain, bool) == (kind is bool) and not number:
        return plain
    wanted = getattr(kind, "__name__", str(kind))
    raise ValueError(f"a {type(plain).__name__} stands where a blueprint has a {wanted}")


def _anything(plain: Any) -> Any:
    """Options, of which the class says nothing."""
    if isinstance(plain, list):
        return tuple(_anything(item) for item in plain)
    return {key: _anything(item) for key, item in plain.items()} if isinstance(plain, dict) else plain


def _part(kind: Any, plain: Any) -> Any:
    hints, fields = _fields(kind)
    if not isinstance(plain, dict):
        raise ValueError(f"a {type(plain).__name__} stands where a blueprint has a {kind.__name__}")
    unknown = sorted(set(plain) - set(fields) - {"kind"})
    if unknown:
        raise ValueError(f"a {kind.__name__} of a blueprint has no {', '.join(unknown)}")
    missing = [
        word(field) for field in dataclasses.fields(kind)
        if field.default is dataclasses.MISSING and word(field) not in plain
    ]  # fmt: skip
    if missing:
        raise ValueError(f"a {kind.__name__} of the blueprint lacks {', '.join(missing)}")
    return kind(**{own: _made(hints[own], plain[name]) for name, own in fields.items() if name in plain})


@functools.cache
def _fields(kind: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Types of the fields of a class, and their names by their words."""
    return typing.get_type_hints(kind), {word(field): field.name for field in dataclasses.fields(kind)}


def _member(members: tuple[Any, ...], plain: Any) -> Any:
    """The member of a union that the plain form is of."""
    if plain is None and type(None) in members:
        return type(None)
    if isinstance(plain, str) and plain.startswith("@") and ParameterPath in members:
        return ParameterPath
    classes = [member for member in members if dataclasses.is_dataclass(member)]
    if len(classes) < 2:
        return next((member for member in members if member not in (type(None), ParameterPath)), ParameterPath)
    named = plain.get("kind") if isinstance(plain, dict) else None
    for member in classes:
        if getattr(member, "kind", None) == named:
            return member
    legal = ", ".join(str(getattr(member, "kind", "")) for member in classes)
    raise ValueError(f"no part of a blueprint is of the kind {named!r} here; legal: {legal}")
