"""Magnus steps for the body equation T' = T hat(xi(s)): one interval of length h is T(h) = T(0) exp(Omega).

Gauss-Legendre collocation, Blanes, Casas, Oteo and Ros, "The Magnus expansion and some of its applications",
Physics Reports 470 (2009), section 5. The sign of the commutator is that of the right-multiplied equation, opposite
to the Y' = A Y of the paper.
"""

from math import sqrt

import jax
import jax.numpy as jnp

from . import _se3 as se3

_COMMUTATOR_WEIGHT = sqrt(3.0) / 12.0


def _trailing(h: jax.Array | float, dimensions: int) -> jax.Array:
    """h with trailing axes of length 1 unless it is a scalar, so that batches line up."""
    h = jnp.asarray(h)
    return h if h.ndim == 0 else h.reshape(*h.shape, *([1] * dimensions))


def magnus2(h: jax.Array | float, xi_middle: jax.Array) -> jax.Array:
    """Omega (..., 6), error O(h^3) per interval, from the strain (..., 6) at the midpoint; h (...) in m."""
    return _trailing(h, 1) * xi_middle


def magnus4_bracket(h: jax.Array | float, xi1: jax.Array, xi2: jax.Array) -> jax.Array:
    """The commutator term of magnus4, sqrt(3)/12 h^2 ad(xi1) xi2: linear in each strain."""
    h = _trailing(h, 1)
    return (_COMMUTATOR_WEIGHT * h * h) * se3.bracket(xi1, xi2)


def magnus4(h: jax.Array | float, xi1: jax.Array, xi2: jax.Array) -> jax.Array:
    """Omega (..., 6), error O(h^5) per interval, from the strains at h (1/2 -+ sqrt(3)/6); h (...) in m.

    Omega = h/2 (xi1 + xi2) + sqrt(3)/12 h^2 ad(xi1) xi2.
    """
    return magnus2(h, 0.5 * (xi1 + xi2)) + magnus4_bracket(h, xi1, xi2)


def magnus4_derivative(
    h: jax.Array | float, xi1: jax.Array, xi2: jax.Array, basis1: jax.Array, basis2: jax.Array
) -> jax.Array:
    """dOmega/dq (..., 6, n) of magnus4 for strains xi_j = B_j q + reference_j with bases B_j (..., 6, n).

    h/2 (B1 + B2) + sqrt(3)/12 h^2 (ad(xi1) B2 - ad(xi2) B1). With rates of strain for the bases, the last axis
    of length 1, it is the time derivative of Omega.
    """
    h = _trailing(h, 2)
    columns1, columns2 = jnp.swapaxes(basis1, -1, -2), jnp.swapaxes(basis2, -1, -2)
    commutator = se3.bracket(xi1[..., None, :], columns2) - se3.bracket(xi2[..., None, :], columns1)
    return 0.5 * h * (basis1 + basis2) + (_COMMUTATOR_WEIGHT * h * h) * jnp.swapaxes(commutator, -1, -2)
