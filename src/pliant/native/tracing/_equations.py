"""The jaxpr of a function, and what its equations hold, read alike from every release of JAX."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr
from jax.interpreters import partial_eval as _partial_eval

partial_eval: Any = _partial_eval  # its names differ from release to release


class Inner(NamedTuple):
    """A jaxpr within an equation, and the numbers of its constants."""

    jaxpr: Any
    consts: list[np.ndarray]


class Scan(NamedTuple):
    """A loop of known length. constants, carried: how many of its arguments are the same in every turn, and how many
    are handed from turn to turn; the rest are sliced."""

    body: Inner
    length: int
    reverse: bool
    constants: int
    carried: int


def jaxpr_of(function: Callable[..., Any], arguments: Any) -> tuple[ClosedJaxpr, Any]:
    """A function of these arguments in primitives with a rule of their own, and the shapes of its results."""
    closed, shapes = jax.make_jaxpr(function, return_shape=True)(*arguments)
    # Since 0.12 some functions (custom_root, searchsorted) stay whole, with their rules inside, until JAX lowers them.
    return (partial_eval.lower_jaxpr2(closed) if closed.jaxpr.is_high else closed), shapes


def opened(held: Any) -> Inner:
    """A parameter that is a jaxpr: with its constants (`ClosedJaxpr`, until 0.10 a type of its own) or without."""
    jaxpr = getattr(held, "jaxpr", held)
    return Inner(jaxpr, [np.asarray(c) for c in getattr(held, "consts", ())])


def inner_jaxprs(equation: Any) -> Iterator[Inner]:
    """All that an equation contains, without what is in those."""
    for value in equation.params.values():
        for held in value if isinstance(value, tuple) else (value,):
            if isinstance(getattr(held, "jaxpr", held), Jaxpr):
                yield opened(held)


def scan_of(equation: Any) -> Scan:
    params = equation.params
    if "ft_in" in params:  # since 0.11: one list for each kind of argument
        constants, carried, _ = (len(list(kind)) for kind in params["ft_in"].unpack())
    else:
        constants, carried = params["num_consts"], params["num_carry"]
    return Scan(opened(params["jaxpr"]), params["length"], params["reverse"], constants, carried)
