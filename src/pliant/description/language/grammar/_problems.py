"""What is wrong with a robot, said so that the reader can mend it."""

import difflib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

_LONGEST_VALUE = 70
_LONGEST_PATH, _LONGEST_MESSAGE = 200, 2000
_MOST_WORDS = 40  # named where one of them is expected
_MOST_HINTED = 200  # words among which the nearest to a misspelt one is looked for
_MOST_PROBLEMS = 50  # told in one message


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
        told = (place, shortened(self.path, _LONGEST_PATH), shortened(self.message, _LONGEST_MESSAGE))
        return ": ".join(part for part in told if part)


class RobotFileError(Exception):
    """A robot file, or a robot built in Python, is wrong; `problems` lists every mistake found."""

    def __init__(self, problems: Iterable[Problem]):
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        told = [str(problem) for problem in self.problems[:_MOST_PROBLEMS]]
        more = len(self.problems) - len(told)
        return "\n".join([*told, *([f"and {more} more problems"] if more else [])])


def show(value: Any) -> str:
    """The value as a reader of the file knows it, shortened."""
    if value is None:
        return "nothing"
    try:
        text = json.dumps(_first_of(value), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = _represented(value)
    return shortened(text, _LONGEST_VALUE)


def shortened(text: str, most: int) -> str:
    """So much of a text as fits into a message."""
    return text if len(text) <= most else text[: most - 3] + "..."


def _first_of(value: Any) -> Any:
    """So much of a long value as may be shown."""
    if isinstance(value, str):
        return value[:_LONGEST_VALUE]
    return value[:_LONGEST_VALUE] if isinstance(value, list | tuple) else value


def _represented(value: Any) -> str:
    try:
        return repr(value)
    except (ValueError, RecursionError):  # a whole number of thousands of digits, a list inside itself
        return f"a {type(value).__name__} that is too large to show"


def one_of(words: Iterable[str]) -> str:
    listed = list(words)
    more = len(listed) - _MOST_WORDS
    return ", ".join(listed) if more <= 0 else f"{', '.join(listed[:_MOST_WORDS])} and {more} more"


def nearest_words(word: Any, words: Iterable[str]) -> list[str]:
    """The legal word nearest to the one given, or none."""
    return difflib.get_close_matches(str(word)[:_LONGEST_VALUE], list(islice(words, _MOST_HINTED)), n=1, cutoff=0.6)


def nearest(word: Any, words: Iterable[str]) -> str:
    """A hint at the legal word nearest to the one given, or nothing."""
    matches = nearest_words(word, words)
    return f'did you mean "{matches[0]}"? ' if matches else ""
