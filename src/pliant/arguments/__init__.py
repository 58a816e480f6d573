"""What a user may give to the public functions: numbers or texts with units, arrays, words, functions.

Every check is one sentence that names the argument, what was given and what is expected. Knows no robots.
"""

from pliant.arguments._arrays import finite_vector, sequence, vector
from pliant.arguments._numbers import FREQUENCY, TIME, count, in_si, number, numbers, one_number, plain_numbers, shown
from pliant.arguments._tracing import call_traced, is_traced, refuse_tracing
from pliant.arguments._words import choice, did_you_mean, file_path, mapping, names, nearest

__all__ = [
    "FREQUENCY",
    "TIME",
    "call_traced",
    "choice",
    "count",
    "did_you_mean",
    "file_path",
    "finite_vector",
    "in_si",
    "is_traced",
    "mapping",
    "names",
    "nearest",
    "number",
    "numbers",
    "one_number",
    "plain_numbers",
    "refuse_tracing",
    "sequence",
    "shown",
    "vector",
]
