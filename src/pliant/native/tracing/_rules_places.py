"""Rules of primitives that read and write at places known only when the program runs."""

import math
from typing import Any

import numpy as np

from pliant.native._errors import UnsupportedError
from pliant.native._program import Call
from pliant.native.tracing._elementwise import elementwise
from pliant.native.tracing._indexing import Windows, gather_windows, scatter_windows, windows
from pliant.native.tracing._scratch import Scratch
from pliant.native.tracing._structural import fill_of, gathered
from pliant.native.tracing._values import Value, is_known, joined, pick, positions, shape_of, symbolic


class PlaceRules(Scratch):
    def _gather(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        shape = tuple(avals[0].shape)
        if is_known(values[1]):
            return [gathered(values, shape, equation.params)]
        operand, indices = values
        where = gather_windows(shape_of(operand), shape_of(indices), shape, equation.params)
        outside = None
        if "FILL" in str(equation.params["mode"]).upper():
            outside = fill_of(operand.dtype, equation.params["fill_value"])
        return [pick(self._read(where, operand, indices, outside), where.order)]

    def _read(self, where: Windows, operand: Value, indices: Value, outside: Value | None = None) -> Value:
        """outside: what stands out of bounds; without it, places are moved inside."""
        inputs = [self.held(operand), self.held(indices)]
        if outside is None and where.is_one_run:
            sizes = (len(where.inside), int(where.strides[0]), int(where.limit[0]))
            out = self.buffer(len(where.inside))
            self.statements.append(Call("pliant_take", sizes, tuple(inputs), (out,)))
            return symbolic(out.symbols, (out.size,), operand.dtype)
        routine = "pliant_gather"
        if outside is not None:
            routine, inputs = "pliant_gather_filled", [*inputs, self.held(outside)]
        out = self.buffer(len(where.batch) * len(where.inside))
        self.statements.append(Call(routine, where.sizes, tuple(inputs), (out,), where.tables))
        return symbolic(out.symbols, (out.size,), operand.dtype)

    def _changed(self, routine: str, where: Windows, operand: Value, indices: Value, updates: Value) -> Value:
        at, given, out = self.held(indices), self.held(updates), self.written([operand])
        self.statements.append(Call(routine, where.sizes, (at, given), (out,), where.tables))
        return symbolic(out.symbols, (out.size,), operand.dtype)

    def _scatter(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        name = equation.primitive.name
        operand, indices, updates = values
        if name == "scatter-sub":
            name, updates = "scatter-add", elementwise("neg", [updates], shape_of(updates), updates.dtype, {})
        routines = {"scatter": "pliant_scatter", "scatter-add": "pliant_scatter_add"}
        if name not in routines:
            raise UnsupportedError(f"{self.name} uses {name!r} at places known only later, at {self.source()}")
        clipped = "_clipped" if "CLIP" in str(equation.params["mode"]).upper() else ""
        where = scatter_windows(shape_of(operand), shape_of(indices), shape_of(updates), equation.params)
        inverse = np.empty(where.order.size, dtype=np.int64)
        inverse[where.order.reshape(-1)] = np.arange(where.order.size)
        result = self._changed(routines[name] + clipped, where, operand, indices, pick(updates, inverse))
        return [pick(result, positions(tuple(avals[0].shape)))]

    _scatter_add = _scatter_sub = _scatter_mul = _scatter_min = _scatter_max = _scatter

    def _dynamic_slice(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        operand, *starts = values
        shape, sizes = shape_of(operand), equation.params["slice_sizes"]
        if all(map(is_known, starts)):
            begin = [int(np.clip(s, 0, n - k)) for s, n, k in zip(starts, shape, sizes, strict=True)]
            box = tuple(slice(b, b + k) for b, k in zip(begin, sizes, strict=True))
            return [pick(operand, positions(shape)[box])]
        where = _box(shape, sizes)
        return [pick(self._read(where, operand, _column(starts)), where.order)]

    def _dynamic_update_slice(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        operand, update, *starts = values
        shape, sizes = shape_of(operand), shape_of(update)
        if all(map(is_known, starts)):
            begin = [int(np.clip(s, 0, n - k)) for s, n, k in zip(starts, shape, sizes, strict=True)]
            ids = positions(shape).copy()
            ids[tuple(slice(b, b + k) for b, k in zip(begin, sizes, strict=True))] = math.prod(shape) + positions(sizes)
            return [pick(joined([operand, update]), ids)]
        where = _box(shape, sizes)
        result = self._changed("pliant_scatter_clipped", where, operand, _column(starts), update)
        return [pick(result, positions(shape))]


def _column(values: list[Value]) -> Value:
    column = joined([pick(v, np.zeros(1, dtype=np.int64)) for v in values])
    return column


def _box(shape: tuple[int, ...], sizes: tuple[int, ...]) -> Windows:
    """Windows of a dynamic slice: one, of these sizes."""
    dims = tuple(range(len(shape)))
    return windows(shape, tuple(sizes), tuple(sizes), (len(shape),), dims, (), dims, (), ())
