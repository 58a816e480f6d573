"""Which of two equal orders of operations to take: the one for arrays, or the one for a program of scalars.

For arrays few large operations are fast, even if some of them do work twice; a scalar program wants the least work.
JAX keeps the two apart in its caches. Arithmetic that differs is a primitive with two rules (`numerics/_primitives.py`,
`lie/_coefficients.py`); this is for the order in which a whole recursion is walked: poses along a tree, the sweep along
a quasi-static arm, the columns of a Jacobian.
"""

import jax

import pliant._jax  # noqa: F401  (float64)

_scalar = jax.make_user_context(False)


def for_scalars() -> bool:
    """Whether what is being traced will be written out element by element."""
    return bool(_scalar.value)


def tracing_for_scalars():
    """Within this context functions are traced for a scalar program."""
    return _scalar(True)
