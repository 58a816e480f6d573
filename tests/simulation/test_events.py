"""Contacts that close and open, ropes that go slack and taut: implicit steps pass through."""

import functools
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.simulation.stepping._march import _power_of_two

GAP, STIFFNESS = 0.1, 2e3  # m and N/m, for a mass of 1 kg
WAYS = {
    "fixed": {"step": 1e-3},
    "by error": {"step": (1e-6, 1e-2), "rtol": 1e-6, "atol": 1e-6},
    "by newton": {"step": (1e-5, 1e-3), "adapt": "newton"},
}
# Steps. Fixed ones are cut where a touch begins (to 2^-12 of them at most) and where it ends (2^-10), and grow together
# again by doubling: up to 22 more for each of the five touches.
MOST = {"fixed": 1110, "by error": 1500, "by newton": 1100}


@functools.cache
def _bouncer() -> pliant.Model:
    """A mass between a rope, which holds it from going up, and a soft stop below, with a damper each. Where the two
    have something to damp at the touch, their force jumps."""

    def side(rest: float, acts: str) -> dict:
        return {"stiffness": {"z": STIFFNESS}, "damping": {"z": 1.0}, "rest": {"z": rest}, "acts": {"z": acts}}

    return pliant.compile(
        pliant.Robot("bouncer")
        .with_gravity([0, 0, 0])
        .rigid("mass", mass=1.0, inertia=[1e-3] * 3, joint={"prismatic": "z"})
        .spring("rope", between=["world", "mass"], beam=side(GAP, "tension"))
        .spring("stop", between=["world", "mass"], beam=side(-GAP, "compression"))
    )


def _bounce(damping: float, speed: float, kind: str, **settings: object) -> pliant.results.Trajectory:
    values = {
        path: jnp.zeros(6).at[5].set(damping) for path in ("springs.rope.beam.damping", "springs.stop.beam.damping")
    }
    start = pliant.State(jnp.zeros(1), jnp.array([speed]))
    stepper = pliant.Stepper(_bouncer().with_parameters(values), kind, **settings)
    return pliant.simulate(stepper, 1.0, state=start, save_every=0.01)


@functools.cache
def _exact(damping: float, speed: float) -> np.ndarray:
    return np.asarray(_bounce(damping, speed, "tsit5", rtol=1e-9, atol=1e-11).q)


@pytest.mark.parametrize("stepper", ["newmark", "generalised-alpha"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("damping", "speed", "error"),
    [
        (0.0, 1.0, 2e-2),
        (20.0, 0.9731, 5e-2),
        # Steps end where the mass touches, to round-off: neither with the damper nor without is there a balance.
        (20.0, 1.0, 5e-2),
    ],
)
def test_a_mass_bounces_between_a_rope_and_a_stop(
    stepper: str, way: str, damping: float, speed: float, error: float
) -> None:
    run = _bounce(damping, speed, stepper, **WAYS[way])
    exact = _exact(damping, speed)
    assert exact.max() > GAP and exact.min() < -GAP
    assert np.abs(np.asarray(run.q) - exact).max() < error * GAP
    assert int(run.steps) < MOST[way]
    settings = json.loads(run.provenance)["settings"]
    assert settings["residuals"] < 5 * int(run.steps) and settings["matrices"] < 0.2 * int(run.steps) + 60


@functools.cache
def _finger() -> pliant.Model:
    """A soft finger let go above a floor, on which its tip bounces."""
    floor = {"stiffness": {"z": 200.0}, "damping": {"z": 0.05}, "rest": {"z": -0.02}, "acts": {"z": "compression"}}
    return pliant.compile(
        pliant.Robot("finger")
        .material("rubber", young=1e5, poisson=0.45, density=1000.0, viscosity=50.0)
        .rod(
            "finger",
            length=0.1,
            section={"circle": {"radius": 0.005}},
            material="rubber",
            allow=["bend_y"],
            model={"pcs": {"pieces": 2}},
            parent={"link": "world", "offset": {"rotate": {"y": "90 deg"}}},
        )
        .spring("floor", between=["world", "finger"], beam=floor)
    )


@pytest.mark.long
@pytest.mark.parametrize(
    # Fixed steps are cut at the 25 beginnings and ends of touches, and as short in between as the tip on its floor
    # asks for; adaptive ones only end at the touches.
    ("step", "error", "most"),
    [(1e-3, 2e-3, 1300), ((1e-6, 1e-2), 2e-2, 800)],
)
def test_a_finger_falls_onto_a_floor(step: float | tuple[float, float], error: float, most: int) -> None:
    def tip(**settings: object) -> tuple[np.ndarray, int]:
        run = pliant.simulate(_finger(), 0.3, save_every=5e-3, **settings)
        return np.asarray(run.position("finger")), int(run.steps)

    exact, _ = tip(stepper="tsit5")
    assert np.sum(np.diff(exact[:, 2] < -0.02)) >= 3
    found, steps = tip(stepper="newmark", step=step, rtol=1e-4, atol=1e-4)
    assert np.abs(found - exact).max() < error * 0.1 and steps < most


def test_parts_of_steps_are_exact_powers_of_two():
    """XLA's exp2 is not: parts then never added up to whole steps again, and a run after a touch took 500 times the
    steps of native code (found by random robots)."""
    powers = 2.0 ** -np.arange(41.0)
    exactly = jax.jit(jax.vmap(_power_of_two))
    assert np.array_equal(exactly(powers), powers)
    assert np.array_equal(exactly(1.5 * powers[1:]), powers[1:])
    assert np.array_equal(exactly(np.array([np.inf, 3.0, 0.0])), [1.0, 1.0, powers[-1]])
