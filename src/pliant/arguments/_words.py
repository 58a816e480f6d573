"""Words, names and mappings that a user gives."""

import difflib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pliant.arguments._numbers import shown


def nearest(word: Any, known: Iterable[str]) -> list[str]:
    """Up to three words that are like the one given."""
    return difflib.get_close_matches(str(word), list(known), n=3)


def did_you_mean(word: Any, known: Iterable[str]) -> str:
    """A hint at the words nearest to the one given, or nothing."""
    near = nearest(word, known)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def choice(name: str, value: Any, legal: Iterable[str]) -> None:
    """ValueError where a word is not one of those that are legal."""
    known = tuple(legal)
    if not isinstance(value, str) or value not in known:
        raise ValueError(f"{name} {shown(value)} is unknown; legal: {', '.join(known)}{did_you_mean(value, known)}")


def names(name: str, value: Any, of: str) -> tuple[str, ...]:
    """A list of names; a single text is refused, since it would be taken letter by letter."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"{name} must be a list of names of {of}; got {shown(value)}")
    found = tuple(value)
    for item in found:
        if not isinstance(item, str):
            raise TypeError(f"{name} must be a list of names of {of}; got {shown(item)} in it")
    return found


def mapping(name: str, value: Any, expected: str) -> Mapping[Any, Any]:
    """A dict, or another mapping."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be {expected}; got {shown(value)}")
    return value


def file_path(name: str, value: Any) -> Path:
    """The path of a file. A number is none: Python would take it for a file that is open already."""
    if not isinstance(value, str | os.PathLike):
        raise TypeError(f"{name} must be the path of a file; got {shown(value)}")
    return Path(value)
