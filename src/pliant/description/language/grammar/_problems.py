"""What is wrong with a robot, said so that the reader can mend it."""

import difflib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_LONGEST_VALUE = 70


@dataclass(frozen=True)
class Problem:
    """One mistake: where it stands, the value given, and what was expected instead.

    `file` is the file's path, or the robot's name for a robot built in Python; `line` is counted from 1.
    """

    file: str
    line: int | None
    path: str
    value: Any
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line is not None else self.file
        return ": ".join(part for part in (place, self.path, self.message) if part)


class RobotFileError(Exception):
    """A robot file, or a robot built in Python, is wrong; `problems` lists every mistake found."""

    def __init__(self, problems: Iterable[Problem]):
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


def show(value: Any) -> str:
    """The value as a reader of the file knows it, shortened."""
    if value is None:
        return "nothing"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 3] + "..."


def one_of(words: Iterable[str]) -> str:
    return ", ".join(words)


def nearest_words(word: Any, words: Iterable[str]) -> list[str]:
    """The legal word nearest to the one given, or none."""
    return difflib.get_close_matches(str(word), list(words), n=1, cutoff=0.6)


def nearest(word: Any, words: Iterable[str]) -> str:
    """A hint at the legal word nearest to the one given, or nothing."""
    matches = nearest_words(word, words)
    return f'did you mean "{matches[0]}"? ' if matches else ""
