"""Values of a trace: arrays whose elements are known numbers, or scalar expressions.

A known array is a NumPy array. A `Symbolic` holds its elements, in C order, as a dense column of CasADi scalars, some
of which may be constants: CasADi folds zeros and ones while expressions are made. Booleans and integers are numbers too
(0 and 1, whole); the dtype remembers what they stand for.
"""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pliant.native._casadi import casadi
from pliant.native._program import Buffer

Value = Any  # np.ndarray | Symbolic


@dataclasses.dataclass(frozen=True, eq=False)
class Symbolic:
    shape: tuple[int, ...]
    dtype: np.dtype
    elements: Any  # casadi.SX, dense (n, 1)

    @property
    def size(self) -> int:
        return math.prod(self.shape)


class Stored(Symbolic):
    """A long array that lies whole in a buffer. Its elements become scalars when something asks for them, so that one
    of which a program only reads parts stays what it is."""

    buffer: Buffer
    opened: Callable[[Buffer], Any]

    def __init__(self, shape: tuple[int, ...], dtype: Any, buffer: Buffer, opened: Callable[[Buffer], Any]) -> None:
        for name, value in (("shape", shape), ("dtype", np.dtype(dtype)), ("buffer", buffer), ("opened", opened)):
            object.__setattr__(self, name, value)

    @property
    def elements(self) -> Any:  # type: ignore[override]
        return self.opened(self.buffer)


def is_known(value: Value) -> bool:
    return not isinstance(value, Symbolic)


def shape_of(value: Value) -> tuple[int, ...]:
    return value.shape if isinstance(value, Symbolic) else tuple(np.shape(value))


def elements_of(value: Value) -> Any:
    """The elements as a dense column of CasADi scalars."""
    if isinstance(value, Symbolic):
        return value.elements
    return casadi().SX(casadi().DM(np.asarray(value, dtype=np.float64).reshape(-1, 1)))


def symbolic(elements: Any, shape: tuple[int, ...], dtype: Any) -> Value:
    if not math.prod(shape):
        return np.zeros(shape, dtype)  # nothing in it to be unknown
    return Symbolic(tuple(shape), np.dtype(dtype), casadi().vec(casadi().densify(elements)))


def pick(value: Value, index: np.ndarray) -> Value:
    """The elements at flat positions `index`, in its shape."""
    if is_known(value):
        return np.asarray(value).reshape(-1)[index]
    if isinstance(value, Stored) and index.size == value.size and np.array_equal(index.reshape(-1), range(index.size)):
        return Stored(index.shape, value.dtype, value.buffer, value.opened)
    chosen = value.elements.nz[index.reshape(-1).tolist()] if index.size else casadi().SX.zeros(0, 1)
    return symbolic(chosen, index.shape, value.dtype)


def positions(shape: tuple[int, ...]) -> np.ndarray:
    """Flat positions of an array of this shape, in its shape."""
    return np.arange(math.prod(shape), dtype=np.int64).reshape(shape)


def joined(values: list[Value]) -> Value:
    """All elements of several values in one column; known if all are."""
    if all(is_known(value) for value in values):
        return np.concatenate([np.asarray(value).reshape(-1) for value in values])
    columns = [elements_of(value) for value in values]
    dtype = next(value.dtype for value in values if isinstance(value, Symbolic))
    column = casadi().vertcat(*columns)
    return symbolic(column, (column.shape[0],), dtype)
