"""How large a jaxpr is once written out: a count of elements computed, before anything is folded."""

import math
from typing import Any

from jax.extend.core import Jaxpr

from pliant.native.tracing._equations import branches, inner_jaxprs, scan_of

_FREE = {
    "reshape", "squeeze", "expand_dims", "transpose", "rev", "slice", "broadcast_in_dim", "concatenate", "stack",
    "split", "unstack", "pad", "iota", "gather", "convert_element_type", "copy", "stop_gradient",
    "symmetric",
}  # fmt: skip


def size_of(jaxpr: Jaxpr, loop: int) -> int:
    """loop: loops of known length up to this size are written out; others count once."""
    return sum(_of_equation(equation, loop) for equation in jaxpr.eqns)


def _of_equation(equation: Any, loop: int) -> int:
    name, params = equation.primitive.name, equation.params
    inner = sum(size_of(held.jaxpr, loop) for held in inner_jaxprs(equation))
    if name == "scan":
        unrolled = inner * params["length"]
        return unrolled if unrolled <= loop and not branches(scan_of(equation).body.jaxpr) else inner
    if inner:
        return inner
    if name in _FREE:
        return 0
    out = sum(math.prod(v.aval.shape) for v in equation.outvars)
    if name == "dot_general":
        (contracted, _), _ = params["dimension_numbers"]
        return out * 2 * math.prod(equation.invars[0].aval.shape[d] for d in contracted)
    if name in ("cholesky", "lu", "triangular_solve"):
        return out * equation.invars[0].aval.shape[-1] // 3
    if name.startswith(("reduce_", "scatter")):
        return math.prod(equation.invars[0].aval.shape)
    return out
