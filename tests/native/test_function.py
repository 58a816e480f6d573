"""What a native function takes, what it refuses, what tells two of them apart; batches of loops and systems."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from native_helpers import agree

from pliant.native import UnsupportedError, compile_function
from pliant.native.printing import _print_c

X = jnp.array([0.1, 3.0, -1.5, 7.0])
BATCH = jnp.asarray(np.random.default_rng(3).normal(size=(2, 3, 3)))


def test_a_batch_of_loops_ends_member_by_member():
    def one(y):
        return lax.while_loop(
            lambda c: c[0] < 5, lambda c: (c[0] * 1.5 + 1, c[1] + jnp.ones(2), c[2]), (y, jnp.zeros(2), 3)
        )

    agree(jax.vmap(one), (X,), (X[::-1],), name="batch")


def test_places_out_of_bounds_follow_the_mode():
    def function(x, i, numbers):
        return (
            [x.at[i].get(mode=mode) for mode in ("fill", "clip")],
            x.at[i].get(mode="fill", fill_value=3.0),
            jnp.take(numbers, i),
            [x.at[i].set(5.0, mode=mode) for mode in ("drop", "clip")],
            [x.at[i].add(5.0, mode=mode) for mode in ("drop", "clip")],
            x.at[i].subtract(2.0),
        )

    agree(function, (X, jnp.array([1, 9]), jnp.arange(3)), (X, jnp.array([-9, 1]), jnp.arange(3)), name="modes")


def test_batches_of_systems():
    agree(jax.vmap(jnp.linalg.solve, (0, None)), (BATCH, X[:3]), name="solve", absolute=1e-13)
    agree(jnp.linalg.inv, (BATCH,), name="inverse", absolute=1e-13)


def test_constants_within_functions_count():
    def scaled(numbers):
        inner = jax.jit(lambda x: x * np.asarray(numbers))
        return lambda x: inner(x)

    for numbers in ([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 5.0]):
        agree(scaled(numbers), (X,), name="scaled")


def test_wrong_arguments_are_refused():
    native = compile_function(lambda x, i: x * i, (X, 2), "doubled")
    for wrong in ((X[:1], 2), (X * 1j, 2), (X, 2.5)):
        with pytest.raises(TypeError, match="doubled takes"):
            native(*wrong)
    with pytest.raises(ValueError, match="named by letters"):
        compile_function(lambda x: x, (X,), "two words")


def test_a_large_working_space_is_not_on_the_stack(monkeypatch):
    monkeypatch.setattr(_print_c, "ON_STACK", 100)
    native = agree(lambda x: jnp.cumsum(jnp.outer(x, jnp.arange(50.0)), 1), (X,), name="large")
    assert any("PLIANT_OF_THREAD pliant_real w" in path.read_text() for path in native.library.parent.glob("*.c"))


@pytest.mark.parametrize(
    "primitive, function",
    [
        ("sort", jnp.sort),
        ("reduce_xor", lambda x: lax.reduce_xor(x > 0, (0,))),
        ("debug_print", lambda x: jax.debug.print("{}", x)),
        ("convert_element_type", lambda x: x.astype(jnp.float32)),
        ("random_seed", lambda x: jax.random.normal(jax.random.key(0))),
        ("reduce_and", lambda x: lax.reduce_and(x.astype(int), (0,))),
    ],
)
def test_unknown_primitives_have_a_line(primitive, function):
    def within(x):
        return x, function(x)

    with pytest.raises(UnsupportedError, match=f"'{primitive}'.*test_function.py:[0-9]+"):
        compile_function(within, (X,))
