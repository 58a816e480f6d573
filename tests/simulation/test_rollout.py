"""Motions as differentiable functions."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant

STEPS, STEP = 40, 5e-3
PATHS = ("materials.rubber.young", "actuators.flexor.tension.ramp.to")


@functools.cache
def _finger() -> pliant.Model:
    """A hanging finger whose tendon is pulled over 0.1 s."""
    return pliant.compile(
        pliant.Robot("finger")
        .material("rubber", young=2e5, poisson=0.45, density=1000.0, viscosity=100.0)
        .rod(
            "finger",
            length=0.1,
            section={"circle": {"radius": 0.006}},
            material="rubber",
            allow=["bend_x", "bend_y", "stretch"],
            model={"pcs": {"pieces": 2}},
            parent={"link": "world", "offset": {"rotate": {"y": "90 deg"}}},
        )
        .tendon("flexor", link="finger", x=0.004, tension={"ramp": {"to": 0.5, "over": 0.1}})
        .initial("finger", bend_x=2.0)
    )


@jax.jit
def _tip(values: dict, strain: jax.Array) -> jax.Array:
    """(3,) where the tip ends, for values of parameters and an initial bending strain of the first piece."""
    model = _finger().with_parameters(values)
    begin = model.initial_state()
    state = pliant.State(begin.q.at[0].set(strain), begin.v)
    run = pliant.rollout(model, STEPS, STEP, state=state)
    return pliant.forward_kinematics(model, run.q[-1])["finger"][:3, 3]


_reverse = jax.jit(jax.jacrev(_tip, argnums=(0, 1)))
_forward = jax.jit(jax.jacfwd(_tip, argnums=(0, 1)))


def _start() -> tuple[dict, jax.Array]:
    return {path: _finger().parameters[path] for path in PATHS}, jnp.asarray(2.0)


def test_it_is_the_motion_that_simulate_finds() -> None:
    run = pliant.rollout(_finger(), STEPS, STEP)
    same = pliant.simulate(_finger(), STEPS * STEP, stepper="newmark", step=STEP, save_every=STEP)
    assert int(run.code) == 0
    np.testing.assert_allclose(run.q, same.q, atol=1e-6 * np.abs(same.q).max())


@pytest.mark.parametrize("derivative", [_reverse, pytest.param(_forward, marks=pytest.mark.long)])
def test_derivatives_equal_differences(derivative) -> None:
    """By Young's modulus, by the tendon's programme, by the initial strain."""
    values, strain = _start()
    by_values, by_strain = derivative(values, strain)
    for path in PATHS:
        size = 1e-4 * values[path]
        ahead, behind = (_tip(values | {path: values[path] + sign * size}, strain) for sign in (1, -1))
        expected = (ahead - behind) / (2 * size)
        np.testing.assert_allclose(by_values[path], expected, atol=1e-6 * np.abs(expected).max())
    expected = (_tip(values, strain + 1e-4) - _tip(values, strain - 1e-4)) / 2e-4
    np.testing.assert_allclose(by_strain, expected, atol=1e-6 * np.abs(expected).max())


def test_robots_with_constraints_are_refused() -> None:
    robot = pliant.Robot("pinned").rigid("bar", mass=1.0, inertia=[1e-2] * 3, joint={"revolute": "y"})
    robot = robot.constraint("pin", between=["world", {"link": "bar"}], fix=["x"])
    with pytest.raises(ValueError, match="1 constraint rows: use simulate"):
        pliant.rollout(pliant.compile(robot), 2, 1e-3)
