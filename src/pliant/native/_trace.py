"""From a jaxpr to a native program.

The jaxpr is walked with arrays of scalar expressions as values, so that everything that is known is folded and every
loop of known length can be written out. Loops of unknown length, branches, long loops and large matrices stay what they
are: before each of them all values that are still needed are computed into buffers, and from there on they are symbols.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax import ShapeDtypeStruct
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal
from jax.interpreters.partial_eval import dce_jaxpr

from pliant.native._casadi import casadi
from pliant.native._elementwise import elementwise
from pliant.native._errors import TooLargeError, UnsupportedError
from pliant.native._indexing import Windows, gather_windows, scatter_windows, windows
from pliant.native._matrices import WRITTEN_OUT, cholesky, matrix_to_rows, rows_to_matrix, triangular
from pliant.native._program import Buffer, Call, Choose, Compute, Copy, Program, Repeat
from pliant.native._size import size_of
from pliant.native._structural import REDUCTIONS, accumulated, fill_of, gathered, moved, product, reduced
from pliant.native._values import Symbolic, Value, elements_of, is_known, joined, pick, positions, shape_of, symbolic

LARGEST = 6_000_000  # elements computed while tracing: beyond it a program is refused
WRITTEN_OUT_LOOP = 20_000  # a loop of known length is written out up to this many operations

_INLINE = {
    "jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr", "remat2": "jaxpr",
    "checkpoint": "jaxpr", "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr",
    "custom_vjp_call_jaxpr": "fun_jaxpr", "custom_lin": "jaxpr",
}  # fmt: skip


def trace_jaxpr(closed: ClosedJaxpr, name: str) -> Program:
    # What no result needs is left out first: while it is walked, it may be what keeps a loop or fills a buffer.
    jaxpr, _ = dce_jaxpr(closed.jaxpr, [True] * len(closed.jaxpr.outvars), instantiate=True)
    estimate = size_of(jaxpr, WRITTEN_OUT_LOOP)
    if estimate > LARGEST:
        raise TooLargeError(
            f"{name} would unroll to about {estimate:,} operations; at most {LARGEST:,} are written out. Use the JAX "
            "backend for this robot, or a coarser model"
        )
    return _Tracer(name).program(jaxpr, closed.consts)


class _Tracer:
    def __init__(self, name: str) -> None:
        self.name = name
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

    def program(self, jaxpr: Jaxpr, consts: Sequence[Any]) -> Program:
        inputs, values = [], []
        for index, variable in enumerate(jaxpr.invars):
            aval: Any = variable.aval
            size = math.prod(aval.shape)
            buffer = self._settled_in(Buffer(size, casadi().SX.sym(f"x{index}", size, 1), argument=index))
            inputs.append(buffer)
            values.append(symbolic(buffer.symbols, aval.shape, aval.dtype))
        results = self.walk(jaxpr, [np.asarray(c) for c in consts], values)
        outputs = self.written_apart(results)
        return Program(self.name, inputs, outputs, self.statements, self.buffers)

    # Buffers

    def buffer(self, size: int) -> Buffer:
        buffer = self._settled_in(Buffer(size, casadi().SX.sym(f"b{len(self.buffers)}", size, 1)))
        self.buffers.append(buffer)
        return buffer

    def _settled_in(self, buffer: Buffer) -> Buffer:
        for index, symbol in enumerate(buffer.symbols.elements()):
            self.homes[symbol.element_hash()] = (buffer, index)
        return buffer

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
        keys = tuple(element.element_hash() for element in value.elements.elements())
        home, begin = self.homes.get(keys[0], (None, 0))
        if home is not None and all(self.homes.get(key) == (home, begin + i) for i, key in enumerate(keys)):
            return home.part(begin, len(keys))
        for copies in self.copies:
            if keys in copies:
                return copies[keys][1]
        buffer = self.written([value])
        self.copies[-1][keys] = (value, buffer)  # with the value, so that its hashes stay its own
        return buffer

    def written_apart(self, values: Sequence[Value]) -> list[Buffer]:
        """Each value in a buffer of its own, computed together so that they share what they have in common."""
        whole = self.written(values)
        parts, offset = [], 0
        for value in values:
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
                if is_known(value) or id(value) in self.settled:
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

    # Walking

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
                if name in _STANDING and not _is_static(name, [read(v) for v in equation.invars]):
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
        inner = equation.params[_INLINE[equation.primitive.name]]
        if isinstance(inner, ClosedJaxpr):
            return self.walk(inner.jaxpr, [np.asarray(c) for c in inner.consts], values)
        return self.walk(inner, [], values)

    def apply(self, equation: Any, values: list[Value]) -> list[Value]:
        name, params = equation.primitive.name, equation.params
        avals = [v.aval for v in equation.outvars]
        if not avals or not all(_is_held(v.aval) for v in (*equation.invars, *equation.outvars)):
            raise UnsupportedError(f"{self.name} uses {name!r} of {_types(equation)}, at {_source(self.path)}")
        shape, dtype = tuple(avals[0].shape), np.dtype(avals[0].dtype)
        if (result := elementwise(name, values, shape, dtype, params)) is not None:
            return [result]
        if (results := moved(name, values, avals, params)) is not None:
            return results
        if name == "dot_general":
            return [product(values, params, dtype)]
        if name in REDUCTIONS and (name not in ("reduce_and", "reduce_or") or dtype == np.bool_):
            return [reduced(name, values[0], params["axes"], dtype)]
        if name in ("cumsum", "cumprod", "cummax", "cummin"):
            return [accumulated(name, values[0], params, dtype)]
        rule = getattr(self, f"_{name.replace('-', '_')}", None)
        if rule is None:
            raise UnsupportedError(
                f"{self.name} uses {name!r}, which native code does not know, at {_source(self.path)}"
            )
        return rule(equation, values, avals)

    # Places that are known only when the program runs

    def _gather(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        shape = tuple(avals[0].shape)
        if is_known(values[1]):
            return [gathered(values, shape, equation.params)]
        operand, indices = values
        where = gather_windows(shape_of(operand), shape_of(indices), shape, equation.params)
        outside = None
        if "FILL" in str(equation.params["mode"]).upper():
            outside = fill_of(operand.dtype, equation.params["fill_value"])
        return [pick(self._read(where, operand, indices, outside), where.order)]

    def _read(self, where: Windows, operand: Value, indices: Value, outside: Value | None = None) -> Value:
        """outside: what stands out of bounds; without it, places are moved inside."""
        inputs = [self.held(operand), self.held(indices)]
        routine = "pliant_gather"
        if outside is not None:
            routine, inputs = "pliant_gather_filled", [*inputs, self.held(outside)]
        out = self.buffer(len(where.batch) * len(where.inside))
        self.statements.append(Call(routine, where.sizes, tuple(inputs), (out,), where.tables))
        return symbolic(out.symbols, (out.size,), operand.dtype)

    def _changed(self, routine: str, where: Windows, operand: Value, indices: Value, updates: Value) -> Value:
        at, given, out = self.held(indices), self.held(updates), self.written([operand])
        self.statements.append(Call(routine, where.sizes, (at, given), (out,), where.tables))
        return symbolic(out.symbols, (out.size,), operand.dtype)

    def _scatter(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        name = equation.primitive.name
        operand, indices, updates = values
        if name == "scatter-sub":
            name, updates = "scatter-add", elementwise("neg", [updates], shape_of(updates), updates.dtype, {})
        routines = {"scatter": "pliant_scatter", "scatter-add": "pliant_scatter_add"}
        if name not in routines:
            raise UnsupportedError(f"{self.name} uses {name!r} at places known only later, at {_source(self.path)}")
        clipped = "_clipped" if "CLIP" in str(equation.params["mode"]).upper() else ""
        where = scatter_windows(shape_of(operand), shape_of(indices), shape_of(updates), equation.params)
        inverse = np.empty(where.order.size, dtype=np.int64)
        inverse[where.order.reshape(-1)] = np.arange(where.order.size)
        result = self._changed(routines[name] + clipped, where, operand, indices, pick(updates, inverse))
        return [pick(result, positions(tuple(avals[0].shape)))]

    _scatter_add = _scatter_sub = _scatter_mul = _scatter_min = _scatter_max = _scatter

    def _dynamic_slice(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        operand, *starts = values
        shape, sizes = shape_of(operand), equation.params["slice_sizes"]
        if all(map(is_known, starts)):
            begin = [int(np.clip(s, 0, n - k)) for s, n, k in zip(starts, shape, sizes, strict=True)]
            box = tuple(slice(b, b + k) for b, k in zip(begin, sizes, strict=True))
            return [pick(operand, positions(shape)[box])]
        where = _box(shape, sizes)
        return [pick(self._read(where, operand, _column(starts)), where.order)]

    def _dynamic_update_slice(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        operand, update, *starts = values
        shape, sizes = shape_of(operand), shape_of(update)
        if all(map(is_known, starts)):
            begin = [int(np.clip(s, 0, n - k)) for s, n, k in zip(starts, shape, sizes, strict=True)]
            ids = positions(shape).copy()
            ids[tuple(slice(b, b + k) for b, k in zip(begin, sizes, strict=True))] = math.prod(shape) + positions(sizes)
            return [pick(joined([operand, update]), ids)]
        where = _box(shape, sizes)
        result = self._changed("pliant_scatter_clipped", where, operand, _column(starts), update)
        return [pick(result, positions(shape))]

    # Matrices

    def _cholesky(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        *batch, n, _ = avals[0].shape

        def one(column: Any) -> Any:
            if n <= WRITTEN_OUT:
                return matrix_to_rows(cholesky(rows_to_matrix(column, n, n), n))
            source, out = self.held(symbolic(column, (n * n,), float)), self.buffer(n * n)
            self.statements.append(Call("pliant_cholesky", (n,), (source,), (out,)))
            return out.symbols

        return [_each(one, math.prod(batch), avals[0], values[0])]

    def _triangular_solve(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        p, (a, b) = equation.params, values
        *batch, rows, columns = shape_of(b)
        n = shape_of(a)[-1]
        lower = bool(p["lower"]) != bool(p["transpose_a"])
        unit = bool(p["unit_diagonal"])

        def one(matrix: Any, right: Any) -> Any:
            x, y = rows_to_matrix(matrix, n, n), rows_to_matrix(right, rows, columns)
            # X A = B is A' X' = B'.
            if p["left_side"]:
                x, down = (x.T if p["transpose_a"] else x), lower
            else:
                x, y, down = (x if p["transpose_a"] else x.T), y.T, not lower
            if n <= WRITTEN_OUT:
                solved = triangular(x, y, n, down, unit)
            else:
                first = self.held(symbolic(matrix_to_rows(x), (n * n,), float))
                many = y.shape[1]
                second = self.held(symbolic(matrix_to_rows(y), (n * many,), float))
                out = self.buffer(n * many)
                self.statements.append(
                    Call("pliant_triangular", (n, many, int(down), int(unit)), (first, second), (out,))
                )
                solved = rows_to_matrix(out.symbols, n, many)
            return matrix_to_rows(solved if p["left_side"] else solved.T)

        return [_each(one, math.prod(batch), avals[0], a, b)]

    def _lu(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        *batch, n, m = avals[0].shape
        if n != m:
            raise UnsupportedError(f"{self.name} factors an oblong matrix, at {_source(self.path)}")
        source, count = self.held(values[0]), math.prod(batch)
        parts: list[list[Value]] = []
        for index in range(count):
            out = self.buffer(n * n + 2 * n)
            self.statements.append(Call("pliant_lu", (n,), (source.part(index * n * n, n * n),), (out,)))
            parts.append(self.view(out, [ShapeDtypeStruct(a.shape[len(batch) :], a.dtype) for a in avals]))
        return [_stacked([part[i] for part in parts], aval) for i, aval in enumerate(avals)]

    def _lu_pivots_to_permutation(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        size = equation.params["permutation_size"]
        *batch, pivots = shape_of(values[0])
        source, outs = self.held(values[0]), []
        for index in range(math.prod(batch)):
            out = self.buffer(size)
            part = source.part(index * pivots, pivots)
            self.statements.append(Call("pliant_permutation", (pivots, size), (part,), (out,)))
            outs.append(symbolic(out.symbols, (size,), avals[0].dtype))
        return [_stacked(outs, avals[0])]

    def _custom_linear_solve(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        lengths, jaxprs = equation.params["const_lengths"], equation.params["jaxprs"]
        begin = lengths.matvec + lengths.vecmat
        solve = jaxprs.solve
        given = values[begin : begin + lengths.solve] + values[sum(lengths) :]
        return self.walk(solve.jaxpr, [np.asarray(c) for c in solve.consts], given)

    def _stumpff(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        source, out = self.held(values[0]), self.buffer(math.prod(avals[0].shape))
        self.statements.append(Call("pliant_stumpff", (source.size, equation.params["highest"]), (source,), (out,)))
        return self.view(out, avals)

    # Control

    def _cond(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        index, *arguments = values
        branches = equation.params["branches"]
        if is_known(index):
            chosen = branches[int(np.clip(index, 0, len(branches) - 1))]
            return self.walk(chosen.jaxpr, [np.asarray(c) for c in chosen.consts], arguments)
        which, result = self.held(index), self.buffer(sum(math.prod(aval.shape) for aval in avals))
        statements = []
        for branch in branches:
            with _Within(self) as inner:
                self.written(self.walk(branch.jaxpr, [np.asarray(c) for c in branch.consts], arguments), result)
            statements.append(inner)
        self.statements.append(Choose(which, statements))
        return self.view(result, avals)

    def _while(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        p = equation.params
        test, body = p["cond_jaxpr"], p["body_jaxpr"]
        first, second = p["cond_nconsts"], p["cond_nconsts"] + p["body_nconsts"]
        for_test, for_body, start = values[:first], values[first:second], values[second:]
        own = body.jaxpr.invars[p["body_nconsts"] :]
        carry = _Carry(self, start, own, body.jaxpr.outvars, avals)
        with _Within(self) as condition:
            (going,) = self.walk(test.jaxpr, _known(test), [*for_test, *carry.values])
            batch = shape_of(going)
            truth = self.written([reduced("reduce_or", going, tuple(range(len(batch))), np.dtype(bool))])
        with _Within(self) as inner:
            results = self.walk(body.jaxpr, _known(body), [*for_body, *carry.values])
            if batch:  # every member for itself, until the last one is through
                (going,) = self.walk(test.jaxpr, _known(test), [*for_test, *carry.values])
                results = [_where(going, new, old) for new, old in zip(results, carry.values, strict=True)]
            carry.store(results)
        self.statements.append(Repeat(None, (condition, truth), inner))
        return carry.values

    def _scan(self, equation: Any, values: list[Value], avals: list[Any]) -> list[Value]:
        p = equation.params
        body, length, reverse = p["jaxpr"], p["length"], p["reverse"]
        first, second = p["num_consts"], p["num_consts"] + p["num_carry"]
        consts, start, whole = values[:first], values[first:second], values[second:]
        if _write_out(equation):
            return self._written_out(body, length, reverse, consts, start, whole, avals[p["num_carry"] :])
        inner_avals = [v.aval for v in body.jaxpr.invars[second:]]
        carry = _Carry(self, start, body.jaxpr.invars[first:second], body.jaxpr.outvars, avals[: p["num_carry"]])
        # What is known or the same in every turn is not sliced.
        sources = [self.held(value) for value in whole]
        parts = [self.buffer(math.prod(aval.shape)) for aval in inner_avals]
        now = [self.view(part, [aval])[0] for part, aval in zip(parts, inner_avals, strict=True)]
        with _Within(self) as inner:
            results = self.walk(body.jaxpr, _known(body), [*consts, *carry.values, *now])
            made = results[p["num_carry"] :]
            turn = carry.store(results[: p["num_carry"]], made)
        stacked, offset, out = [], carry.size, []
        for aval in avals[p["num_carry"] :]:
            size = math.prod(aval.shape[1:])
            buffer = self.buffer(math.prod(aval.shape))
            stacked.append((turn.part(offset, size), buffer))
            offset += size
            out.append(self.view(buffer, [aval])[0])
        slices = list(zip(sources, parts, strict=True))
        self.statements.append(Repeat(length, None, inner, slices, stacked, reverse))
        return [*carry.values, *out]

    def _written_out(
        self, body: Any, length: int, reverse: bool, consts: Any, carry: Any, whole: Any, avals: Any
    ) -> list[Value]:
        made: list[list[Value]] = [[] for _ in avals]
        order = range(length - 1, -1, -1) if reverse else range(length)
        for index in order:
            now = [pick(value, positions(shape_of(value))[index]) for value in whole]
            results = self.walk(body.jaxpr, _known(body), [*consts, *carry, *now])
            carry = results[: len(carry)]
            for collected, value in zip(made, results[len(carry) :], strict=True):
                collected.append(value)
        stacked = []
        for aval, collected in zip(avals, made, strict=True):
            if not collected:
                stacked.append(np.zeros(aval.shape, aval.dtype))
                continue
            column = joined(collected[::-1] if reverse else collected)
            stacked.append(pick(column, positions(tuple(aval.shape))))
        return [*carry, *stacked]


class _Carry:
    """What a loop hands from turn to turn. What its body returns as it got it stays outside."""

    def __init__(self, tracer: _Tracer, start: list[Value], own: list[Any], after: list[Any], avals: list[Any]):
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

    def __init__(self, tracer: _Tracer) -> None:
        self.tracer = tracer

    def __enter__(self) -> list[Any]:
        self.outer, self.tracer.statements = self.tracer.statements, []
        self.tracer.copies.append({})
        return self.tracer.statements

    def __exit__(self, *_: object) -> None:
        self.tracer.statements = self.outer
        self.tracer.copies.pop()


_STANDING = {
    "while", "cond", "scan", "lu", "lu_pivots_to_permutation", "cholesky", "triangular_solve", "gather", "scatter",
    "scatter-add", "scatter-sub", "dynamic_slice", "dynamic_update_slice", "custom_linear_solve", "stumpff",
}  # fmt: skip


def _is_static(name: str, values: list[Value]) -> bool:
    """Whether a primitive that may need buffers can do without them here."""
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
    return False


def _write_out(equation: Any) -> bool:
    length, body = equation.params["length"], equation.params["jaxpr"].jaxpr
    return length * size_of(body, WRITTEN_OUT_LOOP) <= WRITTEN_OUT_LOOP or length == 1


def _known(closed: ClosedJaxpr) -> list[np.ndarray]:
    return [np.asarray(c) for c in closed.consts]


def _each(one: Callable[..., Any], count: int, aval: Any, *values: Value) -> Value:
    """`one` on the columns of every member of a batch."""
    columns = [elements_of(value) for value in values]
    sizes = [column.shape[0] // max(count, 1) for column in columns]
    results = [
        one(*(column[i * size : (i + 1) * size] for column, size in zip(columns, sizes, strict=True)))
        for i in range(count)
    ]
    return symbolic(casadi().vertcat(*results), tuple(aval.shape), aval.dtype)


def _stacked(parts: list[Value], aval: Any) -> Value:
    """Members of a batch as one value."""
    if not parts:
        return np.zeros(aval.shape, aval.dtype)
    return pick(joined(parts), positions(tuple(aval.shape)))


def _where(condition: Value, yes: Value, no: Value) -> Value:
    """By a condition on the leading dimensions."""
    shape, own = shape_of(yes), shape_of(condition)
    chosen = np.broadcast_to(positions(own).reshape(own + (1,) * (len(shape) - len(own))), shape)
    result = elementwise("select_n", [pick(condition, chosen), no, yes], shape, yes.dtype, {})
    assert result is not None
    return result


def _column(values: list[Value]) -> Value:
    column = joined([pick(v, np.zeros(1, dtype=np.int64)) for v in values])
    return column


def _box(shape: tuple[int, ...], sizes: tuple[int, ...]) -> Windows:
    """Windows of a dynamic slice: one, of these sizes."""
    dims = tuple(range(len(shape)))
    return windows(shape, tuple(sizes), tuple(sizes), (len(shape),), dims, (), dims, (), ())


def _is_held(aval: Any) -> bool:
    """Whether doubles hold numbers of this type."""
    dtype = getattr(aval, "dtype", None)
    return dtype == np.float64 or (isinstance(dtype, np.dtype) and dtype.kind in "biu")


def _types(equation: Any) -> str:
    avals = [v.aval for v in (*equation.invars, *equation.outvars)]
    other = sorted({str(getattr(a, "dtype", a)) for a in avals if not _is_held(a)})
    return f"{', '.join(other)}: native code computes with float64" if other else "no result"


def _source(path: list[Any]) -> str:
    """Where a primitive comes from, as far as JAX remembers: in a function that JAX has traced before it knows only
    the lines inside, and the line that calls it tells more."""
    for equation in reversed(path):
        traceback = equation.source_info.traceback
        for frame in traceback.frames if traceback is not None else []:
            if "/jax/" not in frame.file_name and "equinox" not in frame.file_name:
                return f"{frame.file_name}:{frame.line_num} ({frame.function_name})"
    return "an unknown line"
