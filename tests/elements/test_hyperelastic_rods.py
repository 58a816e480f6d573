"""Rods of hyperelastic materials: one law in every rod model, forces from its energy, no rest beyond its limit."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import optimize

import pliant
from pliant import ResultCode, Robot
from pliant.mechanics import gent_limit

YOUNG, RADIUS, LENGTH, STRETCH, LIMIT = 1e5, 0.01, 0.2, 1.8, 3.0
STEP = 1e-4
LAWS = ["neo-hookean", "gent"]
MODELS = {
    "gvs": {"order": 1, "quadrature": 3},
    "pcs": {"pieces": 1, "quadrature": 2},
    "srl": {"pieces": 2},
    "ebr": {"pieces": 2},
    "eba": {"pieces": 1},
    "rom": {"order": 3, "quadrature": 5},
}


def _pull(law, stretch=STRETCH, young=YOUNG, limit=LIMIT):
    """Force that holds a rod at this stretch."""
    excess = stretch**2 + 2.0 / stretch - 3.0
    locked = 1.0 if law == "neo-hookean" else 1.0 - excess / float(gent_limit(limit))
    return np.pi * RADIUS**2 * young / 3.0 * (stretch - stretch**-2) / locked


@functools.cache
def _model(kind, law, allow=(), force=0.0):
    robot = (
        Robot("rod")
        .with_gravity([0, 0, 0])
        .material(
            "rubber",
            young=YOUNG,
            poisson=0.5,
            density=1000.0,
            law={"gent": {"stretch_limit": LIMIT}} if law == "gent" else law,
        )
        .rod(
            "rod",
            length=LENGTH,
            section={"circle": {"radius": RADIUS}},
            material="rubber",
            model={kind: MODELS[kind]},
            **({"allow": list(allow)} if allow else {}),
        )
        .load("pull", where={"link": "rod"}, force=[0, 0, force])
    )
    return pliant.compile(robot)


def _rod(kind, law, allow=()):
    compiled = _model(kind, law, allow)
    member = compiled.structure.members[-1]
    return member.element, {name: compiled.parameters[path] for name, path in member.numbers}


@functools.partial(jax.jit, static_argnums=0)
def _state(element, numbers, strain, moves, aside):
    """At the state of this uniform stretch, moved by velocities `moves` and then `aside`, both (n, nv): force, stored
    energy, generalised force of a unit tension, and mean stretch."""
    prepared = element.prepare(numbers)
    uniform = element.uniform_strain(prepared, {"stretch": strain})
    weight = jnp.asarray(element.strain_weights(0.0, 1.0))
    tension = LENGTH * weight[..., None] * jnp.eye(6)[5]

    def one(move, aside):
        q = element.integrate(element.integrate(uniform, move), aside)
        force = element.force(prepared, q, jnp.zeros(element.nv))
        stretch = jnp.sum(weight * element.row_strains(prepared, q)[..., 5])
        return force, element.energy(prepared, q), element.strain_forces(prepared, q, tension), stretch

    return jax.vmap(one)(moves, aside)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("kind", MODELS)
def test_pulled_rod_and_forces_from_the_energy(kind, law):
    """A force at the tip holds the rod at the analytic stretch; anywhere else force is the energy's gradient."""
    element, numbers = _rod(kind, law)
    move, way = (1e-2 * np.sin(rate * np.arange(1, element.nv + 1)) for rate in (3.0, 5.0))
    still = np.zeros(element.nv)
    moves, aside = np.stack([still, move, move, move]), np.stack([still, still, STEP * way, -STEP * way])
    force, energy, tension, stretch = (np.asarray(x) for x in _state(element, numbers, STRETCH - 1.0, moves, aside))
    # Of the force that the uniform rod does not have yet, and so of bending, twist and shear too.
    size = np.linalg.norm(force[1] - force[0]) * np.linalg.norm(way)
    assert (energy[2] - energy[3]) / (2.0 * STEP) == pytest.approx(force[1] @ way, abs=1e-6 * size)
    if kind != "rom":  # whose base does not stretch
        np.testing.assert_allclose(force[0], _pull(law) * tension[0], atol=1e-11 * np.abs(force[0]).max())
        assert stretch[0] == pytest.approx(STRETCH, rel=1e-13)


@pytest.mark.parametrize("law", LAWS)
def test_pulled_polynomial_rod(law):
    """Its base does not stretch, so that it only comes near the analytic stretch."""
    element, numbers = _rod("rom", law)
    others = element.nv - MODELS["rom"]["order"]  # the stretch's coordinates are the last

    def state(axial_move):
        moves = np.tile(np.concatenate([np.zeros(others), axial_move]), (4, 1))
        return (np.asarray(x)[0] for x in _state(element, numbers, 0.3, moves, np.zeros_like(moves)))

    def balance(axial_move):
        force, _, tension, _ = state(axial_move)
        return (force - _pull(law) * tension)[others:]

    rest = optimize.root(balance, np.zeros(element.nv - others), tol=1e-10)
    assert rest.success
    *_, stretch = state(rest.x)
    assert stretch - 1.0 == pytest.approx(STRETCH - 1.0, rel=0.08)


@functools.partial(jax.jit, static_argnums=0)
def _axial(element, numbers, strain):
    """Force of a rod with one coordinate, and its derivatives by the numbers and by the coordinate."""

    def force(numbers, q):
        return element.force(element.prepare(numbers), q, jnp.zeros(1))[0] / LENGTH

    return force(numbers, strain), jax.grad(force, argnums=(0, 1))(numbers, strain)


def test_derivatives_of_the_stretch():
    """By the modulus and by the limit, at a given force."""
    element, numbers = _rod("pcs", "gent", ("stretch",))

    def stretch(**changes):
        own = {**numbers, **changes}
        return optimize.brentq(
            lambda e: float(_axial(element, own, jnp.full(1, e))[0]) - _pull("gent"), 0.1, 1.5, xtol=1e-14
        )

    at = stretch()
    assert at + 1.0 == pytest.approx(STRETCH, rel=1e-12)
    by_number, by_strain = _axial(element, numbers, jnp.full(1, at))[1]
    for name in ("young", "stretch_limit"):
        step = 1e-5 * float(numbers[name])
        up, down = (stretch(**{name: numbers[name] + own}) for own in (step, -step))
        assert -by_number[name] / by_strain[0] == pytest.approx((up - down) / (2.0 * step), rel=1e-6)
        assert by_number[name] != 0.0


@jax.jit
def _rest(model, q0):
    found = pliant.pure.equilibrium(model, q0)
    return found.code, 1.0 + found.q[0]


def test_equilibrium_below_the_limit_and_none_beyond():
    model = _model("pcs", "gent", ("stretch",), _pull("gent"))
    code, stretch = _rest(model, model.neutral())
    assert code == ResultCode.SUCCESS and stretch == pytest.approx(STRETCH, rel=1e-9)
    for beyond in (LIMIT, LIMIT + 0.2):
        assert _rest(model, jnp.full(1, beyond - 1.0))[0] != ResultCode.SUCCESS
