"""The example that TMTDyn carries through its theory: a planar beam of one element, every equation by number.

Its coordinates are [epsilon_1, epsilon_3, alpha_2], ours [alpha_2, epsilon_1, epsilon_3].
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad_vec

import pliant
from pliant import Robot

RADIUS, LENGTH, GRAVITY = 0.03, 0.2, 9.81
YOUNG, POISSON, DENSITY, VISCOSITY = 2e5, 0.4, 1100.0, 300.0
AREA, SECOND = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4
SHEAR = YOUNG / (2 * (1 + POISSON))
MASS = DENSITY * AREA * LENGTH

TURN_MOVE_STRETCH = [2, 0, 1]  # where our coordinates stand among theirs


def _compiled(model):
    return pliant.compile(
        Robot("beam")
        .with_gravity([0, 0, GRAVITY])
        .material("rubber", young=YOUNG, poisson=POISSON, density=DENSITY, viscosity=VISCOSITY)
        .rod(
            "beam",
            length=LENGTH,
            section={"circle": {"radius": RADIUS}},
            material="rubber",
            allow=["bend_y", "shear_x", "stretch"],
            model=model,
        )
    )


@jax.jit
def _equations(model, q):
    """Mass matrix, forces at rest, and their derivatives by q and v."""
    zero = jnp.zeros(model.nv)
    forces, slopes = jax.vmap(
        lambda way: jax.jvp(
            lambda q, v: pliant.residual(model, q, v, zero), (q, zero), (way[: model.nv], way[model.nv :])
        ),
        out_axes=-1,
    )(jnp.eye(2 * model.nv))
    return {
        "mass": pliant.mass_matrix(model, q),
        "forces": forces[:, 0],
        "stiffness": slopes[:, : model.nv],
        "damping": slopes[:, model.nv :],
    }


@functools.cache
def _lumped(kind, q):
    found = _equations(_compiled({kind: {"pieces": 1, "nodes": "end"}}), jnp.asarray(q))
    theirs = np.argsort(TURN_MOVE_STRETCH)
    return {
        name: np.asarray(x)[theirs] if x.ndim == 1 else np.asarray(x)[np.ix_(theirs, theirs)]
        for name, x in found.items()
    }


LUMPED = ["srl", "ebr"]
BENT = (0.3, 0.02, 0.04)  # alpha_2, epsilon_1, epsilon_3

# Eq. 18, and Eqs. 35, 37 and 40 with Eq. 34; Eq. 40 without its stray 1, and with its last entry on the diagonal.
INERTIA = MASS * (3 * RADIUS**2 + LENGTH**2) / 12
STIFFNESS = np.diag([SHEAR * AREA, YOUNG * AREA, YOUNG * SECOND]) / LENGTH
DAMPING = VISCOSITY * np.diag([AREA, 3 * AREA, 3 * SECOND]) / LENGTH


@pytest.mark.parametrize("kind", LUMPED)
def test_mass_matrix(kind):
    """Eq. 18. The angle of EBR is that of Eq. 6, alpha = 2 tan(theta / 2), and Eq. 18 holds for small ones."""
    np.testing.assert_allclose(_lumped(kind, (0.0, 0.0, 0.0))["mass"], np.diag([MASS, MASS, INERTIA]), atol=1e-15)
    slope = 1.0 if kind == "srl" else 1.0 / (1.0 + BENT[0] ** 2 / 4)
    expected = np.diag([MASS, MASS, INERTIA * slope**2])
    np.testing.assert_allclose(_lumped(kind, BENT)["mass"], expected, atol=1e-15)


@pytest.mark.parametrize("kind", LUMPED)
def test_forces(kind):
    """Gravity of Eq. 20 and the springs of Eqs. 34, 35 and 37; all are linear, so that Eq. 40 holds everywhere."""
    found = _lumped(kind, BENT)
    epsilon = np.array([BENT[1], BENT[2], BENT[0]])
    np.testing.assert_allclose(found["forces"], STIFFNESS @ epsilon - [0.0, MASS * GRAVITY, 0.0], rtol=1e-12)
    np.testing.assert_allclose(found["stiffness"], STIFFNESS, atol=1e-12 * STIFFNESS.max())
    np.testing.assert_allclose(found["damping"], DAMPING, atol=1e-12 * DAMPING.max())


def test_absolute_states():
    """Eqs. 7, 9, 36 and 37 for the one node of EBA, whose velocities are in its own axes: linear at the straight pose
    (Eq. 40), and chi_b = [x, z - l0, 2 sin(theta / 2)] with its Jacobian in a bent one."""
    model = _compiled({"eba": {"pieces": 1, "nodes": "end"}})
    still, theirs = jnp.zeros(3), np.argsort(TURN_MOVE_STRETCH)
    square = np.ix_(theirs, theirs)
    straight = model.neutral()
    np.testing.assert_allclose(
        np.asarray(pliant.mass_matrix(model, straight))[square], np.diag([MASS, MASS, INERTIA]), atol=1e-15
    )
    found = np.asarray(pliant.dynamics.damping_matrix(model, straight, still))[square]
    np.testing.assert_allclose(found, DAMPING, atol=1e-12 * DAMPING.max())
    # The weight turns with the node's axes; without it the tangent is that of Eq. 40.
    floating = model.with_parameters({"gravity": [0.0, 0.0, 0.0]})
    found = np.asarray(pliant.dynamics.stiffness_matrix(floating, straight))[square]
    np.testing.assert_allclose(found, STIFFNESS, atol=1e-12 * STIFFNESS.max())
    theta, x, stretched = BENT
    quaternion = [np.cos(theta / 2), 0.0, np.sin(theta / 2), 0.0]
    forces = pliant.residual(model, jnp.asarray([*quaternion, x, 0.0, stretched]), still, still)
    pull = np.diag(STIFFNESS)[:2] * [x, stretched] - [0.0, MASS * GRAVITY]
    axes = np.array([[np.cos(theta), np.sin(theta)], [-np.sin(theta), np.cos(theta)]])  # columns: the node's x and z
    moment = STIFFNESS[2, 2] * 2 * np.sin(theta / 2) * np.cos(theta / 2)
    np.testing.assert_allclose(np.asarray(forces)[theirs], [*(axes.T @ pull), moment], rtol=1e-12)


# The polynomial of order 1 in their units: x = C1 s^2, z = s + C2 s^2, vector part of the quaternion C3 s.
C1, C2, C3 = COEFFICIENTS = 0.8, -0.5, 1.3


def _chi(s):
    """Shear, stretch and curvature: Eq. 16 derived anew from Eqs. 2, 10 and 13 (the printed one has the sign of C3
    turned round in the strains, and misses squares)."""
    c0 = np.sqrt(1 - C3**2 * s**2)
    return np.array(
        [
            2 * s * (C1 - 2 * C1 * C3**2 * s**2 - C3 * c0 * (1 + 2 * C2 * s)),
            2 * s * (C2 - C3**2 * s - 2 * C2 * C3**2 * s**2 + 2 * C1 * C3 * c0 * s),
            2 * C3 / c0,
        ]
    )


def _chi_by_q(s):
    """T_b of Eq. 38 from the same: rows shear, stretch, curvature; columns C1, C2, C3."""
    c0 = np.sqrt(1 - C3**2 * s**2)
    cosine, sine, turn = 1 - 2 * C3**2 * s**2, 2 * C3 * s * c0, 2 * s / c0
    shear, stretch, _ = _chi(s)
    return np.array(
        [
            [2 * s * cosine, -2 * s * sine, -turn * (stretch + 1)],
            [2 * s * sine, 2 * s * cosine, turn * shear],
            [0.0, 0.0, 2 / c0**3],
        ]
    )


@functools.cache
def _polynomial():
    """Their coordinates are ours divided by the length, and they come last to first: orientation, x, z."""
    model = _compiled({"rom": {"order": 1, "orientation": "unit", "quadrature": 12}})
    q = LENGTH * np.array([C3, C1, C2])
    found = _equations(model, jnp.asarray(q))
    element = model.structure.members[0].element
    own = {name: model.parameters[path] for name, path in model.structure.members[0].numbers}
    places = (0.25, 1.0)

    @jax.jit
    def at(numbers, q):
        prepared = element.prepare(numbers)
        return element.poses(prepared, q, places), element.strain(prepared, q, places)

    return found, places, at(own, jnp.asarray(q))


@pytest.mark.long
def test_polynomial_pose_and_strain():
    """Eqs. 14, 15 and 16."""
    _, places, (poses, strains) = _polynomial()
    for at, pose, strain in zip(places, poses, strains, strict=True):
        s = at * LENGTH
        turn = 2 * np.arcsin(C3 * s)
        np.testing.assert_allclose(pose[:3, 3], [C1 * s**2, 0.0, C2 * s**2 + s], atol=1e-15)
        np.testing.assert_allclose(pose[:3, 2], [np.sin(turn), 0.0, np.cos(turn)], atol=1e-15)
        np.testing.assert_allclose(strain[np.array([3, 5, 1])] - np.array([0, 1, 0]), _chi(s), atol=1e-14)
        np.testing.assert_allclose(strain[np.array([0, 2, 4])], 0.0, atol=1e-15)


@pytest.mark.long
def test_polynomial_mass_matrix():
    """Eq. 30 integrated: the rates of x, z and the angle 2 asin(C3 s), each with its inertia."""
    found, _, _ = _polynomial()
    angle = quad_vec(lambda s: (2 * s) ** 2 / (1 - C3**2 * s**2), 0, LENGTH)[0]
    per_length = MASS / LENGTH
    theirs = per_length * np.diag([LENGTH**5 / 5, LENGTH**5 / 5, RADIUS**2 / 4 * angle])
    ours = theirs[np.ix_(TURN_MOVE_STRETCH, TURN_MOVE_STRETCH)] / LENGTH**2
    np.testing.assert_allclose(found["mass"], ours, atol=1e-12 * ours.max())


def test_polynomial_forces():
    """Eq. 38 integrated, with the weight of Eq. 30; damping of Eq. 38 with T_b on both sides."""
    found, _, _ = _polynomial()
    stiffness = np.array([SHEAR * AREA, YOUNG * AREA, YOUNG * SECOND])
    damping = VISCOSITY * np.array([AREA, 3 * AREA, 3 * SECOND])
    elastic = quad_vec(lambda s: _chi_by_q(s).T @ (stiffness * _chi(s)), 0, LENGTH)[0]
    weight = MASS / LENGTH * GRAVITY * np.array([0.0, LENGTH**3 / 3, 0.0])
    ours = (elastic - weight)[TURN_MOVE_STRETCH] / LENGTH
    np.testing.assert_allclose(found["forces"], ours, rtol=1e-9)
    lost = quad_vec(lambda s: _chi_by_q(s).T @ (damping[:, None] * _chi_by_q(s)), 0, LENGTH)[0]
    ours = lost[np.ix_(TURN_MOVE_STRETCH, TURN_MOVE_STRETCH)] / LENGTH**2
    np.testing.assert_allclose(found["damping"], ours, rtol=1e-9, atol=1e-12)
