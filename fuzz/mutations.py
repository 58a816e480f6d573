"""Ways to spoil texts, data and bytes. Everything follows from the random numbers that are handed in."""

import copy
import re
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

# What nobody expects where something else stands, as it is written in a file.
ODD_WORDS = (
    "", "~", "[]", "{}", "-1", "0", "-0.0", "0.0", "2.5", "1e400", "-1e400", "1e-320", ".nan", ".inf", "-.inf", "true",
    "no", "x", "world", "1 parsec", "1 mm", "-3 kPa", "5 deg", "90deg", "1e3 rad/s", "[1, 2, 3]", "'[1, 2, 3] mm'",
    "{a: 1}", "[[]]", "&a [*a]", "*a", "&a {b: *a}", "!!python/object:os.system x", "!x 1", "<<: *a", "? [a]",
    "- - - a", "0x1F", "0o17", "1_000", "2026-11-18", "12:30:45", "'", '"', "`", "@x", "%x", "|", ">", "# x", "\t", "é",
    "机器人", "\u202e", "\x00", "\x1b[31m", "a.b", "a/1", "a b", "*/ int x; /*", "${HOME}", "$(touch x)",
    "../../etc/passwd", "1 m^9999", "1 m**9**9", "1e5 %", "999999999999", "1000000", "10000000000000000000000000",
    "3.0", "[1-9]", "[9-1]", "[1-999999999]",
)  # fmt: skip
# The same as data.
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, "", "x", "world", "1 parsec", "1 mm", 0, -1, 1, 2.5, 0.0, -0.0, 1e300, -1e300, 1e-320, 10**6,
    10**30, 10**400, float("nan"), float("inf"), [], {}, [1, 2, 3], [[]], {"a": 1}, ["x"], [None], "a.b", "*/", "\n",
    "\x00", "[1, 2, 3] mm", {"ramp": {"to": 1, "over": -1}}, {"table": {"times": [0, 0], "values": [1, 2]}},
    list(range(50)),
)  # fmt: skip
_ODD_CHARACTERS = "\x00\t\n\r\x1b\"'\x7f\xa0\u2028\ufeff"
_ODD_FILES = (b"", b"\x00" * 100, b"PK\x03\x04", b"\x89HDF\r\n\x1a\n", b"robot: x\n", b"{}", b"\x7fELF")
_TOKEN = re.compile(r"[\w.+-]+|\"[^\"\n]*\"|'[^'\n]*'|[\[\]{},:#&*!|>-]")
_NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
_LONGEST = 400_000  # characters, up to which a text may grow


def spoiled_text(text: str, others: Sequence[str], random: Random) -> str:
    """A robot file with one to four mistakes; others: texts to take parts from."""
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        text = random.choice(_OF_TEXTS)(text, others, random)[:_LONGEST]
    return text


def _token(text: str, others: Sequence[str], random: Random) -> str:
    """A word or a sign becomes another."""
    found = list(_TOKEN.finditer(text))
    if not found:
        return random.choice(ODD_WORDS)
    match = random.choice(found)
    other = random.choice(others)
    words = [part[0] for part in _TOKEN.finditer(other)] or ["x"]
    new = random.choice((random.choice(ODD_WORDS), random.choice(words), random.choice(found)[0]))
    return text[: match.start()] + new + text[match.end() :]


def _number(text: str, others: Sequence[str], random: Random) -> str:
    """A number becomes another."""
    found = list(_NUMBER.finditer(text))
    if not found:
        return text + " 1"
    match = random.choice(found)
    value = match[0]
    new = random.choice((
        f"-{value}", f"{value}0", f"{value}00000", f"0.{value}", f"{value}.0", f"{value}{value}", "0", "-0",
        f"{value}e{random.choice((-300, -9, 3, 9, 300, 999))}", "9" * random.choice((1, 20, 5000)),
        "0x" + "F" * random.choice((2, 5000)),
    ))  # fmt: skip
    return text[: match.start()] + new + text[match.end() :]


def _line(text: str, others: Sequence[str], random: Random) -> str:
    """A line is left out, doubled, moved, indented or taken from elsewhere."""
    lines = text.split("\n")
    place, kind = random.randrange(len(lines)), random.randrange(6)
    if kind == 0:
        del lines[place]
    elif kind == 1:
        lines.insert(place, lines[place])
    elif kind == 2:
        lines.insert(random.randrange(len(lines)), lines.pop(place))
    elif kind == 3:
        lines[place] = " " * random.randrange(8) + lines[place].lstrip()
    elif kind == 4:
        lines.insert(place, random.choice(random.choice(others).split("\n")))
    else:
        lines[place : place + 1] = [lines[place]] * random.choice((10, 100, 1000))
    return "\n".join(lines)


def _characters(text: str, others: Sequence[str], random: Random) -> str:
    """Some characters are left out, doubled or exchanged."""
    begin = random.randrange(len(text) + 1)
    end = min(len(text), begin + random.choice((0, 1, 1, 2, 8, 64, 400)))
    new = random.choice((
        "", text[begin:end] * 2, random.choice(ODD_WORDS), random.choice(_ODD_CHARACTERS),
        "[" * random.choice((1, 50, 3000)), "{" * random.choice((1, 50)), "a: " * random.choice((2, 50, 1000)),
        " " * random.choice((1, 20_000)), "x" * random.choice((200, 20_000)), "- " * random.choice((3, 50, 1000)),
    ))  # fmt: skip
    return text[:begin] + new + text[end:]


def _cut(text: str, others: Sequence[str], random: Random) -> str:
    """Only the beginning is left, or the beginning of one and the end of another."""
    other = random.choice(others)
    end = random.choice(("", other[random.randrange(len(other) + 1) :]))
    return text[: random.randrange(len(text) + 1)] + end


_OF_TEXTS: tuple[Callable[[str, Sequence[str], Random], str], ...] = (
    _token, _token, _token, _token, _number, _number, _line, _line, _characters, _cut,
)  # fmt: skip


def places(node: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The keys that lead to every entry of data."""
    yield above
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, item in items:
        yield from places(item, (*above, key))


def spoiled_data(data: Any, others: Sequence[Any], random: Random) -> Any:
    """Data with one or two entries left out, renamed or exchanged."""
    data = copy.deepcopy(data)
    for _ in range(random.choice((1, 1, 2))):
        *above, last = random.choice([place for place in places(data) if place] or [(None,)])
        node = data
        for key in above:
            node = node[key]
        if last is None:
            return copy.deepcopy(random.choice(ODD_VALUES))
        kind = random.randrange(6)
        if kind == 0:
            del node[last]
        elif kind == 1 and isinstance(node, dict):
            node[random.choice(("x", "", "name", f"{last}x", str(last)[:-1]))] = node.pop(last)
        elif kind == 2:
            other = random.choice(others)
            for key in random.choice(list(places(other))):
                other = other[key]
            node[last] = copy.deepcopy(other)
        else:
            node[last] = copy.deepcopy(random.choice(ODD_VALUES))
    return data


def spoiled_bytes(content: bytes, random: Random) -> bytes:
    """A file that was damaged on its way: cut, with wrong, missing or foreign bytes, empty, or another file."""
    kind, size = random.randrange(8), len(content)
    place = random.randrange(size + 1)
    length = random.choice((1, 1, 2, 4, 16, 512))
    if kind == 0:
        return content[:place]
    if kind == 1:
        return content[place:]
    if kind == 2:
        return content[:place] + random.randbytes(length) + content[place + length :]
    if kind == 3:
        return content[:place] + bytes(length) + content[place + length :]
    if kind == 4:
        return content[:place] + content[place + length :]
    if kind == 5:
        return content[:place] + random.randbytes(length) + content[place:]
    if kind == 6:
        one, other = sorted((place, random.randrange(size + 1)))
        return content[other:] + content[one:other] + content[:one]
    return random.choice(
        (b"", b"\x00" * 100, b"PK\x03\x04", b"\x89HDF\r\n\x1a\n", b"robot: x\n", random.randbytes(200))
    )
