"""Primitives that treat every element by itself: how each is computed for known numbers and for expressions."""

import math
import operator
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from pliant.native._casadi import casadi
from pliant.native.tracing._values import Symbolic, Value, elements_of, is_known, pick, positions, shape_of, symbolic

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


def _is_number(x: Any) -> Any:
    """Not NaN. CasADi takes x == x for true without a look at x."""
    return casadi().fabs(x) <= np.inf


def _not(x: Any) -> Any:
    return casadi().logic_not(x)


def _round_away(x: Any) -> Any:
    size = casadi().fabs(x)
    down = casadi().floor(size)
    return casadi().sign(x) * (down + (size - down >= 0.5))


def _round_away_known(x: Any) -> Any:
    down = np.floor(np.abs(x))
    return np.sign(x) * (down + (np.abs(x) - down >= 0.5))


def _round_even(x: Any) -> Any:
    down = casadi().floor(x)
    rest = x - down
    odd = down - 2 * casadi().floor(down / 2)
    up = casadi().logic_or(rest > 0.5, casadi().logic_and(rest == 0.5, odd))
    return down + up


def _before(a: Any, b: Any) -> Any:
    return casadi().logic_or(a < b, casadi().logic_and(_is_number(a), _not(_is_number(b))))


def _before_known(a: Any, b: Any) -> Any:
    return (a < b) | (np.isnan(b) & ~np.isnan(a))


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
    "cbrt": (np.cbrt, lambda x: casadi().copysign(casadi().power(casadi().fabs(x), 1.0 / 3.0), x)),
    "square": (np.square, lambda x: x * x),
    "one_minus_square": (lambda x: (1 + x) * (1 - x), lambda x: (1 + x) * (1 - x)),
    "erf": (np.vectorize(math.erf, otypes=[float]), _unary("erf")),
    "exp": (np.exp, _unary("exp")),
    "exp2": (np.exp2, lambda x: casadi().power(2.0, x)),
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
    # Orders of floats in which NaN is the largest, for searches; JAX leaves no negative zero to them.
    "lt_to": (_before_known, _before),
    "le_to": (lambda a, b: ~_before_known(b, a), lambda a, b: _not(_before(b, a))),
    "copy": (lambda x: x, lambda x: x),
    "stop_gradient": (lambda x: x, lambda x: x),
}
# What CasADi decides by the form of its operands, as if they were never NaN.
_DECIDED = {"eq": operator.eq, "ne": operator.ne, "le": operator.le, "ge": operator.ge}


def _undecided(name: str, result: Any, a: Any, b: Any) -> Any:
    """A comparison of floats in which NaN counts."""
    elements = result.elements()
    for index, element in enumerate(elements):
        if not element.is_constant():
            continue
        one, other = a.nz[index], b.nz[index]
        if one.is_constant() and other.is_constant():
            elements[index] = casadi().SX(int(_DECIDED[name](float(one), float(other))))
            continue
        numbers = _is_number(one)
        if one.element_hash() != other.element_hash():
            numbers = casadi().logic_and(numbers, _is_number(other))
        elements[index] = _not(numbers) if name == "ne" else numbers
    return casadi().vertcat(*elements)


# Expressions are truths: no bits of whole numbers.
LOGIC: dict[str, tuple[Function, Function]] = {
    "and": (np.bitwise_and, lambda a, b: casadi().logic_and(a, b)),
    "or": (np.bitwise_or, lambda a, b: casadi().logic_or(a, b)),
    "xor": (np.bitwise_xor, lambda a, b: a != b),
    "not": (np.invert, _not),
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
    if not known and (
        np.issubdtype(np.result_type(dtype, *(value.dtype for value in values)), np.complexfloating)
        or (name in LOGIC and dtype != np.bool_)
    ):
        return None
    with np.errstate(all="ignore"):
        if name in _SPECIAL:
            result = _SPECIAL[name](known, dtype, params, *values)
        else:
            numbers, columns = ELEMENTWISE.get(name) or LOGIC[name]
            result = numbers(*values) if known else columns(*map(elements_of, values))
            if not known and name in _DECIDED and np.issubdtype(values[0].dtype, np.floating):
                result = _undecided(name, result, *map(elements_of, values))
        return np.asarray(result).astype(dtype) if known else symbolic(result, shape, dtype)


def _divide(known: bool, dtype: np.dtype, _: Any, a: Value, b: Value) -> Any:
    whole = np.issubdtype(dtype, np.integer)
    if known:
        return (a - np.fmod(a, b)) // b if whole else np.true_divide(a, b)
    quotient = elements_of(a) / elements_of(b)
    if whole:
        return _truncate(quotient)
    if is_known(b) and np.any(b == 0):
        # CasADi calls this NaN.
        zero = np.flatnonzero(b == 0).tolist()
        quotient.nz[zero] = elements_of(a).nz[zero] * casadi().SX(np.copysign(np.inf, b.reshape(-1)[zero]))
    return quotient


def _remainder(known: bool, _: np.dtype, __: Any, a: Value, b: Value) -> Any:
    if known:
        return np.fmod(a, b)
    return casadi().fmod(elements_of(a), elements_of(b))


def _power(known: bool, _: np.dtype, params: Any, x: Value) -> Any:
    return np.power(x, params["y"], dtype=np.float64) if known else _integer_power(elements_of(x), params["y"])


def _convert(known: bool, dtype: np.dtype, _: Any, x: Value) -> Any:
    to_whole = np.issubdtype(dtype, np.integer) and np.issubdtype(x.dtype, np.floating)
    if known:
        return _whole_known(x, dtype) if to_whole else np.asarray(x).astype(dtype)
    assert isinstance(x, Symbolic)
    if dtype == np.bool_ and x.dtype != np.bool_:
        return x.elements != 0
    if to_whole:
        low, high = _range(dtype)
        limited = casadi().fmin(casadi().fmax(_truncate(x.elements), low), high)
        return casadi().if_else(_is_number(x.elements), limited, 0)
    return x.elements


def _range(dtype: np.dtype) -> tuple[float, float]:
    """Smallest and largest doubles that are whole numbers of this type."""
    limits = np.iinfo(dtype)
    high = float(limits.max)
    return float(limits.min), high if int(high) <= limits.max else math.nextafter(high, 0.0)


def _whole_known(x: np.ndarray, dtype: np.dtype) -> Any:
    return np.where(np.isnan(x), 0, np.clip(np.trunc(x), *_range(dtype))).astype(dtype)


def _round(known: bool, _: np.dtype, params: Any, x: Value) -> Any:
    to_even = params["rounding_method"] == jax.lax.RoundingMethod.TO_NEAREST_EVEN
    if known:
        return np.round(x) if to_even else _round_away_known(x)
    return _round_even(elements_of(x)) if to_even else _round_away(elements_of(x))


def _select(known: bool, _: np.dtype, __: Any, which: Value, *cases: Value) -> Any:
    columns = [elements_of(case) for case in cases]
    if is_known(which):
        index = np.asarray(which, dtype=np.int64)
        if known:
            return np.take_along_axis(np.stack(cases), index[None], 0)[0]
        flat = index.reshape(-1)
        return casadi().vertcat(*columns).nz[(flat * flat.size + np.arange(flat.size)).tolist()]
    result = columns[0]
    number = elements_of(which)
    for case, column in enumerate(columns[1:], start=1):
        result = _choose(number == case if len(columns) > 2 else number, column, result)
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
    largest = np.finfo(np.float64).max
    step = casadi().fmax(casadi().fabs(column) * (2.0**-53 + 2.0**-75), 5e-324)
    near = column + casadi().sign(towards - column) * step
    inwards = casadi().logic_and(casadi().fabs(column) == np.inf, _is_number(towards))
    near = _choose(inwards, casadi().sign(column) * largest, near)
    return _choose(column == towards, towards, near)


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
