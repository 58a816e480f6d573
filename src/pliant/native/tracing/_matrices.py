"""Cholesky and LU factors and triangular systems: written out while small, routines of the runtime beyond."""

import functools
from typing import Any

import numpy as np

from pliant.native._casadi import casadi

WRITTEN_OUT = 24  # largest matrix whose factors are written out, element by element
LARGE_PRODUCT = 400  # elements of a matrix from which on it is multiplied in a loop


def cholesky(matrix: Any, n: int) -> Any:
    """Lower factor as a dense n x n SX; the strict upper triangle is zero. matrix: SX n x n, its lower part is read.
    Of a matrix that is not positive definite the whole diagonal is NaN, and so is what is solved with it."""
    ca = casadi()
    factor = ca.SX.zeros(n, n)
    squares = []
    for j in range(n):
        rest = matrix[j:, j]
        if j:
            rest = rest - ca.mtimes(factor[j:, :j], factor[j, :j].T)
        squares.append(rest[0])
        pivot = ca.sqrt(rest[0])
        factor[j, j] = pivot
        if j + 1 < n:
            factor[j + 1 :, j] = rest[1:] * (1.0 / pivot)
    failed = functools.reduce(ca.logic_or, [square <= 0 for square in squares]) if n else None
    for j in range(n):
        factor[j, j] = ca.if_else(failed, np.nan, factor[j, j])
    return factor


def triangular(matrix: Any, right: Any, n: int, lower: bool, unit: bool) -> Any:
    """Solution X (n x m) of a triangular system matrix X = right."""
    ca = casadi()
    order = range(n) if lower else range(n - 1, -1, -1)
    solution = ca.SX.zeros(n, right.shape[1])
    for i in order:
        known = slice(0, i) if lower else slice(i + 1, n)
        rest = right[i, :]
        if (i if lower else n - 1 - i) > 0:
            rest = rest - ca.mtimes(matrix[i, known], solution[known, :])
        solution[i, :] = rest if unit else rest * (1.0 / matrix[i, i])
    return solution


def rows_to_matrix(column: Any, rows: int, columns: int) -> Any:
    """Elements in C order as a matrix."""
    return casadi().reshape(column, columns, rows).T


def matrix_to_rows(matrix: Any) -> Any:
    return casadi().vec(casadi().densify(matrix).T)
