"""Every primitive that native code knows gives what JAX gives: at random, at the edges, folded or computed."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from native_helpers import agree, agree_known_or_not, primitives

from pliant.native import UnsupportedError, compile_function
from pliant.native.printing import CText
from pliant.native.tracing import jaxpr_of, trace_jaxpr
from pliant.native.tracing._elementwise import _SPECIAL, ELEMENTWISE, LOGIC
from pliant.native.tracing._structural import _CUMULATIVE, _MOVES, _NUMPY, REDUCTIONS
from pliant.numerics import Curve, nearest_piece

RANDOM = np.random.default_rng(0)
NAN, INF = np.nan, np.inf
EDGES = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, -3.5, 1e-150, -1e-9, 1e-9, 0.49999999999999994, INF, -INF, NAN,
     40.0, -40.0, 710.0, -746.0, 2.0, -7.0, 1e5]
)  # fmt: skip
NUMBERS = jnp.concatenate([EDGES, RANDOM.normal(size=8), RANDOM.uniform(-1, 1, size=8)])
OTHERS = jnp.concatenate([RANDOM.permutation(EDGES), RANDOM.normal(size=16)])
WHOLE = jnp.array([0, 1, -1, 7, -7, 8, -8, 1000003, -5, 6])
DIVISORS = jnp.array([3, -3, 2, -2, 3, -3, 5, 7, -1, 4])
TRUTHS = jnp.array([True, False, True, False])
OTHER_TRUTHS = jnp.array([True, True, False, False])
MATRIX = jnp.asarray(RANDOM.normal(size=(3, 4)))
BLOCK = jnp.asarray(RANDOM.normal(size=(2, 3, 4)))


def unary(x):
    functions = (
        lax.abs, lax.sign, lax.ceil, lax.floor, lax.sqrt, lax.rsqrt, lax.cbrt, lax.square, lax.exp, lax.exp2, lax.expm1,
        lax.log, lax.log1p, lax.sin, lax.cos, lax.tan, lax.asin, lax.acos, lax.atan, lax.sinh, lax.cosh, lax.tanh,
        lax.asinh, lax.acosh, lax.atanh, lax.logistic, lax.erf, lax.is_finite, lax.neg, jnp.isnan, jnp.isinf, jnp.round,
        jnp.trunc, jnp.copy, lax.stop_gradient,
    )  # fmt: skip
    powers = {f"power {n}": lax.integer_pow(x, n) for n in (-3, -1, 0, 1, 2, 3, 7)}
    converted = {str(t): x.astype(t) for t in (jnp.int64, jnp.int32, jnp.uint8, jnp.bool_)}
    away = lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO)
    return {f.__name__: f(x) for f in functions} | powers | converted | {"away": away}


def binary(x, y):
    functions = (
        lax.add, lax.sub, lax.mul, lax.div, lax.rem, lax.max, lax.min, lax.pow, lax.atan2, lax.nextafter, lax.eq,
        lax.ne, lax.lt, lax.le, lax.gt, lax.ge, jnp.mod, jnp.floor_divide, jnp.hypot, jnp.logaddexp,
    )  # fmt: skip
    itself = {f"{f.__name__} of itself": f(x, x) for f in (lax.eq, lax.ne, lax.le, lax.ge, lax.lt, lax.max)}
    constant = jnp.broadcast_to(jnp.array([1.0, -2.0, NAN, INF]), (len(x) // 4, 4)).reshape(-1)
    mixed = {f"{f.__name__} with constants": f(x, constant) for f in functions}
    turned = {f"{f.__name__} of constants": f(constant, x) for f in functions}
    return {f.__name__: f(x, y) for f in functions} | itself | mixed | turned


def not_a_number(x):
    """What an algebra without NaN gets wrong."""
    return {
        "compared": (x <= x + x * x, x[2:] == x[2:], jnp.isnan(jnp.append(x, NAN))),
        "not taken": (jnp.where(jnp.isnan(x), 0.0, x), jnp.where(x > 0, jnp.log(x), -1.0)),
        "divided by zero": (x / 0.0, x / -0.0, x / jnp.where(jnp.arange(len(x)) % 2, 0.0, 2.0)),
        "reduced": (jnp.max(x), jnp.min(x), jnp.max(x[:4]), jnp.all(jnp.isfinite(x)), jnp.any(x > 700)),
        "clamped": (lax.clamp(-1.0, x, 1.0), jnp.clip(x, 0.0), lax.clamp(x, jnp.zeros_like(x), x + 1)),
    }


def whole_numbers(i, j):
    x = i.astype(float)
    return {
        "divided": (i // j, i % j, lax.div(i, j), lax.rem(i, j), i // 3, 7 // j, jnp.divmod(i, 2)),
        "combined": (i + j, i - j, i * j, -i, jnp.abs(i), jnp.sign(i), jnp.maximum(i, j), jnp.clip(i, -2, 2), i**3),
        "compared": (i == j, i != i, i <= j, i > 3, jnp.where(i > j, i, j), (i > j).astype(int) + True),
        "reduced": (jnp.sum(i), jnp.prod(j), jnp.max(i), jnp.min(j), jnp.cumsum(i), jnp.all(i != 0), jnp.max(i > 0)),
        "mixed": (x * j, x.astype(jnp.int32), i.astype(bool), (i > 0) * x, jnp.arange(10) * i, i / j),
        "product": (i @ j, jnp.outer(i, j) @ i),
    }


def logic(a, b):
    return a & b, a | b, a ^ b, ~a, jnp.all(a), jnp.any(b), a & True, jnp.logical_not(a ^ b), a == b, jnp.arange(4) & 1


def selected(which, x, y):
    cases = [x, y, x + y, x * y]
    return {
        "many": lax.select_n(which, *cases),
        "one for all": lax.select_n(which[0], *cases),
        "two": lax.select_n(which > 1, x, y),
        "known": lax.select_n(jnp.array([3, 0, 1, 2], jnp.int32), *cases),
        "zero": (jnp.where(which > 1, x, 0.0), jnp.where(which > 1, 0.0, y), jnp.where(which > 5, NAN, y)),
    }


def moved(x, block):
    return {
        "shape": (x.reshape(2, 6), x.T.reshape(-1), block.transpose(2, 0, 1), x[None], jnp.squeeze(x[:1], 0)),
        "slice": (x[1:, ::2], lax.slice(block, (0, 1, 0), (2, 3, 4), (1, 1, 3)), x[::-1], lax.rev(block, (0, 2))),
        "repeated": (jnp.broadcast_to(x, (2, 3, 4)), lax.broadcast_in_dim(x[:, 0], (2, 3, 2), (1,))),
        "tiled": jnp.tile(x, (1, 2)),
        "joined": (jnp.concatenate([x, jnp.ones((3, 1)), x], 1), jnp.stack([x, 2 * x], 1), jnp.append(x, 1.0)),
        "split": (jnp.split(x, [1, 3], 1), list(jnp.unstack(block, axis=1)), jnp.diagonal(x), jnp.triu(x)),
        "padded": [
            lax.pad(x, 7.0, config)
            for config in (
                ((1, 2, 0), (0, 0, 0)), ((0, 0, 2), (1, 1, 1)), ((-1, 0, 0), (0, -2, 0)), ((-1, 2, 1), (3, -1, 2)),
                ((-2, -3, 1), (-1, -1, 1)), ((-3, 0, 0), (0, 0, 0)),
            )
        ],
        "padded with": lax.pad(x, x[0, 0], ((1, 0, 0), (0, 1, 1))),
        "counted": (lax.iota(int, 3) + x[:, 0], lax.broadcasted_iota(float, (2, 3, 4), 1) * block),
        "kept": lax.optimization_barrier((x, 2 * x)),
    }  # fmt: skip


def reduced(x, block):
    functions = (jnp.sum, jnp.prod, jnp.max, jnp.min)
    along = (lax.cumsum, lax.cumprod, lax.cummax, lax.cummin)
    return {
        "all": [f(block) for f in functions],
        "some": [f(block, axis=axes) for f in functions for axes in (0, 1, (0, 2), ())],
        "truths": [f(block > 0, axis=axes) for f in (jnp.all, jnp.any) for axes in (None, 1)],
        "running": [f(block, axis, reverse) for f in along for axis in (0, 2) for reverse in (False, True)],
        "of nothing": (jnp.sum(x[:0], 0), jnp.prod(x[:0]), jnp.zeros((0, 2)).T),
        "product": (x @ x.T, block @ x.T, x[0] @ x[1], jnp.einsum("bij,bkj->ibk", block, block), jnp.vdot(x, x)),
        "batched": (jax.vmap(jnp.matmul)(block, block.transpose(0, 2, 1)), jnp.einsum("bij,j->bi", block, x[1])),
        "with known": (x @ np.eye(4), np.ones((2, 3)) @ x, jnp.einsum("bij,kj->bk", block, np.ones((2, 4)))),
    }  # fmt: skip


def places_known(x, block):
    far = jnp.array([0, 2, -1, 9, 2])
    pairs = (jnp.array([0, 2, 2]), jnp.array([3, 0, 0]))
    added = jnp.arange(1.0, 6.0)[:, None] * x[0]
    return {
        "gather": (x[jnp.array([2, 0])], x[:, jnp.array([[3, 1], [0, 0]])], x[pairs], block[:, pairs[0], pairs[1]]),
        "modes": [x.at[far].get(mode=mode) for mode in ("clip", "fill")],
        "filled": (x.at[far].get(mode="fill", fill_value=5.0), jnp.take(x, far, axis=0), jnp.take(jnp.arange(3), far)),
        "batched": jax.vmap(lambda a, i: a[i])(block, jnp.array([2, 1])),
        "set": (x.at[1].set(0.0), x.at[pairs].set(x[0, :3]), block.at[:, 1].set(x[:2]), x.at[:, 1:3].set(1.0)),
        "set modes": [x.at[far].set(added, mode=mode) for mode in ("clip", "drop")],
        "changed": (x.at[far].add(added), x.at[pairs].multiply(2.0), x.at[far].min(added), x.at[far].max(added)),
        "taken off": (x.at[far].subtract(added), jnp.ones((3, 4)).at[pairs].subtract(x[0, :3])),
        "slices": (
            lax.dynamic_slice(x, (1, 9), (2, 2)), lax.dynamic_slice(x, (-5, 1), (2, 2)),
            lax.dynamic_update_slice(x, x[:2, :2], (7, -1)),
        ),
    }  # fmt: skip


def places_found(x, block, i, pairs, far):
    """As `places_known`, at places that come in."""
    long = x.reshape(-1)
    added = jnp.arange(1.0, 6.0)[:, None] * x[0]
    return {
        "gather": (x[i], x[:, pairs], x[pairs[0], pairs[1]], block[:, pairs[0], i], long[far]),
        "clip": x.at[far].get(mode="clip"),
        "batched": jax.vmap(lambda a, k: a[k])(block, pairs[0, :2]),
        "batched slices": jax.vmap(lambda a, k: lax.dynamic_slice(a, (k, 2 * k), (2, 3)))(block, pairs[1, :2]),
        "set": (x.at[i].set(0.0), x.at[pairs[0], pairs[1]].set(x[0, :3]), block.at[:, i].set(x[:2])),
        "set far": long.at[far].set(3.0),
        "add": (x.at[far].add(added), x.at[pairs[0], pairs[1]].add(x[0, :3]), x.at[:, pairs[1]].add(x[:, :3])),
        "batched set": jax.vmap(lambda a, k: a.at[k].set(7.0))(block, pairs[0, :2]),
        "batched add": jax.vmap(lambda a, k: a.at[k].add(a[0]))(block, pairs[0, :2]),
        "slices": (
            lax.dynamic_slice(x, (i, 1), (2, 2)), lax.dynamic_slice(x, (0, far[3]), (3, 2)), x[i, 1:],
            lax.dynamic_update_slice(x, x[:2, :2], (far[2], i)), lax.dynamic_slice(block, (i, far[4], 0), (1, 2, 3)),
        ),
        "known operand": (jnp.arange(12.0)[far], jnp.zeros((3, 4)).at[pairs[0]].add(x), jnp.arange(6)[pairs]),
    }  # fmt: skip


def searched(x, table):
    return {
        "found": [jnp.searchsorted(table, x, side=side) for side in ("left", "right")],
        "between": jnp.interp(x, table, table**2),
        "known": jnp.searchsorted(jnp.arange(-3.0, 4.0), x, method="scan_unrolled"),
    }


FAR = jnp.array([0, 2, 2, 9, 40_000_000_000])
CASES = {
    "unary": (unary, [(NUMBERS,)]),
    "binary": (binary, [(NUMBERS, OTHERS), (OTHERS, NUMBERS)]),
    "not a number": (not_a_number, [(NUMBERS,), (OTHERS,)]),
    "whole": (whole_numbers, [(WHOLE, DIVISORS), (-WHOLE, DIVISORS)]),
    "logic": (logic, [(TRUTHS, OTHER_TRUTHS)]),
    "selected": (selected, [(jnp.array([2, 0, 3, 1], jnp.int32), MATRIX[0], jnp.array([1.0, NAN, -0.0, INF]))]),
    "searched": (searched, [(NUMBERS, jnp.array([-2.0, -0.5, 0.0, 0.5, 1.0, 40.0, INF]))]),
    "moved": (moved, [(MATRIX, BLOCK)]),
    "reduced": (reduced, [(MATRIX, BLOCK)]),
    "places known": (places_known, [(MATRIX, BLOCK)]),
    "places found": (
        places_found,
        [
            (MATRIX, BLOCK, jnp.array(1), jnp.array([[0, 2, 2], [3, 0, 0]]), FAR),
            (MATRIX, BLOCK, jnp.array(-3), jnp.array([[1, 0, -1], [1, 1, 2]]), FAR[::-1] - 40_000_000_000),
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_native_code_gives_what_jax_gives(case):
    function, samples = CASES[case]
    # Sums are taken in another order.
    absolute = 1e-15 if case == "reduced" else 0.0
    agree_known_or_not(function, *samples, absolute=absolute)


def test_every_primitive_of_the_tables_is_tried():
    tried = set().union(*(primitives(function, *samples[0]) for function, samples in CASES.values()))
    tables = (ELEMENTWISE, LOGIC, _SPECIAL, _MOVES, _NUMPY, REDUCTIONS, _CUMULATIVE)
    # Derivatives only: see below.
    assert set().union(*tables) - tried == {"add_any", "one_minus_square"}
    assert {"concatenate", "stack", "split", "unstack", "pad", "iota", "dot_general", "gather", "scatter"} <= tried
    assert {"dynamic_slice", "dynamic_update_slice", "optimization_barrier"} <= tried


def test_derivatives():
    def energy(x):
        bent = jnp.tanh(x[2]) + jnp.arcsin(0.1 * x[3])  # by 1 - y^2, a primitive since JAX 0.12
        return (
            bent
            + jnp.sum(jnp.sin(x) * x[0])
            + jnp.sqrt(1 + x @ x) * jnp.exp(-x[1])
            + jnp.prod(jnp.where(x > 0, x, x**2))
        )

    x = jnp.asarray(RANDOM.normal(size=4))
    assert "add_any" in primitives(jax.grad(energy), x)
    agree(lambda x: (jax.grad(energy)(x), jax.hessian(energy)(x), jax.jvp(energy, (x,), (x,))), (x,), absolute=1e-14)


@pytest.mark.parametrize(
    "primitive, function, example",
    [
        ("argmax", jnp.argmax, NUMBERS),
        ("sort", lax.sort, NUMBERS),
        ("and", lambda i: i & 3, WHOLE),
        ("shift_left", lambda i: i << 2, WHOLE),
        ("convert_element_type", lambda x: jnp.abs(x * 1j), NUMBERS),
        ("digamma", jax.scipy.special.digamma, NUMBERS),
    ],
)
def test_unknown_primitives_are_named_with_their_line(primitive, function, example):
    def within(x):
        return 2 * x, function(x)

    with pytest.raises(UnsupportedError, match=f"'{primitive}'.*test_primitives.py:[0-9]+"):
        compile_function(within, (example,))


def of_matrix(matrix, x, y):
    """Products of a matrix as it is given, of parts of it, and of what is computed from it."""
    turned = lax.fori_loop(0, 3, lambda _, held: (held[0] * 0.5, held[0] @ held[1] + x), (matrix, x))
    return {
        "rows": matrix @ x,
        "columns": y @ matrix,
        "after": jnp.sin(matrix @ jnp.cos(x)) + y,
        "first rows": matrix[:21] @ x,
        "a box": matrix[:, 1:] @ x[1:],
        "computed": (2.0 * matrix) @ x,
        "turned": turned[1],
        "other side": lax.dot_general(x, matrix, (((0,), (1,)), ((), ()))),
        "outer": jnp.outer(x, y),
    }


@pytest.mark.parametrize("n", [22, 23, 32])
def test_products_of_large_matrices(n):
    matrix, x, y = RANDOM.normal(size=(n, n)), RANDOM.normal(size=n), RANDOM.normal(size=n)
    native = agree(of_matrix, (matrix, x, y), name="of_matrix", absolute=1e-13)
    text = "".join(path.read_text() for path in Path(native.library).parent.glob("*.c"))
    # The matrix as it lies in memory is multiplied in a loop, what has to be gathered or computed first is not.
    assert text.count("  pliant_of_columns(") == 1 and text.count("  pliant_of_rows(") >= 4


def test_the_nearest_piece_of_a_curve():
    """Of points everywhere about it, at its ends, where several are equally near, and where none is allowed."""
    turn = np.linspace(0.0, 7.0, 13)
    place = np.stack([np.cos(turn), np.sin(turn), 0.02 * turn], axis=-1)
    along = np.stack([-np.sin(turn), np.cos(turn), np.full(13, 0.02)], axis=-1)
    length = np.full(12, 7.0 / 12.0)
    point = np.concatenate([1.2 * RANDOM.normal(size=(20, 3)), place[:3], 2.0 * place[-2:], np.zeros((1, 3))])
    low, high = np.where(np.arange(26) % 3, -INF, 2.0), np.where(np.arange(26) % 4, INF, 1.0)

    def search(point, radius):
        found = nearest_piece(Curve(*map(jnp.asarray, (place, along)), radius, jnp.asarray(length)), point, low, high)
        still = jax.jvp(lambda x: nearest_piece(Curve(place, along, radius, length), x, low, high), (point,), (point,))
        return found, still[0]

    for radius in (np.full(13, 0.1), np.linspace(0.2, 0.05, 13)):
        native = agree(search, (jnp.asarray(point), jnp.asarray(radius)), name="search")
        found = native(point, radius)[0].found
        assert found.any() and not found.all()


def test_loops_whose_turns_may_be_skipped():
    """Tables are read at places known later; what is skipped is zero, and so is its derivative. The program is the same
    for any number of turns."""
    table = jnp.asarray(RANDOM.normal(size=(9, 3)))

    def turn(table, index):
        row = table.at[index].get(mode="promise_in_bounds")
        return lax.cond(row[0] > 0.0, lambda: jnp.sin(row) * index, lambda: jnp.zeros(3))

    def every(table):
        return lax.map(lambda index: turn(table, index), np.arange(len(table), dtype=np.uint32))

    agree(every, (table,), (-table,), name="turns")
    agree(lambda table: jax.jvp(every, (table,), (table**2,)), (table,), name="tangents")
    agree(jax.vmap(lambda way: jax.jvp(every, (table,), (way,))[1]), (jnp.stack([table, 2.0 * table]),), name="many")
    agree(jax.jacfwd(lambda x: every(x * table)), (jnp.asarray(0.7),), name="jacobian")
    few, many = (CText(trace_jaxpr(jaxpr_of(every, (jnp.ones((n, 3)),))[0], "f")).operation_count for n in (9, 90))
    assert few == many
