"""From a jaxpr to a native program.

The jaxpr is walked with arrays of scalar expressions as values, so that everything that is known is folded and every
loop of known length can be written out. Loops of unknown length, branches, long loops and large matrices stay what they
are: before each of them all values that are still needed are computed into buffers, and from there on they are symbols.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal
from jax.interpreters.partial_eval import dce_jaxpr

from pliant.native._errors import TooLargeError, UnsupportedError
from pliant.native._program import Program
from pliant.native.tracing._elementwise import elementwise
from pliant.native.tracing._equations import opened
from pliant.native.tracing._matrices import WRITTEN_OUT
from pliant.native.tracing._rules_control import WRITTEN_OUT_LOOP, ControlRules
from pliant.native.tracing._rules_matrices import MatrixRules
from pliant.native.tracing._rules_places import PlaceRules
from pliant.native.tracing._size import size_of
from pliant.native.tracing._structural import REDUCTIONS, accumulated, moved, product, reduced
from pliant.native.tracing._values import Value, is_known, shape_of

LARGEST = 6_000_000  # elements computed while tracing: beyond it a program is refused

_INLINE = {
    "jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr", "remat2": "jaxpr",
    "checkpoint": "jaxpr", "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr",
    "custom_vjp_call_jaxpr": "fun_jaxpr", "custom_lin": "jaxpr", "eval_jaxpr": "call_jaxpr",
}  # fmt: skip


def trace_jaxpr(closed: ClosedJaxpr, name: str, routines: bool = True) -> Program:
    """routines: whether Pliant's own primitives are calls of routines, or written out, as formulas need them."""
    # What no result needs is left out first: while it is walked, it may be what keeps a loop or fills a buffer.
    jaxpr, _ = dce_jaxpr(closed.jaxpr, [True] * len(closed.jaxpr.outvars), instantiate=True)
    estimate = size_of(jaxpr, WRITTEN_OUT_LOOP)
    if estimate > LARGEST:
        raise TooLargeError(
            f"{name} would unroll to about {estimate:,} operations; at most {LARGEST:,} are written out. Use the JAX "
            "backend for this robot, or a coarser model"
        )
    return _Tracer(name, routines).program(jaxpr, closed.consts)


class _Tracer(PlaceRules, MatrixRules, ControlRules):
    def program(self, jaxpr: Jaxpr, consts: Sequence[Any]) -> Program:
        inputs, values = [], []
        for index, variable in enumerate(jaxpr.invars):
            buffer, value = self.argument(index, variable.aval)
            inputs.append(buffer)
            values.append(value)
        results = self.walk(jaxpr, [np.asarray(c) for c in consts], values)
        outputs = self.written_apart(results)
        return Program(self.name, inputs, outputs, self.statements, self.buffers)

    def walk(self, jaxpr: Jaxpr, consts: Sequence[Value], arguments: Sequence[Value]) -> list[Value]:
        frame: dict[Any, Value] = {}
        self.frames.append(frame)
        frame.update(zip(jaxpr.constvars, consts, strict=True))
        frame.update(zip(jaxpr.invars, arguments, strict=True))
        kept = {v for v in jaxpr.outvars if not isinstance(v, Literal)}
        last: dict[Any, int] = {}
        for index, equation in enumerate(jaxpr.eqns):
            last.update((v, index) for v in equation.invars if not isinstance(v, Literal))
        for variable in [v for v in frame if v not in last and v not in kept]:
            del frame[variable]

        def read(variable: Any) -> Value:
            return np.asarray(variable.val) if isinstance(variable, Literal) else frame[variable]

        for index, equation in enumerate(jaxpr.eqns):
            used = {v for v in equation.invars if not isinstance(v, Literal)}
            dead = [v for v in used if last[v] == index and v not in kept]
            name = equation.primitive.name
            self.path.append(equation)
            if name in _INLINE:
                values = [read(v) for v in equation.invars]
                for variable in dead:
                    del frame[variable]
                results = self.inlined(equation, values)
            else:
                if name in _STANDING and not self.is_static(equation, [read(v) for v in equation.invars]):
                    self.settle()
                results = self.apply(equation, [read(v) for v in equation.invars])
                for variable in dead:
                    del frame[variable]
            for variable, value in zip(equation.outvars, results, strict=True):
                if type(variable).__name__ != "DropVar" and (variable in last or variable in kept):
                    frame[variable] = value
            self.path.pop()
        results = [read(v) for v in jaxpr.outvars]
        self.frames.pop()
        return results

    def inlined(self, equation: Any, values: list[Value]) -> list[Value]:
        return self.walk(*opened(equation.params[_INLINE[equation.primitive.name]]), values)

    def is_static(self, equation: Any, values: list[Value]) -> bool:
        """Whether a primitive that may need buffers can do without them here."""
        name = equation.primitive.name
        if name == "cond":
            return is_known(values[0])
        if name in ("gather", "scatter", "scatter-add", "scatter-sub"):
            return is_known(values[1])
        if name == "dynamic_slice":
            return all(map(is_known, values[1:]))
        if name == "dynamic_update_slice":
            return all(map(is_known, values[2:]))
        if name in ("cholesky", "triangular_solve"):
            return shape_of(values[0])[-1] <= WRITTEN_OUT
        if name == "stumpff":
            return not self.routines
        return name == "dot_general" and not self.is_by_routine(equation, values)

    def apply(self, equation: Any, values: list[Value]) -> list[Value]:
        name, params = equation.primitive.name, equation.params
        avals = [v.aval for v in equation.outvars]
        if not avals or not all(_is_held(v.aval) for v in (*equation.invars, *equation.outvars)):
            raise UnsupportedError(f"{self.name} uses {name!r} of {_types(equation)}, at {self.source()}")
        shape, dtype = tuple(avals[0].shape), np.dtype(avals[0].dtype)
        if (result := elementwise(name, values, shape, dtype, params)) is not None:
            return [result]
        if (results := moved(name, values, avals, params)) is not None:
            return results
        if name == "dot_general" and not self.is_by_routine(equation, values):
            return [product(values, params, dtype)]
        if name in REDUCTIONS and (name not in ("reduce_and", "reduce_or") or dtype == np.bool_):
            return [reduced(name, values[0], params["axes"], dtype)]
        if name in ("cumsum", "cumprod", "cummax", "cummin"):
            return [accumulated(name, values[0], params, dtype)]
        rule = getattr(self, f"_{name.replace('-', '_')}", None)
        if rule is None:
            raise UnsupportedError(f"{self.name} uses {name!r}, which native code does not know, at {self.source()}")
        return rule(equation, values, avals)


_STANDING = {
    "while", "cond", "scan", "lu", "lu_pivots_to_permutation", "cholesky", "triangular_solve", "gather", "scatter",
    "scatter-add", "scatter-sub", "dynamic_slice", "dynamic_update_slice", "custom_linear_solve", "stumpff",
    "grid_spline", "nearest_piece",
    "dot_general",
}  # fmt: skip


def _is_held(aval: Any) -> bool:
    """Whether doubles hold numbers of this type."""
    dtype = getattr(aval, "dtype", None)
    return dtype == np.float64 or (isinstance(dtype, np.dtype) and dtype.kind in "biu")


def _types(equation: Any) -> str:
    avals = [v.aval for v in (*equation.invars, *equation.outvars)]
    other = sorted({str(getattr(a, "dtype", a)) for a in avals if not _is_held(a)})
    return f"{', '.join(other)}: native code computes with float64" if other else "no result"
