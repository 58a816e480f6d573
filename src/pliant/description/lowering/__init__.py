"""From the language to the blueprint: the structure, and the flat numbers by path."""

from pliant.description.lowering._blueprint import lower
from pliant.description.lowering._lowering import Parameters

__all__ = [
    "Parameters",
    "lower",
]
