"""A function as formulas: a CasADi function for optimal control, SymPy expressions to be read."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pliant.native._casadi import casadi, package
from pliant.native._errors import TooLargeError, UnsupportedError
from pliant.native._program import Compute, Program
from pliant.native.printing import operations
from pliant.native.tracing import jaxpr_of, trace_jaxpr

READABLE = 3000  # operations: what a person may want to see


def casadi_function(function: Callable[..., Any], arguments: Sequence[Any], name: str = "function") -> Any:
    """A casadi.Function of the flattened arguments (columns, C order) with the flattened results: for Ipopt, acados,
    Simulink. It has no loops and branches of its own: functions that need them are refused."""
    program, column = _one_column(function, arguments, name)
    ca, offset, results = casadi(), 0, []
    for output in program.outputs:
        results.append(column[offset : offset + output.size])
        offset += output.size
    given = [f"x{index}" for index in range(len(program.inputs))]
    made = [f"y{index}" for index in range(len(results))]
    return ca.Function(name, [buffer.symbols for buffer in program.inputs], results, given, made)


def sympy_expressions(
    function: Callable[..., Any], arguments: Sequence[Any], symbols: Sequence[Sequence[str]], name: str = "function"
) -> list[Any]:
    """The flattened results as SymPy expressions in these symbols, names for the elements of every argument."""
    program, column = _one_column(function, arguments, name)
    if [buffer.size for buffer in program.inputs] != [len(names) for names in symbols]:
        sizes = [buffer.size for buffer in program.inputs]
        raise ValueError(f"{name}: expected names for {sizes} elements; got {[len(names) for names in symbols]}")
    sympy = package("sympy", "SymPy")
    places = {
        symbol.element_hash(): sympy.Symbol(word, real=True)
        for buffer, names in zip(program.inputs, symbols, strict=True)
        for symbol, word in zip(buffer.symbols.elements(), names, strict=True)
    }
    steps, results = operations(column, places)
    if len(steps) > READABLE:
        raise TooLargeError(f"{name} has {len(steps)} operations; formulas are written up to {READABLE}")
    found: list[Any] = []
    for step in steps:
        operands = [found[index] for index in step.operands]
        found.append(_expression(sympy, step.kind, step.value, operands))
    return [found[index] for index in results]


def _one_column(function: Callable[..., Any], arguments: Sequence[Any], name: str) -> tuple[Program, Any]:
    """The program and all its results as one column of expressions in its inputs."""
    closed, _ = jaxpr_of(function, arguments)
    program = trace_jaxpr(closed, name, routines=False)
    if len(program.statements) != 1 or not isinstance(program.statements[0], Compute):
        raise UnsupportedError(f"{name} has loops, branches or large matrices, which formulas cannot hold")
    return program, program.statements[0].expressions


def _expression(sympy: Any, kind: str, value: Any, operands: list[Any]) -> Any:
    if kind == "symbol":
        return value
    if kind == "number":
        return sympy.Integer(int(value)) if value == np.rint(value) and abs(value) < 1e15 else sympy.Float(value)
    if kind in _ARITHMETIC:
        return _ARITHMETIC[kind](*operands)
    if kind == "choose":
        return sympy.Piecewise((operands[1], _truth(sympy, operands[0])), (operands[2], True))
    if kind == "if":
        return sympy.Piecewise((operands[1], _truth(sympy, operands[0])), (0, True))
    if kind == "not":
        return sympy.Not(_truth(sympy, operands[0]))
    if kind in ("and", "or"):
        return getattr(sympy, kind.capitalize())(*(_truth(sympy, operand) for operand in operands))
    return getattr(sympy, _WORDS.get(kind, kind))(*operands)


def _truth(sympy: Any, operand: Any) -> Any:
    return operand if isinstance(operand, sympy.logic.boolalg.Boolean) else sympy.Ne(operand, 0)


_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "square": lambda a: a**2,
    "twice": lambda a: 2 * a,
    "inverse": lambda a: 1 / a,
    "pow": lambda a, b: a**b,
}
_WORDS = {
    "abs": "Abs", "min": "Min", "max": "Max", "lt": "Lt", "le": "Le", "eq": "Eq", "ne": "Ne", "ceil": "ceiling",
    "fmod": "Mod",
}  # fmt: skip
