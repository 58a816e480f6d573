"""Operations that arrays and native code do in different orders, as primitives: running sums, symmetric matrices.

Both are linear; native code has a rule for each (`native/tracing`).
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

# Sums up to each place along an axis: for arrays the product with a triangle of ones, which is one fused operation; in
# native code one addition per place.
running_sum_p = Primitive("running_sum")

# A matrix (..., n, n) that is known to be symmetric: for arrays as it is; native code computes one half.
symmetric_p = Primitive("symmetric")


def running_sum(x: Array, axis: int, reverse: bool = False) -> Array:
    """Sums of the elements up to each place along an axis, its own included; reverse: from each place on."""
    return x if x.shape[axis] == 1 else running_sum_p.bind(x, axis=axis, reverse=reverse)


def known_symmetric(matrix: Array) -> Array:
    """The matrix (..., n, n), which the caller knows to be symmetric, and all its derivatives with it."""
    return symmetric_p.bind(matrix)


def _summed(x: Array, *, axis: int, reverse: bool) -> Array:
    ones = np.tri(x.shape[axis])
    return jnp.moveaxis(jnp.tensordot(jnp.asarray(ones.T if reverse else ones), x, axes=(1, axis)), 0, axis)


running_sum_p.def_impl(jax.jit(_summed, static_argnames=("axis", "reverse")))
running_sum_p.def_abstract_eval(lambda x, **_: x)
mlir.register_lowering(running_sum_p, mlir.lower_fun(_summed, multiple_results=False))
ad.deflinear2(running_sum_p, lambda ct, _, axis, reverse: [running_sum_p.bind(ct, axis=axis, reverse=not reverse)])

symmetric_p.def_impl(lambda matrix: matrix)
symmetric_p.def_abstract_eval(lambda matrix: matrix)
mlir.register_lowering(symmetric_p, lambda _, matrix: [matrix])
ad.deflinear2(symmetric_p, lambda ct, _: [ct])


@partial(batching.primitive_batchers.__setitem__, running_sum_p)
def _summed_batch(values: Sequence[Any], axes: Sequence[int], *, axis: int, reverse: bool) -> tuple[Array, int]:
    return running_sum_p.bind(jnp.moveaxis(values[0], axes[0], 0), axis=axis + 1, reverse=reverse), 0


@partial(batching.primitive_batchers.__setitem__, symmetric_p)
def _symmetric_batch(values: Sequence[Any], axes: Sequence[int]) -> tuple[Array, int]:
    return symmetric_p.bind(jnp.moveaxis(values[0], axes[0], 0)), 0
