"""The jaxpr of a function, and what its equations hold, read alike from every release of JAX."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal
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


def without_dead_ends(inner: Inner) -> Inner:
    """What its results need of it: JAX leaves the bodies of loops as they were traced."""
    jaxpr, _ = partial_eval.dce_jaxpr(inner.jaxpr, [True] * len(inner.jaxpr.outvars), instantiate=True)
    return Inner(jaxpr, inner.consts)


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


def branches(jaxpr: Any) -> bool:
    """Whether there is a choice in it of what is computed."""
    within = (inner.jaxpr for equation in jaxpr.eqns for inner in inner_jaxprs(equation))
    return any(equation.primitive.name == "cond" for equation in jaxpr.eqns) or any(map(branches, within))


def read_at_places(jaxpr: Any) -> set[int]:
    """Numbers of the arguments out of which something is read at places that are known, perhaps, only when the program
    runs."""
    read: list[Any] = []
    for equation in jaxpr.eqns:
        name, given = equation.primitive.name, equation.invars
        if name in ("gather", "dynamic_slice"):
            read.append(given[0])
        elif name == "nearest_piece":
            read += given
        skipped = {"cond": 1, "while": equation.params.get("cond_nconsts", 0)}.get(name, 0)
        for inner in inner_jaxprs(equation):
            if len(inner.jaxpr.invars) == len(given) - skipped:
                read += [given[skipped + index] for index in read_at_places(inner.jaxpr)]
    found = {variable for variable in read if not isinstance(variable, Literal)}
    return {index for index, variable in enumerate(jaxpr.invars) if variable in found}


def scan_of(equation: Any) -> Scan:
    params = equation.params
    if "ft_in" in params:  # since 0.11: one list for each kind of argument
        constants, carried, _ = (len(list(kind)) for kind in params["ft_in"].unpack())
    else:
        constants, carried = params["num_consts"], params["num_carry"]
    return Scan(opened(params["jaxpr"]), params["length"], params["reverse"], constants, carried)
