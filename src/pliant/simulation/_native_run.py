"""Parts of a run in native code: the functions that JAX runs, compiled by the system's compiler."""

import functools
import warnings
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from pliant.model import Model
from pliant.native import CompilerError, NativeCall, NativeFunction, compile_function, compiler

_FEW = 16  # numbers

_built: dict[Any, NativeFunction] = {}


def has_compiler() -> bool:
    """Whether native code can be built; a warning says if not."""
    try:
        compiler()
    except CompilerError as error:
        warnings.warn(f"{error}. This run uses JAX", RuntimeWarning, stacklevel=3)
        return False
    return True


def prepared(native: bool, function: Callable[..., Any], model: Model, *fixed: Any) -> Callable[..., Any]:
    """function(model, *fixed, ...) of what is left; natively if asked to."""
    return NativeRun(function, model, fixed) if native else functools.partial(function, model, *fixed)


class NativeRun:
    """function(model, *fixed, *changing) in native code, for pytrees some of whose leaves are no arrays. It is compiled
    when it is first called; later calls are of the same shapes.

    Numbers of the robot that are 0 or 1 are part of the code, since so much falls away with them: a straight rod is one
    whose reference strains are zero. Robots with others in their place get code of their own.
    """

    def __init__(self, function: Callable[..., Any], model: Model, fixed: tuple[Any, ...]) -> None:
        self._function, self._fixed = function, (model, *fixed)
        self._call: NativeCall | None = None

    def __call__(self, *changing: Any) -> Any:
        if self._call is None:
            fixed, words = eqx.partition(self._fixed, eqx.is_array)
            plain = jax.tree.map(_plain, fixed[0])
            self._call = NativeCall(_compiled(self._function, fixed, words, plain, changing), fixed)
        return self._call(changing)


def _plain(numbers: Any) -> np.ndarray:
    """Where an array of a few numbers holds 0 or 1: NaN elsewhere, and in longer ones, which may be tables."""
    known = np.asarray(numbers)
    if known.size > _FEW or known.dtype.kind != "f":
        return np.full(known.shape, np.nan)
    return np.where((known == 0.0) | (known == 1.0), known, np.nan)


def _compiled(function: Callable[..., Any], fixed: Any, words: Any, plain: Any, changing: Any) -> NativeFunction:
    leaves, structure = jax.tree.flatten((fixed, changing))
    shapes = tuple((np.shape(leaf), np.asarray(leaf).dtype.str) for leaf in leaves)
    code = tuple(leaf.tobytes() for leaf in jax.tree.leaves(plain))
    key = (function, structure, jax.tree.structure(words), shapes, tuple(jax.tree.leaves(words)), code)
    if key not in _built:
        unjitted = getattr(function, "__wrapped__", function)

        def run(fixed: Any, changing: Any) -> Any:
            model = jax.tree.map(lambda own, known: jnp.where(np.isnan(known), own, known), fixed[0], plain)
            return unjitted(*eqx.combine((model, *fixed[1:]), words), *changing)

        _built[key] = compile_function(run, (fixed, changing), "pliant_run")
    return _built[key]
