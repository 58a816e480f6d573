"""Rows of an element that is given by its poses alone: their motion comes from automatic differentiation.

For elements of one segment with flat coordinates. Only the poses at the ends of the rows are asked for.
"""

import abc
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from pliant.elements._contract import FlatCoordinates, Rows
from pliant.elements._rod_grid import Grid
from pliant.lie import se3


class PosedDetail(NamedTuple):
    """The configuration, and the motion (m, 6, nv) across each row per unit of the velocities."""

    prepared: Any
    q: Array
    subspace: Array


class PosedRows(FlatCoordinates, abc.ABC):
    """Rows, motion, drift and subspace of an element that says where its frames are."""

    hangs_together = True
    segments = 1
    grid: Grid

    @abc.abstractmethod
    def poses(self, prepared: Any, q: Array, fractions: tuple[float, ...]) -> Array: ...

    @property
    def rows_per_segment(self) -> int:
        return self.grid.end.shape[1]

    def _steps(self, prepared: Any, q: Array) -> Array:
        """(m, 4, 4) every row's end frame in its start frame."""
        ends = self.poses(prepared, q, tuple(float(end) for end in self.grid.end[0]))
        return se3.inverse(jnp.concatenate([jnp.eye(4)[None], ends[:-1]])) @ ends

    def _across(self, prepared: Any, q: Array, v: Array) -> Array:
        """(m, 6) body twist of each row's end frame relative to its start frame."""
        return se3.twist(*jax.jvp(lambda q: self._steps(prepared, q), (q,), (v,)))

    def rows(self, prepared: Any, q: Array) -> Rows:
        steps = self._steps(prepared, q)
        columns = jax.vmap(lambda v: self._across(prepared, q, v), out_axes=-1)(jnp.eye(len(q), dtype=q.dtype))
        return Rows(steps[None, :, :3, :3], steps[None, :, :3, 3], PosedDetail(prepared, q, columns))

    def relative(self, detail: PosedDetail, v: Array) -> Array:
        return (detail.subspace @ v)[None]

    def drift(self, detail: PosedDetail, v: Array) -> Array:
        return jax.jvp(lambda q: self._across(detail.prepared, q, v), (detail.q,), (v,))[1][None]

    def subspace(self, detail: PosedDetail) -> Array:
        return detail.subspace[None]
