"""Numbers of the TMT language that stay symbols: TMTDyn's par.sym and par.var."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pliant.description.language.grammar import is_list, is_mapping

_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_SPECIAL = {"inf": math.inf, "nan": math.nan, "pi": math.pi}
_LONGEST_TEXT = 500
_LARGEST_POWER = 64


class NoValue(ValueError):
    """An expression that is no number with the values that its symbols have; the message says why."""


class Expression:
    """A number computed from symbols, so that their values may still change: `m / l` of two symbols is one.

    `inputs` holds the symbols it needs with the values they were made with.
    """

    __slots__ = ("_compute", "inputs")

    def __init__(self, compute: Callable[[Mapping[str, float]], float], inputs: Mapping[str, float]):
        self._compute = compute
        self.inputs = dict(inputs)

    def value(self, values: Mapping[str, float]) -> float:
        """The number, with some symbols at other values than they were made with."""
        try:
            return float(self._compute({**self.inputs, **values}))
        except (ArithmeticError, TypeError) as error:  # a division by zero, a root of less than zero
            named = ", ".join(f"{name} = {value:g}" for name, value in {**self.inputs, **values}.items())
            raise NoValue(f"it has no value with {named} ({error})") from None

    def _with(self, other: Any, rule: Callable[[Any, Any], Any], swapped: bool = False) -> "Expression":
        if isinstance(other, np.ndarray) or not isinstance(other, Expression | int | float | np.number):
            return NotImplemented

        def compute(values: Mapping[str, float]) -> float:
            mine, theirs = self._compute(values), other._compute(values) if isinstance(other, Expression) else other
            return rule(theirs, mine) if swapped else rule(mine, theirs)

        return Expression(compute, {**self.inputs, **(other.inputs if isinstance(other, Expression) else {})})

    def __add__(self, other: Any) -> "Expression":
        return self._with(other, operator.add)

    def __radd__(self, other: Any) -> "Expression":
        return self._with(other, operator.add, swapped=True)

    def __sub__(self, other: Any) -> "Expression":
        return self._with(other, operator.sub)

    def __rsub__(self, other: Any) -> "Expression":
        return self._with(other, operator.sub, swapped=True)

    def __mul__(self, other: Any) -> "Expression":
        return self._with(other, operator.mul)

    def __rmul__(self, other: Any) -> "Expression":
        return self._with(other, operator.mul, swapped=True)

    def __truediv__(self, other: Any) -> "Expression":
        return self._with(other, operator.truediv)

    def __rtruediv__(self, other: Any) -> "Expression":
        return self._with(other, operator.truediv, swapped=True)

    def __pow__(self, other: Any) -> "Expression":
        return self._with(other, operator.pow)

    def __neg__(self) -> "Expression":
        return Expression(lambda values: -self._compute(values), self.inputs)

    def __float__(self) -> float:
        # A silent float would forget the symbol and keep the value it has now.
        raise TypeError("a symbol of the TMT language is no plain number; use it in fields, with + - * / **")

    def __repr__(self) -> str:
        try:
            now = f"now {self.value({}):g}"
        except NoValue:
            now = "without a value now"
        return f"<number from {', '.join(self.inputs)}, {now}>"


def sym(name: str, value: float) -> Expression:
    """A symbol with its value: `m = tmt.sym("m", 0.1)`; `system.body(1).m = m / 2` follows when `m` changes."""
    if not (isinstance(name, str) and name.isidentifier()) or name in _SPECIAL:
        raise ValueError(f"got {name!r}; expected the name of a symbol: letters, digits and _, and not inf, nan or pi")
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
        raise ValueError(f"got {value!r} for the symbol {name}; expected a finite number")
    return Expression(lambda values: values[name], {name: float(value)})


def read_text(text: str, symbols: Mapping[str, Expression]) -> Any:
    """The number that a text means: inf, nan, a symbol, or sums, products and powers of symbols and numbers.

    A ValueError says what the text is not.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval") if len(text) <= _LONGEST_TEXT else None
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        tree = None
    if tree is None:
        raise ValueError("it is no number and no expression of symbols")
    try:
        return _walk(tree.body, symbols)
    except (ArithmeticError, TypeError, RecursionError):
        raise ValueError("it has no value") from None


def _walk(node: ast.AST, symbols: Mapping[str, Expression]) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return float(node.value)
    if isinstance(node, ast.Name):
        if node.id.lower() in _SPECIAL:
            return _SPECIAL[node.id.lower()]
        if node.id in symbols:
            return symbols[node.id]
        known = ", ".join(symbols) or "there are none"
        raise ValueError(f'"{node.id}" is no symbol of par.sym ({known})')
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = _walk(node.operand, symbols)
        return -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _walk(node.left, symbols), _walk(node.right, symbols)
        if isinstance(node.op, ast.Pow) and not (isinstance(right, float) and abs(right) <= _LARGEST_POWER):
            raise ValueError(f"its power is no number up to {_LARGEST_POWER}")
        return _BINARY[type(node.op)](left, right)
    raise ValueError("it is no number and no expression of symbols")


def resolved(value: Any, values: Mapping[str, float]) -> Any:
    """The value with numbers in place of all expressions, in plain lists."""
    if isinstance(value, Expression):
        return value.value(values)
    if isinstance(value, np.ndarray | np.generic):
        return resolved(value.tolist(), values)
    if is_mapping(value):
        return {key: resolved(item, values) for key, item in value.items()}
    return [resolved(item, values) for item in value] if is_list(value) else value


def inputs_of(value: Any) -> dict[str, float]:
    """The symbols that a value needs."""
    if isinstance(value, Expression):
        return value.inputs
    items: Any = value.values() if is_mapping(value) else value if is_list(value) else ()
    return {name: number for item in items for name, number in inputs_of(item).items()}
