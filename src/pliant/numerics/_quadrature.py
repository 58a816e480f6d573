"""Gauss-Legendre quadrature, on the host: nodes are structure, not traced numbers."""

from functools import cache

import numpy as np


@cache
def gauss_legendre(count: int) -> tuple[np.ndarray, np.ndarray]:
    """(nodes, weights), each (count,), on [0, 1]; exact for polynomials of degree 2 count - 1. Read-only arrays."""
    if count < 1:
        raise ValueError(f"gauss_legendre needs at least 1 node, got {count}")
    nodes, weights = np.polynomial.legendre.leggauss(count)
    nodes, weights = 0.5 * (nodes + 1.0), 0.5 * weights
    nodes.setflags(write=False)
    weights.setflags(write=False)
    return nodes, weights
