"""The sentence that belongs to a result code."""

import numpy as np
from jax import Array

from pliant.numerics import ResultCode


def message(code: Array | np.ndarray | int) -> str:
    """The sentence for one result code."""
    number = int(np.asarray(code))
    try:
        return ResultCode(number).message
    except ValueError:  # a file of a later version
        return f"Result code {number}, which this version does not know."
