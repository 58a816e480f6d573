"""The one number that refines a rod model."""

from typing import Any

BY_ORDER = ("gvs", "rom")  # models that a polynomial order refines; a number of pieces refines the others


def refined(word: str, number: int) -> dict[str, Any]:
    """The model of a rod with that number."""
    return {word: {"order" if word in BY_ORDER else "pieces": number}}


def refinement(word: str, number: int) -> str:
    return f"order {number}" if word in BY_ORDER else f"{number} pieces"


def label(word: str, number: int) -> str:
    """How rows name it."""
    return f"{word} {refinement(word, number)}"
