"""A JAX function, compiled to native code and called from Python."""

import ctypes
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from pliant.native._build import build, cached, key_of, load, told
from pliant.native._errors import MismatchError
from pliant.native._library import checked_name
from pliant.native.printing import PRELUDE, CText
from pliant.native.tracing import Inner, inner_jaxprs, jaxpr_of, opened, trace_jaxpr
from pliant.numerics import tracing_for_scalars

ROUNDING = 10  # see `compare`
UNIT_LENGTH = 1_500_000  # characters of C in one translation unit


class NativeFunction:
    """What `compile_function` returns: takes arguments like the examples it was made with, and gives NumPy arrays in
    the structure that the JAX function has.

    library, symbol: the shared library and the name in it, a C function
    void symbol(const double *const *x, double *const *y) on the flattened arguments and results. results: their shapes.
    """

    def __init__(self, library: str, symbol: str, structure: Any, given: Sequence[Any], shapes: Any) -> None:
        self.library, self.symbol = library, symbol
        self._structure, self._given, self.results = structure, given, shapes
        self._avals, self._out = jax.tree.flatten(shapes)
        # All results lie in one piece of memory, one after the other.
        self._ends = np.cumsum([math.prod(aval.shape) for aval in self._avals], dtype=np.intp).tolist()
        self._begins = [0, *self._ends][: len(self._ends)]
        self._offsets = np.array(self._begins, dtype=np.uintp) * np.uintp(8)
        self._entry = getattr(load(library), symbol)  # type: ignore[arg-type]
        self._entry.argtypes, self._entry.restype = [ctypes.c_void_p, ctypes.c_void_p], None

    @property
    def about(self) -> dict[str, float]:
        """Operations of the program, and the seconds and megabytes of its C that the compiler took."""
        return told(Path(self.library))

    def __call__(self, *arguments: Any) -> Any:
        leaves, structure = jax.tree.flatten(arguments)
        if structure != self._structure:
            raise TypeError(f"{self.symbol} takes arguments of structure {self._structure}; got {structure}")
        given = [self.checked(leaf, index) for index, leaf in enumerate(leaves)]
        return self.run(np.array([_address(array) for array in given], dtype=np.uintp))

    def checked(self, leaf: Any, index: int) -> np.ndarray:
        """An argument as the C function takes it. index: among the flattened ones."""
        aval = self._given[index]
        given = np.asarray(leaf)
        if given.dtype == aval.dtype == np.float64 and given.shape == aval.shape and given.flags.c_contiguous:
            return given
        if given.shape != aval.shape or not np.can_cast(given.dtype, aval.dtype, "same_kind"):
            raise TypeError(f"{self.symbol} takes {aval.dtype}{list(aval.shape)}; got {given.dtype}{list(given.shape)}")
        return np.ascontiguousarray(given, dtype=np.float64)

    def run(self, given: np.ndarray) -> Any:
        """The results, of the addresses of checked arguments."""
        found = np.empty(self._ends[-1] if self._ends else 0)
        places = _address(found) + self._offsets
        self._entry(_address(given), _address(places))
        results = [
            found[begin:end].reshape(aval.shape).astype(aval.dtype, copy=False)
            for begin, end, aval in zip(self._begins, self._ends, self._avals, strict=True)
        ]
        return jax.tree.unflatten(self._out, results)


class NativeCall:
    """A native function of (fixed, changing) for many calls with the same `fixed`, which is checked once."""

    def __init__(self, native: NativeFunction, fixed: Any) -> None:
        self._native = native
        self._fixed = [native.checked(leaf, index) for index, leaf in enumerate(jax.tree.leaves(fixed))]
        self._addresses = [_address(array) for array in self._fixed]

    def __call__(self, changing: Any) -> Any:
        begin = len(self._fixed)
        moving = [self._native.checked(leaf, begin + index) for index, leaf in enumerate(jax.tree.leaves(changing))]
        return self._native.run(np.array([*self._addresses, *map(_address, moving)], dtype=np.uintp))


def _constants(inner: Inner) -> Iterator[bytes]:
    """Constants at any depth: the text of a jaxpr does not show them."""
    yield from (constant.tobytes() for constant in inner.consts)
    for equation in inner.jaxpr.eqns:
        for deeper in inner_jaxprs(equation):
            yield from _constants(deeper)


def _address(array: np.ndarray) -> int:
    # Quicker than array.ctypes.data.
    return array.__array_interface__["data"][0]


def compile_function(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    name: str = "function",
    extra_units: Callable[[str, Sequence[Any], Sequence[Any]], list[str]] = lambda name, given, results: [],
    options: Sequence[str] = (),
) -> NativeFunction:
    """function(*arguments) as native code, for arguments of these shapes; from the cache if it was built before.

    extra_units: C to be built with it, of its name and the types of its arguments and results; options: what the
    compiler needs for that."""
    checked_name(name)
    with tracing_for_scalars():
        closed, shapes = jaxpr_of(function, arguments)
    structure = jax.tree.structure(tuple(arguments))
    extra = extra_units(name, closed.in_avals, closed.out_avals)
    key = key_of(name, str(closed.jaxpr), *extra, *_constants(opened(closed)))
    path = cached(key)
    if path is None:
        text = CText(trace_jaxpr(closed, name))
        path = build(key, [*c_units(text), *extra], options, {"operations": text.operation_count})
    return NativeFunction(path, name, structure, closed.in_avals, shapes)  # type: ignore[arg-type]


def c_units(text: CText) -> list[str]:
    """The program as translation units of limited length, so that several compilers can work on it."""
    head = "\n".join(['#define PLIANT_PART __attribute__((visibility("hidden")))', PRELUDE, *text.routines])
    parts: list[list[str]] = [[]]
    length = 0
    for function in text.functions:
        if length > UNIT_LENGTH:
            parts.append([])
            length = 0
        parts[-1].append(function)
        length += len(function)
    declarations = [function.split(" {", 1)[0] + ";" for function in text.functions]
    last = "\n\n".join([head, *declarations, *text.tables, text.entry])
    return ["\n\n".join([head, *declarations, *part]) for part in parts if part] + [last]


def compare(
    native: NativeFunction,
    function: Callable[..., Any],
    samples: Sequence[Any],
    tolerance: float,
    part: Callable[[Any], Any] = lambda results: results,
) -> float:
    """Largest difference from JAX over samples (tuples of arguments), relative to the largest element of each result;
    MismatchError beyond the tolerance. part: what of the results counts.

    Where JAX's own results move further than that when its arguments are rounded differently, as those of a badly
    conditioned system do, ROUNDING times as far is allowed.
    """
    worst = 0.0
    reference = jax.jit(function)
    for sample in samples:
        known = _results(part(reference(*sample)))
        differ = _difference(native.symbol, _results(part(native(*sample))), known)
        if differ > tolerance:
            moved = _difference(native.symbol, _results(part(reference(*_rounded(sample)))), known)
            if differ > max(tolerance, ROUNDING * moved):
                raise MismatchError(
                    f"{native.symbol}: native code differs from JAX by {differ:.3g} of the largest element; "
                    f"{tolerance:g} is allowed, or {ROUNDING} times what rounding the arguments changes, {moved:.3g}. "
                    "Remove the cache and build again; if that does not help, use the JAX backend and report it"
                )
        worst = max(worst, differ)
    return worst


def _results(tree: Any) -> list[np.ndarray]:
    return [np.asarray(leaf, dtype=np.float64) for leaf in jax.tree.leaves(tree)]


def _difference(name: str, own: list[np.ndarray], known: list[np.ndarray]) -> float:
    worst = 0.0
    for one, other in zip(own, known, strict=True):
        both = np.isfinite(other)
        if not np.array_equal(both, np.isfinite(one)):
            raise MismatchError(f"{name}: native code and JAX are not finite in the same places")
        scale = np.max(np.abs(other[both]), initial=0.0) or 1.0
        worst = max(worst, float(np.max(np.abs(one[both] - other[both]), initial=0.0)) / scale)
    return worst


def _rounded(sample: Any) -> Any:
    """The arguments, each number with a wrong last digit."""
    random = np.random.default_rng(0)

    def rounded(leaf: Any) -> Any:
        numbers = np.asarray(leaf)
        if numbers.dtype.kind != "f":
            return leaf
        return numbers * (1.0 + np.finfo(float).eps * random.choice([-1.0, 1.0], size=numbers.shape))

    return jax.tree.map(rounded, sample)
