"""Contacts: forces follow from energies, act on both sides, take energy, stick and slide."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from interactions.contact_forces import contact_forces
from pliant import Robot, State
from pliant.dynamics import evaluation
from pliant.dynamics._interactions import kinds
from pliant.interactions import Contacts
from pliant.model import Model, prepare

G, MU = 9.81, 0.5
RADIUS = 0.05


def _many() -> Robot:
    """Every surface, every kind of sample, both exponents, with friction and without, between links and to the world;
    all of it touches."""
    tilted = {"link": "world", "offset": {"rotate": {"x": 0.3}}}
    beside = {"link": "world", "offset": {"move": [0.0, 0.09, 0.0]}}
    below = {"link": "world", "offset": {"move": [0.0, 0.0, -0.1]}}
    return (
        Robot("many")
        .material("rubber", young=1e5, poisson=0.45, density=1000.0, viscosity=50.0)
        .rigid("ball", mass=0.4, shape={"sphere": {"radius": RADIUS}}, centre=[0.0, 0.01, 0.0], joint="free")
        .rigid("crate", material="rubber", shape={"box": [0.1, 0.2, 0.3]}, joint={"revolute": "y"})
        .rod(
            "arm",
            length=0.2,
            section={"circle": {"radius": [0.03, 0.01]}},
            material="rubber",
            allow=["bend_y"],
            model={"pcs": {"pieces": 2, "quadrature": 1}},
            parent={"link": "world", "offset": {"move": [0.02, 0.0, -0.1]}},
        )
        .surface("slope", where=tilted, plane="z")
        .surface("post", where=beside, cylinder={"radius": 0.06, "length": 0.5})
        .surface(
            "bar", where={"link": "crate", "offset": {"rotate": {"x": 0.4}}}, capsule={"radius": 0.03, "length": 0.2}
        )
        .surface("knob", where={"link": "ball"}, sphere={"radius": 0.04})
        .surface("slab", where=below, box=[0.5, 0.5, 0.25])
        .surface("skin", along={"link": "arm"})
        .contact("a", between=["ball", "slope"], stiffness=900.0, damping=0.4)
        .contact("b", between=["post", "ball"], stiffness=2e3, exponent=1.5, damping=0.2, friction=0.4)
        .contact("c", between=["bar", "skin"], damping=0.1, friction=0.7)
        .contact("d", between=["skin", "slab"], stiffness="2 kPa", smoothing="3 mm")
        .contact("e", between=["crate", "slab"], stiffness=500.0, damping=0.3)
        .contact("f", between=["crate", "knob"], friction=0.2, slip_damping=0.5)
    )


@functools.cache
def _model() -> Model:
    return pliant.compile(_many())


def _contacts(model: Model) -> list[str]:
    return [kind.name for kind in model.structure.interactions if isinstance(kind, Contacts)]


@jax.jit
def _told(model: Model, q: jax.Array, v: jax.Array, before: jax.Array) -> dict[str, Any]:
    """What each kind says at (q, v), having remembered `before`; and what follows from its energy and dissipation."""
    prepared, t = prepare(model.structure, model.parameters), jnp.zeros(())
    past = evaluation(model.structure, prepared, before, 0.0 * v, t, {})
    memory = {kind.name: kind.remember(numbers, past) for kind, numbers in kinds(past) if kind.name in past.memory}
    at = evaluation(model.structure, prepared, q, v, t, {}, memory=memory)
    return contact_forces(at)


@functools.cache
def _states() -> list[dict[str, Any]]:
    model, rng = _model(), np.random.default_rng(5)
    found = []
    for speed in (1.0, 1.0, 5.0, 0.0):
        before = model.integrate(model.neutral(), jnp.asarray(0.05 * rng.normal(size=model.nv)))
        q = model.integrate(before, jnp.asarray(1e-3 * rng.normal(size=model.nv)))
        found.append(_told(model, q, jnp.asarray(speed * rng.normal(size=model.nv)), before))
    return [jax.tree.map(np.asarray, own) for own in found]


def test_forces_follow_from_energy_and_dissipation() -> None:
    """Without friction, whose cone depends on both."""
    smooth = [kind.name for kind in _model().structure.interactions if isinstance(kind, Contacts) and kind.grip is None]
    assert len(smooth) == 3
    for told in _states():
        for name in smooth:
            scale = np.abs(told[name]["wrench"]).max()
            assert scale > 0.3  # N
            np.testing.assert_allclose(told[name]["force"], told[name]["derived"], atol=1e-12 * scale)


def test_what_acts_on_one_side_acts_on_the_other() -> None:
    for told in _states():
        for name in _contacts(_model()):
            wrench = told[name]["wrench"]
            assert np.any(told[name]["gap"] < 0.0)
            np.testing.assert_allclose(wrench.sum(axis=0), 0.0, atol=1e-13 * np.abs(wrench).sum())


def test_contacts_take_energy() -> None:
    for told in _states():
        for name in _contacts(_model()):
            assert told[name]["loss"] >= -1e-14
    assert max(told[name]["loss"] for told in _states() for name in _contacts(_model())) > 0.1


def test_reports() -> None:
    told = _states()[0]
    report = {name: value for own in _contacts(_model()) for name, value in told[own]["report"].items()}
    assert set(report) == set(_model().structure.reported)
    assert report["b.tangential_force"] <= 0.4 * report["b.normal_force"] * (1.0 + 1e-14)
    assert {float(report[f"{name}.sticking"]) for name in "bcf"} <= {0.0, 1.0}


def test_stiffness_of_the_materials() -> None:
    """Hertz's of a sphere on a box; per length of a skin, whose free end of 10 mm radius counts as a length of that."""
    model = _model()
    numbers = prepare(model.structure, model.parameters).interactions
    by_name = dict(zip([kind.name for kind in model.structure.interactions], numbers, strict=True))
    owners = {pair.plan.name: kind for kind in model.structure.interactions for pair in getattr(kind, "pairs", ())}
    plane_strain = 1e5 / (1.0 - 0.45**2)
    knob = by_name[owners["f"].name].stiffness
    np.testing.assert_allclose(knob, 4.0 / 3.0 * plane_strain * np.sqrt(0.04), rtol=1e-12)
    along = by_name[owners["c"].name].stiffness
    np.testing.assert_allclose(along.sum(), 0.25 * np.pi * 0.5 * plane_strain * 0.21, rtol=1e-12)  # both sides are soft


def _ball(**contact: Any) -> Robot:
    return (
        Robot("ball")
        .rigid("ball", mass=1.0, shape={"sphere": {"radius": RADIUS}}, joint={"planar": "y"})
        .surface("floor", where="world", plane="z")
        .contact("ground", between=["ball", "floor"], stiffness=2e4, **contact)
    )


def _tilted(model: Model, slope: float) -> Model:
    """On a floor that falls along x."""
    angle = np.arctan(slope)
    return model.with_parameters({"gravity": np.array([G * np.sin(angle), 0.0, -G * np.cos(angle)])})


@functools.cache
def _rough_ball() -> Model:
    return pliant.compile(_ball(damping=20.0, friction=MU))


def test_derivatives_are_finite_at_the_touch_and_without_slip() -> None:
    model, q, v = _rough_ball(), jnp.asarray([RADIUS, 0.0, 0.0]), jnp.zeros(3)

    def acceleration(q: jax.Array, v: jax.Array, parameters: dict) -> jax.Array:
        return pliant.forward_dynamics(Model(model.structure, parameters), q, v)

    for height in (RADIUS, RADIUS - 1e-3):
        found = jax.jacobian(acceleration, (0, 1, 2))(q.at[0].set(height), v, model.parameters)
        assert all(np.isfinite(np.asarray(own)).all() for own in jax.tree.leaves(found))


def _settled(slope: float) -> float:
    return RADIUS - G * np.cos(np.arctan(slope)) / 2e4


def test_a_ball_rolls_down_without_slipping_and_slips_where_it_is_steep() -> None:
    """5/7 g sin(angle) up to tan(angle) = 3.5 mu; then g (sin - mu cos). It rolls on the middle of what it dents."""
    for slope, sticking in ((0.5, True), (3.0, False)):
        model = _tilted(_rough_ball(), slope)
        start = State(jnp.asarray([_settled(slope), 0.0, 0.0]), jnp.zeros(3))
        run = pliant.simulate(model, until=0.4, stepper="newmark", step=1e-3, save_every=0.1, state=start)
        v, angle = np.asarray(run.v)[:, 1], np.arctan(slope)
        arm = 0.5 * (RADIUS + _settled(slope)) / RADIUS
        expected = np.sin(angle) / (1.0 + 0.4 / arm**2) if sticking else np.sin(angle) - MU * np.cos(angle)
        np.testing.assert_allclose((v[-1] - v[-2]) / 0.1, G * expected, rtol=1e-3)
        assert (np.asarray(run.forces.report["ground.sticking"])[1:] == sticking).all()


@pytest.mark.parametrize("friction", [0.05, MU])
def test_the_ledger_closes(friction: float) -> None:
    """A ball bounces, slips and rolls; with much friction most of what its spring stores is let go at each release."""
    model = _rough_ball().with_parameters({"contacts.ground.friction": friction})
    start = State(jnp.asarray([0.06, 0.0, 0.0]), jnp.asarray([0.0, 0.5, 0.0]))
    run = pliant.simulate(model, until=0.5, stepper="newmark", step=5e-4, save_every=0.1, state=start, ledger=True)
    exchanged = float(run.energy["dissipated"][-1])
    assert exchanged > 0.1
    np.testing.assert_allclose(run.energy["total"], run.energy["total"][0], atol=3e-3 * exchanged)


@functools.cache
def _sledge() -> Model:
    """A box whose corners stand on a slope, and which cannot turn."""
    return pliant.compile(
        Robot("sledge")
        .rigid("runner", mass=1e-3, inertia=[1e-6] * 3, joint={"prismatic": "z"})
        .rigid("sledge", parent="runner", mass=1.0, shape={"box": [0.2, 0.2, 0.1]}, joint={"prismatic": "x"})
        .surface("floor", where="world", plane="z")
        .contact("ground", between=["sledge", "floor"], stiffness=5e3, damping=0.5, friction=MU)
    )


def _slid(slope: float, until: float) -> Any:
    model = _tilted(_sledge(), slope)
    depth = G * np.cos(np.arctan(slope)) * 1.001 / 2e4
    start = State(jnp.asarray([0.05 - depth, 0.0]), jnp.zeros(2))
    return pliant.simulate(model, until=until, stepper="newmark", step=2e-3, save_every=0.5, state=start)


def test_a_block_sticks_below_the_angle_of_friction() -> None:
    run = _slid(0.99 * MU, until=6.0)
    place = np.asarray(run.q)[:, 1]
    assert abs(place[-1] - place[2]) < 1e-9  # m, in 5 s: friction with memory does not creep
    assert np.asarray(run.forces.report["ground.sticking"])[-1] == 1.0
    assert run.slips("ground") == []


def test_a_block_slides_above_it() -> None:
    """It carries the runner, of 1 g."""
    slope = 1.2 * MU
    run = _slid(slope, until=2.0)
    assert run.slips("ground") == [(0.5, 2.0)]  # it starts at rest
    with pytest.raises(ValueError, match="no contact with friction is named 'floor'; known: ground"):
        run.slips("floor")
    speed, angle = np.asarray(run.v)[:, 1], np.arctan(slope)
    np.testing.assert_allclose(
        (speed[-1] - speed[1]) / 1.5, G * (np.sin(angle) - MU * 1.001 * np.cos(angle)), rtol=1e-4
    )


@pytest.mark.long
def test_native_code_bounces_as_jax_does() -> None:
    model = pliant.compile(_ball(damping=0.3, friction=MU))
    start = State(jnp.asarray([0.08, 0.0, 0.0]), jnp.asarray([0.0, 0.5, 0.0]))
    settings = {"until": 0.3, "stepper": "newmark", "step": 1e-3, "save_every": 0.02, "state": start}
    one, other = (pliant.simulate(model, **settings, backend=backend) for backend in ("jax", "native"))
    np.testing.assert_allclose(other.q, one.q, atol=1e-9)
    np.testing.assert_allclose(other.forces.report["ground.gap"], one.forces.report["ground.gap"], atol=1e-9)
