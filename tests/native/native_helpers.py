"""What tests of native code share: a function compared with itself under JAX, and what it is made of."""

import jax
import numpy as np

from pliant.native import compile_function
from pliant.native.tracing import inner_jaxprs, jaxpr_of

TOLERANCE = 1e-13


def agree(function, *samples, name="function", absolute=0.0):
    """Native code of the function gives what JAX gives for samples (tuples of arguments) of equal shapes: structure,
    types, shapes, NaN and infinity in the same places, numbers within TOLERANCE of themselves, or within `absolute`
    times the largest of the result."""
    native, reference = compile_function(function, samples[0], name), jax.jit(function)
    for sample in samples:
        own, known = native(*sample), reference(*sample)
        assert jax.tree.structure(own) == jax.tree.structure(known)
        for (path, result), wanted in zip(jax.tree.leaves_with_path(own), jax.tree.leaves(known), strict=True):
            _same(jax.tree_util.keystr(path), result, np.asarray(wanted), absolute)
    return native


def agree_known_or_not(function, *samples, **options):
    """As `agree`; and once more with the first sample as constants, which are folded."""
    agree(lambda: function(*samples[0]), (), **options)
    return agree(function, *samples, **options)


def _same(where, result, wanted, absolute):
    assert result.dtype == wanted.dtype and result.shape == wanted.shape, where
    finite = np.abs(wanted[np.isfinite(wanted)].astype(float))
    floor = absolute * np.max(finite, initial=0.0)
    np.testing.assert_allclose(result, wanted, rtol=TOLERANCE, atol=floor, err_msg=where)


def primitives(function, *arguments):
    """Names of all primitives in a function, at any depth."""
    found = set()

    def visit(jaxpr):
        for equation in jaxpr.eqns:
            found.add(equation.primitive.name)
            for inner in inner_jaxprs(equation):
                visit(inner.jaxpr)

    visit(jaxpr_of(function, arguments)[0].jaxpr)
    return found
