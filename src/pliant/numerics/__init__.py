"""Quadrature, function bases, dense linear solves, Newton's method and result codes. Knows no robots."""

# Importing the folder above switches double precision on before any array is made here.
import pliant.lie  # noqa: F401
from pliant._scalars import for_scalars, tracing_for_scalars

from ._bases import Basis, Chebyshev, Legendre, Monomial, PiecewiseConstant, UserBasis
from ._gmres import gmres
from ._grid_spline import ENDS as SPLINE_ENDS
from ._grid_spline import HIGHEST_ORDER, derivatives_to, grid_spline
from ._jacobian import forward_jacobian
from ._linear import (
    blocks_solvable,
    checked_cholesky_solve,
    cholesky,
    cholesky_solve,
    lu_solve,
    small_cholesky,
    small_cholesky_solve,
    solve_semidefinite,
    solve_symmetric_positive,
)
from ._nearest_piece import NEAREST, Curve, nearest_piece
from ._newton import CERTAIN, FLOOR, NewtonResult, newton
from ._primitives import known_symmetric, running_sum
from ._programs import expect_programs_of, forget_programs_when_many
from ._quadrature import gauss_legendre
from ._result import ResultCode, SolveError
from ._small import apply, apply_transposed, multiply, symmetric_product

__all__ = [
    "CERTAIN",
    "FLOOR",
    "HIGHEST_ORDER",
    "NEAREST",
    "SPLINE_ENDS",
    "Basis",
    "Chebyshev",
    "Curve",
    "Legendre",
    "Monomial",
    "NewtonResult",
    "PiecewiseConstant",
    "ResultCode",
    "SolveError",
    "UserBasis",
    "apply",
    "apply_transposed",
    "blocks_solvable",
    "checked_cholesky_solve",
    "cholesky",
    "cholesky_solve",
    "derivatives_to",
    "expect_programs_of",
    "for_scalars",
    "forget_programs_when_many",
    "forward_jacobian",
    "gauss_legendre",
    "gmres",
    "grid_spline",
    "known_symmetric",
    "lu_solve",
    "multiply",
    "nearest_piece",
    "newton",
    "running_sum",
    "small_cholesky",
    "small_cholesky_solve",
    "solve_semidefinite",
    "solve_symmetric_positive",
    "symmetric_product",
    "tracing_for_scalars",
]
