"""Primitives that treat every element by itself: how each is computed for known numbers and for expressions."""

from collections.abc import Callable
from typing import Any

import numpy as np

from pliant.native._casadi import casadi
from pliant.native._values import Symbolic, Value, elements_of, is_known, pick, positions, shape_of, symbolic

Function = Callable[..., Any]


def _choose(condition: Any, yes: Any, no: Any) -> Any:
    return casadi().if_else(condition, yes, no)


def _truncate(x: Any) -> Any:
    return casadi().sign(x) * casadi().floor(casadi().fabs(x))


def _integer_power(x: Any, y: int) -> Any:
    """By squaring, as few multiplications as there are bits."""
    if y < 0:
        return 1.0 / _integer_power(x, -y)
    result, base = None, x
    while y:
        if y & 1:
            result = base if result is None else result * base
        y >>= 1
        base = base * base if y else base
    return x * 0 + 1 if result is None else result


def _finite(x: Any) -> Any:
    return casadi().fabs(x) <= np.finfo(np.float64).max


def _not(x: Any) -> Any:
    return casadi().logic_not(x)


def _round_even(x: Any) -> Any:
    down = casadi().floor(x)
    rest = x - down
    odd = down - 2 * casadi().floor(down / 2)
    up = casadi().logic_or(rest > 0.5, casadi().logic_and(rest == 0.5, odd))
    return down + up


def _unary(name: str) -> Function:
    return lambda x: getattr(casadi(), name)(x)


# name -> (for NumPy arrays, for CasADi columns)
ELEMENTWISE: dict[str, tuple[Function, Function]] = {
    "add": (np.add, lambda a, b: a + b),
    "add_any": (np.add, lambda a, b: a + b),
    "sub": (np.subtract, lambda a, b: a - b),
    "mul": (np.multiply, lambda a, b: a * b),
    "neg": (np.negative, lambda a: -a),
    "max": (np.maximum, lambda a, b: casadi().fmax(a, b)),
    "min": (np.minimum, lambda a, b: casadi().fmin(a, b)),
    "pow": (np.power, lambda a, b: casadi().power(a, b)),
    "atan2": (np.arctan2, lambda a, b: casadi().atan2(a, b)),
    "abs": (np.abs, _unary("fabs")),
    "sign": (np.sign, _unary("sign")),
    "ceil": (np.ceil, _unary("ceil")),
    "floor": (np.floor, _unary("floor")),
    "sqrt": (np.sqrt, _unary("sqrt")),
    "rsqrt": (lambda x: 1.0 / np.sqrt(x), lambda x: 1.0 / casadi().sqrt(x)),
    "square": (np.square, lambda x: x * x),
    "exp": (np.exp, _unary("exp")),
    "expm1": (np.expm1, _unary("expm1")),
    "log": (np.log, _unary("log")),
    "log1p": (np.log1p, _unary("log1p")),
    "sin": (np.sin, _unary("sin")),
    "cos": (np.cos, _unary("cos")),
    "tan": (np.tan, _unary("tan")),
    "asin": (np.arcsin, _unary("asin")),
    "acos": (np.arccos, _unary("acos")),
    "atan": (np.arctan, _unary("atan")),
    "sinh": (np.sinh, _unary("sinh")),
    "cosh": (np.cosh, _unary("cosh")),
    "tanh": (np.tanh, _unary("tanh")),
    "asinh": (np.arcsinh, _unary("asinh")),
    "acosh": (np.arccosh, _unary("acosh")),
    "atanh": (np.arctanh, _unary("atanh")),
    "logistic": (lambda x: 1.0 / (1.0 + np.exp(-x)), lambda x: 1.0 / (1.0 + casadi().exp(-x))),
    "is_finite": (np.isfinite, _finite),
    "eq": (np.equal, lambda a, b: a == b),
    "ne": (np.not_equal, lambda a, b: a != b),
    "lt": (np.less, lambda a, b: a < b),
    "le": (np.less_equal, lambda a, b: a <= b),
    "gt": (np.greater, lambda a, b: b < a),
    "ge": (np.greater_equal, lambda a, b: b <= a),
    "lt_to": (np.less, lambda a, b: a < b),  # orders of floats that JAX's searches use; equal without NaN
    "le_to": (np.less_equal, lambda a, b: a <= b),
    "copy": (lambda x: x, lambda x: x),
    "copy_p": (lambda x: x, lambda x: x),
    "stop_gradient": (lambda x: x, lambda x: x),
    "optimization_barrier": (lambda x: x, lambda x: x),
    "real": (np.real, lambda x: x),
}


def _logic(name: str, booleans: Function, known: Function) -> Callable[..., Value]:
    def rule(dtype: np.dtype, *values: Value) -> Value:
        if all(map(is_known, values)):
            return known(*values)
        if dtype != np.bool_:
            raise TypeError(f"{name} of whole numbers")
        return booleans(*map(elements_of, values))

    return rule


LOGIC = {
    "and": _logic("and", lambda a, b: casadi().logic_and(a, b), np.bitwise_and),
    "or": _logic("or", lambda a, b: casadi().logic_or(a, b), np.bitwise_or),
    "xor": _logic("xor", lambda a, b: a != b, np.bitwise_xor),
    "not": _logic("not", _not, np.invert),
}


def _filled(values: list[Value], shape: tuple[int, ...]) -> list[Value]:
    """Values of this shape: a scalar, or a dimension of size 1, stands for all."""
    return [
        value if shape_of(value) == shape else pick(value, np.broadcast_to(positions(shape_of(value)), shape))
        for value in values
    ]


def elementwise(name: str, values: list[Value], shape: tuple[int, ...], dtype: np.dtype, params: Any) -> Value | None:
    """The result of a primitive that acts on every element, or None if it is none of these."""
    if name not in ELEMENTWISE and name not in LOGIC and name not in _SPECIAL:
        return None
    values = _filled(values, shape)
    known = all(map(is_known, values))
    if name in ELEMENTWISE:
        numbers, columns = ELEMENTWISE[name]
        if known:
            with np.errstate(all="ignore"):
                return np.asarray(numbers(*values)).astype(dtype)
        return symbolic(columns(*map(elements_of, values)), shape, dtype)
    if name in LOGIC:
        result = LOGIC[name](dtype, *values)
        return np.asarray(result, dtype) if known else symbolic(result, shape, dtype)
    result = _SPECIAL[name](known, dtype, params, *values)
    return np.asarray(result).astype(dtype) if known else symbolic(result, shape, dtype)


def _divide(known: bool, dtype: np.dtype, _: Any, a: Value, b: Value) -> Any:
    whole = np.issubdtype(dtype, np.integer)
    if known:
        with np.errstate(all="ignore"):
            return np.trunc(np.true_divide(a, b)) if whole else np.true_divide(a, b)
    quotient = elements_of(a) / elements_of(b)
    return _truncate(quotient) if whole else quotient


def _remainder(known: bool, _: np.dtype, __: Any, a: Value, b: Value) -> Any:
    if known:
        return np.fmod(a, b)
    return casadi().fmod(elements_of(a), elements_of(b))


def _power(known: bool, _: np.dtype, params: Any, x: Value) -> Any:
    return np.power(x, params["y"], dtype=np.float64) if known else _integer_power(elements_of(x), params["y"])


def _convert(known: bool, dtype: np.dtype, _: Any, x: Value) -> Any:
    if known:
        return np.asarray(x).astype(dtype)
    assert isinstance(x, Symbolic)
    if dtype == np.bool_ and x.dtype != np.bool_:
        return x.elements != 0
    if np.issubdtype(dtype, np.integer) and np.issubdtype(x.dtype, np.floating):
        return _truncate(x.elements)
    return x.elements


def _round(known: bool, _: np.dtype, params: Any, x: Value) -> Any:
    if known:
        return np.round(x)
    return _round_even(elements_of(x))


def _select(known: bool, _: np.dtype, __: Any, which: Value, *cases: Value) -> Any:
    if known:
        return np.choose(np.asarray(which, dtype=np.int64), cases) if cases[0].size else cases[0]
    columns = [elements_of(case) for case in cases]
    if is_known(which):
        index = np.asarray(which, dtype=np.int64).reshape(-1)
        stacked = casadi().vertcat(*columns)
        return stacked.nz[(index * index.size + np.arange(index.size)).tolist()]
    result = columns[0]
    index = elements_of(which)
    for number, column in enumerate(columns[1:], start=1):
        result = _choose(index == number if len(columns) > 2 else index, column, result)
    return result


def _clamp(known: bool, _: np.dtype, __: Any, low: Value, x: Value, high: Value) -> Any:
    if known:
        return np.minimum(np.maximum(x, low), high)
    return casadi().fmin(casadi().fmax(elements_of(x), elements_of(low)), elements_of(high))


def _next_after(known: bool, _: np.dtype, __: Any, x: Value, y: Value) -> Any:
    if known:
        return np.nextafter(x, y)
    # More than half and less than a whole spacing of doubles, so that rounding does the rest.
    column, towards = elements_of(x), elements_of(y)
    step = casadi().fmax(casadi().fabs(column) * (2.0**-53 + 2.0**-75), 5e-324)
    return column + casadi().sign(towards - column) * step


_SPECIAL: dict[str, Function] = {
    "div": _divide,
    "rem": _remainder,
    "integer_pow": _power,
    "convert_element_type": _convert,
    "round": _round,
    "select_n": _select,
    "clamp": _clamp,
    "nextafter": _next_after,
}
