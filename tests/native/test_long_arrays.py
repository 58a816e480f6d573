"""Long arguments stay whole in native code: what reads parts of them does not grow with them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from native_helpers import agree

from pliant.native import UnsupportedError
from pliant.native.printing import CText
from pliant.native.tracing import LONG, jaxpr_of, trace_jaxpr
from pliant.numerics import HIGHEST_ORDER, grid_spline, tracing_for_scalars

RNG = np.random.default_rng(4)


def _spline(coefficients, place):
    value, slope = jax.jvp(lambda x: grid_spline(coefficients, x), (place,), (jnp.ones_like(place),))
    curvature = jax.hessian(lambda x: grid_spline(coefficients, x))(place[0])
    return value, slope, curvature


def _text(function, *arguments):
    with tracing_for_scalars():
        closed, _ = jaxpr_of(function, arguments)
    return CText(trace_jaxpr(closed, "f")).text()


def test_splines_on_grids():
    place = jnp.asarray(RNG.uniform(-0.2, 4.2, (7, 3)).clip(0.0, [2.0, 3.0, 4.0]))
    place = place.at[0].set(0.0).at[1].set(jnp.array([2.0, 3.0, 4.0]))
    agree(_spline, (jnp.asarray(RNG.normal(size=(5, 6, 7))), place), name="spline", absolute=1e-13)


def test_the_program_is_the_same_for_a_grid_of_any_size():
    place = jnp.ones((3, 3))
    small, large = (_text(_spline, jnp.ones((n, n, n)), place) for n in (30, 90))
    assert len(large) < 1.01 * len(small) and large.count("pliant_grid_spline(") == 2


def test_derivatives_of_an_order_that_native_code_lacks_are_refused():
    function = lambda x: grid_spline(jnp.ones((4, 4, 4)), x)  # noqa: E731
    for _ in range(HIGHEST_ORDER + 1):
        function = jax.jacfwd(function)
    with pytest.raises(UnsupportedError, match="derivatives of order"):
        _text(function, jnp.ones(3))


def test_long_arguments_are_read_reshaped_sliced_and_returned():
    """And taken apart where all of their elements are asked for."""

    def read(table, index):
        row = table.reshape(-1, 10)[index]
        return row, table, jnp.sum(table * table), table[3:5]

    table = jnp.asarray(RNG.normal(size=LONG + 4))
    agree(read, (table, jnp.array([3, 0, 400])), name="read", absolute=1e-12)
