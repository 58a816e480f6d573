"""Motion with closed loops and prescribed joints: loops stay closed, energy is kept, drives push as much as they must."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from interactions import mechanism as given
from interactions.mechanism import mechanism
from pliant.dynamics import constraint_residual
from pliant.lie import so3

UNTIL = 10.0
STEPPERS = {
    "tsit5": {"rtol": 1e-6, "atol": 1e-9},
    "rk4": {"step": 5e-3},
    "newmark": {"step": 5e-3},
}
_open_by = jax.jit(jax.vmap(constraint_residual, in_axes=(None, 0, 0)))


@functools.cache
def _motion(stepper):
    settings = STEPPERS[stepper]
    return pliant.simulate(mechanism(), UNTIL, stepper=stepper, save_every=0.1, ledger=True, **settings)


def _index(name):
    return mechanism().coordinate_names.index(name)


@pytest.mark.parametrize(
    "stepper", ["tsit5", *(pytest.param(name, marks=pytest.mark.long) for name in ("rk4", "newmark"))]
)
def test_loops_stay_closed_and_energy_is_kept(stepper):
    motion = _motion(stepper)
    drift = np.abs(np.asarray(_open_by(mechanism(), motion.q, motion.time)))
    assert drift.max() < 1e-8
    # The mechanism does move.
    assert np.ptp(np.asarray(motion.q[:, _index("crank.angle")])) > 0.5
    total, kinetic = np.asarray(motion.energy["total"]), np.asarray(motion.energy["kinetic"])
    assert np.ptp(total) < {"tsit5": 1e-4, "rk4": 1e-4, "newmark": 1e-2}[stepper] * kinetic.max()
    assert np.ptp(np.asarray(motion.energy["work"])) > 0.1 * kinetic.max()


def test_prescribed_angle_is_kept_and_its_moment_is_that_of_the_pendulum():
    motion = _motion("tsit5")
    rate = 2 * np.pi * given.FREQUENCY
    phase = rate * np.asarray(motion.time)
    angle, speed, acceleration = (
        given.SWING * np.sin(phase),
        given.SWING * rate * np.cos(phase),
        -given.SWING * rate**2 * np.sin(phase),
    )
    np.testing.assert_allclose(motion.q[:, _index("bob.angle")], angle, atol=1e-10)
    own = mechanism().velocity_names.index("bob.rate")
    np.testing.assert_allclose(motion.v[:, own], speed, atol=1e-10)
    moment = (given.SPIN + given.BOB * given.ARM**2) * acceleration
    moment = moment + given.BOB * given.GRAVITY * given.ARM * np.sin(angle)
    np.testing.assert_allclose(motion.forces.effort["motor"], moment, atol=1e-9)
    np.testing.assert_allclose(motion.forces.travel["motor"], angle, atol=1e-10)


@jax.jit
@jax.vmap
def _turning(t):
    """Rotation of the top and, by Euler's equations, the moment it takes, in its own axes."""

    def rotation(t):
        return so3.exp(jnp.asarray(given.ROTATION) * jnp.sin(2 * jnp.pi * given.FREQUENCY * t))

    def spin(t):
        turn, rate = jax.jvp(rotation, (t,), (1.0,))
        return so3.vee(turn.T @ rate)

    velocity, acceleration = jax.jvp(spin, (t,), (1.0,))
    inertia = jnp.asarray(given.INERTIA)
    return rotation(t), velocity, inertia * acceleration + jnp.cross(velocity, inertia * velocity)


def test_prescribed_rotation_is_kept_and_its_moment_is_eulers():
    motion = _motion("tsit5")
    rotation, velocity, moment = _turning(motion.time)
    top = motion.names.frames.index("top")
    np.testing.assert_allclose(motion.shape.frame_pose[:, top, :3, :3], rotation, atol=1e-10)
    own = [mechanism().velocity_names.index(f"top.angular_{axis}") for axis in "xyz"]
    np.testing.assert_allclose(motion.v[:, own], velocity, atol=1e-9)
    found = np.stack([motion.forces.effort[f"gimbal.angular_{axis}"] for axis in "xyz"], axis=-1)
    np.testing.assert_allclose(found, moment, atol=1e-9)
