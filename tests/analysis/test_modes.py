"""Modal analysis: a closed loop against finite differences of its motion, and large sparse systems."""

import functools
import tracemalloc

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sparse

import pliant
from pliant import Robot, SolveError
from pliant.analysis import Operators, modes_from
from pliant.dynamics import constraint_matrix, constraint_residual, projected_state
from pliant.model import prepare
from robots import MATERIAL, arm, block


@functools.cache
def _loop():
    """A soft coupler between two sprung levers, bent by gravity, that also bends and twists out of the plane."""
    lever = {"mass": 0.02, "shape": {"box": [0.01, 0.01, 0.1]}, "centre": [0, 0, 0.05]}
    hinge = {"revolute": {"axis": "y", "stiffness": 0.05, "damping": 1e-4}}
    robot = (
        Robot("loop")
        .material("rubber", **MATERIAL)
        .rigid("crank", joint=hinge, **lever)
        .rigid("rocker", parent={"link": "world", "offset": {"move": [0.19, 0, 0]}}, joint=hinge, **lever)
        .rod(
            "coupler",
            parent={"link": "crank", "offset": {"move": [0, 0, 0.1], "rotate": {"y": "90 deg"}}},
            joint={"revolute": "y"},
            length=0.2,
            section={"circle": {"radius": 0.01}},
            material="rubber",
            allow=["bend_x", "bend_y", "twist"],
            model={"gvs": {"order": 1, "quadrature": 4}},
        )
        .constraint(
            "pin", between=["coupler", {"link": "rocker", "offset": {"move": [0, 0, 0.1]}}], joint={"revolute": "y"}
        )
        .load("push", where={"link": "coupler", "at": 0.5}, force=[0, 0, 0], frame="body")
    )
    return pliant.compile(robot)


@jax.jit
def _accelerations(model, q, moves, speeds):
    """Accelerations (n, nv) of states put onto the constraints after a move and a speed (n, nv) from rest at q."""
    prepared = prepare(model.structure, model.parameters)

    def one(move, speed):
        state = projected_state(model, prepared, model.integrate(q, move), speed, jnp.zeros(()), {})
        return pliant.forward_dynamics(model, *state), constraint_residual(model, state[0])

    return jax.vmap(one)(moves, speeds)


def _moved(model, q):
    """Eigenvalues of the first-order system of the coordinates along the free motions, by central differences. Nothing
    here knows of a stiffness or damping matrix: the robot is moved or set in motion, its loop closed again, and its
    acceleration taken."""
    free = scipy.linalg.null_space(np.asarray(constraint_matrix(model, q)), rcond=1e-9)
    count, step = free.shape[1], 1e-4
    plan = np.concatenate([step * free.T, -step * free.T])
    still = np.zeros_like(plan)
    found, gaps = _accelerations(model, q, np.concatenate([plan, still]), np.concatenate([still, plan]))
    assert np.abs(gaps).max() < 1e-12
    found = np.asarray(found) @ free
    slopes = [(part[:count] - part[count:]).T / (2 * step) for part in (found[: 2 * count], found[2 * count :])]
    return np.linalg.eigvals(np.block([[np.zeros((count, count)), np.eye(count)], slopes]))


def _upper(values):
    """Those that swing, slowest first, one of each pair."""
    values = values[values.imag > 0]
    return values[np.argsort(np.abs(values))]


def _ratio(values):
    return -values.real / np.abs(values)


def _damped_by(model, share):
    """The same robot with this share of its damping."""
    names = [name for name in model.parameters if name.endswith(("viscosity", "damping"))]
    return model.with_parameters({name: share * model.parameters[name] for name in names})


@pytest.mark.long
@pytest.mark.parametrize("push", [0.0, 0.2], ids=["dead loads", "follower load"])
def test_modes_of_a_closed_loop_are_those_of_its_finite_differences(push):
    model = _loop().with_parameters({"loads.push.force": [push, 0.0, 0.0]})
    rest = pliant.equilibrium(model)
    found = pliant.modes(model, rest)
    assert found.frequency.shape == (4,)  # nine velocities, five rows of the loop
    damped, measured = (_upper(values) for values in (np.asarray(found.eigenvalues), _moved(model, rest.q)))
    np.testing.assert_allclose(np.abs(damped), np.abs(measured), rtol=1e-6)
    np.testing.assert_allclose(_ratio(damped), _ratio(measured), rtol=1e-6)
    undamped = _upper(_moved(_damped_by(model, 0.0), rest.q))
    np.testing.assert_allclose(found.frequency, undamped.imag, rtol=1e-6)
    # A mode's own damping is the first-order effect of the damping: what remains when there is little of it.
    little = _upper(_moved(_damped_by(model, 0.01), rest.q))
    np.testing.assert_allclose(found.damping_ratio, 100 * _ratio(little), rtol=1e-4)
    rows = np.asarray(constraint_matrix(model, rest.q))
    for vectors in (np.asarray(found.vectors), np.asarray(found.damped_vectors)):
        np.testing.assert_allclose(rows @ vectors, 0.0, atol=1e-10 * np.abs(vectors).max())


def test_damped_vectors_solve_the_quadratic_problem():
    rest = pliant.equilibrium(arm())
    found = pliant.modes(arm(), rest, count=4)
    mass, stiffness = pliant.mass_matrix(arm(), rest.q), pliant.stiffness_matrix(arm(), rest.q)
    damping = pliant.damping_matrix(arm(), rest.q, jnp.zeros(4))
    l, x = np.asarray(found.eigenvalues), np.asarray(found.damped_vectors)
    assert l.shape == (8,) and np.all(l.real < 0) and np.all(l[1::2][l[::2].imag > 0] == l[::2][l[::2].imag > 0].conj())
    left = mass @ x * l**2 + damping @ x * l + stiffness @ x
    np.testing.assert_allclose(left, 0.0, atol=1e-9 * np.abs(stiffness @ x).max())
    np.testing.assert_allclose(np.einsum("im,ij,jm->m", x.conj(), mass, x), 1.0, rtol=1e-9)


def test_modal_mass_is_that_of_a_metre_at_the_place_that_moves_most():
    rest = pliant.equilibrium(arm())
    found = pliant.modes(arm(), rest, count=2)
    # The lowest modes of a light rod with a ball at its tip: the ball and somewhat less than a third of the rod.
    rod = np.pi * 0.011**2 * 0.2 * 1000.0
    assert 0.01 + 0.15 * rod < float(found.modal_mass[0]) < 0.01 + 0.4 * rod
    np.testing.assert_allclose(found.modal_stiffness, found.frequency**2 * found.modal_mass)
    largest = jnp.linalg.norm(jnp.concatenate([found.node_displacement, found.body_displacement], 1), axis=-1).max(1)
    np.testing.assert_allclose(found.modal_mass, largest**-2)
    # The ball sits on the last node and turns with it.
    np.testing.assert_allclose(found.body_rotation[:, 0], found.node_rotation[:, -1], atol=1e-9)
    assert float(jnp.abs(found.body_rotation).max()) > 1.0


def test_a_free_body_has_six_modes_at_zero_without_a_damping_ratio():
    found = pliant.modes(block())
    np.testing.assert_allclose(found.frequency, 0.0, atol=1e-6)
    assert np.all(np.isnan(found.damping_ratio))
    # Three directions of 2 kg, and three rotations about the centre that displace nothing.
    np.testing.assert_allclose(np.sort(found.modal_mass)[:3], 2.0)
    assert np.all(np.isinf(np.sort(found.modal_mass)[3:]))


MASSES, STIFFNESS, MASS = 2000, 3.0, 0.5  # a chain of masses and springs, [kg] and [N/m]


def _chain(masses=MASSES, held=True):
    """Mass and stiffness of a chain whose first mass hangs on a wall."""
    diagonal = np.full(masses, 2.0)
    diagonal[-1] = 1.0
    diagonal[0] = 2.0 if held else 1.0
    beside = np.full(masses - 1, -1.0)
    stiffness = STIFFNESS * sparse.diags_array([beside, diagonal, beside], offsets=[-1, 0, 1])
    return MASS * sparse.eye_array(masses, format="csc"), stiffness.tocsc()


def _row(masses, **entries):
    columns = [int(name[1:]) for name in entries]
    return sparse.csr_array((list(entries.values()), ([0] * len(columns), columns)), shape=(1, masses))


def test_a_long_chain_has_its_analytic_modes_and_nothing_dense():
    mass, stiffness = _chain()
    damping = 0.02 * mass + 0.003 * stiffness
    tracemalloc.start()
    found = modes_from(Operators(mass, stiffness, damping), 6)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MASSES**2 * 8 / 4  # bytes: a quarter of one dense matrix
    angle = (2 * np.arange(1, 7) - 1) * np.pi / (2 * (2 * MASSES + 1))
    omega = 2 * np.sqrt(STIFFNESS / MASS) * np.sin(angle)
    np.testing.assert_allclose(np.sqrt(found.squared), omega, rtol=1e-9)
    lost = 0.02 + 0.003 * omega**2
    np.testing.assert_allclose(found.damping, lost, rtol=1e-9)
    # The slowest modes are damped beyond critical: two real eigenvalues each.
    roots = np.sqrt((lost**2 / 4 - omega**2).astype(complex))
    expected = np.concatenate([-lost / 2 + roots, -lost / 2 - roots])
    expected = expected[np.argsort(np.abs(expected))][:12]
    assert np.sum(found.eigenvalues.imag == 0) >= 2
    np.testing.assert_allclose(np.sort_complex(found.eigenvalues[:12]), np.sort_complex(expected), rtol=1e-7)


def test_a_tied_mass_of_a_long_chain():
    mass, stiffness = _chain()
    last = _row(MASSES, **{f"x{MASSES - 1}": 1.0})
    tie = sparse.vstack([last, 2.0 * last])  # the second row says the same
    found = modes_from(Operators(mass, stiffness, 0.01 * stiffness, tie), 6)
    omega = 2 * np.sqrt(STIFFNESS / MASS) * np.sin(np.arange(1, 7) * np.pi / (2 * MASSES))  # held at both ends
    np.testing.assert_allclose(np.sqrt(found.squared), omega, rtol=1e-9)
    np.testing.assert_allclose(found.damping, 0.01 * omega**2, rtol=1e-9)
    np.testing.assert_allclose(np.abs(found.eigenvalues[::2]), omega, rtol=1e-9)
    np.testing.assert_allclose(found.vectors[-1], 0.0, atol=1e-12)
    np.testing.assert_allclose(found.vectors.T @ (mass @ found.vectors), np.eye(6), atol=1e-10)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("follower", [0.0, 0.3])
def test_sparse_and_dense_modes_are_the_same(tied, follower):
    masses = 300
    mass, stiffness = _chain(masses)
    # A follower force: what pushes at one mass goes with another.
    stiffness = stiffness + follower * sparse.csc_array(([1.0], ([40], [41])), shape=(masses, masses))
    damping = sparse.csc_array(([0.7, 3.0], ([99, 299], [99, 299])), shape=(masses, masses))  # couples the modes
    constraints = _row(masses, x250=1.0) if tied else None
    operators = Operators(mass, stiffness, damping, constraints)
    found = modes_from(operators, 5)
    dense = modes_from(Operators(*(None if part is None else part.toarray() for part in operators)), 5)
    for name in ("squared", "damping", "eigenvalues"):
        np.testing.assert_allclose(getattr(found, name), getattr(dense, name), rtol=1e-7, err_msg=name)
    for name in ("vectors", "damped_vectors"):
        np.testing.assert_allclose(np.abs(getattr(found, name)), np.abs(getattr(dense, name)), atol=1e-7, err_msg=name)


def test_a_chain_that_floats_has_a_mode_at_zero():
    mass, stiffness = _chain(held=False)
    found = modes_from(Operators(mass, stiffness, 0.0 * stiffness), 3)
    omega = 2 * np.sqrt(STIFFNESS / MASS) * np.sin(np.arange(3) * np.pi / (2 * MASSES))
    np.testing.assert_allclose(found.squared, omega**2, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(found.eigenvalues[2:], [1j * omega[1], -1j * omega[1], 1j * omega[2], -1j * omega[2]])


@pytest.mark.parametrize("masses", [50, MASSES])
@pytest.mark.parametrize("tied", [False, True])
def test_an_unstable_chain_is_refused(masses, tied):
    mass, stiffness = _chain(masses)
    # Far below zero, where an iteration next to zero does not look.
    stiffness = stiffness - 50.0 * sparse.csc_array(([1.0], ([10], [10])), shape=stiffness.shape)
    constraints = _row(masses, x20=1.0, x30=-1.0) if tied else None
    with pytest.raises(SolveError, match="chain is unstable: "):
        modes_from(Operators(mass, stiffness, 0.0 * stiffness, constraints), 4, "the chain")
