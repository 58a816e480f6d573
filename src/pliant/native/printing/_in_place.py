"""Results that a loop keeps, computed where the next turn reads them.

A turn computes what it hands on into a buffer and copies that to where the next turn reads it: nothing may be
overwritten while it is still read. A large part of it (the matrix that a solver keeps) is often the result of one
statement, after which its old value is read no more. Such a result gets the place of the old value, and no copy is
needed; where the statement leaves it as it was, nothing is done at all.
"""

from collections.abc import Iterator
from typing import Any

from pliant.native._casadi import casadi
from pliant.native._program import Buffer, Call, Choose, Compute, Copy, Program, Repeat

SHORTEST = 32  # doubles, side by side

Place = tuple[int, int]  # identity of a buffer that is no part, position in it


def shared_places(program: Program) -> dict[Place, tuple[Buffer, int]]:
    """Where results are to lie instead of in their own buffers. Changes the ends of loops accordingly."""
    return _Shared(program).found


def root(buffer: Buffer) -> tuple[Buffer, int]:
    """The buffer that it is a part of, and where."""
    offset = 0
    while buffer.whole is not None:
        buffer, offset = buffer.whole, offset + buffer.offset
    return buffer, offset


class _Shared:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.found: dict[Place, tuple[Buffer, int]] = {}
        self.places: dict[int, tuple[Buffer, int]] = {}  # by the hash of a symbol
        for buffer in (*program.inputs, *program.buffers):
            for index, symbol in enumerate(buffer.symbols.elements() if buffer.symbols is not None else ()):
                self.places[symbol.element_hash()] = (buffer, index)
        # Whole buffers that something points to: they stay where they are.
        self.pointed = {id(root(output)[0]) for output in program.outputs}
        self.pointed |= {id(root(b)[0]) for s in _all(program.statements) for b in _pointers(s)}
        for statement in _all(program.statements):
            if isinstance(statement, Repeat):
                self._loop(statement)

    def _loop(self, loop: Repeat) -> None:
        body = loop.body
        if len(body) < 2 or not (isinstance(body[-1], Copy) and isinstance(body[-2], Compute)):
            return
        end, copy = body[-2], body[-1]
        if copy.source.whole is not end.target or copy.source.offset:
            return
        carry, begin = root(copy.target)
        elements = end.expressions.elements()
        moved = set()
        for first, last, source, at in self._runs(elements[: copy.source.size]):
            old = {(id(carry), begin + i) for i in range(first, last)}
            if source is not carry and self._free(body[:-2], end, source, (at, last - first), old):
                moved |= set(range(first, last))
                for i in range(first, last):
                    self.found[id(source), at + i - first] = (carry, begin + i)
        if moved:
            self._without(loop, elements, moved)

    def _runs(self, elements: list[Any]) -> Iterator[tuple[int, int, Buffer, int]]:
        """Ranges of expressions that are symbols side by side in a buffer that nothing points to."""
        first = 0
        places = [self.places.get(element.element_hash()) for element in elements]
        for index in range(1, len(places) + 1):
            now, before = places[index] if index < len(places) else None, places[index - 1]
            if now is not None and before is not None and now[0] is before[0] and now[1] == before[1] + 1:
                continue
            start = places[first]
            if start is not None and index - first >= SHORTEST and self._is_own(start[0]):
                yield first, index, *start
            first = index

    def _is_own(self, buffer: Buffer) -> bool:
        return buffer.argument is None and id(buffer) not in self.pointed

    def _free(self, body: list[Any], end: Compute, source: Buffer, part: tuple[int, int], old: set[Place]) -> bool:
        """Whether what writes `part` (begin, size) of the source may write over the old values."""
        writers = [index for index, statement in enumerate(body) if _writes(statement, source)]
        if len(writers) != 1:
            return False
        (index,) = writers
        if any(self._reads(statement) & old for statement in (*body[index + 1 :], end)):
            return False
        last = body[index]
        if isinstance(last, Compute):
            return self._keeps(last, part, old)
        if not isinstance(last, Choose):
            return False
        return all(
            branch
            and isinstance(branch[-1], Compute)
            and branch[-1].target is source
            and not any(_writes(statement, source) for statement in branch[:-1])
            and self._keeps(branch[-1], part, old)
            for branch in last.branches
        )

    def _keeps(self, compute: Compute, part: tuple[int, int], old: set[Place]) -> bool:
        """Whether each of the old values is read by nothing but what takes its place."""
        begin, size = part
        if compute.target.whole is not None or (compute.expressions.shape[0] < begin + size):
            return False
        elements = compute.expressions.elements()
        order = sorted(position for _, position in old)
        others = elements[:begin] + elements[begin + size :]
        if self._symbols(others) & old:
            return False
        own = elements[begin : begin + size]
        if not self._symbols(own) & old:
            return True
        return all(
            {position for _, position in self._symbols([element]) & old} <= {place}
            for element, place in zip(own, order, strict=True)
        )

    def _symbols(self, elements: list[Any]) -> set[Place]:
        symbols = casadi().symvar(casadi().vertcat(*elements)) if elements else []
        found = (self.places[symbol.element_hash()] for symbol in symbols)
        return {(id(buffer), index) for buffer, index in found}

    def _reads(self, statement: Any) -> set[Place]:
        """Places that a statement reads, at any depth."""
        found: set[Place] = set()
        for inner in _all([statement]):
            if isinstance(inner, Compute):
                found |= self._symbols([inner.expressions])
            for buffer in _pointers(inner):
                whole, offset = root(buffer)
                found |= {(id(whole), offset + i) for i in range(buffer.size)}
        return found

    def _without(self, loop: Repeat, elements: list[Any], moved: set[int]) -> None:
        """The end of a loop without what is there already."""
        copy = loop.body[-1]
        kept = [i for i in range(len(elements)) if i not in moved]
        ca = casadi()
        rest = Buffer(len(kept), ca.SX.sym("rest", len(kept), 1))
        self.program.buffers.append(rest)
        for index, symbol in enumerate(rest.symbols.elements()):
            self.places[symbol.element_hash()] = (rest, index)
        tail: list[Any] = [Compute(ca.vertcat(*(elements[i] for i in kept)), rest)] if kept else []
        begin = 0
        size = copy.source.size
        while begin < len(kept) and kept[begin] < size:
            stop = begin + 1
            while stop < len(kept) and kept[stop] < size and kept[stop] == kept[stop - 1] + 1:
                stop += 1
            tail.append(Copy(rest.part(begin, stop - begin), copy.target.part(kept[begin], stop - begin)))
            begin = stop
        loop.body[-2:] = tail
        loop.stacks = [(rest.part(part.offset - len(moved), part.size), whole) for part, whole in loop.stacks]


def _all(statements: list[Any]) -> Iterator[Any]:
    """Statements at any depth, those inside others first."""
    for statement in statements:
        if isinstance(statement, Repeat):
            if statement.condition is not None:
                yield from _all(statement.condition[0])
            yield from _all(statement.body)
        elif isinstance(statement, Choose):
            for branch in statement.branches:
                yield from _all(branch)
        yield statement


def _pointers(statement: Any) -> Iterator[Buffer]:
    """Buffers that a statement itself points to; what it computes is read by symbols and written by places."""
    if isinstance(statement, Copy):
        yield from (statement.source, statement.target)
    elif isinstance(statement, Call):
        yield from (*statement.inputs, *statement.outputs)
    elif isinstance(statement, Choose):
        yield statement.index
    elif isinstance(statement, Repeat):
        yield from (buffer for pair in (*statement.slices, *statement.stacks) for buffer in pair)
        if statement.condition is not None:
            yield statement.condition[1]


def _writes(statement: Any, buffer: Buffer) -> bool:
    """Whether a statement computes into a buffer, at any depth."""
    return any(isinstance(inner, Compute) and root(inner.target)[0] is buffer for inner in _all([statement]))
