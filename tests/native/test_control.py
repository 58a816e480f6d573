"""Loops, branches and systems of equations give what JAX gives, written out and kept."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.scipy import linalg
from native_helpers import agree, primitives

from pliant.native.printing._in_place import shared_places
from pliant.native.tracing import _rules_control, _trace
from pliant.native.tracing._matrices import WRITTEN_OUT

RANDOM = np.random.default_rng(1)
X = jnp.asarray(RANDOM.normal(size=4))
SMALL, LARGE = 5, 30
assert SMALL <= WRITTEN_OUT < LARGE


def test_loops_until():
    def halved(x, bound, kept):
        """Consts of the test and of the body; one part of the carry is handed on as it came, one is swapped."""

        def test(carry):
            return jnp.max(jnp.abs(carry[0])) > bound

        def body(carry):
            x, other, turns, untouched = carry
            return other * 0.5 + kept, x * 0.5, turns + 1, untouched

        return lax.while_loop(test, body, (x, 3 * x, 0, {"same": kept, "known": jnp.arange(3)}))

    def nested(x, bound, kept):
        def inner(y, limit):
            return lax.while_loop(lambda c: c[0] < limit, lambda c: (c[0] + 1.0, jnp.sin(c[1]) + kept), (0.0, y))

        def body(carry):
            turn, y = carry
            steps, y = inner(y, turn + 2.0)
            return turn + 1, y * 0.9 + steps

        return lax.while_loop(lambda c: c[0] < 4, body, (0, x)), inner(x, bound)

    def both(x, bound, kept):
        never = lax.while_loop(lambda c: c[0] > 1e9, lambda c: c + 1, x)
        return halved(x, bound, kept), nested(x, bound, kept), never, jnp.sum(x) * kept

    agree(both, (X, 1e-3, 1e-5), (10 * X, 4e-2, -1e-4), (0 * X, 1e-3, 0.0))


def test_branches():
    def by_index(i, x):
        def third(x):
            return lax.fori_loop(0, 3, lambda k, y: jnp.where(k == 1, -y, 2 * y), x), 5

        branches = [lambda x: (x, 1), lambda x: (jnp.sin(x) * x[0], 2), third]
        return lax.switch(i, branches, x)

    def by_truth(i, x):
        def within(x):
            return lax.cond(x[1] > 0, lambda x: x[::-1], lambda x: jnp.zeros(4) + i, x)

        return lax.cond(i > 0, within, lambda x: x + X, x), lax.cond(x[0] > 0, lambda: 1.0, lambda: jnp.sum(x))

    def known(x):
        return lax.switch(7, [lambda x: x, lambda x: 2 * x], x), lax.cond(True, lambda x: x + 1, lambda x: x, x)

    def all_of_them(i, x):
        return by_index(i, x), by_truth(i, x), known(x), x * i

    agree(all_of_them, *((i, sign * X) for i in (-5, 0, 1, 2, 3, 100) for sign in (1, -1)))


def _scans(length, x, items):
    def body(carry, item):
        position, speed, fixed = carry
        speed = speed - 0.01 * jnp.sin(position) * item["force"] + 0.01 * fixed
        position = position + 0.01 * speed
        return (position, speed, fixed), {
            "energy": speed @ speed,
            "speed": speed,
            "number": item["number"] + 1,
            "one": 1.0,
        }

    start = (x, 0 * x, jnp.cos(x))
    forwards = lax.scan(body, start, items, length)
    backwards = lax.scan(body, start, items, length, reverse=True)
    only_carry = lax.fori_loop(0, length, lambda k, y: 0.999 * y + 1e-3 * k, x)
    only_results = lax.scan(lambda carry, item: (carry, item["force"] ** 2), (), items)[1]
    return forwards, backwards, only_carry, only_results


@pytest.fixture
def _keep_loops(monkeypatch):
    """Also short ones, as if they were long."""
    monkeypatch.setattr(_rules_control, "WRITTEN_OUT_LOOP", 30)


@pytest.mark.parametrize("length", [0, 1, 7])
def test_loops_that_are_written_out(length):
    items = {"force": jnp.asarray(RANDOM.normal(size=length)), "number": jnp.arange(length)}
    agree(functools.partial(_scans, length), (X, items), absolute=1e-15)


@pytest.mark.parametrize("length", [1, 200])
def test_loops_that_are_kept(length, _keep_loops):
    items = {"force": jnp.asarray(RANDOM.normal(size=length)), "number": jnp.arange(length)}
    native = agree(functools.partial(_scans, length), (X, items), name="kept", absolute=1e-15)
    text = "".join(path.read_text() for path in native.library.parent.glob("*.c"))
    assert ("< 200; ++" in text) == (length == 200)


def test_loops_within_loops(_keep_loops):
    """A loop within a kept loop, written out or kept; branches within; results stacked twice; places that move."""

    def table(x, steps):
        def row(carry, item):
            def cell(inner, k):
                inner = lax.switch(k % 3, [jnp.sin, jnp.cos, lambda y: y * item], inner)
                return inner, inner[0]

            carry, cells = lax.scan(cell, carry, jnp.arange(3))
            return carry, cells

        return lax.scan(row, x, steps)

    def filled(x, count):
        def body(k, store):
            store = lax.dynamic_update_slice(store, (x * k)[None], (k, 0))
            return store.at[k, 0].add(store[k - 1, 1])

        # Beyond the last row the update is moved inside, and the addition is left out.
        return lax.fori_loop(0, count, body, jnp.zeros((6, 4)))

    def searched(x, steps):
        """A loop of unknown length in one of known length, whose results are stacked."""

        def one(carry, step):
            turns, y = lax.while_loop(
                lambda c: c[1] < 2.0, lambda c: (c[0] + 1, c[1] + jnp.abs(step) + 0.1), (0, carry)
            )
            return y - 2.0, (turns, y)

        return lax.scan(one, x[0], steps[:3]), lax.scan(one, x[0], steps)

    def everything(x, steps, count):
        return table(x, steps), filled(x, count), searched(x, steps), lax.fori_loop(0, count, lambda k, y: y + k, 0.0)

    steps = jnp.asarray(RANDOM.normal(size=100))
    agree(everything, (X, steps, 5), (-X, steps, 9), (X, steps, 0), name="kept", absolute=1e-14)


def _positive(size, batch=()):
    root = RANDOM.normal(size=(*batch, size, size))
    return jnp.asarray(root @ np.swapaxes(root, -1, -2) + size * np.eye(size))


@pytest.mark.parametrize("size", [1, SMALL, LARGE])
def test_factors_of_positive_matrices(size):
    def solved(matrix, b):
        lower = jnp.linalg.cholesky(matrix)
        lower_only = lax.linalg.cholesky(jnp.tril(matrix), symmetrize_input=False)
        return lower, lower_only, linalg.cho_solve((lower, True), b)

    right = jnp.asarray(RANDOM.normal(size=(size, 3)))
    assert {"cholesky", "triangular_solve"} <= primitives(solved, _positive(size), right)
    agree(solved, (_positive(size), right), (_positive(size), 1e-9 * right), absolute=1e-13)
    shape = (2,) if size == LARGE else (2, 2)
    several = functools.reduce(lambda f, _: jax.vmap(f, (0, None)), shape, solved)
    agree(several, (_positive(size, shape), right), absolute=1e-13)


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_what_is_not_positive_definite_has_no_factor(size):
    def solved(matrix, b):
        lower = jnp.linalg.cholesky(matrix)
        return jnp.diagonal(lower), linalg.cho_solve((lower, True), b), jnp.all(jnp.isfinite(lower))

    matrix, right = _positive(size), jnp.ones((size, 1))
    last, middle = matrix.at[-1, -1].set(-1.0), matrix.at[size // 2, size // 2].set(np.nan)
    others = [last, middle, 0 * matrix, np.nan * matrix]
    agree(solved, (matrix, right), *((other, right) for other in others), absolute=1e-13)


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_triangular_systems(size):
    choices = [
        dict(left_side=left, lower=lower, transpose_a=transposed, unit_diagonal=unit)
        for left in (True, False) for lower in (True, False) for transposed in (True, False) for unit in (True, False)
    ]  # fmt: skip

    def solved(matrix, b):
        return [
            lax.linalg.triangular_solve(matrix, b if choice["left_side"] else jnp.swapaxes(b, -1, -2), **choice)
            for choice in choices
        ]

    # Well conditioned with its own diagonal and with ones.
    batch = (2,) if size == SMALL else ()
    matrix = jnp.asarray(RANDOM.uniform(-1, 1, size=(*batch, size, size)) / size + 2 * np.eye(size))
    right = jnp.asarray(RANDOM.normal(size=(*batch, size, 2)))
    agree(solved, (matrix, right), absolute=1e-13)


@pytest.mark.parametrize("size", [1, SMALL, LARGE])
def test_systems_of_equations(size):
    def solved(matrix, b):
        factors = linalg.lu_factor(matrix)
        return factors, linalg.lu_solve(factors, b), jnp.linalg.solve(matrix, b), jnp.linalg.solve(matrix, b[:, 0])

    matrix = jnp.asarray(RANDOM.normal(size=(size, size)))
    right = jnp.asarray(RANDOM.normal(size=(size, 2)))
    agree(solved, (matrix, right), (matrix[::-1], right), (matrix.T + 5 * jnp.eye(size), right), absolute=1e-12)


def test_factors_of_a_singular_matrix():
    matrix = jnp.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]])
    agree(lax.linalg.lu, (matrix,), (0 * matrix,), (matrix.at[:, 0].set(0.0),))
    agree(lambda a: jnp.linalg.det(a), (matrix,), absolute=1e-15)


def _kept_matrix(update):
    """A loop that keeps a matrix, which a branch changes and another leaves, and counts its turns."""

    def function(matrix, vector):
        def turn(state):
            matrix, vector, count = state
            vector, matrix = lax.cond(
                count % 2 == 0, lambda: update(matrix, vector)[::-1], lambda: (vector + 0.1, matrix)
            )
            return matrix, vector, count + 1

        return lax.while_loop(lambda state: state[2] < 5, turn, (matrix, vector, 0))

    return function


@pytest.mark.parametrize(
    ("update", "in_place"),
    [
        (lambda m, v: (m + 0.1 * jnp.outer(v, v), jnp.sin(v)), True),  # each element of itself
        (lambda m, v: (0.5 * m.T + 1.0, jnp.sin(v)), False),  # of others
        (lambda m, v: (m + 1.0, 0.1 * m @ v), False),  # read beside
        (lambda m, v: (jnp.outer(v, v), jnp.sin(v)), True),  # of nothing it was
    ],
)
def test_matrix_that_a_loop_keeps_is_changed_in_place_where_that_is_safe(update, in_place):
    function = _kept_matrix(update)
    matrix, vector = jnp.asarray(RANDOM.normal(size=(7, 7))), jnp.asarray(RANDOM.normal(size=7))
    agree(function, (matrix, vector), name="kept")
    program = _trace.trace_jaxpr(jax.make_jaxpr(function)(matrix, vector), "kept")
    assert bool(shared_places(program)) == in_place


def test_matrix_that_is_read_after_it_was_changed_in_a_loop_is_not_changed_in_place():
    def function(matrix, vector):
        def turn(state, _):
            matrix, vector = state
            changed = lax.cond(vector[0] > 0, lambda: 0.5 * matrix + 1.0, lambda: matrix)
            return (changed, 0.1 * jnp.tanh(matrix @ vector) + 0.05), jnp.sum(changed)

        return lax.scan(turn, (matrix, vector), None, length=5000)

    given = jnp.asarray(RANDOM.normal(size=(7, 7))), jnp.asarray(RANDOM.normal(size=7))
    agree(function, given, name="read_after", absolute=1e-12)
    assert not shared_places(_trace.trace_jaxpr(jax.make_jaxpr(function)(*given), "read_after"))
