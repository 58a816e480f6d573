"""Formulas: SymPy's of a pendulum, CasADi's of an arm, and what neither can hold."""

import jax.numpy as jnp
import numpy as np
import pytest
import sympy

import pliant
from pliant.native import TooLargeError, UnsupportedError, sympy_expressions
from pliant.simulation import casadi_function, equations


def test_the_equation_of_a_pendulum():
    bob = {"mass": 2.0, "inertia": [0.1, 0.1, 0.1], "centre": [0, 0, 0.5]}
    swing = pliant.compile(pliant.Robot("swing").rigid("bob", **bob, joint={"revolute": "y"}))
    (equation,) = equations(swing).values()
    angle, rate = (sympy.Symbol(name, real=True) for name in ("bob.angle", "bob.rate_a"))
    assert sympy.simplify(equation - (0.6 * rate - 2.0 * 9.81 * 0.5 * sympy.sin(angle))) == 0


def test_branches_and_comparisons_are_written():
    def function(x):
        return jnp.where((x > 1.0) & ~(x > 3.0), jnp.abs(x), jnp.maximum(x, 0.5)), jnp.arctan2(x, 2.0) ** 3

    first, second = sympy_expressions(function, (1.0,), [["x"]])
    for x in (-2.0, 2.0, 4.0):
        expected = function(jnp.asarray(x))
        at = {sympy.Symbol("x", real=True): x}
        np.testing.assert_allclose([float(first.subs(at)), float(second.subs(at))], expected, rtol=1e-12)


def test_what_formulas_cannot_hold_is_refused():
    arm = pliant.compile(pliant.library.load("three-section-arm"))
    with pytest.raises(TooLargeError, match=r"three-section-arm has \d+ operations; formulas are written up to 3000"):
        equations(arm)
    with pytest.raises(UnsupportedError, match="newmark_step has loops, branches or large matrices"):
        casadi_function(arm, "newmark_step")
    with pytest.raises(ValueError, match=r"expected names for \[1\] elements; got \[2\]"):
        sympy_expressions(jnp.sin, (1.0,), [["x", "y"]])


def test_casadi_computes_what_jax_computes():
    arm = pliant.compile(pliant.library.load("three-section-arm"))
    function = casadi_function(arm, inputs=())
    q, v = np.linspace(0.005, 0.02, arm.nq), np.linspace(-0.1, 0.1, arm.nv)
    found = np.asarray(function(q, v, 0.0, np.zeros((0, 1)))).ravel()
    np.testing.assert_allclose(found, pliant.forward_dynamics(arm, q, v), rtol=1e-10)
