"""Which of two equal orders of operations to take: the one for arrays, or the one for a program of scalars.

For arrays few large operations are fast, even if some of them do work twice; a scalar program wants the least work.
JAX keeps the two apart in its caches.
"""

import pliant._jax  # noqa: F401, I001  (before JAX is used)
import jax

_scalar = jax.make_user_context(False)


def for_scalars() -> bool:
    """Whether what is being traced will be written out element by element."""
    return bool(_scalar.value)


def tracing_for_scalars():
    """Within this context functions are traced for a scalar program."""
    return _scalar(True)
