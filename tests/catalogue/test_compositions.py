"""Whole robots against automatic differentiation: all joints in one chain, and a rod with everything that acts on it.

The full catalogue compiles each element three times; here one residual and one mass matrix tell for many at once.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from catalogue.subjects import subject_of
from pliant import Robot
from pliant.dynamics import generic, port_values, power
from pliant.elements import JOINTS
from pliant.lie import quaternion, se3, so3

_BODY = {"mass": 0.7, "centre": [0.02, -0.05, 0.1], "inertia": [0.02, 0.03, 0.04, 0.002, -0.003, 0.001]}
_PLACE = {"link": "world", "offset": {"move": [0.1, 0.2, -0.3], "rotate": {"x": 0.4}}}


def _chain() -> Robot:
    """The joints that are products of screws, one after the other, each with spring and damper on every velocity."""
    two = {"stiffness": [0.5, 30.0], "damping": [0.1, 2.0], "rest": [0.2, -0.1]}
    joints = {
        "slider": {"prismatic": {"axis": [1, 0, 2], "stiffness": 40.0, "damping": 3.0, "rest": 0.1}},
        "nut": {"helical": {"axis": [0, 1, 1], "pitch": 0.2, "stiffness": 0.4, "damping": 0.2, "rest": -0.3}},
        "sleeve": {"cylindrical": {"axis": [2, 1, 0], **two}},
        "cross": {"universal": {"axes": [[1, 1, 0], [0, 1, 2]], "stiffness": [0.3, 0.6], "damping": 0.1, "rest": 0.2}},
        "plate": {"planar": {"axis": "y", **{name: [*values, values[0]] for name, values in two.items()}}},
    }
    robot, parent = Robot("chain"), _PLACE
    for name, joint in joints.items():
        robot = robot.rigid(name, parent=parent, joint=joint, **_BODY)
        parent = {"link": name, "offset": {"move": [0.1, 0, 0.05], "rotate": {"z": 0.5}}}
    return robot.load("push", where={"link": "plate"}, force=[0.3, -0.2, 0.1], frame="body")


def _driven() -> Robot:
    """A rod with holes on a pushed hinge and a turned parent, rigid in its first division, with a tendon (a leg through
    space, a helical run) and a chamber along both."""
    return (
        Robot("driven")
        .material("rubber", young=1e6, poisson=0.4, density=1000.0, viscosity=500.0)
        .rod(
            "rod",
            parent=_PLACE,
            joint={"revolute": "y"},
            material="rubber",
            divisions=[{"length": 0.1, "allow": []}, {"length": 0.4}],
            section={"circle": {"radius": 0.02}, "holes": {"radius": [0.003, 0.002], "at": [[0.01, 0], [0, -0.012]]}},
            allow=["bend_x", "twist", "stretch"],
            model={"gvs": {"order": 1, "quadrature": 3}},
        )
        .tendon(
            "cable",
            route=[
                {"link": "world", "offset": {"move": [0.1, 0.1, 0]}},
                {"link": "rod", "from": 0.1, "to": 0.9, "y": [0.01, 0.004], "helix": {"radius": 0.005, "turns": 0.7}},
            ],
            tension=4.0,
        )
        .chamber("cell", link="rod", centre={"x": [0.005, -0.008]}, radius=0.004, pressure=5e4)
        .drive("motor", joint="rod", force=0.3)
        .load("push", where={"link": "rod"}, force=[0.3, -0.2, 0.1], frame="body")
    )


def _arms() -> Robot:
    """Two CoG sections of an arm and an integral one, on a free body and with a hand, with chambers in them, a tendon
    beside them, a load along one and something that hangs on the middle of another."""
    muscles = {"radius": 0.02, "stiffness": 300.0, "damping": 10.0, "mass": 0.8}
    settings = {"length": 0.2, "section": {"muscles": muscles}, "allow": ["bend_x", "bend_y", "stretch"]}
    turned = {"move": [0.0, 0.01, 0.02], "rotate": {"z": 0.5}}
    return (
        Robot("arms")
        .rigid("body", mass=0.7, centre=[0.02, -0.05, 0.1], inertia=[0.02, 0.03, 0.04], parent=_PLACE, joint="free")
        .rod("first", parent={"link": "body", "offset": turned}, model="cog", **settings)
        .rod("second", parent={"link": "first", "at": 1, "offset": turned}, model="cog", **settings)
        .rod("third", parent={"link": "second", "at": 1}, model={"integral": {"quadrature": 3}}, **settings)
        .rigid("hand", mass=0.1, shape={"sphere": {"radius": 0.02}}, parent={"link": "third", "at": 1})
        .rigid("watch", mass=0.1, shape={"sphere": {"radius": 0.02}}, parent={"link": "second", "at": 0.4})
        .chamber("cell", link="second", centre={"x": 0.02}, area=2e-4, pressure=5e4)
        .tendon("cable", route=[{"link": "first", "from": 0.0, "to": 1.0, "y": 0.01}], tension=4.0)
        .load("wind", along={"link": "first", "from": 0.2, "to": 0.7}, force=[0.1, 0.4, -0.2], frame="body")
    )


def _mixed() -> Robot:
    """A polynomial rod that hangs on a lumped one inside a piece, with a tendon along both that begins and ends inside
    pieces, a chamber, and a load along part of the lumped rod."""
    settings = {"section": {"circle": {"radius": [0.02, 0.01]}}, "material": "rubber"}
    return (
        Robot("mixed")
        .material("rubber", young=1e6, poisson=0.4, density=1000.0, viscosity=500.0)
        .rod(
            "lumped",
            parent=_PLACE,
            length=0.3,
            model={"ebr": {"pieces": 2, "nodes": "end"}},
            reference={"bend_y": 2.0},
            **settings,
        )
        .rod("pose", parent={"link": "lumped", "at": 0.9}, length=0.25, model={"rom": {"order": 1}}, **settings)
        .tendon(
            "cable",
            route=[
                {"link": "lumped", "from": 0.1, "to": 0.85, "y": [0.01, 0.004]},
                {"link": "pose", "from": 0.3, "to": 0.9, "y": 0.004},
            ],
            tension=4.0,
        )
        .chamber("cell", link="pose", centre={"x": [0.005, -0.004]}, radius=0.004, pressure=5e4)
        .load("push", where={"link": "pose"}, force=[0.3, -0.2, 0.1], frame="body")
        .load("wind", along={"link": "lumped", "from": 0.2, "to": 0.7}, force=[0.1, 0.4, -0.2], frame="body")
    )


@jax.jit
def _evaluate(model, q, v, a):
    zero = jnp.zeros(model.nv)
    inputs = port_values(model, model.input_names, 0.0, None)
    inputs = {name: jnp.stack([value, value, 0 * value]) for name, value in inputs.items()}
    moving, bias, idle = jax.vmap(lambda a, inputs: pliant.residual(model, q, v, a, 0.0, inputs))(
        jnp.stack([a, zero, zero]), inputs
    )
    return {
        "residual": moving,
        "generic": generic.residual(model, q, v, a),
        "mass": pliant.mass_matrix(model, q),
        "inertial": moving - bias,
        "applied": idle - bias,
        "power": power(model, q, v)[0],
    }


@functools.cache
def _found(make):
    subject = subject_of(pliant.compile(make()), size=SIZES.get(make, 1.0))
    return subject, jax.tree.map(np.asarray, _evaluate(subject.model, subject.q, subject.v, subject.a))


# Long: the tree of catalogue/interactions.py, which has every rod and every kind too, is held to the same.
ROBOTS = [pytest.param(make, marks=pytest.mark.long) for make in (_arms, _chain, _driven, _mixed)]
SIZES = {_arms: 0.05, _mixed: 0.1}  # coordinates in metres and shares of the length, where one is a large number


@pytest.mark.parametrize("make", ROBOTS)
def test_residual_is_the_generic_one(make):
    _, found = _found(make)
    np.testing.assert_allclose(found["residual"], found["generic"], rtol=0, atol=1e-10 * np.abs(found["generic"]).max())


@pytest.mark.parametrize("make", ROBOTS)
def test_mass_matrix_is_the_derivative_of_the_residual(make):
    subject, found = _found(make)
    np.testing.assert_allclose(found["mass"], found["mass"].T, atol=1e-14)
    assert np.linalg.eigvalsh(found["mass"]).min() > 0.0
    np.testing.assert_allclose(found["mass"] @ np.asarray(subject.a), found["inertial"], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("make", ROBOTS)
def test_power_is_force_times_velocity(make):
    subject, found = _found(make)
    assert float(found["power"]) == pytest.approx(float(np.asarray(subject.v) @ found["applied"]), rel=1e-10)


STIFFNESS = {"spherical": [0.5, 0.3, 0.4], "free": [0.5, 0.3, 0.4, 20.0, 30.0, 40.0]}
REST = {"spherical": [0.2, -0.3, 0.1], "free": [0.2, -0.3, 0.1, 0.1, 0.0, -0.2]}


@functools.partial(jax.jit, static_argnums=0)
def _spring(kind, q, v):
    """The joint's energy, power of its force and damping, the energy and its rate by rotation matrices, and its rest
    there and back."""
    element = JOINTS[kind]
    numbers = {"stiffness": jnp.array(STIFFNESS[kind]), "rest": jnp.array(REST[kind]), "damping": jnp.asarray(0.1)}
    prepared = element.prepare(numbers)

    def by_matrices(q):
        rest, turn = so3.exp(numbers["rest"][:3]), quaternion.to_matrix(q[:4])
        if kind == "spherical":
            return 0.5 * numbers["stiffness"] @ so3.log(rest.T @ turn) ** 2
        pose = se3.from_rotation_translation(turn, q[4:])
        start = se3.from_rotation_translation(rest, numbers["rest"][3:])
        return 0.5 * numbers["stiffness"] @ se3.log(se3.inverse(start) @ pose) ** 2

    still = element.force(prepared, q, jnp.zeros_like(v))
    damping = element.force(prepared, q, v) - still
    by_hand = jax.jvp(by_matrices, (q,), (element.rate(q, v),))
    return element.energy(prepared, q), v @ still, damping, by_hand, element.values(element.at(numbers["rest"]))


@pytest.mark.parametrize("kind", STIFFNESS)
def test_springs_on_manifolds(kind):
    """The spring pulls along the shortest turn from its rest, whatever the sign and length of the quaternion."""
    rng = np.random.default_rng(5)
    for length in (1.0, -1.0, 1.7):
        q, v = rng.normal(size=JOINTS[kind].nq), rng.normal(size=JOINTS[kind].nv)
        q[:4] *= length / np.linalg.norm(q[:4])
        stored, pull, damping, (expected, rate), rest = _spring(kind, jnp.asarray(q), jnp.asarray(v))
        np.testing.assert_allclose([stored, pull], [expected, rate], rtol=1e-10)
        np.testing.assert_allclose(damping, 0.1 * v, rtol=1e-12)
        np.testing.assert_allclose(rest, REST[kind], rtol=1e-12)
