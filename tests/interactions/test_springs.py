"""Springs, ropes and soft contacts between places of a robot."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.dynamics import _generic

_THREAD = {"stiffness": 50, "damping": 2, "damping_power": 1.5, "acts": "tension"}
_BALL = {"mass": "0.2 kg", "shape": {"sphere": {"radius": "20 mm"}}, "joint": "free"}


def _two_balls() -> pliant.Robot:
    """Two free balls tied to the world and to each other by springs of every kind."""
    return (
        pliant.Robot("tied")
        .rigid("a", parent={"link": "world", "offset": {"move": [0.1, 0, 0]}}, **_BALL)
        .rigid("b", parent={"link": "world", "offset": {"move": [0.3, 0.1, 0]}}, **_BALL)
        .spring(
            "thread", between=["a", "b"], axial={"stiffness": 50, "damping": 2, "damping_power": 1.5, "acts": "tension"}
        )
        .spring("strut", between=["world", "a"], axial={"stiffness": 80, "rest": "50 mm"}, force=0.7)
        .spring(
            "floor",
            between=["world", "b"],
            beam={
                "stiffness": {"z": 200, "rx": 0.1, "ry": 0.2, "x": 30},
                "damping": {"z": 3, "rz": 0.02},
                "rest": {"z": "10 mm", "x": "initial"},
                "rest_ratio": 0.9,
                "acts": {"z": "compression"},
                "frame": "middle",
            },
        )
    )


_integrate, _slow = jax.jit(pliant.Model.integrate), jax.jit(_generic.residual)


@pytest.fixture(scope="module")
def tied() -> pliant.Model:
    return pliant.compile(_two_balls())


def _state(model: pliant.Model, seed: int) -> tuple[jnp.ndarray, jnp.ndarray, jnp.ndarray]:
    rng = np.random.default_rng(seed)
    near = _integrate(model, model.initial_state().q, jnp.asarray(0.3 * rng.standard_normal(model.nv)))
    return near, jnp.asarray(rng.standard_normal(model.nv)), jnp.asarray(rng.standard_normal(model.nv))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_forces_are_those_of_energy_and_dissipation(tied: pliant.Model, seed: int) -> None:
    q, v, a = _state(tied, seed)
    # An input is no energy: it is driven to zero here and looked at below.
    inputs = {"strut": jnp.zeros(())}
    fast = pliant.inverse_dynamics(tied, q, v, a, 0.0, inputs)
    np.testing.assert_allclose(fast, _slow(tied, q, v, a, 0.0, inputs), atol=1e-12)


def test_power_law_damping_takes_energy_at_its_rate(tied: pliant.Model) -> None:
    q, v, _ = _state(tied, 3)
    worked, lost = pliant.dynamics.power(tied, q, v)
    assert float(lost) > 0.0
    a = pliant.forward_dynamics(tied, q, v)
    step = 1e-6
    before, after = (
        pliant.energy(tied, _integrate(tied, q, sign * step * v), v + sign * step * a)["total"] for sign in (-1, 1)
    )
    assert float((after - before) / (2 * step)) == pytest.approx(float(worked - lost), rel=1e-5)


def test_an_input_pushes_the_ends_apart(tied: pliant.Model) -> None:
    q, still = tied.initial_state().q, jnp.zeros(tied.nv)
    pushed, free = (
        pliant.inverse_dynamics(tied, q, still, still, 0.0, {"strut": jnp.asarray(force)}) for force in (1.0, 0.0)
    )
    force = -(pushed - free)  # what acts on the right of the equations: ball a is pushed away from the world, along x
    expected = np.zeros(tied.nv)
    expected[3] = 1.0
    np.testing.assert_allclose(force, expected, atol=1e-12)


def test_a_rope_only_pulls_and_a_contact_only_pushes() -> None:
    rope = {"stiffness": {"z": 10}, "rest": {"z": 0.1}, "acts": {"z": "tension"}}
    stop = {"stiffness": {"z": 70}, "rest": {"z": -0.1}, "acts": {"z": "compression"}}
    robot = (
        pliant.Robot("sides")
        .with_gravity([0, 0, 0])
        .rigid("m", mass="1 kg", joint={"prismatic": "z"}, inertia=[1e-3, 1e-3, 1e-3])
        .spring("rope", between=["world", "m"], beam=rope)
        .spring("stop", between=["world", "m"], beam=stop)
    )
    model = pliant.compile(robot)

    def force(z: float) -> float:
        return -float(pliant.inverse_dynamics(model, jnp.array([z]), jnp.zeros(1), jnp.zeros(1))[0])

    assert force(0.0) == 0.0
    assert force(0.3) == pytest.approx(-10 * 0.2)
    assert force(-0.3) == pytest.approx(70 * 0.2)


def test_modes_of_a_mass_on_a_spring() -> None:
    robot = (
        pliant.Robot("oscillator")
        .rigid("m", mass="2 kg", joint={"prismatic": "z"}, inertia=[1e-3, 1e-3, 1e-3])
        .spring("spring", between=["world", "m"], beam={"stiffness": {"z": 800}, "damping": {"z": 4}})
    )
    modes = pliant.modes(pliant.compile(robot))
    assert float(modes.frequency[0]) == pytest.approx(20.0)
    assert float(modes.damping_ratio[0]) == pytest.approx(4 / (2 * 2 * 20))
