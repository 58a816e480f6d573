"""What is legal beyond the words: what one part of a robot says of another, every mistake found in one go."""

from pliant.description.checks._rod_words import unknown_models, user_models
from pliant.description.checks._validate import validate

__all__ = [
    "unknown_models",
    "user_models",
    "validate",
]
