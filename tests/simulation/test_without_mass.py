"""A robot of which something moves without mass: no acceleration is made up, and a run says what it is."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.analysis._modal_problem import stability_of
from pliant.numerics import ResultCode, checked_cholesky_solve, cholesky
from pliant.results import Stability


@pytest.fixture(scope="module")
def slider():
    """Lumps with places of their own, in the frame of a base that slides the way they do and has no mass itself."""
    return pliant.compile(
        pliant.Robot("slider")
        .material("rubber", young=4e5, poisson=0.4, density=1400.0, viscosity=300.0)
        .rod(
            "rod",
            joint={"prismatic": {"axis": "z", "stiffness": 50.0, "damping": 0.5}},
            length=0.16,
            section={"circle": {"radius": 0.0125}},
            material="rubber",
            allow=["stretch"],
            model={"eba": {"pieces": 2, "nodes": "end"}},
        )
    )


def test_accelerations_are_not_numbers(slider):
    """Rounding makes the pivot that is zero 1e-17 or so, of either sign; solves gave NaN or 1e17."""
    start = slider.initial_state()
    rng = np.random.default_rng(0)
    moved = jax.vmap(lambda dq: slider.integrate(start.q, dq))(jnp.asarray(1e-3 * rng.normal(size=(20, slider.nv))))
    assert np.isnan(jax.vmap(lambda q: pliant.forward_dynamics(slider, q, start.v))(moved)).all()


def test_an_explicit_run_names_what_has_no_mass_and_an_implicit_one_goes_on(slider):
    with pytest.raises(pliant.SolveError, match=r"rod\.speed, rod\.node1\.linear_z, rod\.node2\.linear_z can move tog"):
        pliant.simulate(slider, 0.02, save_every=0.01)
    motion = pliant.simulate(slider, 0.02, stepper="newmark", step=1e-3, save_every=0.01)
    assert int(motion.code) == ResultCode.SUCCESS and np.isfinite(motion.q).all()


def test_modes_name_what_has_no_mass(slider):
    """Rounding decided: LinAlgError, or a frequency of 1e9."""
    with pytest.raises(
        pliant.SolveError, match=r"has no modes: rod\.speed, rod\.node1\.linear_z, rod\.node2\.linear_z"
    ):
        pliant.modes(slider)


def test_what_becomes_of_a_motion_without_mass_is_unknown():
    """Found by random robots: LinAlgError at an equilibrium with a follower load."""
    stiffness = np.array([[2.0, 0.3], [0.0, 1.0]])
    assert stability_of(np.diag([1.0, -1e-18]), stiffness, np.zeros((2, 2))) is Stability.UNKNOWN


def test_matrices_are_solvable_until_rounding_says_no():
    rng = np.random.default_rng(1)
    factor = rng.normal(size=(5, 5))
    good = jnp.asarray(factor @ factor.T)
    flat = jnp.asarray(factor[:, :4] @ factor[:, :4].T)
    thin = flat + 1e-12 * jnp.eye(5)
    assert _is_solved(good) and _is_solved(thin) and not _is_solved(flat)


def _is_solved(matrix):
    found = checked_cholesky_solve(cholesky(matrix), jnp.diagonal(matrix), jnp.ones(len(matrix)))
    assert np.isfinite(found).all() or np.isnan(found).all()
    return bool(np.isfinite(found).all())


def test_a_motion_without_mass_is_found_however_little_the_last_coordinate_takes_part():
    """The last pivot comes out at the square of that of rounding: random robots got accelerations of 1e17 (in a batch,
    where LAPACK adds up in another order)."""
    rng = np.random.default_rng(2)
    for share in (1.0, 1e-2, 1e-4, 1e-6):
        nothing = np.append(rng.normal(size=7), share)
        moving = np.linalg.svd(nothing[None])[2][1:].T  # (8, 7), across it
        flat = jnp.asarray(moving @ np.diag(rng.uniform(0.5, 2.0, size=7)) @ moving.T)
        assert not _is_solved(flat)
