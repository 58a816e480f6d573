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


WEIGHTS = np.array([0.6, -0.9, 0.8])  # one number of the tip's place, to which every direction adds


@jax.jit
def _motion(values: dict, strain: jax.Array) -> tuple[jax.Array, tuple]:
    """Where the tip ends, and the motion, for values of parameters and an initial bending strain of the first piece."""
    model = _finger().with_parameters(values)
    begin = model.initial_state()
    state = pliant.State(begin.q.at[0].set(strain), begin.v)
    run = pliant.pure.simulate(model, STEPS, STEP, state=state)
    return WEIGHTS @ pliant.forward_kinematics(model, run.q[-1])["finger"][:3, 3], run


def _tip(values: dict, strain: jax.Array) -> jax.Array:
    return _motion(values, strain)[0]


_reverse = jax.jit(jax.grad(_tip, argnums=(0, 1)))
_forward = jax.jit(jax.jacfwd(_tip, argnums=(0, 1)))


def _start() -> tuple[dict, jax.Array]:
    return {path: _finger().parameters[path] for path in PATHS}, jnp.asarray(2.0)


def test_it_is_the_motion_that_simulate_finds() -> None:
    _, run = _motion(*_start())
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


@functools.cache
def _sliding(kind: str) -> pliant.Model:
    """A finger whose end slides along a wall, a closed loop, pulled from rest: two rigid bones, or a rod."""
    end = {"link": "finger", "at": 1} if kind == "rod" else {"link": "finger", "offset": {"move": [0, 0, 0.05]}}
    robot = pliant.Robot(f"sliding-{kind}")
    if kind == "bones":
        bone = {"mass": 0.02, "inertia": [4e-6, 4e-6, 1e-6], "centre": [0, 0, 0.025]}
        hinge = {"revolute": {"axis": "y", "stiffness": 0.01, "damping": 1e-4}}
        knuckle = {"link": "bone", "offset": {"move": [0, 0, 0.05]}}
        robot = (
            robot.rigid("bone", **bone, joint=hinge)
            .rigid("finger", **bone, joint=hinge, parent=knuckle)
            .initial("bone", angle=0.3)
            .initial("finger", angle=-0.6)
            .drive("flexor", joint="finger", force=0.0)
            .constraint("wall", between=["world", end], fix=["x"], frame="first")
        )
        return pliant.compile(robot)
    return pliant.compile(
        robot.material("rubber", young=2e5, poisson=0.45, density=1000.0, viscosity=100.0)
        .rod(
            "finger",
            length=0.1,
            section={"circle": {"radius": 0.006}},
            material="rubber",
            allow=["bend_y", "stretch"],
            model={"pcs": {"pieces": 2}},
        )
        .tendon("flexor", link="finger", x=0.004, tension=0.0)
        .constraint("wall", between=["world", end], fix=["x"], frame="first")
    )


def _slid(model: pliant.Model, efforts: jax.Array) -> jax.Array:
    """Height of the end after steps with the effort of the flexor given at their ends."""
    times = jnp.linspace(0.0, STEPS * STEP, len(efforts))
    run = pliant.pure.simulate(model, STEPS, STEP, inputs={"flexor": (times, efforts)})
    return pliant.forward_kinematics(model, run.q[-1])["finger"][2, 3]


@pytest.mark.parametrize("kind", ["bones", pytest.param("rod", marks=pytest.mark.long)])
def test_traced_inputs_move_a_robot_with_a_closed_loop(kind: str) -> None:
    """The motion is that of `simulate`; its derivative by every sample of a table is that of differences."""
    model = _sliding(kind)
    efforts = jnp.array([0.0, 0.3, 0.5, 0.2, 0.4]) * (1.0 if kind == "rod" else 0.01)  # at multiples of the step
    times = np.linspace(0.0, STEPS * STEP, len(efforts))
    inputs = {"flexor": (times, efforts)}
    same = pliant.simulate(
        model, STEPS * STEP, stepper="newmark", step=STEP, save_every=STEP, accuracy=None, inputs=inputs
    )
    slid = jax.jit(functools.partial(_slid, model))
    height = slid(efforts)
    assert float(height) == pytest.approx(float(same.frame("finger")[-1, 2, 3]), abs=1e-9)
    found = jax.jit(jax.grad(slid))(efforts)
    assert float(jnp.abs(found).max()) > 1e-4
    for index in range(len(efforts)):
        size = 2e-3 * float(efforts.max())
        ahead, behind = (slid(efforts.at[index].add(sign * size)) for sign in (1, -1))
        assert float(found[index]) == pytest.approx(float((ahead - behind) / (2 * size)), rel=1e-5, abs=1e-9)


def test_a_traced_number_is_an_input() -> None:
    model = _sliding("bones")

    def final(tension: jax.Array) -> jax.Array:
        return pliant.pure.simulate(model, 4, STEP, inputs={"flexor": tension}).q[-1]

    held = jax.jit(final)(jnp.asarray(2e-3))
    np.testing.assert_allclose(held, final(2e-3), rtol=1e-9)


@pytest.mark.parametrize("kind", ["newmark", "generalised-alpha"])
def test_a_jump_inside_a_motion_is_that_of_simulate(kind: str) -> None:
    """The tendon is pulled at once, in the middle of the motion: the steps after it begin anew in both."""
    pull = {"flexor": {"step": {"to": 0.5, "at": 0.1}}}
    stepper = pliant.Stepper(_finger(), kind, STEP, newton_tolerance=1e-11)
    run = pliant.pure.simulate(stepper, STEPS, inputs=pull)
    same = pliant.simulate(stepper, STEPS * STEP, save_every=STEP, inputs=pull, accuracy=None)
    assert int(run.code) == 0 and np.ptp(np.asarray(same.q)[20:22], axis=0).max() > 0.1
    tips = [pliant.forward_kinematics(_finger(), q)["finger"][:3, 3] for own in (run.q, same.q) for q in own[20::5]]
    apart = np.linalg.norm(np.subtract(tips[: len(tips) // 2], tips[len(tips) // 2 :]), axis=1)
    assert apart.max() < 1e-9  # m
