"""A computation as numbered operations, each on earlier ones: equal ones once, branches as such."""

import math
from typing import Any, NamedTuple

from pliant.native._casadi import casadi


class Operation(NamedTuple):
    """kind: a word of KINDS, "number", "symbol" or "choose"; operands: indices of earlier operations. value: of a
    number; of a symbol, where it is read."""

    kind: str
    operands: tuple[int, ...]
    value: Any = None


KINDS = {
    "ADD": "add", "SUB": "sub", "MUL": "mul", "DIV": "div", "NEG": "neg", "SQ": "square", "TWICE": "twice",
    "INV": "inverse", "SQRT": "sqrt", "SIN": "sin", "COS": "cos", "TAN": "tan", "ASIN": "asin", "ACOS": "acos",
    "ATAN": "atan", "ATAN2": "atan2", "SINH": "sinh", "COSH": "cosh", "TANH": "tanh", "ASINH": "asinh",
    "ACOSH": "acosh", "ATANH": "atanh", "EXP": "exp", "EXPM1": "expm1", "LOG": "log", "LOG1P": "log1p", "POW": "pow",
    "CONSTPOW": "pow", "FABS": "abs", "SIGN": "sign", "FLOOR": "floor", "CEIL": "ceil", "FMOD": "fmod",
    "FMIN": "min", "FMAX": "max", "LT": "lt", "LE": "le", "EQ": "eq", "NE": "ne", "NOT": "not", "AND": "and",
    "OR": "or", "IF_ELSE_ZERO": "if", "COPYSIGN": "copysign", "ERF": "erf", "HYPOT": "hypot",
}  # fmt: skip
_COMMUTE = {"add", "mul", "eq", "ne", "and", "or"}


def operations(expressions: Any, places: dict[int, Any]) -> tuple[list[Operation], list[int]]:
    """Operations in an order in which they can be done, and which of them are the expressions. places: hash of a
    symbol -> where it is read."""
    ca = casadi()
    codes = {getattr(ca, f"OP_{name}"): kind for name, kind in KINDS.items()}
    expressions = ca.densify(expressions)
    symbols = ca.symvar(expressions)
    function = ca.Function("f", [ca.vertcat(*symbols) if symbols else ca.SX.zeros(0, 1)], [expressions])
    found: list[Operation] = []
    numbers: dict[Any, int] = {}

    def number(kind: str, operands: tuple[int, ...] = (), value: Any = None) -> int:
        if kind in _COMMUTE:
            operands = tuple(sorted(operands))
        key = (kind, operands, value if kind != "number" else (value, math.copysign(1.0, value)))
        if key not in numbers:
            numbers[key] = len(found)
            found.append(Operation(kind, operands, value))
        return numbers[key]

    def combined(kind: str, operands: tuple[int, ...]) -> int:
        if kind == "add":
            one, other = (found[i] for i in operands)
            if one.kind == other.kind == "if":
                for yes, no in ((one, other), (other, one)):
                    test = found[no.operands[0]]
                    if test.kind == "not" and test.operands[0] == yes.operands[0]:
                        return number("choose", (yes.operands[0], yes.operands[1], no.operands[1]))
        return number(kind, operands)

    work: dict[int, int] = {}
    results: dict[int, int] = {}
    places_of = [places[symbol.element_hash()] for symbol in symbols]
    for k in range(function.n_instructions()):
        code, into = function.instruction_id(k), function.instruction_output(k)
        if code == ca.OP_OUTPUT:
            results[into[1]] = work[function.instruction_input(k)[0]]
        elif code == ca.OP_INPUT:
            work[into[0]] = number("symbol", (), places_of[function.instruction_input(k)[1]])
        elif code == ca.OP_CONST:
            work[into[0]] = number("number", (), float(function.instruction_constant(k)))
        else:
            work[into[0]] = combined(codes[code], tuple(work[i] for i in function.instruction_input(k)))
    return needed(found, [results[i] for i in range(expressions.shape[0])])


def needed(found: list[Operation], results: list[int]) -> tuple[list[Operation], list[int]]:
    """Without what fusing has left over."""
    used = [False] * len(found)
    for index in results:
        used[index] = True
    for index in range(len(found) - 1, -1, -1):
        if used[index]:
            for operand in found[index].operands:
                used[operand] = True
    if all(used):
        return found, results
    first = used.index(False)
    new, kept = list(range(first)), found[:first]
    for index in range(first, len(found)):
        new.append(len(kept))
        if used[index]:
            kind, operands, value = found[index]
            kept.append(Operation(kind, tuple([new[i] for i in operands]), value))
    return kept, [new[i] for i in results]
