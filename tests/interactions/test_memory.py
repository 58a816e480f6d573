"""What interactions remember: committed after accepted time steps and after accepted load steps."""

import dataclasses
import functools

import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.simulation import native_functions

SPRING, GRIP, LIMIT, MOMENT = 2.0, 6.0, 0.5, 1.5  # N m/rad of the joint and of the slider, N m of its friction and load


@dataclasses.dataclass(frozen=True)
class Slider(pliant.Force):
    """Dry friction at a joint, in series with a spring: past its limit the place where it grips is dragged along."""

    grip: float = GRIP
    limit: float = LIMIT

    def first_memory(self):
        return jnp.zeros(())

    def _drawn(self, numbers, at):
        return at.q[0] - at.memory[self.name]

    def energy(self, numbers, at):
        """Its gradient is the moment; where the slider grips it is what the spring has stored."""
        drawn, most = jnp.abs(self._drawn(numbers, at)), numbers["limit"] / numbers["grip"]
        held = jnp.minimum(drawn, most)
        return 0.5 * numbers["grip"] * held**2 + numbers["limit"] * (drawn - held)

    def remember(self, numbers, at):
        most = numbers["limit"] / numbers["grip"]
        return at.q[0] - jnp.clip(self._drawn(numbers, at), -most, most)


@functools.cache
def _joint() -> pliant.Model:
    """A bar on a hinge with a spring and the slider, turned by a moment that comes and goes within two seconds."""
    there_and_back = {"table": {"times": [0, 1, 2], "values": [[0, 0, 0], [0, MOMENT, 0], [0, 0, 0]]}}
    robot = (
        pliant.Robot("joint")
        .with_gravity([0, 0, 0])
        .rigid("bar", mass=1.0, inertia=[1e-2] * 3, joint={"revolute": {"axis": "y", "stiffness": SPRING}})
        .load("turn", where={"link": "bar"}, moment=there_and_back)
    )
    return pliant.compile(robot, extra=[Slider("slider")])


def _angles(moments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angles and where it grips, in closed form: SPRING q + m = load, with m held by the grip within its limit."""
    angles, gripped, grip = [], [], 0.0
    for load in moments:
        q = (load + GRIP * grip) / (SPRING + GRIP)
        if abs(GRIP * (q - grip)) > LIMIT:
            friction = np.sign(q - grip) * LIMIT
            q = (load - friction) / SPRING
            grip = q - friction / GRIP
        angles.append(q)
        gripped.append(grip)
    return np.array(angles), np.array(gripped)


LOADED = {"turn.moment": jnp.array([0.0, MOMENT, 0.0])}


def test_unloading_leads_elsewhere_than_loading() -> None:
    factors = np.array([0.2, 0.6, 1.0, 0.6, 0.2, -0.4])
    path = pliant.equilibrium_path(_joint(), factors, inputs=LOADED)
    angles, gripped = _angles(MOMENT * factors)
    assert angles[1] < angles[3] - 0.1 and angles[0] < angles[4] - 0.1  # hysteresis
    np.testing.assert_allclose(path.q[:, 0], angles, rtol=1e-9)
    np.testing.assert_allclose(path.memory["slider"], gripped, rtol=1e-9)


def test_a_sequence_in_time_remembers_too() -> None:
    times = np.array([0.2, 1.0, 1.8, 2.0])
    run = pliant.quasi_static(_joint(), times)
    angles, _ = _angles(MOMENT * (1.0 - np.abs(times - 1.0)))
    np.testing.assert_allclose(run.q[:, 0], angles, rtol=1e-9)


def test_a_rest_hands_on_what_it_remembers() -> None:
    """To another rest and to a motion; its energy is what the two springs hold."""
    model = _joint()
    rest = pliant.equilibrium(model, inputs=LOADED)
    angles, gripped = _angles(np.array([MOMENT, 0.0]))
    np.testing.assert_allclose([rest.q[0], rest.memory["slider"]], [angles[0], gripped[0]], rtol=1e-9)
    held = angles[0] - gripped[0]
    assert float(rest.energy["elastic"]) == pytest.approx(0.5 * SPRING * angles[0] ** 2 + 0.5 * GRIP * held**2)
    after = pliant.equilibrium(model, q0=rest.q, memory=rest.memory)
    assert float(after.q[0]) == pytest.approx(angles[1], rel=1e-9)
    assert abs(float(pliant.equilibrium(model).q[0])) < 1e-12  # what has not been loaded remembers nothing

    state = pliant.State(rest.q, jnp.zeros(1), rest.memory)
    run = pliant.simulate(model, 0.05, state=state, stepper="newmark", step=5e-3, save_every=5e-3, inputs=LOADED)
    np.testing.assert_allclose(run.q[:, 0], angles[0], rtol=1e-9)
    np.testing.assert_allclose(run.energy["elastic"], rest.energy["elastic"], rtol=1e-9)

    # Unloaded it does not slide, and grips: the slider's spring counts. It would not with the memory of the start.
    stiffness = 1e-2 * float(pliant.modes(model, after, count=1).frequency[0]) ** 2
    assert stiffness == pytest.approx(SPRING + GRIP, rel=1e-6)


def test_explicit_and_implicit_steps_remember_the_same() -> None:
    """A bar that swings drags the slider along; both lose the same energy to it."""
    state = pliant.State(jnp.array([1.0]), jnp.zeros(1))
    unloaded = {"turn.moment": jnp.zeros(3)}
    runs = {
        kind: pliant.simulate(pliant.Stepper(_joint(), kind, step), 0.5, state=state, save_every=0.05, inputs=unloaded)
        for kind, step in (("rk4", 2e-4), ("newmark", 2e-4), ("tsit5", None))
    }
    gripped = {kind: np.asarray(run.memory["slider"]) for kind, run in runs.items()}
    assert np.ptp(gripped["rk4"][1:]) > 0.5 * LIMIT / GRIP  # dragged there and back
    for kind in ("newmark", "tsit5"):
        np.testing.assert_allclose(gripped[kind], gripped["rk4"], atol=5e-3)
        np.testing.assert_allclose(runs[kind].energy["total"], runs["rk4"].energy["total"], atol=1e-2)
    assert float(runs["rk4"].energy["total"][-1]) < 0.7 * float(runs["rk4"].energy["total"][0])


def test_a_native_step_without_a_place_for_memory_is_not_offered() -> None:
    known = native_functions(_joint())
    assert "rk4_step" not in known and "newmark_step" in known
