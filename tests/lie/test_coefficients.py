"""Stumpff functions against exact rational series: value and two derivatives on both sides of the change-over."""

from fractions import Fraction
from math import factorial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pliant.lie._coefficients import HIGHEST, SERIES_LIMIT, stumpff

THETA = np.concatenate(
    [
        [0.0, 1e-12, 1e-8, 1e-4, 1e-2, 0.1, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, np.pi, 4.0, 5.0, 6.0, 7.0],
        np.sqrt(SERIES_LIMIT) + np.array([-1e-9, 1e-9, 0.1]),
    ]
)


def exact(k: int, x: float, derivative: int) -> float:
    """Derivative of c_k at the float x, summed in rationals."""
    argument, total = Fraction(x), Fraction(0)
    for j in range(derivative, derivative + 60):
        falling = factorial(j) // factorial(j - derivative)
        total += Fraction((-1) ** j * falling, factorial(k + 2 * j)) * argument ** (j - derivative)
    return float(total)


@pytest.fixture(scope="module")
def computed() -> np.ndarray:
    """(derivative, point, k)."""

    def values(x):
        return jnp.stack(stumpff(x))

    first = jax.jacfwd(values)
    second = jax.jacfwd(jax.jacrev(values))
    all_orders = jax.jit(jax.vmap(lambda x: (values(x), first(x), second(x))))
    return np.stack(all_orders(jnp.asarray(THETA**2)))


# Values are relative to the larger of the coefficient and its bound 1/k! divided by 1 + x, its size where it does not
# pass through zero (c_0, c_1 and the derivatives do).
@pytest.mark.parametrize(("derivative", "tolerance"), [(0, 2e-14), (1, 1e-13), (2, 5e-13)])
def test_matches_the_exact_series(computed, derivative, tolerance):
    reference = np.array([[exact(k, float(t * t), derivative) for k in range(HIGHEST + 1)] for t in THETA])
    size = np.array([factorial(derivative) / factorial(k + 2 * derivative) for k in range(HIGHEST + 1)])
    size = size / (1.0 + THETA[:, None] ** 2 / 10.0)
    error = np.abs(computed[derivative] - reference) / np.maximum(np.abs(reference), size)
    assert error.max() < tolerance, np.argwhere(error >= tolerance)


def test_derivative_identity(computed):
    """2 c_k' = k c_{k+2} - c_{k+1}."""
    values, first = computed[0], computed[1]
    for k in range(HIGHEST - 1):
        np.testing.assert_allclose(2 * first[:, k], k * values[:, k + 2] - values[:, k + 1], rtol=0, atol=2e-14)
