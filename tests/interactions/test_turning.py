"""What resists rolling and spinning: it slows at the rate of the moment, holds on a slope, and the ledger knows it."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant import Robot, State
from pliant.model import Model

G, RADIUS, STIFFNESS = 9.81, 0.05, 2e4
ROLLING, SPIN = 2e-3, 1e-3  # m
DEPTH = G / STIFFNESS
ARM = RADIUS - 0.5 * DEPTH  # it rolls on the middle of what it dents


def _ball(joint: Any) -> Robot:
    friction = {"coefficient": 0.5, "rolling": ROLLING, "spin": SPIN}
    return (
        Robot("ball")
        .rigid("ball", mass=1.0, shape={"sphere": {"radius": RADIUS}}, joint=joint)
        .surface("floor", where="world", plane="z")
        .contact("ground", between=["ball", "floor"], stiffness=STIFFNESS, damping=20.0, friction=friction)
    )


@functools.cache
def _rolling() -> Model:
    return pliant.compile(_ball({"planar": "y"}))


def _on_slope(slope: float) -> Model:
    angle = np.arctan(slope)
    return _rolling().with_parameters({"gravity": np.array([G * np.sin(angle), 0.0, -G * np.cos(angle)])})


def _run(model: Model, speed: float, until: float, **settings: Any) -> Any:
    start = State(jnp.asarray([RADIUS - DEPTH, 0.0, 0.0]), jnp.asarray([0.0, speed, speed / ARM]))
    return pliant.simulate(model, until=until, stepper="newmark", step=1e-3, save_every=0.1, state=start, **settings)


def _rate(force: float) -> float:
    """Acceleration of a rolling ball of 1 kg that is pushed along its middle."""
    return force / (1.0 + 0.4 * (RADIUS / ARM) ** 2)


def test_a_rolling_ball_slows_down_and_stays() -> None:
    """By 5/7 g c/R, with a moment c times the normal force."""
    run = _run(_rolling(), 0.2, 1.2, ledger=True)
    speed = np.asarray(run.v)[:, 1]
    np.testing.assert_allclose((speed[3] - speed[1]) / 0.2, -_rate(ROLLING / ARM * G), rtol=1e-3)
    np.testing.assert_allclose(_rate(ROLLING / ARM * G), 5.0 / 7.0 * G * ROLLING / RADIUS, rtol=0.02)
    place = np.asarray(run.q)[:, 1]
    np.testing.assert_allclose(place[-1], place[-2], atol=1e-7)  # 0.2 m/s is gone after 0.7 s
    # From the second step on: the first one has no memory yet of how the ball was turned.
    total, lost = (np.asarray(run.energy[name])[1:] for name in ("total", "dissipated"))
    np.testing.assert_allclose(total, total[0], atol=1e-5 * lost[-1])
    np.testing.assert_allclose(lost[-1], 0.7 * 0.2**2, rtol=0.01)


@pytest.mark.long
@pytest.mark.parametrize("share", [0.9, 1.5])
def test_a_ball_stays_on_a_slope_below_its_rolling_resistance(share: float) -> None:
    slope = share * ROLLING / RADIUS
    run = _run(_on_slope(slope), 0.0, 1.0)
    place, speed, angle = np.asarray(run.q)[:, 1], np.asarray(run.v)[:, 1], np.arctan(slope)
    if share < 1.0:
        np.testing.assert_allclose(place[5:], place[5], atol=1e-9)
        assert float(run.forces.report["ground.turning_moment"][-1]) < ROLLING * G
    else:
        expected = _rate(G * (np.sin(angle) - ROLLING / ARM * np.cos(angle)))
        np.testing.assert_allclose((speed[-1] - speed[2]) / 0.8, expected, rtol=1e-3)


@pytest.mark.long
def test_derivatives_are_finite_where_nothing_turns() -> None:
    model, v = _rolling(), jnp.zeros(3)

    def acceleration(q: jax.Array, v: jax.Array, parameters: dict) -> jax.Array:
        return pliant.forward_dynamics(Model(model.structure, parameters), q, v)

    for height in (RADIUS, RADIUS - DEPTH):
        found = jax.jacobian(acceleration, (0, 1, 2))(jnp.asarray([height, 0.0, 0.0]), v, model.parameters)
        assert all(np.isfinite(np.asarray(own)).all() for own in jax.tree.leaves(found))


@pytest.mark.long
def test_a_spinning_ball_stops() -> None:
    """At the rate c m g/I, and then it is held."""
    model = pliant.compile(_ball({"cylindrical": "z"}))
    names = model.coordinate_names
    place, angle = (next(i for i, name in enumerate(names) if word in name) for word in ("displacement", "angle"))
    q, v = np.zeros(2), np.zeros(2)
    q[place], v[angle] = RADIUS - DEPTH, 5.0
    run = pliant.simulate(
        model, until=1.0, stepper="newmark", step=1e-3, save_every=0.1, state=State(jnp.asarray(q), jnp.asarray(v))
    )
    rate = np.asarray(run.v)[:, angle]
    np.testing.assert_allclose((rate[3] - rate[1]) / 0.2, -SPIN * G / (0.4 * RADIUS**2), rtol=1e-3)
    np.testing.assert_allclose(np.asarray(run.q)[-1, angle], np.asarray(run.q)[-2, angle], atol=1e-8)


@pytest.mark.long
def test_native_code_rolls_as_jax_does() -> None:
    settings = {"until": 0.3, "stepper": "newmark", "step": 1e-3, "save_every": 0.05}
    start = State(jnp.asarray([0.06, 0.0, 0.0]), jnp.asarray([0.0, 0.5, 0.0]))
    one, other = (
        pliant.simulate(_rolling(), **settings, state=start, backend=backend) for backend in ("jax", "native")
    )
    np.testing.assert_allclose(other.q, one.q, atol=1e-9)
