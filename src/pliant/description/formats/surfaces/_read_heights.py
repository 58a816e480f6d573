"""Tables of heights."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from pliant.description.language.grammar import Problem, RobotFileError, show

_EXPECTED = "rows of numbers, equally many in each, apart by commas or spaces"


def read_heights(path: str | os.PathLike[str], scale: float = 1.0) -> dict[str, Any]:
    """The word `heights` [m] of a table: a row for every x, in it a number for every y; scale: metres in its unit."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        table = np.array([[float(word) for word in row.replace(",", " ").split()] for row in text.splitlines() if row])
    except (OSError, ValueError) as error:
        message = f"cannot be read ({show(str(error))}); expected {_EXPECTED}"
        raise RobotFileError([Problem(os.fspath(path), None, "", None, message)]) from None
    return {"heights": (scale * table).tolist()}
