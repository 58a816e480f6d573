"""Where a scalar program takes another order of operations than arrays do, both give the same."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from native_helpers import agree

from pliant.arms import ArmLoad, ArmSegment, QuasiStaticArm, RigidPiece, arm_shape, chamber_pairs
from pliant.dynamics import forward_kinematics, mass_matrix
from pliant.lie import stumpff
from pliant.numerics import forward_jacobian, symmetric_product, tracing_for_scalars
from robots import arm, linkage

RNG = np.random.default_rng(5)


def test_coefficients_on_both_sides_of_their_series_and_their_derivatives():
    def function(x):
        return stumpff(x), jax.jvp(stumpff, (x,), (x + 1.0,))[1], jax.vmap(lambda y: stumpff(y)[3])(x)

    agree(function, (jnp.array([0.0, 1e-9, 0.49, 0.51, 2.9, 3.1, 10.9, 11.1, 60.0]),), name="stumpff", absolute=1e-14)


def test_jacobian_in_a_loop_and_symmetric_product():
    def function(x, a):
        curved = lambda x: jnp.sin(a @ x) * x[0]  # noqa: E731
        return forward_jacobian(curved)(x), symmetric_product(a.reshape(1, 2, 3, 5), a.reshape(1, 2, 3, 5))

    agree(function, (jnp.asarray(RNG.normal(size=5)), jnp.asarray(RNG.normal(size=(6, 5)))), name="jacobian")


def test_kinematics_and_mass_in_order_equal_those_by_jumps():
    for model in (arm(), linkage()):
        q = model.integrate(model.neutral(), jnp.asarray(0.3 * RNG.normal(size=model.nv)))
        by_arrays = mass_matrix(model, q), forward_kinematics(model, q)
        with tracing_for_scalars():
            in_order = mass_matrix(model, q), forward_kinematics(model, q)
        for one, other in zip(jax.tree.leaves(by_arrays), jax.tree.leaves(in_order), strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-12 * np.max(np.abs(one)))


def _arm(intervals, construction):
    segment = ArmSegment(
        length=0.05, outer_radius=12.5e-3, inner_radius=4.5e-3, chamber_angles=chamber_pairs([0.0, 2.1, 4.2], 0.35),
        chamber_offset=8.5e-3, chamber_radius=2.5e-3, young=130e3, intervals=intervals,
    )  # fmt: skip
    return QuasiStaticArm((segment, RigidPiece(0.01), segment), construction)


@pytest.mark.parametrize("construction", ["arcs", pytest.param("increments", marks=pytest.mark.long)])
@pytest.mark.parametrize("intervals", [3, pytest.param(25, marks=pytest.mark.long)])  # turns either side of a series
def test_quasi_static_arm_in_one_loop_equals_that_in_two(construction, intervals):
    arm = _arm(intervals, construction)
    given = jnp.array([40e3, 20e3, 0.0, 0.0, 10e3, 30e3]), jnp.array([0.1, 0.05, -0.1])

    def swept(pressures, force):
        return arm_shape(arm, pressures, (ArmLoad(force, frame="tip"),))

    agree(swept, given, name="swept", absolute=1e-13)

    def sought(pressures, force):
        on_body = ArmLoad(0.3 * force, moment=0.01 * force, at=0.4, frame="body")
        return arm_shape(arm, pressures, (ArmLoad(force, frame="base"), on_body))

    agree(sought, given, name="sought", absolute=1e-9)  # the turn of the tip is sought to 1e-11 rad
