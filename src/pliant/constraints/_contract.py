"""The constraint contract: equations that a robot keeps, and the forces that see to it.

A constraint is static structure only: all constraints of one kind together. Like an interaction it gets its numbers
from `prepare`, and everything after is a pure function of (numbers, at), `at` being the state at which the robot is
evaluated (see `pliant.interactions`). Its multipliers are the forces; `dynamics` finds them.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.blueprint import Programme
from pliant.interactions import Drawing, Effort, Port, Push


class Rates(NamedTuple):
    """(m,) the equations, and their first and second derivative by time. `second` is what has to be zero: of equations
    that a controller leads, its law."""

    value: Array
    first: Array
    second: Array


@dataclasses.dataclass(frozen=True, eq=False)
class Constraint:
    """names: of its members; rows: how many equations each has."""

    names: tuple[str, ...]
    rows: tuple[int, ...]

    @property
    def count(self) -> int:
        """Equations of all members."""
        return sum(self.rows)

    @property
    def slices(self) -> dict[str, slice]:
        """Rows of each member among those of this kind."""
        ends = np.cumsum([0, *self.rows])
        return {name: slice(int(ends[i]), int(ends[i + 1])) for i, name in enumerate(self.names)}

    @property
    def units(self) -> tuple[str, ...]:
        """Units of the values of all rows."""
        return ("m or rad",) * self.count

    @property
    def ports(self) -> tuple[Port, ...]:
        """Values it takes from outside."""
        return ()

    @property
    def efforts(self) -> tuple[Effort, ...]:
        """Multipliers that are an actuator's effort, in the order of the rows; empty: reactions."""
        return ()

    @property
    def programmes(self) -> tuple[Programme, ...]:
        """Programmes whose jumps a stepper has to land on."""
        return tuple(port.programme for port in self.ports if port.programme is not None)

    @property
    def prescribes(self) -> bool:
        """Whether it moves the robot as a programme or a controller says, which takes work."""
        return False

    @property
    def led(self) -> bool:
        """Whether a controller leads the robot towards it, instead of holding it there exactly."""
        return False

    @property
    def through(self) -> Mapping[str, int]:
        """Actuators that keep it: name -> the row whose multiplier is the effort; the other rows have reactions."""
        return {}

    @property
    def coupled_rows(self) -> tuple[np.ndarray, ...]:
        """Sets of rows of the tree that it ties together."""
        return ()

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        """What to draw of it."""
        return ()

    def prepare(self, parameters: Mapping[str, Array]) -> Any:
        """What the other methods need, from the parameters."""
        return ()

    def values(self, numbers: Any, at: Any) -> Array:
        """(m,) how far it is from kept [m or rad]."""
        raise NotImplementedError

    def rates(self, numbers: Any, at: Any, a: Array, acceleration: Array) -> Rates:
        """a (nv,); acceleration (R + 1, 6): spatial, of the rows of the tree."""
        raise NotImplementedError

    def push(self, numbers: Any, at: Any, multipliers: Array) -> Push:
        """What multipliers (m,) do to the robot: the transpose of its derivative along the velocities."""
        raise NotImplementedError

    def reactions(self, numbers: Any, at: Any, multipliers: Array) -> Mapping[str, Array]:
        """Member -> wrench (6,) [moment; force] on its second frame, at that frame and in its axes."""
        return {}

    def gap_words(self, rows: np.ndarray) -> str:
        """How far a member with these values of its rows is from kept, for a message."""
        return f"{', '.join(f'{value:.4g}' for value in rows)} (rad or m) from its place"

    def travel(self, numbers: Any, at: Any) -> Array:
        """(n,) what the efforts work on."""
        return jnp.zeros(0)

    def standing(self, numbers: Any, at: Any) -> Mapping[str, Array]:
        """Values of the walked ports at which it would leave the robot where it is."""
        return {}
