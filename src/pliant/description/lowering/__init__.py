"""From the language to the blueprint: the plain structure, and the flat numbers by path."""

from pliant.description.lowering._blueprint import lower
from pliant.description.lowering._lowering import Parameters, Structure

__all__ = [
    "Parameters",
    "Structure",
    "lower",
]
