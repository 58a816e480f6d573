"""The closed derivative of the equations of motion against automatic differentiation of them."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.dynamics import Weights, closed_tangent, closed_tangent_is_cheaper, dynamic_balance, has_closed_tangent
from pliant.model import State, prepare

SOFT = {"young": 50.0, "poisson": 0.4, "density": 1000.0, "viscosity": 0.3}  # so that inertia counts
SECTION = {"circle": {"radius": [0.02, 0.01]}}
UNITS = {"q": (1.0, 0.0, 0.0), "v": (0.0, 1.0, 0.0), "a": (0.0, 0.0, 1.0), "all": (0.3, 0.5, 0.7)}


def _rod(model: object) -> pliant.Robot:
    robot = pliant.Robot("rod").material("soft", **SOFT)
    return robot.rod("arm", length=0.5, section=SECTION, material="soft", model=model)


def _tree() -> pliant.Robot:
    body = {"inertia": [0.1, 0.2, 0.3], "centre": [0.1, 0.2, 0.3]}
    left, right = ({"link": "hub", "offset": {"move": [x, 0, 0.2]}} for x in (0.1, -0.1))
    return (
        pliant.Robot("tree")
        .material("soft", **SOFT)
        .rigid("hub", mass=1.0, joint="free", **body)
        .rigid("ball", parent=left, mass=0.5, joint="spherical", **body)
        .rigid("flap", parent=right, mass=0.4, joint={"revolute": {"axis": "y", "damping": 0.1}}, **body)
        .rod("upper", parent="ball", length=0.3, section=SECTION, material="soft", model={"gvs": {"order": 1}})
        .rod("branch", parent={"link": "upper", "at": 0.5}, length=0.2, section=SECTION, material="soft", model="pcs")
    )


def _pushed() -> pliant.Robot:
    return (
        _rod({"pcs": {"pieces": 3}})
        .load("dead", where={"link": "arm", "at": 0.5}, force=[1, 2, 3], moment=[0.1, 0.2, 0.3])
        .load("follower", where={"link": "arm"}, force=[1, 2, 3], frame="body")
        .load("wind", along={"link": "arm"}, force=[0, 1, 0])
        .tendon("tendon", link="arm", x=0.01, tension=3.0)
        .chamber("chamber", link="arm", radius=0.002, centre={"y": 0.005}, pressure=2e4)
        .spring("spring", between=[{"link": "arm"}, "world"], axial={"stiffness": 100.0, "damping": 3.0})
        .internal("muscle", link="arm", stress={"bend_x": 0.01})
    )


ROBOTS = {
    "pcs": lambda: _rod({"pcs": {"pieces": 3}}),
    "gvs": lambda: _rod({"gvs": {"order": 2}}),
    "srl": lambda: _rod({"srl": {"pieces": 2}}),
    "rom": lambda: _rod({"rom": {"order": 2}}),
    "tree": _tree,
    "pushed": _pushed,
}


@functools.cache
def _model(name: str) -> pliant.Model:
    return pliant.compile(ROBOTS[name]())


@jax.jit
def _moved(model, step):
    return model.integrate(model.neutral(), step)


@jax.jit
def _by_differentiation(model, q, v, a, weights):
    prepared = prepare(model.structure, model.parameters)

    def balance(step):
        state = State(model.integrate(q, weights[0] * step), v + weights[1] * step)
        return dynamic_balance(model, prepared, state, a + weights[2] * step, jnp.zeros(0), jnp.zeros(()), {})

    return jax.jacfwd(balance)(jnp.zeros(model.nv))


@jax.jit
def _closed(model, q, v, a, weights):
    prepared = prepare(model.structure, model.parameters)
    return closed_tangent(model, prepared, State(q, v), a, jnp.zeros(()), {}, Weights(*weights))


@pytest.mark.parametrize("size", [0.8, 0.0])
@pytest.mark.parametrize(
    "name",
    [
        # The tree has a gvs and a pcs rod; a second gvs rod is for its higher order.
        pytest.param(name, marks=pytest.mark.long) if name in ("gvs", "srl", "rom", "pushed") else name
        for name in ROBOTS
    ],
)
def test_equals_automatic_differentiation(name: str, size: float) -> None:
    model, random = _model(name), np.random.default_rng(4)
    step, v, a = (jnp.asarray(random.normal(size=model.nv)) for _ in range(3))
    q = _moved(model, size * step)
    assert has_closed_tangent(model.structure)
    for weights in UNITS.values():
        expected = np.asarray(_by_differentiation(model, q, v, a, jnp.asarray(weights)))
        found = np.asarray(_closed(model, q, v, a, jnp.asarray(weights)))
        np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())


def test_inertia_has_its_part_in_the_derivative_by_q() -> None:
    """Otherwise the comparison above would only see stiffness."""
    model, random = _model("pcs"), np.random.default_rng(4)
    q, v, a = (jnp.asarray(random.normal(size=model.nv)) for _ in range(3))
    by_q = jnp.asarray(UNITS["q"])
    still = jnp.zeros(model.nv)
    difference = _closed(model, q, v, a, by_q) - _closed(model, q, still, still, by_q)
    assert np.abs(difference).max() > 1e-2 * np.abs(_closed(model, q, v, a, by_q)).max()


def test_what_it_does_not_know_is_left_to_differentiation() -> None:
    looped = _rod("pcs").constraint("pin", between=[{"link": "arm"}, "world"], fix=["x", "y", "z"])
    assert not has_closed_tangent(pliant.compile(looped).structure)
    assert not has_closed_tangent(pliant.compile(_rod({"eba": {"pieces": 3}})).structure)
    assert closed_tangent_is_cheaper(_model("pcs").structure) and not closed_tangent_is_cheaper(_model("gvs").structure)
