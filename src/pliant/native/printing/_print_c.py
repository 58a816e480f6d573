"""A program as C99 (and CUDA): no allocation, no dependency but libm.

Computations are cut into functions of limited length, so that the compiler's time grows with the program and not with
its square; what one of them leaves to a later one lies in the working space.
"""

import itertools
from collections.abc import Iterator
from typing import Any

from pliant.native._program import Buffer, Call, Choose, Compute, Copy, Program, Repeat
from pliant.native.printing._in_place import root, shared_places
from pliant.native.printing._operations import Operation, needed, operations
from pliant.native.printing._order import with_few_waiting
from pliant.native.printing._runtime import ROUTINES
from pliant.native.printing._waiting import Waiting

FUNCTION_LENGTH = 3000  # operations in one C function
DEPTH = 8  # of nested operations in one expression
SHORTEST_COPY = 8  # neighbours that are only copied: from this many on by one call
IN_PLACE = 64  # doubles that a turn of a loop leaves: up to so many go straight to where the next turn reads them
ON_STACK = 32_768  # doubles of working space; more than that lies in memory of the thread
_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "le": "<=", "eq": "==", "ne": "!="}
_LIBRARY = {
    "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
    "exp", "expm1", "log", "log1p", "pow", "floor", "ceil", "fmod", "copysign", "erf", "hypot",
}  # fmt: skip


class CText:
    """Lines of C for one program: its static functions, and one that runs it. function_length: in operations, or more
    where one computation would have more than most_functions; near: doubles of near space; if there are any, operations
    are put into an order in which fewer values wait."""

    def __init__(
        self, program: Program, function_length: int = FUNCTION_LENGTH, most_functions: int = 1_000_000, near: int = 0
    ) -> None:
        self.program, self.near = program, near
        self.function_length, self.most_functions = function_length, most_functions
        self.functions: list[str] = []
        self.tables: list[str] = []
        self._named: dict[tuple[str, tuple[float, ...]], str] = {}  # tables by type and content
        self.operation_count = 0
        self._numbers = itertools.count()
        self._places: dict[int, tuple[str, int]] = {}
        self._offsets: dict[int, int] = {}
        self.work_size = self.near_size = 0
        self._shared = shared_places(program)
        for buffer in program.buffers:
            self._offsets[id(buffer)] = self.work_size
            self.work_size += buffer.size
        for buffer in (*program.inputs, *program.buffers):
            for index, symbol in enumerate(buffer.symbols.elements() if buffer.symbols is not None else ()):
                self._places[symbol.element_hash()] = self._place(buffer, index)
        self._spill_start = self.work_size
        body = self._statements(program.statements, 1)
        out = [
            f"  pliant_copy({output.size}, {self._pointer(output)}, y[{index}]);"
            for index, output in enumerate(program.outputs)
            if output.size
        ]
        head = f"PLIANT_FUNCTION void {program.name}(const pliant_real *const *x, pliant_real *const *y)"
        place = "PLIANT_OF_THREAD " if self.work_size > ON_STACK else ""
        self.entry = "\n".join([head + " {", f"  {place}pliant_real w[{max(self.work_size, 1)}];", *body, *out, "}"])
        self.routines = _called("\n".join([self.entry, *self.functions]))

    def text(self) -> str:
        return "\n\n".join([*self.tables, *self.functions, self.entry])

    # Addresses

    def _address(self, buffer: Buffer) -> tuple[str, int]:
        if buffer.whole is not None:
            base, offset = self._address(buffer.whole)
            return base, offset + buffer.offset
        if buffer.argument is not None:
            return f"x[{buffer.argument}]", 0
        if buffer.constants is not None:
            return self._table("pliant_real", buffer.constants), 0
        return "w", self._offsets[id(buffer)]

    def _place(self, buffer: Buffer, index: int) -> tuple[str, int]:
        """Where one element of a buffer lies."""
        whole, offset = root(buffer)
        whole, index = self._shared.get((id(whole), offset + index), (whole, offset + index))
        base, begin = self._address(whole)
        return base, begin + index

    def _pointer(self, buffer: Buffer) -> str:
        base, offset = self._address(buffer)
        return f"{base} + {offset}" if offset else base

    def _table(self, kind: str, numbers: tuple[float, ...]) -> str:
        """The name of a table of constants."""
        if (kind, numbers) not in self._named:
            name = self._named[kind, numbers] = f"{self.program.name}_c{len(self._named)}"
            written = ", ".join(map(_number if kind == "pliant_real" else str, numbers)) or "0"
            self.tables.append(f"PLIANT_TABLE {kind} {name}[] = {{{written}}};")
        return self._named[kind, numbers]

    # Statements

    def _statements(self, statements: list[Any], depth: int) -> list[str]:
        lines: list[str] = []
        for statement in statements:
            lines += _PRINT[type(statement)](self, statement, depth)
        return lines

    def _compute(self, statement: Compute, depth: int) -> list[str]:
        steps, results = operations(statement.expressions, self._places)
        targets = [self._place(statement.target, index)[1] for index in range(statement.target.size)]
        lines: list[str] = []
        wanted: dict[int, list[int]] = {}
        for begin, end in _runs(steps, results, targets):
            first = steps[results[begin]]
            source = first.value if first.kind == "symbol" else None
            if source == ("w", targets[begin]):
                continue  # it is there already
            if first.kind == "number" and end - begin >= SHORTEST_COPY:
                lines.append(f"pliant_fill({end - begin}, {_number(first.value)}, w + {targets[begin]});")
            elif source is not None and end - begin >= SHORTEST_COPY:
                lines.append(f"pliant_copy({end - begin}, {source[0]} + {source[1]}, w + {targets[begin]});")
            else:
                for index in range(begin, end):
                    wanted.setdefault(results[index], []).append(targets[index])
        if wanted:
            steps, own = needed(steps, list(wanted))
            if self.near:
                steps, own = with_few_waiting(steps, own)
            places = dict(zip(own, wanted.values(), strict=True))
            lines += [f"{name}(x, w);" for name in self._functions_of(steps, places)]
        return ["  " * depth + line for line in lines]

    def _copy(self, statement: Copy, depth: int) -> list[str]:
        size = statement.target.size
        pair = f"{self._pointer(statement.source)}, {self._pointer(statement.target)}"
        return ["  " * depth + f"pliant_copy({size}, {pair});"]

    def _repeat(self, statement: Repeat, depth: int) -> list[str]:
        pad = "  " * depth
        if statement.condition is not None:
            test, truth = statement.condition
            lines = [pad + "for (;;) {", *self._statements(test, depth + 1)]
            base, offset = self._address(truth)
            lines.append(pad + f"  if ({base}[{offset}] == 0) break;")
            return [*lines, *self._turn(statement, "0", depth + 1), pad + "}"]
        turn = f"i{next(self._numbers)}"
        place = f"({statement.count - 1} - {turn})" if statement.reverse else turn  # type: ignore[operator]
        lines = [pad + f"for (int {turn} = 0; {turn} < {statement.count}; ++{turn}) {{"]
        for whole, part in statement.slices:
            if part.size:
                source = f"{self._pointer(whole)} + {part.size} * {place}"
                lines.append(pad + f"  pliant_copy({part.size}, {source}, {self._pointer(part)});")
        return [*lines, *self._turn(statement, place, depth + 1), pad + "}"]

    def _turn(self, statement: Repeat, place: str, depth: int) -> list[str]:
        """The body of a loop, and what it leaves to the next turn and in the stacks."""
        pad, body = "  " * depth, statement.body
        left = body[-2] if len(body) > 1 and isinstance(body[-1], Copy) and isinstance(body[-2], Compute) else None
        if left is not None and body[-1].source.whole is left.target and left.target.size <= IN_PLACE:
            steps, results = operations(left.expressions, self._places)
            if len(steps) <= self.function_length:
                name = self._turn_in_place(steps, results, body[-1], statement.stacks)
                return [*self._statements(body[:-2], depth), pad + f"{name}(x, w, {place});"]
        lines = self._statements(body, depth)
        for part, whole in statement.stacks:
            if part.size:
                target = f"{self._pointer(whole)} + {part.size} * {place}"
                lines.append(pad + f"pliant_copy({part.size}, {self._pointer(part)}, {target});")
        return lines

    def _turn_in_place(
        self, steps: list[Operation], results: list[int], carry: Copy, stacks: list[tuple[Buffer, Buffer]]
    ) -> str:
        """A function that ends a turn: everything is read before anything is written."""
        pairs = [(carry.source.offset, carry.target, "")]
        pairs += [(part.offset, whole, f" + {part.size} * turn") for part, whole in stacks]
        sizes = [carry.source.size, *(part.size for part, _ in stacks)]
        self.operation_count += _counted(steps)
        alone = [0] * len(steps)
        writer = _Writer(steps, alone, 0, Waiting(steps, alone, {}, 0, 0))
        uses = _uses(steps)
        for index in results:
            uses[index] += 2  # in a variable of its own
        for index in range(len(steps)):
            writer.add(index, alone=uses[index] != 1)
        kept = {}
        for index in dict.fromkeys(results):
            text = writer.term(index)[0]
            if steps[index].kind == "symbol":
                writer.lines.append(f"V s{index}={text};")
                text = f"s{index}"
            kept[index] = text
        for (offset, target, shift), size in zip(pairs, sizes, strict=True):
            base, begin = self._address(target)
            writer.lines += [f"{base}[{begin + i}{shift}]={kept[results[offset + i]]};" for i in range(size)]
        name = f"{self.program.name}_{next(self._numbers)}"
        head = f"PLIANT_PART void {name}(const pliant_real *const *x, pliant_real *w, int turn)"
        self.functions.append("\n".join([head + " {", "(void)turn;", *writer.text(), "}"]))
        return name

    def _choose(self, statement: Choose, depth: int) -> list[str]:
        pad, count = "  " * depth, len(statement.branches)
        base, offset = self._address(statement.index)
        which = f"{base}[{offset}]"
        lines = []
        for index, branch in enumerate(statement.branches):
            opening = f"if ({which} < {index + 0.5})" if index + 1 < count else ""
            opening = opening if index == 0 else f"}} else {opening}".rstrip()
            lines += [pad + opening + " {", *self._statements(branch, depth + 1)]
        return [*lines, pad + "}"]

    def _call(self, statement: Call, depth: int) -> list[str]:
        arguments = [str(size) for size in statement.sizes]
        arguments += [self._table("int", table) for table in statement.tables]
        arguments += [self._pointer(b) for b in (*statement.inputs, *statement.outputs)]
        return ["  " * depth + f"{statement.name}({', '.join(arguments)});"]

    # Computations

    def _functions_of(self, steps: list[Operation], wanted: dict[int, list[int]]) -> list[str]:
        """C functions of these steps. wanted: step -> where in the working space it is to be left."""
        self.operation_count += _counted(steps)
        chunks = _chunks(steps, max(self.function_length, -(-len(steps) // self.most_functions)))
        part = [0] * len(steps)
        for number, (begin, end) in enumerate(chunks):
            part[begin:end] = [number] * (end - begin)
        waiting = Waiting(steps, part, wanted, self._spill_start, self.near)
        self.work_size = max(self.work_size, waiting.work_size)
        self.near_size = max(self.near_size, waiting.near_size)
        uses = _uses(steps)
        names = []
        for number, (begin, end) in enumerate(chunks):
            name = f"{self.program.name}_{next(self._numbers)}"
            writer = _Writer(steps, part, number, waiting)
            for index in range(begin, end):
                targets = [f"w[{place}]" for place in wanted.get(index, [])]
                targets += [waiting.left[index]] if index in waiting.left else []
                writer.add(index, alone=uses[index] != 1 or bool(targets))
                writer.store(index, targets)
            head = f"PLIANT_PART void {name}(const pliant_real *const *x, pliant_real *w)"
            self.functions.append("\n".join([head + " {", *writer.text(), "}"]))
            names.append(name)
        return names


class _Writer:
    """Lines of one C function. What is used once is written where it is used."""

    def __init__(self, steps: list[Operation], part: list[int], own: int, waiting: Waiting) -> None:
        self.steps, self.part, self.own, self.waiting = steps, part, own, waiting
        self.lines: list[str] = []
        self.pointers: set[str] = set()
        self.terms: dict[int, tuple[str, int]] = {}  # text, and how deep it is nested

    def term(self, index: int) -> tuple[str, int]:
        step = self.steps[index]
        if step.kind == "number":
            return _number(step.value), 0
        if step.kind == "symbol":
            where, position = step.value
            if where != "w":
                self.pointers.add(where)
            return f"{_local(where)}[{position}]", 0
        return self.terms[index] if self.part[index] == self.own else (self.waiting.place(index), 0)

    def add(self, index: int, alone: bool) -> None:
        step = self.steps[index]
        if step.kind in ("number", "symbol"):
            return
        terms = [self.term(i) for i in step.operands]
        depth = 1 + max(depth for _, depth in terms)
        alone = alone or depth > DEPTH
        text = _expression(step, [text for text, _ in terms])
        if alone:
            self.lines.append(f"V t{index}={text};")
            self.terms[index] = (f"t{index}", 0)
        else:
            self.terms[index] = (f"({text})", depth)

    def store(self, index: int, targets: list[str]) -> None:
        text = self.term(index)[0] if targets else ""
        self.lines += [f"{target}={text};" for target in targets]

    def text(self) -> list[str]:
        opening = [f"V *const {_local(p)} = {p};" for p in sorted(self.pointers)]
        return [*(opening or ["(void)x;"]), *self.lines]


_PRINT: dict[type, Any] = {
    Compute: CText._compute,
    Copy: CText._copy,
    Repeat: CText._repeat,
    Choose: CText._choose,
    Call: CText._call,
}


def _called(text: str) -> list[str]:
    """Routines that a text calls, and those that they call, which come before them."""
    found: list[str] = []
    for name, routine in reversed(ROUTINES.items()):
        if f"{name}(" in text:
            found.insert(0, routine)
            text += routine
    return found


def _counted(steps: list[Operation]) -> int:
    return sum(step.kind not in ("number", "symbol") for step in steps)


def _uses(steps: list[Operation]) -> list[int]:
    uses = [0] * len(steps)
    for step in steps:
        for operand in step.operands:
            uses[operand] += 1
    return uses


def _local(pointer: str) -> str:
    return pointer.replace("[", "").replace("]", "")


def _runs(steps: list[Operation], results: list[int], targets: list[int]) -> Iterator[tuple[int, int]]:
    """Ranges of results that lie one after the other already, as they shall, or are one number; all others alone."""
    begin = 0
    for index in range(1, len(results) + 1):
        if index < len(results):
            one, other = steps[results[index - 1]], steps[results[index]]
            together = targets[index] == targets[index - 1] + 1
            if together and one.kind == other.kind == "symbol" and other.value == (one.value[0], one.value[1] + 1):
                continue
            if together and one.kind == other.kind == "number" and repr(one.value) == repr(other.value):
                continue
        yield begin, index
        begin = index


def _chunks(steps: list[Operation], length: int) -> list[tuple[int, int]]:
    count = max(1, -(-len(steps) // length))
    size = -(-len(steps) // count)
    return [(begin, min(begin + size, len(steps))) for begin in range(0, max(len(steps), 1), max(size, 1))]


def _number(value: float) -> str:
    if value != value:
        return "PLIANT_NAN"
    if value in (float("inf"), float("-inf")):
        return "PLIANT_INFINITY" if value > 0 else "(-PLIANT_INFINITY)"
    text = f"PLIANT_REAL({abs(value)!r})"
    return text if value >= 0 else f"(-{text})"


def _expression(step: Operation, terms: list[str]) -> str:
    kind = step.kind
    if kind in _INFIX:
        return f"{terms[0]}{_INFIX[kind]}{terms[1]}"
    if kind in _LIBRARY:
        return f"pliant_{kind}({', '.join(terms)})"
    a, b, c = (*terms, "", "")[:3]
    return {
        "neg": f"-{a}",
        "square": f"pliant_square({a})",
        "twice": f"2*{a}",
        "inverse": f"PLIANT_REAL(1.0) / {a}",
        "abs": f"pliant_fabs({a})",
        "sign": f"pliant_sign({a})",
        "min": f"pliant_min({a}, {b})",
        "max": f"pliant_max({a}, {b})",
        "not": f"{a} == 0",
        "and": f"({a} != 0) && ({b} != 0)",
        "or": f"({a} != 0) || ({b} != 0)",
        "if": f"{a} != 0 ? {b} : 0",
        "choose": f"{a} != 0 ? {b} : {c}",
    }[kind]
