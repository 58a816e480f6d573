"""Scalar function bases on s in [0, 1]: hashable descriptions, evaluated once on the host when a model is built."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.polynomial import chebyshev, legendre, polynomial

Side = Literal["left", "right"]


class Basis(Protocol):
    """What every basis offers."""

    @property
    def count(self) -> int:
        """Number of functions."""
        ...

    @property
    def breaks(self) -> tuple[float, ...]:
        """Interior fractions, ascending, where some function is not smooth; quadrature intervals end there."""
        ...

    def evaluate(self, s: np.ndarray, side: Side = "right") -> np.ndarray:
        """Values (len(s), count) at fractions s; exactly on a break, the limit from the given side."""
        ...


def _require_at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")


@dataclass(frozen=True)
class _Polynomial(ABC):
    """Polynomials of degree 0 .. order."""

    order: int

    def __post_init__(self) -> None:
        _require_at_least("order", self.order, 0)

    @property
    def count(self) -> int:
        return self.order + 1

    @property
    def breaks(self) -> tuple[float, ...]:
        return ()

    @abstractmethod
    def evaluate(self, s: np.ndarray, side: Side = "right") -> np.ndarray: ...


class Legendre(_Polynomial):
    """Legendre polynomials P_0 .. P_order shifted to [0, 1]; orthogonal, with integral of P_k^2 = 1/(2k+1)."""

    def evaluate(self, s: np.ndarray, side: Side = "right") -> np.ndarray:
        return legendre.legvander(2.0 * np.asarray(s, dtype=float) - 1.0, self.order)


class Chebyshev(_Polynomial):
    """Chebyshev polynomials of the first kind T_0 .. T_order shifted to [0, 1]."""

    def evaluate(self, s: np.ndarray, side: Side = "right") -> np.ndarray:
        return chebyshev.chebvander(2.0 * np.asarray(s, dtype=float) - 1.0, self.order)


class Monomial(_Polynomial):
    """1, s, .., s^order."""

    def evaluate(self, s: np.ndarray, side: Side = "right") -> np.ndarray:
        return polynomial.polyvander(np.asarray(s, dtype=float), self.order)


@dataclass(frozen=True)
class PiecewiseConstant:
    """Indicators of equal pieces; a break belongs to the piece on its right, s = 1 to the last piece."""

    pieces: int

    def __post_init__(self) -> None:
        _require_at_least("pieces", self.pieces, 1)

    @property
    def count(self) -> int:
        return self.pieces

    @property
    def breaks(self) -> tuple[float, ...]:
        return tuple(piece / self.pieces for piece in range(1, self.pieces))

    def evaluate(self, s: np.ndarray, side: Side = "right") -> np.ndarray:
        piece = np.searchsorted(np.array(self.breaks), np.asarray(s, dtype=float), side=side)
        return np.eye(self.pieces)[piece]


@dataclass(frozen=True)
class UserBasis:
    """Functions given as one callable s (n,) -> (n, count), smooth between the breaks."""

    function: Callable[[np.ndarray], np.ndarray]
    count: int
    breaks: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        _require_at_least("count", self.count, 1)
        if list(self.breaks) != sorted(set(self.breaks)) or any(not 0.0 < b < 1.0 for b in self.breaks):
            raise ValueError(f"breaks must ascend strictly inside (0, 1), got {self.breaks}")

    def evaluate(self, s: np.ndarray, side: Side = "right") -> np.ndarray:
        s = np.asarray(s, dtype=float)
        # The callable knows nothing of sides, so a point on a break is moved by one unit in the last place.
        beside = np.nextafter(s, 1.0 if side == "right" else 0.0)
        values = np.asarray(self.function(np.where(np.isin(s, self.breaks), beside, s)), dtype=float)
        if values.shape != (s.size, self.count):
            raise ValueError(f"user basis returned shape {values.shape}, expected {(s.size, self.count)}")
        return values
