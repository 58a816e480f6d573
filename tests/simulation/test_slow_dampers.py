"""Dampers of a power less than one stop what moves in a finite time: implicit steps find how, or the run is marked."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from test_accuracy import run

import pliant
from pliant.mechanics import power_law, power_law_dissipation
from pliant.numerics import ResultCode

MU = 2.0  # N (s/m)^p, for a mass of 1 kg


@functools.cache
def _slider() -> pliant.Model:
    law = {"damping": {"z": MU}, "damping_power": {"z": 0.1}, "rest": {"z": 0.0}}
    return pliant.compile(
        pliant.Robot("slider")
        .with_gravity([0, 0, 0])
        .rigid("mass", mass=1.0, inertia=[1e-3] * 3, joint={"prismatic": "z"})
        .spring("damper", between=["world", "mass"], beam=law)
        .load("push", where={"link": "mass"}, force=[0, 0, 0])
    )


def _thrown(power: float, speed: float, kind: str, step: float):
    model = _slider().with_parameters({"springs.damper.beam.damping_power": [1, 1, 1, 1, 1, power]})
    start = pliant.State(jnp.zeros(1), jnp.array([speed]))
    return run(model, 1.0, kind, step, state=start, save_every=0.05)


@pytest.mark.parametrize("kind", ["newmark", "generalised-alpha"])
@pytest.mark.parametrize(
    ("power", "speed", "step"), [(0.1, 1.0, 0.05), (0.1, 0.02, 1e-3), (0.02, 1.0, 0.05), (0.4, 1.0, 0.01)]
)
def test_a_mass_stops_where_it_should(kind: str, power: float, speed: float, step: float) -> None:
    """v' = -mu v^p: it stops after v^(2 - p) / (mu (2 - p)), and stays there."""
    motion = _thrown(power, speed, kind, step)
    place, stop = np.asarray(motion.q)[:, 0], speed ** (2.0 - power) / (MU * (2.0 - power))
    assert int(motion.code) == ResultCode.SUCCESS
    assert place[-1] == pytest.approx(stop, rel=2e-3)
    assert np.diff(place).min() > -1e-4 * stop
    assert abs(float(motion.v[-1, 0])) < 1e-3 * speed


@pytest.mark.parametrize("kind", ["newmark", "generalised-alpha"])
def test_steps_longer_than_the_stop_are_marked(kind: str) -> None:
    """It would stop within 17 ms: the rule itself makes it go back in a step of 50 ms."""
    assert int(_thrown(0.1, 0.02, kind, 0.05).code) == ResultCode.INACCURATE


@pytest.mark.parametrize(
    ("power", "speed", "step"),
    [(0.1, 0.02, 0.01), (0.1, 0.02, 0.005), (0.3, 0.02, 0.01), (0.4, 0.02, 0.02), (0.1, 0.02, 3e-3)],
)
def test_a_mass_that_stops_in_its_first_steps_is_right_or_marked(power: float, speed: float, step: float) -> None:
    motion = _thrown(power, speed, "newmark", step)
    stop = speed ** (2.0 - power) / (MU * (2.0 - power))
    error = abs(float(motion.q[-1, 0]) / stop - 1.0)
    assert int(motion.code) == ResultCode.INACCURATE or error < 0.01


def test_a_mass_creeps_under_a_force_less_than_the_damping() -> None:
    """Half of mu pushes: v goes to (1/2)^(1/p), in steps that begin at rest."""
    model = _slider().with_parameters({"loads.push.force": [0, 0, 0.5 * MU]})
    motion = run(model, 1.0, "newmark", 1e-3, save_every=0.05)
    assert int(motion.code) == ResultCode.SUCCESS
    assert float(motion.v[-1, 0]) == pytest.approx(0.5**10, rel=1e-3)
    assert int(motion.steps) == 1000  # none is cut: what rounding leaves of the balance is known


@pytest.mark.parametrize("power", [0.1, 0.7, 1.0, 1.5, 2.0])
def test_the_law_is_the_power_and_the_gradient_of_its_dissipation(power: float) -> None:
    rates, mu = jnp.array([-2.0, -1e-3, 1e-6, 0.0, 0.3]), jnp.asarray(MU)
    force = power_law(mu, rates, jnp.asarray(power))
    np.testing.assert_allclose(force, MU * np.sign(rates) * np.abs(rates) ** power, rtol=1e-4)
    np.testing.assert_allclose(force[0], -MU * 2.0**power, rtol=1e-15)
    by_rate = jax.vmap(jax.grad(lambda rate: power_law_dissipation(mu, rate, jnp.asarray(power))))(rates)
    np.testing.assert_allclose(by_rate, force, rtol=1e-12, atol=1e-14)
    second = jax.vmap(jax.grad(lambda rate, p: power_law(mu, rate, p), argnums=(0, 1)), (0, None))(
        rates, jnp.asarray(power)
    )
    assert all(np.all(np.isfinite(own)) for own in second)
