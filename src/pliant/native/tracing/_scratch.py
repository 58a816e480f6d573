"""The state of a trace: buffers, statements so far, and the values that are still needed."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from jax.extend.core import Jaxpr

from pliant.native._casadi import casadi
from pliant.native._program import Buffer, Compute
from pliant.native.tracing._values import Stored, Symbolic, Value, elements_of, is_known, shape_of, symbolic

LONG = 4096  # numbers of an argument that is taken apart only where something asks for them


class Scratch:
    def __init__(self, name: str, routines: bool) -> None:
        self.name, self.routines = name, routines
        self.buffers: list[Buffer] = []
        self.statements: list[Any] = []
        self.frames: list[dict[Any, Value]] = []
        self.path: list[Any] = []  # the equation that is walked, after those that it is within
        # Values known to be symbols and numbers only; kept, so that their ids stay unique.
        self.settled: dict[int, Symbolic] = {}
        self.homes: dict[int, tuple[Buffer, int]] = {}  # hash of a symbol -> where it stands for
        # Values that were written only to be read as a whole, for every list of statements that is being made: what a
        # branch or a turn has written is not there outside of it.
        self.copies: list[dict[tuple[int, ...], tuple[Value, Buffer]]] = [{}]

    def buffer(self, size: int) -> Buffer:
        buffer = self._settled_in(Buffer(size, casadi().SX.sym(f"b{len(self.buffers)}", size, 1)))
        self.buffers.append(buffer)
        return buffer

    def _settled_in(self, buffer: Buffer) -> Buffer:
        for index, symbol in enumerate(buffer.symbols.elements()):
            self.homes[symbol.element_hash()] = (buffer, index)
        return buffer

    def argument(self, index: int, aval: Any) -> tuple[Buffer, Value]:
        """The buffer of an argument, and the value that it is."""
        size = math.prod(aval.shape)
        buffer = Buffer(size, None, argument=index)
        if self.routines and size > LONG and aval.dtype == np.float64:
            return buffer, Stored(tuple(aval.shape), aval.dtype, buffer, self._opened)
        return buffer, symbolic(self._opened(buffer), aval.shape, aval.dtype)

    def _opened(self, buffer: Buffer) -> Any:
        """The scalars of an argument."""
        if buffer.symbols is None:
            buffer.symbols = casadi().SX.sym(f"x{buffer.argument}", buffer.size, 1)
            self._settled_in(buffer)
        return buffer.symbols

    def written(self, values: Sequence[Value], target: Buffer | None = None) -> Buffer:
        """A buffer with the elements of the values one after the other."""
        ca = casadi()
        column = ca.vertcat(*[elements_of(value) for value in values]) if values else ca.SX.zeros(0, 1)
        target = self.buffer(column.shape[0]) if target is None else target
        if target.size:
            self.statements.append(Compute(column, target))
        return target

    def held(self, value: Value) -> Buffer:
        """A buffer to read the elements of a value from: where they lie already, if they lie there in this order."""
        if is_known(value):
            numbers = tuple(np.asarray(value, dtype=np.float64).reshape(-1).tolist())
            return Buffer(len(numbers), None, constants=numbers)
        if isinstance(value, Stored):
            return value.buffer
        keys = _keys(value)
        if (home := self._home(keys)) is not None:
            return home
        for copies in self.copies:
            if keys in copies:
                return copies[keys][1]
        buffer = self.written([value])
        self.copies[-1][keys] = (value, buffer)  # with the value, so that its hashes stay its own
        return buffer

    def lying(self, value: Value) -> Value:
        """A value as it is, with its elements one after the other in a buffer."""
        if is_known(value) or isinstance(value, Stored):
            return value
        return symbolic(self.held(value).symbols, shape_of(value), value.dtype)

    def lies(self, value: Value) -> bool:
        """Whether the elements of a value lie in a buffer, one after the other."""
        return isinstance(value, Stored) or (not is_known(value) and self._home(_keys(value)) is not None)

    def _home(self, keys: tuple[int, ...]) -> Buffer | None:
        home, begin = self.homes.get(keys[0], (None, 0))
        if home is not None and all(self.homes.get(key) == (home, begin + i) for i, key in enumerate(keys)):
            return home.part(begin, len(keys))
        return None

    def written_apart(self, values: Sequence[Value]) -> list[Buffer]:
        """Each value in a buffer of its own, computed together so that they share what they have in common; long ones
        where they lie."""
        whole = self.written([value for value in values if not isinstance(value, Stored)])
        parts, offset = [], 0
        for value in values:
            if isinstance(value, Stored):
                parts.append(value.buffer)
                continue
            size = math.prod(shape_of(value))
            parts.append(whole.part(offset, size))
            offset += size
        return parts

    def view(self, buffer: Buffer, avals: Sequence[Any]) -> list[Value]:
        """Values whose elements are those of a buffer, one after the other."""
        values, offset = [], 0
        for aval in avals:
            size = math.prod(aval.shape)
            values.append(symbolic(buffer.symbols[offset : offset + size], aval.shape, aval.dtype))
            offset += size
        return values

    def settle(self) -> None:
        """Compute everything that is still needed into a buffer."""
        ca = casadi()
        known: dict[int, int] = {}
        expressions: list[Any] = []
        plans: list[tuple[dict[Any, Value], Any, list[Any]]] = []
        for frame in self.frames:
            for variable, value in frame.items():
                if is_known(value) or isinstance(value, Stored) or id(value) in self.settled:
                    continue
                plan: list[Any] = []
                open_ends = False
                for element in value.elements.elements():
                    if element.is_constant() or element.is_symbolic():
                        plan.append(element)
                        continue
                    key = element.element_hash()
                    if key not in known:
                        known[key] = len(expressions)
                        expressions.append(element)
                    plan.append(known[key])
                    open_ends = True
                if open_ends:
                    plans.append((frame, variable, plan))
                else:
                    self._mark(value)
        if not expressions:
            return
        target = self.buffer(len(expressions))
        self.statements.append(Compute(ca.vertcat(*expressions), target))
        stored = target.symbols.elements()
        for frame, variable, plan in plans:
            old = frame[variable]
            column = ca.vertcat(*[stored[e] if isinstance(e, int) else e for e in plan])
            frame[variable] = Symbolic(old.shape, old.dtype, column)
            self._mark(frame[variable])

    def _mark(self, value: Symbolic) -> None:
        self.settled[id(value)] = value

    def walk(self, jaxpr: Jaxpr, consts: Sequence[Value], arguments: Sequence[Value]) -> list[Value]:
        """What a jaxpr gives for these values."""
        raise NotImplementedError

    def source(self) -> str:
        """Where a primitive comes from, as far as JAX remembers: in a function that JAX has traced before it knows only
        the lines inside, and the line that calls it tells more."""
        for equation in reversed(self.path):
            traceback = equation.source_info.traceback
            for frame in traceback.frames if traceback is not None else []:
                if "/jax/" not in frame.file_name and "equinox" not in frame.file_name:
                    return f"{frame.file_name}:{frame.line_num} ({frame.function_name})"
        return "an unknown line"


def _keys(value: Symbolic) -> tuple[int, ...]:
    return tuple(element.element_hash() for element in value.elements.elements())
