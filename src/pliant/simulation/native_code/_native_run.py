"""Parts of a run in native code: the functions that JAX runs, compiled by the system's compiler."""

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeGuard

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


def bind(native: bool, function: Callable[..., Any], model: Model, *fixed: Any) -> Callable[..., Any]:
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
            leaves, structure = jax.tree.flatten(self._fixed)
            arrays = [np.asarray(leaf) if eqx.is_array(leaf) else None for leaf in leaves]
            words = tuple(leaf if array is None else None for leaf, array in zip(leaves, arrays, strict=True))
            numbers = len(jax.tree.leaves(self._fixed[0]))
            native = _compiled(self._function, _Fixed(structure, words, numbers), arrays, changing)
            self._call = NativeCall(native, arrays)
        return self._call(changing)


class _Fixed(NamedTuple):
    """Arguments less their arrays: words are the leaves that are none; the first `numbers` leaves are the robot's."""

    structure: Any
    words: tuple[Any, ...]
    numbers: int

    def joined(self, arrays: Sequence[Any]) -> Any:
        leaves = [word if array is None else array for word, array in zip(self.words, arrays, strict=True)]
        return jax.tree.unflatten(self.structure, leaves)


def _is_short(array: Any) -> TypeGuard[np.ndarray]:
    return array is not None and array.size <= _FEW and array.dtype.kind == "f"


def _compiled(
    function: Callable[..., Any], fixed: _Fixed, arrays: list[np.ndarray | None], changing: Any
) -> NativeFunction:
    leaves, structure = jax.tree.flatten(changing)
    shapes = tuple(None if a is None else (a.shape, a.dtype.char) for a in (*arrays, *map(np.asarray, leaves)))
    # Where short arrays hold 0 or 1, NaN elsewhere; long ones may be tables.
    short = {index: array for index, array in enumerate(arrays[: fixed.numbers]) if _is_short(array)}
    known = np.concatenate([np.zeros(0), *map(np.ravel, short.values())])
    plain = np.where((known == 0.0) | (known == 1.0), known, np.nan)
    unjitted = getattr(function, "__wrapped__", function)
    key = (unjitted, fixed, structure, shapes, plain.tobytes())
    if key not in _built:
        ends = np.cumsum([array.size for array in short.values()])

        def run(given: Any, changing: Any) -> Any:
            mixed = list(given)
            for index, own in zip(short, np.split(plain, ends)[: len(short)], strict=True):
                own = own.reshape(given[index].shape)
                mixed[index] = jnp.where(np.isnan(own), given[index], own)
            return unjitted(*fixed.joined(mixed), *changing)

        _built[key] = compile_function(run, (arrays, changing), "pliant_run")
    return _built[key]
