"""Rules of branches and loops: written out where all is known or they are short, kept where not."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pliant.native._program import Buffer, Choose, Copy, Repeat
from pliant.native.tracing._elementwise import elementwise
from pliant.native.tracing._equations import Scan, branches, opened, read_at_places, scan_of, without_dead_ends
from pliant.native.tracing._scratch import Scratch
from pliant.native.tracing._size import size_of
from pliant.native.tracing._structural import reduced
from pliant.native.tracing._values import Value, is_known, joined, pick, positions, shape_of

WRITTEN_OUT_LOOP = 20_000  # a loop of known length is written out up to this many operations


LYING = 4  # elements of a value out of which a loop reads at places


class ControlRules(Scratch):
    def _cond(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        index, *arguments = values
        branches = [opened(branch) for branch in equation.params["branches"]]
        if is_known(index):
            return self.walk(*branches[int(np.clip(index, 0, len(branches) - 1))], arguments)
        which, result = self.held(index), self.buffer(sum(math.prod(aval.shape) for aval in avals))
        statements = []
        for branch in branches:
            with _Within(self) as inner:
                self.written(self.walk(*branch, arguments), result)
            statements.append(inner)
        self.statements.append(Choose(which, statements))
        return self.view(result, avals)

    def _while(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        p = equation.params
        test, body = opened(p["cond_jaxpr"]), without_dead_ends(opened(p["body_jaxpr"]))
        first, second = p["cond_nconsts"], p["cond_nconsts"] + p["body_nconsts"]
        for_test, for_body, start = values[:first], values[first:second], values[second:]
        own = body.jaxpr.invars[p["body_nconsts"] :]
        carry = _Carry(self, start, own, body.jaxpr.outvars, avals)
        with _Within(self) as condition:
            (going,) = self.walk(*test, [*for_test, *carry.values])
            batch = shape_of(going)
            truth = self.written([reduced("reduce_or", going, tuple(range(len(batch))), np.dtype(bool))])
        with _Within(self) as inner:
            results = self.walk(*body, [*for_body, *carry.values])
            if batch:  # every member for itself, until the last one is through
                (going,) = self.walk(*test, [*for_test, *carry.values])
                results = [_where(going, new, old) for new, old in zip(results, carry.values, strict=True)]
            carry.store(results)
        self.statements.append(Repeat(None, (condition, truth), inner))
        return carry.values

    def _scan(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        scan = scan_of(equation)
        body, carried, sliced = scan.body, scan.carried, scan.constants + scan.carried
        consts, start, whole = values[: scan.constants], values[scan.constants : sliced], values[sliced:]
        if _write_out(scan):
            return self._written_out(scan, consts, start, whole, avals[carried:])
        inner_avals = [v.aval for v in body.jaxpr.invars[sliced:]]
        own = body.jaxpr.invars[scan.constants : sliced]
        consts = self._lying(consts, body.jaxpr)
        carry = _Carry(self, start, own, body.jaxpr.outvars, avals[:carried])
        # What is known or the same in every turn is not sliced.
        sources = [self.held(value) for value in whole]
        parts = [self.buffer(math.prod(aval.shape)) for aval in inner_avals]
        now = [self.view(part, [aval])[0] for part, aval in zip(parts, inner_avals, strict=True)]
        with _Within(self) as inner:
            results = self.walk(*body, [*consts, *carry.values, *now])
            turn = carry.store(results[:carried], results[carried:])
        stacked, offset, out = [], carry.size, []
        for aval in avals[carried:]:
            size = math.prod(aval.shape[1:])
            buffer = self.buffer(math.prod(aval.shape))
            stacked.append((turn.part(offset, size), buffer))
            offset += size
            out.append(self.view(buffer, [aval])[0])
        slices = list(zip(sources, parts, strict=True))
        self.statements.append(Repeat(scan.length, None, inner, slices, stacked, scan.reverse))
        return [*carry.values, *out]

    def _lying(self, consts: Sequence[Value], body: Any) -> list[Value]:
        """Values that a loop gets in every turn. Those out of which it reads at places lie in buffers before it
        begins; else it would put them there in every turn."""
        read = read_at_places(body)
        return [
            self.lying(value) if index in read and math.prod(shape_of(value)) >= LYING else value
            for index, value in enumerate(consts)
        ]

    def _written_out(self, scan: Scan, consts: Any, carry: Any, whole: Any, avals: Any) -> list[Value]:
        made: list[list[Value]] = [[] for _ in avals]
        order = range(scan.length - 1, -1, -1) if scan.reverse else range(scan.length)
        for index in order:
            now = [pick(value, positions(shape_of(value))[index]) for value in whole]
            results = self.walk(*scan.body, [*consts, *carry, *now])
            carry = results[: len(carry)]
            for collected, value in zip(made, results[len(carry) :], strict=True):
                collected.append(value)
        stacked = []
        for aval, collected in zip(avals, made, strict=True):
            if not collected:
                stacked.append(np.zeros(aval.shape, aval.dtype))
                continue
            column = joined(collected[::-1] if scan.reverse else collected)
            stacked.append(pick(column, positions(tuple(aval.shape))))
        return [*carry, *stacked]


class _Carry:
    """What a loop hands from turn to turn. What its body returns as it got it stays outside."""

    def __init__(self, tracer: Scratch, start: list[Value], own: list[Any], after: list[Any], avals: list[Any]):
        self.tracer = tracer
        self.moving = [index for index, variable in enumerate(own) if after[index] is not variable]
        self.buffer = tracer.written([start[i] for i in self.moving])
        self.size = self.buffer.size
        self.values = list(start)
        for index, value in zip(self.moving, tracer.view(self.buffer, [avals[i] for i in self.moving]), strict=True):
            self.values[index] = value

    def store(self, results: list[Value], beside: Sequence[Value] = ()) -> Buffer:
        """At the end of a turn: what moves, for the next one, and what is kept of this one, computed together."""
        whole = self.tracer.written([*[results[i] for i in self.moving], *beside])
        if self.size:
            self.tracer.statements.append(Copy(whole.part(0, self.size), self.buffer))
        return whole


class _Within:
    """Statements made inside go to a list of their own."""

    def __init__(self, tracer: Scratch) -> None:
        self.tracer = tracer

    def __enter__(self) -> list[Any]:
        self.outer, self.tracer.statements = self.tracer.statements, []
        self.tracer.copies.append({})
        return self.tracer.statements

    def __exit__(self, *_: object) -> None:
        self.tracer.statements = self.outer
        self.tracer.copies.pop()


def _write_out(scan: Scan) -> bool:
    """Where a turn may skip a part of itself, written out turns would be much code of which little is run."""
    if scan.length == 1:
        return True
    return (
        not branches(scan.body.jaxpr) and scan.length * size_of(scan.body.jaxpr, WRITTEN_OUT_LOOP) <= WRITTEN_OUT_LOOP
    )


def _where(condition: Value, yes: Value, no: Value) -> Value:
    """By a condition on the leading dimensions."""
    shape, own = shape_of(yes), shape_of(condition)
    chosen = np.broadcast_to(positions(own).reshape(own + (1,) * (len(shape) - len(own))), shape)
    result = elementwise("select_n", [pick(condition, chosen), no, yes], shape, yes.dtype, {})
    assert result is not None
    return result
