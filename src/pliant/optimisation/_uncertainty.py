"""What a least-squares fit says about its own unknowns: covariance, and the directions the data do not see."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

# Derivatives through a converged solve carry errors near its tolerance, 1e-10; singular values of the Jacobian with
# columns of unit length that are this small say nothing.
_RANK_TOLERANCE = 1e-7
_NO_INFLUENCE = 1e-12  # length of a column, relative to the longest
_TAKES_PART = 0.1  # component of a null direction, relative to its largest

# Derivative of each loss by z, the square of a residual over its scale; the weight a residual keeps.
WEIGHT_OF_LOSS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "linear": np.ones_like,
    "soft_l1": lambda z: 1.0 / np.sqrt(1.0 + z),
    "huber": lambda z: 1.0 / np.sqrt(np.maximum(z, 1.0)),
    "cauchy": lambda z: 1.0 / (1.0 + z),
}


class Uncertainty(NamedTuple):
    """covariance (n, n): infinite variance for an unknown in a null direction, nan for one that is not free.
    null: for every direction the data do not see, the unknowns in it."""

    covariance: np.ndarray
    null: tuple[tuple[int, ...], ...]


def uncertainty(
    jacobian: np.ndarray, residuals: np.ndarray, free: np.ndarray, known_sigma: bool, loss: str, loss_scale: float
) -> Uncertainty:
    """Covariance of the unknowns of a fit with weighted residuals (m,) and their derivatives (m, n); free (n,) leaves
    out those at a bound.

    Residuals of known deviation give (J^T J)^-1; otherwise the deviation is estimated from them, with m - n degrees
    of freedom. Under a robust loss the deviations are not taken to be equal: the sandwich estimate (Huber 1967).
    """
    count, unknowns = jacobian.shape
    covariance = np.full((unknowns, unknowns), np.nan)
    columns = np.flatnonzero(free)
    inverse, null = _inverse(jacobian[:, columns], residuals, loss, loss_scale)
    spare = count - len(columns) + len(null)
    if loss != "linear":
        weight = WEIGHT_OF_LOSS[loss]((residuals / loss_scale) ** 2)
        scores = jacobian[:, columns] * (weight * residuals)[:, None]
        inverse = inverse @ (scores.T @ scores) @ inverse * (count / spare if spare > 0 else np.nan)
    elif not known_sigma:
        inverse = inverse * (residuals @ residuals / spare if spare > 0 else np.nan)
    for position in {position for direction in null for position in direction}:
        inverse[position, :] = inverse[:, position] = np.nan
        inverse[position, position] = np.inf
    covariance[np.ix_(columns, columns)] = inverse
    return Uncertainty(covariance, tuple(tuple(int(columns[i]) for i in direction) for direction in null))


def _inverse(
    jacobian: np.ndarray, residuals: np.ndarray, loss: str, loss_scale: float
) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """Inverse of J^T W J on what the data see, and the columns in each null direction."""
    unknowns = jacobian.shape[1]
    weighted = jacobian * np.sqrt(WEIGHT_OF_LOSS[loss]((residuals / loss_scale) ** 2))[:, None]
    length = np.linalg.norm(weighted, axis=0)
    silent = length <= _NO_INFLUENCE * length.max(initial=0.0)
    length = np.where(silent, 1.0, length)
    _, values, directions = np.linalg.svd(np.where(silent, 0.0, weighted / length), full_matrices=True)
    values = np.concatenate([values, np.zeros(unknowns - len(values))])
    seen = values > _RANK_TOLERANCE * values.max(initial=0.0)
    scaled = directions[seen] / length
    inverse = (scaled.T / values[seen] ** 2) @ scaled
    null = [np.flatnonzero(np.abs(d) > _TAKES_PART * np.abs(d).max()) for d in directions[~seen]]
    return inverse, [tuple(int(i) for i in direction) for direction in null]


def correlation(covariance: np.ndarray) -> np.ndarray:
    """(n, n) of a covariance; nan where a deviation is zero, infinite or not known."""
    deviation = np.sqrt(np.diag(covariance))
    usable = np.where(np.isfinite(deviation) & (deviation > 0.0), deviation, np.nan)
    return covariance / np.outer(usable, usable)
