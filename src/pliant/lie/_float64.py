"""JAX computes in float64 before any array of Pliant exists."""

import pliant._jax  # noqa: F401
