"""Bodies of every shape, rods of every outline and nodes of meshes touch: forces follow from energies, act on both
sides, and hold up what they should."""

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

G = 9.81


def _rod(robot: Robot, name: str, section: dict[str, Any]) -> Robot:
    return robot.rod(
        name,
        length=0.2,
        section=section,
        material="rubber",
        allow=["bend_y", "twist"],
        model={"pcs": {"pieces": 1, "quadrature": 2}},
        parent={"link": "world", "offset": {"rotate": {"y": 1.4}}},
    ).surface(f"{name}-skin", along={"link": name})


def _many() -> Robot:
    """Every shape against planes, against each other and in a hollow one; all of it touches."""
    tilted = {"link": "world", "offset": {"rotate": {"x": 0.2}}}
    beside = {"link": "world", "offset": {"move": [0.1, 0.02, -0.2], "rotate": {"x": 1.3}}}
    robot = (
        Robot("many")
        .material("rubber", young=1e5, poisson=0.45, density=1000.0, viscosity=50.0)
        .rigid("can", mass=0.4, shape={"cylinder": {"radius": 0.05, "length": 0.12}}, joint="free")
        .rigid("crate", mass=0.3, shape={"box": [0.1, 0.2, 0.14]}, joint="free")
        .rigid("core", mass=0.3, inertia=[1e-3] * 3, joint="free")
        .mesh("net", grid={"size": [0.1, 0.1], "nodes": [3, 3]}, axial={"stiffness": 100.0}, mass=0.01, fixed=[1])
    )
    robot = _rod(robot, "blade", {"ellipse": {"semi_x": 0.04, "semi_y": [0.02, 0.015]}})
    robot = _rod(robot, "strip", {"rectangle": {"width": 0.08, "height": 0.03}})
    robot = _rod(robot, "tube", {"annulus": {"inner": 0.01, "outer": 0.03}})
    law = {"stiffness": 900.0, "damping": 0.3}
    return (
        robot.surface("egg", where="core", ellipsoid=[0.07, 0.05, 0.06])
        .surface(
            "pill", where={"link": "core", "offset": {"rotate": {"x": 0.5}}}, capsule={"radius": 0.03, "length": 0.1}
        )
        .surface("slope", where=tilted, plane="z")
        .surface("post", where=beside, cylinder={"radius": 0.2, "length": 0.8})
        .surface("bean", where=beside, ellipsoid=[0.2, 0.25, 0.3])
        .surface("bowl", where="world", sphere={"radius": 0.06}, hollow=True)
        .surface("cloth", nodes="net", radius=0.01)
        .contact("can-slope", between=["can", "slope"], **law)
        .contact("egg-slope", between=["egg", "slope"], **law)
        .contact("egg-post", between=["egg", "post"], exponent=1.5, **law)
        .contact("can-crate", between=["can", "crate"], samples=4, **law)
        .contact("pill-crate", between=["pill", "crate"], **law)
        .contact("egg-bowl", between=["egg", "bowl"], samples=6, **law)
        .contact("blade-slope", between=["blade-skin", "slope"], **law)
        .contact("blade-bean", between=["blade-skin", "bean"], **law)
        .contact("strip-post", between=["strip-skin", "post"], damping=0.3)
        .contact("strip-slope", between=["strip-skin", "slope"], **law)
        .contact("tube-egg", between=["tube-skin", "egg"], **law)
        .contact("cloth-egg", between=["cloth", "egg"], **law)
    )


@functools.cache
def _model() -> Model:
    return pliant.compile(_many())


def _kinds() -> dict[str, Contacts]:
    return {kind.name: kind for kind in _model().structure.interactions if isinstance(kind, Contacts)}


@jax.jit
def _told(model: Model, q: jax.Array, v: jax.Array) -> dict[str, Any]:
    """What each kind does, and what follows from its energy and its dissipation."""
    at = evaluation(model.structure, prepare(model.structure, model.parameters), q, v, jnp.zeros(()), {})
    return contact_forces(at)


@functools.cache
def _states() -> list[dict[str, Any]]:
    model, rng = _model(), np.random.default_rng(5)
    found = []
    for speed in (1.0, 1.0, 0.0):
        q = model.integrate(model.neutral(), jnp.asarray(0.02 * rng.normal(size=model.nv)))
        found.append(_told(model, q, jnp.asarray(speed * rng.normal(size=model.nv))))
    return [jax.tree.map(np.asarray, own) for own in found]


def test_forces_follow_from_energy_and_dissipation() -> None:
    for told in _states():
        for name in _kinds():
            scale = np.abs(told[name]["force"]).max()
            assert scale > 0.01  # N
            np.testing.assert_allclose(told[name]["force"], told[name]["derived"], atol=1e-12 * scale)


def test_what_acts_on_one_side_acts_on_the_other() -> None:
    for told in _states():
        for name in _kinds():
            wrench = told[name]["wrench"]
            np.testing.assert_allclose(wrench.sum(axis=0), 0.0, atol=1e-13 * np.abs(wrench).sum())
            assert told[name]["loss"] >= -1e-14


def test_every_contact_touches() -> None:
    told = _states()[0]
    for name, kind in _kinds().items():
        touching = {kind.pairs[owner].plan.name for owner in kind.owner[told[name]["gap"] < 0.0]}
        assert touching == set(kind.names)


def test_samples_of_both_sides_are_one_contact() -> None:
    """A cylinder and a box touch each other with the points of both; of planes few points are enough."""
    model = _model()
    kind = next(own for own in _kinds().values() if own.names == ("can-crate",))
    assert len(kind.owner) == (2 * 4 + 2) + (4**3 - 2**3)
    assert "can-crate.gap" in model.structure.reported
    counts = {"can-slope": 26, "egg-slope": 1}
    on_slope = next(own for own in _kinds().values() if "can-slope" in own.names)
    assert {name: len(on_slope._samples_of(name)) for name in counts} == counts


def _gap(model: Model, name: str, q: Any) -> float:
    at = evaluation(
        model.structure, prepare(model.structure, model.parameters), jnp.asarray(q), None, jnp.zeros(()), {}
    )
    kind, numbers = next((own, given) for own, given in kinds(at) if name in getattr(own, "names", ()))
    return float(kind.report(numbers, at)[f"{name}.gap"])


@pytest.mark.long
def test_gaps_by_hand() -> None:
    """Of an ellipse and of a rectangle that are turned about their axis, on a plane; of a crate that lies on a peg with
    the middle of a face, where no corner is, and near its edge."""
    angle, a, b = 0.6, 0.04, 0.02
    sections = {
        "ellipse": ({"semi_x": a, "semi_y": b}, np.hypot(a * np.sin(angle), b * np.cos(angle)), 1e-12),
        "rectangle": ({"width": 2 * a, "height": 2 * b}, a * np.sin(angle) + b * np.cos(angle), 0.01 * (a + b)),
    }
    for word, (sizes, reach, error) in sections.items():
        robot = (
            Robot("rod")
            .material("rubber", young=1e5, poisson=0.45, density=1000.0)
            .rigid("base", mass=1.0, inertia=[1.0] * 3, joint={"revolute": "x"})
            .rod(
                "rod",
                length=0.2,
                section={word: sizes},
                material="rubber",
                allow=["bend_y"],
                model={"pcs": {"pieces": 1}},
                parent={"link": "base", "offset": {"rotate": [{"y": np.pi / 2}, {"z": np.pi / 2}]}},
            )
            .surface("floor", where={"link": "world", "offset": {"move": [0, 0, -0.1]}}, plane="z")
            .surface("skin", along={"link": "rod"})
            .contact("ground", between=["skin", "floor"])
        )
        # Local x of the section is along the world's y: it leans by the angle.
        found = _gap(pliant.compile(robot), "ground", [angle, 0.0])
        assert abs(found - (0.1 - reach)) <= error, word
    below = {"link": "world", "offset": {"move": [0, 0, -0.19]}}
    for across, expected in ((0.0, -0.01), (0.06, -0.01)):
        robot = (
            Robot("crate")
            .rigid("crate", mass=1.0, shape={"box": [0.2, 0.2, 0.1]}, joint={"prismatic": "x"})
            .surface("peg", where=below, capsule={"radius": 0.05, "length": 0.2})
            .contact("lies", between=["crate", "peg"], stiffness=1e3)
        )
        np.testing.assert_allclose(_gap(pliant.compile(robot), "lies", [across]), expected, atol=1e-12)


def _leaning(robot: Robot, slope: float) -> Model:
    angle = np.arctan(slope)
    model = pliant.compile(robot)
    return model.with_parameters({"gravity": np.array([G * np.sin(angle), 0.0, -G * np.cos(angle)])})


def _can(lies: bool) -> Robot:
    """A cylinder of 1 kg that moves in the plane x-z of the world; it lies across it, or stands."""
    turned = {"rotate": {"x": "90 deg"}} if lies else {}
    return (
        Robot("can")
        .rigid(
            "can",
            mass=1.0,
            shape={"cylinder": {"radius": 0.05, "length": 0.1}},
            parent={"link": "world", "offset": turned},
            joint={"planar": "z" if lies else "y"},
        )
        .surface("floor", where="world", plane="z")
        .contact("ground", between=["can", "floor"], stiffness=1e5, damping=20.0, friction=0.5)
    )


@pytest.mark.long
def test_a_cylinder_rolls_as_a_cylinder() -> None:
    """2/3 g sin(angle), evenly: it has no corners. It rolls on the middle of what it dents."""
    model, slope = _leaning(_can(lies=True), 0.3), 0.3
    depth = G * np.cos(np.arctan(slope)) / 2e5
    start = State(jnp.asarray([0.0, 0.05 - depth, 0.0]), jnp.zeros(3))
    run = pliant.simulate(model, until=0.4, stepper="newmark", step=1e-3, save_every=0.02, state=start)
    speed = np.asarray(run.v)[:, 0]
    expected = G * np.sin(np.arctan(slope)) / (1.0 + 0.5 / (1.0 - 0.5 * depth / 0.05) ** 2)
    np.testing.assert_allclose(np.diff(speed)[5:] / 0.02, expected, rtol=1e-4)


@pytest.mark.long
def test_a_cylinder_stands_on_its_end() -> None:
    """It sticks below the angle of friction, and its edge holds it upright."""
    model = _leaning(_can(lies=False), 0.3)
    start = State(jnp.asarray([0.05, 0.0, 0.0]), jnp.zeros(3))
    run = pliant.simulate(model, until=1.0, stepper="newmark", step=1e-3, save_every=0.25, state=start)
    q = np.asarray(run.q)
    assert abs(q[-1, 1]) < 1e-3 and abs(q[-1, 2]) < 5e-3
    np.testing.assert_allclose(q[-1], q[-2], atol=1e-8)


@pytest.mark.long
def test_native_code_rolls_a_cylinder_as_jax_does() -> None:
    start = State(jnp.asarray([0.0, 0.052, 0.0]), jnp.asarray([0.2, 0.0, 0.0]))
    settings = {"until": 0.1, "stepper": "newmark", "step": 1e-3, "save_every": 0.02, "state": start}
    model = pliant.compile(_can(lies=True))
    one, other = (pliant.simulate(model, **settings, backend=backend) for backend in ("jax", "native"))
    np.testing.assert_allclose(other.q, one.q, atol=1e-10)


@pytest.mark.long
def test_a_box_sticks_on_a_box() -> None:
    """Both have points, with one friction: it stays below its angle, and all of them together carry the weight."""
    robot = (
        Robot("stack")
        .rigid("crate", mass=1.0, shape={"box": [0.1, 0.1, 0.1]}, joint={"planar": "y"})
        .surface("table", where={"link": "world", "offset": {"move": [0.01, 0.02, -0.15]}}, box=[0.3, 0.3, 0.3])
        .contact("lies", between=["table", "crate"], stiffness=1e5, damping=20.0, friction=0.5)
    )
    model = _leaning(robot, 0.3)
    start = State(jnp.asarray([0.05, 0.0, 0.0]), jnp.zeros(3))
    run = pliant.simulate(model, until=0.6, stepper="newmark", step=1e-3, save_every=0.1, state=start)
    q, weight = np.asarray(run.q), G * np.cos(np.arctan(0.3))
    np.testing.assert_allclose(q[-1], q[-2], atol=1e-8)
    np.testing.assert_allclose(run.forces.report["lies.normal_force"][-1], weight, rtol=1e-4)


@pytest.mark.long
def test_an_ellipsoid_comes_to_rest_on_its_flat_side() -> None:
    robot = (
        Robot("egg")
        .rigid("lift", mass=0, joint={"prismatic": "z"})
        .rigid("egg", parent="lift", mass=0.1, inertia=[5e-5, 5e-5, 5e-5], joint={"revolute": "y"})
        .surface("shell", where="egg", ellipsoid=[0.04, 0.03, 0.02])
        .surface("floor", where="world", plane="z")
        .contact("ground", between=["shell", "floor"], stiffness=1e4, damping=5.0)
        .initial("lift", displacement=0.0222)
        .initial("egg", angle=0.3)
    )
    rest = pliant.equilibrium(pliant.compile(robot))
    height, angle = np.asarray(rest.q)
    stiffness = 0.1 * G * (0.04**2 / 0.02 - 0.02)  # it rocks on a radius of a^2/c
    np.testing.assert_allclose(rest.smallest_eigenvalue, stiffness, rtol=1e-8)
    smoothing = 1e-5 * np.cbrt(0.04 * 0.03 * 0.02)
    np.testing.assert_allclose(height, 0.02 - 0.1 * G / 1e4 - 0.5 * smoothing, rtol=1e-9)
    assert abs(angle) < 1e-6


@pytest.mark.long
def test_a_net_lies_on_a_ball() -> None:
    """What holds it up is its weight; every node is as far away as its radius says."""
    robot = (
        Robot("cover")
        .rigid("ball", mass=1.0, shape={"sphere": {"radius": 0.1}})
        .mesh(
            "net",
            grid={"size": [0.06, 0.06], "nodes": [3, 3], "diagonals": True},
            where={"link": "world", "offset": {"move": [-0.03, -0.03, 0.11]}},
            axial={"stiffness": 500.0, "damping": 0.5},
            mass=2e-3,
        )
        .surface("cloth", nodes="net", radius=2e-3)
        .contact("covers", between=["cloth", "ball"], stiffness=1e4, friction=0.8, damping=100.0)
    )
    model = pliant.compile(robot)
    run = pliant.simulate(model, until=1.0, stepper="newmark", step=2e-3, save_every=0.25, accuracy=None)
    np.testing.assert_allclose(run.forces.report["covers.gap"][-1], 0.0, atol=1e-4)
    weight = 9 * 2e-3 * G
    lifted = float(run.forces.report["covers.normal_force"][-1])
    assert 0.9 * weight < lifted < 1.3 * weight  # normals lean, and friction carries a part
    assert float(np.abs(np.asarray(run.v)[-1]).max()) < 0.02


def test_what_begins_too_deep_is_named() -> None:
    """From a robot file it is refused; of a state that is given it is a warning: a soft contact may have got there."""
    robot = (
        Robot("sunk")
        .rigid("ball", mass=1.0, shape={"sphere": {"radius": 0.05}}, joint={"prismatic": "z"})
        .surface("floor", where="world", plane="z")
        .contact("ground", between=["ball", "floor"], stiffness=10.0)
        .initial("ball", displacement=-0.03)
    )
    model = pliant.compile(robot)
    words = r'"ball" and "floor" \(contact "ground"\) begin 0.08 m deep in each other, more than 0.05 m'
    with pytest.raises(ValueError, match=words):
        pliant.simulate(model, until=0.1, stepper="newmark", step=1e-2)
    with pytest.raises(ValueError, match=words):
        pliant.equilibrium(model)
    with pytest.warns(RuntimeWarning, match=words):
        rest = pliant.equilibrium(model, q0=jnp.asarray([-0.03]))
    np.testing.assert_allclose(rest.q, 0.05 - G / 10.0, atol=1e-5)
