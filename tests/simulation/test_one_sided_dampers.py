"""A damper that acts on one side only, with and without a spring, has a balance or a failure with a name."""

import functools

import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.numerics import ResultCode

HEIGHT, GRAVITY = 0.1, 9.81  # m and m/s^2, for a mass of 1 kg


@functools.cache
def _plunger() -> pliant.Model:
    law = {"stiffness": {"z": 1.0}, "damping": {"z": 1.0}, "rest": {"z": 0.0}, "acts": {"z": "compression"}}
    return pliant.compile(
        pliant.Robot("plunger")
        .rigid("mass", mass=1.0, inertia=[1e-3] * 3, joint={"prismatic": {"axis": "z", "stiffness": 1.0}})
        .spring("buffer", between=["world", "mass"], beam=law)
    )


def _with(holding: float, stiffness: float, damping: float) -> pliant.Model:
    return _plunger().with_parameters(
        {
            "links.mass.joint.prismatic.stiffness": holding,
            "springs.buffer.beam.stiffness": [0, 0, 0, 0, 0, stiffness],
            "springs.buffer.beam.damping": [0, 0, 0, 0, 0, damping],
        }
    )


@pytest.mark.parametrize("step", [1e-2, 1e-3, (1e-6, 1e-2)])
@pytest.mark.parametrize("kind", ["newmark", "generalised-alpha"])
@pytest.mark.parametrize("damping", [1e2, 1e3, 1e5])
def test_a_mass_falls_into_a_damper(kind: str, step: float | tuple[float, float], damping: float) -> None:
    """With u = g/c: after the touch v = u + (v0 - u) exp(-c t), so that it is caught and sinks with u."""
    start = pliant.State(jnp.array([HEIGHT]), jnp.zeros(1))
    motion = pliant.simulate(_with(0.0, 0.0, damping), 1.0, stepper=kind, step=step, state=start, save_every=0.02)
    assert int(motion.code) == ResultCode.SUCCESS
    touch, steady = np.sqrt(2.0 * HEIGHT / GRAVITY), GRAVITY / damping
    t = np.asarray(motion.time)
    since = np.maximum(t - touch, 0.0)
    caught = (np.sqrt(2.0 * GRAVITY * HEIGHT) - steady) / damping * (1.0 - np.exp(-damping * since))
    exact = np.where(t < touch, HEIGHT - 0.5 * GRAVITY * t**2, -steady * since - caught)
    np.testing.assert_allclose(np.asarray(motion.q)[:, 0], exact, atol=1e-3 * HEIGHT)


def test_statics_with_a_one_sided_buffer() -> None:
    """From the touch a balance on the spring, from afar with something that holds the mass one on both; where nothing
    holds it, or a damper alone does, there is none."""
    for damping in (0.0, 10.0):
        on_buffer = pliant.equilibrium(_with(0.0, 1e3, damping))
        assert float(on_buffer.q[0]) == pytest.approx(-GRAVITY / 1e3, rel=1e-9)
        on_both = pliant.equilibrium(_with(50.0, 1e3, damping), q0=jnp.array([HEIGHT]))
        assert float(on_both.q[0]) == pytest.approx(-GRAVITY / 1050.0, rel=1e-9)
    for model, start in ((_with(0.0, 0.0, 10.0), 0.0), (_with(0.0, 1e3, 10.0), HEIGHT)):
        with pytest.raises(pliant.SolveError, match="singular"):
            pliant.equilibrium(model, q0=jnp.array([start]))
        assert int(pliant.equilibrium(model, q0=jnp.array([start]), throw=False).code) == ResultCode.SINGULAR
