"""JAX is configured (double precision, compilation cache) before any array of Pliant exists."""

import pliant._jax  # noqa: F401
