"""Motion with closed loops and prescribed joints: loops stay closed, energy is kept, drives push as they must."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from interactions import mechanism as given
from interactions.mechanism import compiled, linkage, mechanism
from pliant.dynamics import constraint_residual
from pliant.lie import so3

pytestmark = pytest.mark.filterwarnings("ignore:the initial state of robot")  # their loops are closed here
UNTIL = 10.0
STEPPERS = {
    "tsit5": {"rtol": 1e-6, "atol": 1e-9},
    "rk4": {"step": 5e-3},
    "newmark": {"step": 2e-3},
}
_open_by = jax.jit(jax.vmap(constraint_residual, in_axes=(None, 0, 0)))


@functools.cache
def _motion(make, stepper, ledger=True):
    settings = STEPPERS[stepper]
    return pliant.simulate(compiled(make), UNTIL, stepper=stepper, save_every=0.1, ledger=ledger, **settings)


def _index(name):
    """Of a joint with one coordinate: in q and in v."""
    model = compiled(linkage)
    return model.coordinate_names.index(f"{name}.angle"), model.velocity_names.index(f"{name}.rate")


# What the steppers keep of the energy, of the largest kinetic one: two of them to their tolerance, one to second order.
KEPT = {"tsit5": 1e-4, "rk4": 1e-4, "newmark": 1e-2}


def _check(make, motion):
    """Loops are closed all the time, in a mechanism that does move."""
    drift = np.abs(np.asarray(_open_by(compiled(make), motion.q, motion.time)))
    assert drift.max() < 1e-8
    assert np.ptp(np.asarray(motion.q[:, _index("crank")[0]])) > 0.5


@pytest.mark.long
@pytest.mark.parametrize("stepper", STEPPERS)
def test_loops_stay_closed_and_the_ledger_balances(stepper):
    motion = _motion(mechanism, stepper)
    _check(mechanism, motion)
    total, kinetic = np.asarray(motion.energy["total"]), np.asarray(motion.energy["kinetic"])
    assert np.ptp(total) < KEPT[stepper] * kinetic.max()
    assert np.ptp(np.asarray(motion.energy["work"])) > 0.05  # J: the drives give and take


def _pendulum(time):
    """Angle, rate, acceleration and energy of the driven pendulum."""
    rate = 2 * np.pi * given.FREQUENCY
    phase = rate * np.asarray(time)
    angle, speed, acceleration = (
        given.SWING * np.sin(phase),
        given.SWING * rate * np.cos(phase),
        -given.SWING * rate**2 * np.sin(phase),
    )
    energy = 0.5 * (given.SPIN + given.BOB * given.ARM**2) * speed**2
    return angle, speed, acceleration, energy - given.BOB * given.GRAVITY * given.ARM * np.cos(angle)


def test_loops_stay_closed_and_energy_is_kept():
    motion = _motion(linkage, "tsit5", ledger=False)
    _check(linkage, motion)
    # Without the work of its drive, the energy less that of the pendulum is the four-bar's.
    kept = np.asarray(motion.energy["total"]) - _pendulum(motion.time)[3]
    assert np.ptp(kept) < KEPT["tsit5"] * np.asarray(motion.energy["kinetic"]).max()


def test_prescribed_angle_is_kept_and_its_moment_is_that_of_the_pendulum():
    motion = _motion(linkage, "tsit5", ledger=False)
    angle, speed, acceleration, _ = _pendulum(motion.time)
    in_q, in_v = _index("bob")
    np.testing.assert_allclose(motion.q[:, in_q], angle, atol=1e-10)
    np.testing.assert_allclose(motion.v[:, in_v], speed, atol=1e-10)
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


@pytest.mark.long
def test_prescribed_rotation_is_kept_and_its_moment_is_eulers():
    motion = _motion(mechanism, "tsit5")
    rotation, velocity, moment = _turning(motion.time)
    top = motion.names.frames.index("top")
    np.testing.assert_allclose(motion.shape.frame_pose[:, top, :3, :3], rotation, atol=1e-10)
    own = [compiled(mechanism).velocity_names.index(f"top.angular_{axis}") for axis in "xyz"]
    np.testing.assert_allclose(motion.v[:, own], velocity, atol=1e-9)
    found = np.stack([motion.forces.effort[f"gimbal.angular_{axis}"] for axis in "xyz"], axis=-1)
    np.testing.assert_allclose(found, moment, atol=1e-9)
