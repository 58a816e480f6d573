"""Native code inside JAX: the same values and derivatives as the JAX function, under every transformation."""

import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant.native._ffi as ffi
from pliant.native import CompilerError, NativeError, UnsupportedError
from pliant.native import _build as build_module
from pliant.native._build import FLAGS, compiler
from pliant.native._casadi import package

pytest.importorskip("casadi")

VALUE, SLOPE = 1e-12, 1e-10  # relative to the largest element
X, Y = jnp.array([0.3, -1.2, 0.7]), jnp.array([[1.1, 0.2], [0.4, -0.9], [0.5, 2.0]])


@pytest.fixture(scope="module", autouse=True)
def _own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLIANT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def smooth(x, y):
    """(3,), (3, 2) -> (2,)"""
    return jnp.tanh(x @ y) + jnp.exp(0.1 * y[0]) * jnp.sin(x[1])


def forest(tree, count):
    """Pytrees in and out, with integers and truths among their leaves."""
    angle, (mass, is_free) = tree["angle"], tree["body"]
    energy = jnp.where(is_free, 0.5 * mass * jnp.sum(angle**2), 0.0)
    return {"energy": energy, "next": (count + 1, angle[0] > 0), "angle": angle * count}


TREE = {"angle": X, "body": (2.5, True)}


@pytest.fixture(scope="module")
def native():
    return ffi.jax_function(smooth, (X, Y), "smooth")


@pytest.fixture(scope="module")
def native_forest():
    return ffi.jax_function(forest, (TREE, 3), "forest")


def near(own, known, tolerance):
    assert jax.tree.structure(own) == jax.tree.structure(known)
    for a, b in zip(jax.tree.leaves(own), jax.tree.leaves(known), strict=True):
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * max(1.0, float(np.max(np.abs(b), initial=0.0))))


def batch(*shape):
    return jnp.asarray(np.random.default_rng(0).normal(size=shape))


def test_value(native):
    near(native(X, Y), smooth(X, Y), VALUE)
    near(jax.jit(native)(X, Y), smooth(X, Y), VALUE)
    near(jnp.asarray(native.native(X, Y)), smooth(X, Y), VALUE)


def test_inside_a_loop(native):
    def run(call):
        def turn(_, x):
            return x.at[:2].add(0.01 * call(x, Y))

        return jax.jit(lambda x: jax.lax.fori_loop(0, 50, turn, x))(X)

    near(run(native), run(smooth), VALUE)


@pytest.mark.parametrize("axes", [(0, 0), (0, None), (None, 0), (1, None)])
def test_vmap(native, axes):
    x = X if axes[0] is None else jnp.moveaxis(batch(7, 3), 0, axes[0])
    y = Y if axes[1] is None else batch(7, 3, 2)
    near(jax.vmap(native, axes)(x, y), jax.vmap(smooth, axes)(x, y), VALUE)
    near(jax.jit(jax.vmap(native, axes))(x, y), jax.vmap(smooth, axes)(x, y), VALUE)


def test_nested_vmap(native):
    def nested(call):
        return jax.vmap(jax.vmap(call, (0, None)), (None, 0))(batch(5, 3), batch(4, 3, 2))

    assert nested(native).shape == (4, 5, 2)
    near(nested(native), nested(smooth), VALUE)


@pytest.mark.parametrize("differentiate", [jax.jacfwd, jax.jacrev])
def test_jacobian(native, differentiate):
    near(differentiate(native, (0, 1))(X, Y), differentiate(smooth, (0, 1))(X, Y), SLOPE)
    near(jax.jit(differentiate(native, 1))(X, Y), differentiate(smooth, 1)(X, Y), SLOPE)


def test_gradient_of_a_batch(native):
    def loss(call, x):
        return jnp.sum(jax.vmap(call, (0, None))(x, Y) ** 2)

    x = batch(7, 3)
    near(jax.jit(jax.grad(lambda x: loss(native, x)))(x), jax.grad(lambda x: loss(smooth, x))(x), SLOPE)
    near(jax.vmap(jax.jacrev(native), (0, None))(x, Y), jax.vmap(jax.jacrev(smooth), (0, None))(x, Y), SLOPE)


def test_gradient_through_a_loop(native):
    def end(call):
        def turn(x, _):
            return x.at[:2].add(0.1 * call(x, Y)), None

        return jax.jit(jax.grad(lambda x: jnp.sum(jax.lax.scan(turn, x, length=5)[0])))(X)

    near(end(native), end(smooth), SLOPE)


def test_derivative_is_built_when_first_asked_for():
    made = ffi.jax_function(lambda x: x**3 + 0.25, (1.0,), "cube")
    made(2.0)
    assert "derivative" not in vars(made)
    near(jax.grad(made)(2.0), jnp.asarray(12.0), SLOPE)
    assert "derivative" not in vars(made.derivative)
    near(jax.jit(jax.grad(jax.grad(made)))(2.0), jnp.asarray(12.0), SLOPE)
    near(jax.hessian(made)(2.0), jnp.asarray(12.0), SLOPE)


def test_pytrees(native_forest):
    near(native_forest(TREE, 3), jax.jit(forest)(TREE, 3), VALUE)
    near(native_forest(TREE, jnp.int32(3)), jax.jit(forest)(TREE, 3), VALUE)
    counts = jnp.arange(4)
    near(jax.vmap(native_forest, (None, 0))(TREE, counts), jax.vmap(forest, (None, 0))(TREE, counts), VALUE)


def test_gradient_of_pytrees(native_forest):
    def energy(call, angle, mass):
        result = call({"angle": angle, "body": (mass, True)}, 3)
        return result["energy"] + jnp.sum(result["angle"] ** 3)

    def slope(call):
        return jax.jit(jax.grad(lambda angle, mass: energy(call, angle, mass), (0, 1)))(X, 2.5)

    near(slope(native_forest), slope(forest), SLOPE)


def test_loop_of_unknown_length_is_differentiated_forward():
    def root(x):
        """By Newton's method, of the sum; many arguments and one result."""
        return jax.lax.while_loop(
            lambda y: jnp.abs(y * y - jnp.sum(x)) > 1e-13, lambda y: (y + jnp.sum(x) / y) / 2, 1.0
        )

    made = ffi.jax_function(root, (X + 2,), "root")
    near(made(X + 2), root(X + 2), VALUE)
    near(jax.grad(made)(X + 2), jax.jacfwd(root)(X + 2), SLOPE)


def test_results_that_do_not_depend_on_floats():
    made = ffi.jax_function(lambda x, n: (jnp.zeros((0, 2)), n * 2, x > n), (X, 2), "whole")
    near(made(X, 2), (jnp.zeros((0, 2)), jnp.asarray(4), X > 2), VALUE)
    value, move = jax.jvp(lambda x: made(x, 2)[1] * 1.0, (X,), (X,))
    assert (value, move) == (4.0, 0.0)


def test_same_content_is_built_once(native, monkeypatch, tmp_path):
    again = ffi.jax_function(smooth, (X, Y), "smooth")
    assert again.target == native.target
    monkeypatch.setenv("PLIANT_CACHE", str(tmp_path))
    elsewhere = ffi.jax_function(smooth, (X, Y), "smooth")
    near(elsewhere(X, Y), smooth(X, Y), VALUE)
    other = ffi.jax_function(lambda x, y: smooth(x, y) + 1, (X, Y), "smooth")
    assert other.target != native.target
    near(other(X, Y), smooth(X, Y) + 1, VALUE)
    near(native(X, Y), smooth(X, Y), VALUE)


def test_shapes_are_enough(native):
    shapes = jax.eval_shape(lambda *leaves: leaves, X, Y)
    assert ffi.jax_function(smooth, shapes, "smooth").target == native.target


# Errors


def test_single_precision_is_refused(native, native_forest):
    with pytest.raises(
        TypeError, match=r"argument \[1\] of native function smooth is float32\[3, 2\]; expected float64"
    ):
        native(X, Y.astype(np.float32))
    with pytest.raises(TypeError, match=r"argument \[0\]\['angle'\] of native function forest is float32"):
        jax.jit(native_forest)({**TREE, "angle": X.astype(np.float32)}, 3)
    with pytest.raises(TypeError, match=r"argument \[0\] of native function f is float32\[3\]"):
        ffi.jax_function(lambda x: x, (X.astype(np.float32),), "f")


def test_other_arguments_are_refused(native, native_forest):
    with pytest.raises(TypeError, match=r"is float64\[2\]; expected float64\[3\]"):
        native(X[:2], Y)
    with pytest.raises(TypeError, match="structure"):
        native(X)
    with pytest.raises(TypeError, match=r"argument \[1\] .* is float64\[\]; expected int64\[\]"):
        native_forest(TREE, 3.0)
    with pytest.raises(TypeError, match=r"is int64\[3\]; expected float64\[3\]"):
        native(jnp.arange(3), Y)


def test_names_and_results_that_c_does_not_hold():
    with pytest.raises(ValueError, match="named by letters"):
        ffi.jax_function(smooth, (X, Y), "a-b")
    with pytest.raises(UnsupportedError, match="complex128"):
        ffi.jax_function(lambda x: x + 1j, (X,), "turned")


@pytest.mark.parametrize(
    ("arguments", "result", "said"),
    [
        ((X, Y.astype(np.float32)), 2, r"smooth: argument 1: type: expected F64, got F32"),
        ((X, Y[:2]), 2, r"smooth: argument 1: number of elements: expected 6, got 4"),
        ((X, Y), 4, r"smooth: argument 0: number of elements: expected 6, got 3"),
        ((X, Y), 3, r"smooth: result 0: number of elements: expected 2, got 3"),
        ((X,), 2, r"smooth: number of arguments: expected 2, got 1"),
    ],
)
def test_handler_refuses(native, arguments, result, said):
    call = jax.ffi.ffi_call(native.target, jax.ShapeDtypeStruct((result,), np.float64))
    with pytest.raises(jax.errors.JaxRuntimeError, match=said):
        jax.block_until_ready(call(*arguments))


def test_no_compiler(monkeypatch):
    def missing():
        raise CompilerError("no C compiler")

    monkeypatch.setattr(build_module, "compiler", missing)
    monkeypatch.setattr(build_module, "_identity", lambda: "none")
    with pytest.raises(CompilerError, match="no C compiler"):
        ffi.jax_function(lambda x: x - 4, (X,), "less")


def test_no_casadi(monkeypatch):
    package.cache_clear()
    monkeypatch.setitem(sys.modules, "casadi", None)
    try:
        with pytest.raises(NativeError, match="pip install"):
            ffi.jax_function(lambda x: x - 5, (X,), "less")
    finally:
        package.cache_clear()


@pytest.mark.parametrize(("arguments", "results"), [((3, 6), (2,)), ((), (1, 0)), ((1,), ())])
def test_handler_compiles_without_a_warning(tmp_path, arguments, results):
    source = tmp_path / "handler.c"
    source.write_text(ffi.handler_source("smooth_native", arguments, results))
    strict = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-isystem", jax.ffi.include_dir()]
    command = [compiler(), *FLAGS, *strict, "-c", str(source), "-o", str(tmp_path / "handler.o")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
