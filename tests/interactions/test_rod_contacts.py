"""Rods that touch rods, and themselves: where, and that forces follow from energies and act on both sides."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from interactions.contact_forces import contact_forces
from pliant import Robot
from pliant.dynamics import evaluation
from pliant.interactions import Contacts
from pliant.model import Model, prepare

RADIUS, LENGTH = 0.01, 0.2
TURNS, PITCH = 1.25, 0.019  # of the coil; a turn rises by less than two radii
ROUND = 0.5  # m along the axis of one turn


def _bundle() -> Robot:
    """Beside the first rod lies one that is parallel to it, across it one at an angle; a coil touches itself."""
    soft = {"material": "rubber", "allow": ["bend_x", "bend_y"]}
    pieces = {"pcs": {"pieces": 2, "quadrature": 2}}
    straight = {"length": LENGTH, "section": {"circle": {"radius": RADIUS}}, "model": pieces, **soft}
    across = {"move": [0.017, -0.1, 0.09], "rotate": {"x": "-90 deg"}}
    climb = PITCH / ROUND
    around = 2.0 * np.pi / ROUND
    robot = (
        Robot("bundle")
        .material("rubber", young=1e5, poisson=0.45, density=1000.0, viscosity=50.0)
        .rod("first", **straight)
        .rod("beside", **straight, parent={"link": "world", "offset": {"move": [0.0, 0.0175, 0.0]}})
        .rod("across", **straight, parent={"link": "world", "offset": across})
        .rod(
            "coil",
            length=TURNS * ROUND,
            section={"circle": {"radius": RADIUS}},
            material="rubber",
            allow=["bend_y", "twist"],
            model={"pcs": {"pieces": 1, "quadrature": 24}},
            parent={"link": "world", "offset": {"move": [1.0, 0.0, 0.0]}},
        )
        .with_value("initial", {"coil": {"bend_y": around * np.sqrt(1.0 - climb**2), "twist": around * climb}})
    )
    for name, spacing in (("first", RADIUS), ("beside", RADIUS), ("across", RADIUS), ("coil", 5.0 * RADIUS)):
        robot = robot.surface(f"{name}_skin", along={"link": name}, spacing=spacing)
    return (
        robot.contact("along", between=["first_skin", "beside_skin"], stiffness="20 kPa", damping=0.4, smoothing=1e-3)
        .contact("over", between=["first_skin", "across_skin"], stiffness="20 kPa", friction=0.4)
        .contact("self", within="coil_skin", stiffness="20 kPa", damping=0.2)
    )


@functools.cache
def _model() -> Model:
    return pliant.compile(_bundle())


@jax.jit
def _told(model: Model, q: jax.Array, v: jax.Array) -> dict[str, Any]:
    """What each contact says at (q, v), and what follows from its energy and dissipation."""
    prepared = prepare(model.structure, model.parameters)
    at = evaluation(model.structure, prepared, q, v, jnp.zeros(()), {})
    names = {kind.name: kind.names[0] for kind in model.structure.interactions if isinstance(kind, Contacts)}
    return {names[kind]: found for kind, found in contact_forces(at).items()}


@functools.cache
def _moving() -> tuple[dict[str, Any], ...]:
    model, rng = _model(), np.random.default_rng(3)
    found = []
    for _ in range(3):
        q = model.integrate(model.initial_state().q, jnp.asarray(0.02 * rng.normal(size=model.nv)))
        found.append(jax.tree.map(np.asarray, _told(model, q, jnp.asarray(rng.normal(size=model.nv)))))
    return tuple(found)


def test_gaps_are_the_distances_of_the_rods() -> None:
    model = _model()
    told = _told(model, model.initial_state().q, jnp.zeros(model.nv))
    np.testing.assert_allclose(told["along"]["gap"], 0.0175 - 2.0 * RADIUS, atol=1e-12)
    # The crossing lies half-way between two of the places that are looked at.
    np.testing.assert_allclose(told["over"]["gap"].min(), np.hypot(0.017, 0.5 * RADIUS) - 2.0 * RADIUS, atol=1e-12)
    # Turns of a helix: nearly above each other, the nearest points a little nearer than the pitch.
    inside = told["self"]["gap"][told["self"]["gap"] < 0.0]
    assert len(inside) > 2
    np.testing.assert_allclose(inside, PITCH * np.sqrt(1.0 - (PITCH / ROUND) ** 2) - 2.0 * RADIUS, atol=3e-6)


@pytest.mark.parametrize("name", ["along", "self"])
def test_forces_follow_from_energy_and_dissipation(name: str) -> None:
    for told in _moving():
        scale = np.abs(told[name]["force"]).max()
        assert scale > 1e-4
        np.testing.assert_allclose(told[name]["force"], told[name]["derived"], atol=1e-10 * scale)


@pytest.mark.parametrize("name", ["along", "over", "self"])
def test_both_sides_are_pushed_alike_and_energy_is_only_lost(name: str) -> None:
    for told in _moving():
        wrench = told[name]["wrench"]
        assert np.abs(wrench).max() > 1e-3
        np.testing.assert_allclose(wrench.sum(axis=0), 0.0, atol=1e-12 * np.abs(wrench).sum())
        assert told[name]["loss"] >= -1e-14


def test_derivatives_are_finite_where_rods_are_parallel_and_just_touch() -> None:
    model = _model()
    v = jnp.zeros(model.nv)

    def acceleration(q: jax.Array, v: jax.Array, parameters: dict[str, jax.Array]) -> jax.Array:
        return pliant.forward_dynamics(Model(model.structure, parameters), q, v)

    for side in (2.0 * RADIUS, 0.0175):
        moved = model.with_parameters({"links.beside.parent.offset.move": [0.0, side, 0.0]})
        _, pull = jax.vjp(acceleration, moved.initial_state().q, v, moved.parameters)
        found = pull(jnp.ones(model.nv))
        assert all(np.isfinite(np.asarray(own)).all() for own in jax.tree.leaves(found))
