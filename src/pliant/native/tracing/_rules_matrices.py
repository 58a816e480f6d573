"""Rules of primitives that factor matrices and solve with them, and of Stumpff functions."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from jax import ShapeDtypeStruct

from pliant.native._casadi import casadi
from pliant.native._errors import UnsupportedError
from pliant.native._program import Call
from pliant.native.tracing._equations import jaxpr_of, opened
from pliant.native.tracing._matrices import (
    LARGE_PRODUCT,
    WRITTEN_OUT,
    cholesky,
    matrix_to_rows,
    rows_to_matrix,
    triangular,
)
from pliant.native.tracing._scratch import Scratch
from pliant.native.tracing._structural import accumulated
from pliant.native.tracing._values import Value, elements_of, joined, pick, positions, shape_of, symbolic
from pliant.numerics import HIGHEST_ORDER


class MatrixRules(Scratch):
    def is_by_routine(self, equation: Any, values: list[Value]) -> bool:
        """Whether a product is one of a large matrix, as it lies in a buffer, and a vector: in a loop several elements
        are taken at once, and written out it would be more code than a processor keeps at hand."""
        _, batch = equation.params["dimension_numbers"]
        matrix, vector = _matrix_first(values)
        if any(batch) or len(shape_of(matrix)) != 2 or len(shape_of(vector)) != 1:
            return False
        return math.prod(shape_of(matrix)) >= LARGE_PRODUCT and self.lies(matrix)

    def _dot_general(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        matrix, vector = _matrix_first(values)
        contracted = equation.params["dimension_numbers"][0][0 if matrix is values[0] else 1]
        routine = "pliant_of_rows" if contracted == (1,) else "pliant_of_columns"
        inputs, out = (self.held(matrix), self.held(vector)), self.buffer(avals[0].shape[0])
        self.statements.append(Call(routine, shape_of(matrix), inputs, (out,)))
        return self.view(out, avals)

    def _cholesky(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        *batch, n, _ = avals[0].shape

        def one(column: Any) -> Any:
            if n <= WRITTEN_OUT:
                return matrix_to_rows(cholesky(rows_to_matrix(column, n, n), n))
            source, out = self.held(symbolic(column, (n * n,), float)), self.buffer(n * n)
            self.statements.append(Call("pliant_cholesky", (n,), (source,), (out,)))
            return out.symbols

        return [_each(one, math.prod(batch), avals[0], values[0])]

    def _triangular_solve(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        p, (a, b) = equation.params, values
        *batch, rows, columns = shape_of(b)
        n = shape_of(a)[-1]
        lower = bool(p["lower"]) != bool(p["transpose_a"])
        unit = bool(p["unit_diagonal"])

        def one(matrix: Any, right: Any) -> Any:
            x, y = rows_to_matrix(matrix, n, n), rows_to_matrix(right, rows, columns)
            # X A = B is A' X' = B'.
            if p["left_side"]:
                x, down = (x.T if p["transpose_a"] else x), lower
            else:
                x, y, down = (x if p["transpose_a"] else x.T), y.T, not lower
            if n <= WRITTEN_OUT:
                solved = triangular(x, y, n, down, unit)
            else:
                first = self.held(symbolic(matrix_to_rows(x), (n * n,), float))
                many = y.shape[1]
                second = self.held(symbolic(matrix_to_rows(y), (n * many,), float))
                out = self.buffer(n * many)
                self.statements.append(
                    Call("pliant_triangular", (n, many, int(down), int(unit)), (first, second), (out,))
                )
                solved = rows_to_matrix(out.symbols, n, many)
            return matrix_to_rows(solved if p["left_side"] else solved.T)

        return [_each(one, math.prod(batch), avals[0], a, b)]

    def _lu(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        *batch, n, m = avals[0].shape
        if n != m:
            raise UnsupportedError(f"{self.name} factors an oblong matrix, at {self.source()}")
        source, count = self.held(values[0]), math.prod(batch)
        parts: list[list[Value]] = []
        for index in range(count):
            out = self.buffer(n * n + 2 * n)
            self.statements.append(Call("pliant_lu", (n,), (source.part(index * n * n, n * n),), (out,)))
            parts.append(self.view(out, [ShapeDtypeStruct(a.shape[len(batch) :], a.dtype) for a in avals]))
        return [_stacked([part[i] for part in parts], aval) for i, aval in enumerate(avals)]

    def _lu_pivots_to_permutation(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        size = equation.params["permutation_size"]
        *batch, pivots = shape_of(values[0])
        source, outs = self.held(values[0]), []
        for index in range(math.prod(batch)):
            out = self.buffer(size)
            part = source.part(index * pivots, pivots)
            self.statements.append(Call("pliant_permutation", (pivots, size), (part,), (out,)))
            outs.append(symbolic(out.symbols, (size,), avals[0].dtype))
        return [_stacked(outs, avals[0])]

    def _custom_linear_solve(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        lengths, jaxprs = equation.params["const_lengths"], equation.params["jaxprs"]
        begin = lengths.matvec + lengths.vecmat
        given = values[begin : begin + lengths.solve] + values[sum(lengths) :]
        return self.walk(*opened(jaxprs.solve), given)

    def _running_sum(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        return [accumulated("cumsum", values[0], equation.params, avals[0].dtype)]

    def _symmetric(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        """Every element above the diagonal is the one below it, so that nothing needs what it was."""
        shape = shape_of(values[0])
        row, column = np.indices(shape[-2:])
        return [pick(values[0], positions(shape)[..., np.maximum(row, column), np.minimum(row, column)])]

    def _grid_spline(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        coefficients, place = values
        order, shape = equation.params["order"], shape_of(place)
        if order > HIGHEST_ORDER:
            raise UnsupportedError(f"{self.name} uses derivatives of order {order} of a grid, at {self.source()}")
        out = self.buffer(math.prod(avals[0].shape))
        sizes = (math.prod(shape[:-1]), *shape_of(coefficients), order)
        inputs = (self.held(coefficients), self.held(place))
        self.statements.append(Call("pliant_grid_spline", sizes, inputs, (out,)))
        return self.view(out, avals)

    def _nearest_piece(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        count, pieces = avals[0].shape[0], shape_of(values[3])[0]
        out, inputs = self.buffer(4 * count), tuple(self.held(value) for value in values)
        self.statements.append(Call("pliant_nearest_piece", (count, pieces), inputs, (out,)))
        return self.view(out, avals)

    def _stumpff(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        if not self.routines:
            arrays, _ = jaxpr_of(partial(equation.primitive.impl, **equation.params), [equation.invars[0].aval])
            return self.walk(*opened(arrays), values)
        source, out = self.held(values[0]), self.buffer(math.prod(avals[0].shape))
        self.statements.append(Call("pliant_stumpff", (source.size, equation.params["highest"]), (source,), (out,)))
        return self.view(out, avals)


def _matrix_first(values: list[Value]) -> tuple[Value, Value]:
    one, other = values
    return (one, other) if len(shape_of(one)) >= len(shape_of(other)) else (other, one)


def _each(one: Callable[..., Any], count: int, aval: Any, *values: Value) -> Value:
    """`one` on the columns of every member of a batch."""
    columns = [elements_of(value) for value in values]
    sizes = [column.shape[0] // max(count, 1) for column in columns]
    results = [
        one(*(column[i * size : (i + 1) * size] for column, size in zip(columns, sizes, strict=True)))
        for i in range(count)
    ]
    return symbolic(casadi().vertcat(*results), tuple(aval.shape), aval.dtype)


def _stacked(parts: list[Value], aval: Any) -> Value:
    """Members of a batch as one value."""
    if not parts:
        return np.zeros(aval.shape, aval.dtype)
    return pick(joined(parts), positions(tuple(aval.shape)))
