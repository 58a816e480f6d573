"""What may be a name. One rule for robot files, robots built in Python and models that were saved."""

import re
from collections.abc import Iterator
from typing import Any

NAME_PATTERN = r"[^\W\d]\w*(?:-\w+)*"
NAME_RULE = 'letters, digits, "_" and "-", starting with a letter, and no dot'
LONGEST_NAME = 100  # characters
# A division of a rod is called by the rod's name and its number.
_WORD = re.compile(rf"{NAME_PATTERN}(?:/\d{{1,6}})?")
_PATH = re.compile(r"[\w-]+(?:/\d{1,6})?(?:\.[\w-]+(?:/\d{1,6})?)*")
_LONGEST_PATH = 400
_LONGEST_LINE = 400
_LARGEST_NUMBER = 10_000_000
_MOST_PIECES = 1000  # of a rod, and of anything else that the options of its model count


def name_rule(value: Any) -> str:
    """What a name is made of, in words that tell what is wrong with the one given."""
    long = isinstance(value, str) and len(value) > LONGEST_NAME
    return f"{NAME_RULE}, at most {LONGEST_NAME} characters" if long else NAME_RULE


def is_name(value: Any) -> bool:
    """Whether a value may be the name of a robot, a link or anything else in a robot file."""
    return isinstance(value, str) and len(value) <= LONGEST_NAME and re.fullmatch(NAME_PATTERN, value) is not None


def text_problems(plain: Any) -> Iterator[str]:
    """Everything that no blueprint of a robot file holds, in one as JSON: texts other than names, words and paths,
    numbers larger than any count. Such texts would go on into C, plots and pages."""
    for place, key, value in _entries(plain, ()):
        about = place[:1] == ("parameters",)  # paths, and a unit and a meaning of each, which are lines of text
        if isinstance(key, str) and not (_is_path(key) if place == ("parameters",) else _is_word(key)):
            yield f"got the field {shortened(key)} in {'.'.join(place) or 'the robot'}"
        if isinstance(value, str) and not (_is_line(value) if about else _is_word(value) or _is_number(value)):
            yield f"got {shortened(value)} for {'.'.join((*place, str(key)))}; expected a name: {NAME_RULE}"
        most = _MOST_PIECES if "options" in place else _LARGEST_NUMBER
        if isinstance(value, int) and abs(value) > most:
            yield f"got {shortened(value)} for {'.'.join((*place, str(key)))}; expected at most {most}"


def shortened(value: Any) -> str:
    """A value in a message."""
    text = repr(value) if not isinstance(value, int) or value.bit_length() < 1000 else "a giant number"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _entries(node: Any, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str | int, Any]]:
    """Every key and value, from the outside in, with the keys above."""
    items: Any = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield place, key, value
        yield from _entries(value, (*place, str(key)[:LONGEST_NAME]))


def _is_word(text: str) -> bool:
    return len(text) <= LONGEST_NAME and _WORD.fullmatch(text) is not None


def _is_path(text: str) -> bool:
    return len(text) <= _LONGEST_PATH and _PATH.fullmatch(text) is not None


def _is_number(text: str) -> bool:
    """Whether a text stands for a number by its path."""
    return text.startswith("@") and _is_path(text[1:])


def _is_line(text: str) -> bool:
    return len(text) <= _LONGEST_LINE and text.isprintable()
