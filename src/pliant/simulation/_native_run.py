"""Chunks of a run in native code: the function that JAX runs, compiled by the system's compiler."""

import warnings
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import numpy as np

from pliant.native import CompilerError, NativeFunction, compile_function, compiler

_built: dict[Any, NativeFunction] = {}


def native_or_jax(function: Callable[..., Any]) -> Callable[..., Any]:
    """What runs `function` natively, or the function itself, with a warning, where there is no compiler."""
    try:
        compiler()
    except CompilerError as error:
        warnings.warn(f"{error}. This run uses JAX", RuntimeWarning, stacklevel=3)
        return function
    return lambda *arguments: run_natively(function, arguments)


def run_natively(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """function(*arguments), a function of pytrees some of whose leaves are no arrays; compiled when first met."""
    given, fixed = eqx.partition(arguments, eqx.is_array)
    leaves, structure = jax.tree.flatten(given)
    shapes = tuple((np.shape(leaf), np.asarray(leaf).dtype.str) for leaf in leaves)
    words = tuple(jax.tree.leaves(fixed))
    key = (function, structure, jax.tree.structure(fixed), shapes, words)
    if key not in _built:
        plain = getattr(function, "__wrapped__", function)
        _built[key] = compile_function(lambda given: plain(*eqx.combine(given, fixed)), (given,), "pliant_run")
    return _built[key](given)
