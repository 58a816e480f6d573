"""Numbers of many equal things as one array."""

from collections.abc import Mapping, Sequence

import jax.numpy as jnp
import numpy as np
from jax import Array


def stacked(paths: Sequence[str], parameters: Mapping[str, Array]) -> Array:
    """(n, ...) the parameters at n paths, which have equal shapes. A path that occurs several times is read once, so
    that the program does not grow with the number of things that share a material."""
    different = list(dict.fromkeys(paths))
    values = jnp.stack([parameters[path] for path in different])
    if len(different) == len(paths):
        return values
    place = {path: index for index, path in enumerate(different)}
    return taken(values, [place[path] for path in paths])


def taken(values: Array, rows: Sequence[int] | np.ndarray) -> Array:
    """values[rows] for rows that are known and in range, in one operation."""
    return values.at[np.asarray(rows, dtype=np.uint32)].get(mode="promise_in_bounds")
