"""What is legal beyond the words: what one part of a robot says of another, every mistake found in one go."""

from pliant.description.checks._validate import validate

__all__ = [
    "validate",
]
