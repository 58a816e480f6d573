"""Rods of next to no mass and stiffness: as strings fall, whatever their section; or refused."""

import functools

import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant.description import RobotFileError
from pliant.numerics import ResultCode

RADIUS = "links.rod.section.circle.radius"


def _robot(radius: float) -> pliant.Robot:
    return (
        pliant.Robot("thin")
        .material("rubber", young=1e6, poisson=0.4, density=1000.0, viscosity=100.0)
        .rod(
            "rod",
            parent={"link": "world", "offset": {"rotate": {"y": "90 deg"}}},
            length=0.1,
            section={"circle": {"radius": radius}},
            material="rubber",
            allow=["bend_y"],
            model={"pcs": {"pieces": 1}},
        )
    )


@functools.cache
def _rod() -> pliant.Model:
    return pliant.compile(_robot(1e-3))


@pytest.mark.parametrize("kind", ["newmark", "generalised-alpha"])
def test_motions_of_thin_rods_do_not_depend_on_the_radius(kind: str) -> None:
    def bend(radius: float) -> float:
        motion = pliant.simulate(_rod().with_parameters({RADIUS: radius}), 0.1, stepper=kind, step=1e-3)
        assert int(motion.code) == ResultCode.SUCCESS
        return float(motion.q[-1, 0])

    micrometre = bend(1e-6)
    assert micrometre == pytest.approx(16.26, abs=0.01)
    for radius in (1e-9, 1e-12, 1e-20):
        assert bend(radius) == pytest.approx(micrometre, rel=1e-6), radius


def test_light_and_soft_materials_move_alike() -> None:
    """Density, modulus and viscosity times the same factor: the motion is the same."""
    numbers = {
        f"materials.rubber.{name}": value for name, value in (("young", 1e6), ("density", 1e3), ("viscosity", 100.0))
    }

    def bend(factor: float) -> np.ndarray:
        scaled = {path: factor * value for path, value in numbers.items()}
        return np.asarray(pliant.simulate(_rod().with_parameters(scaled), 0.1, stepper="newmark", step=1e-3).q)

    for factor in (1e-30, 1e30):
        np.testing.assert_allclose(bend(factor), bend(1.0), rtol=1e-6, atol=1e-9)


def test_statics_of_a_rod_without_stiffness_is_not_found() -> None:
    """Where it hangs it may wind up as it likes: no number of turns is the answer."""
    for radius in (1e-12, 1e-20):
        found = pliant.equilibrium(_rod().with_parameters({RADIUS: radius}), throw=False)
        assert int(found.code) != ResultCode.SUCCESS, (radius, found.q)


@pytest.mark.parametrize("radius", [1e-170, 1e80])
def test_numbers_whose_products_vanish_or_overflow_are_refused(radius: float) -> None:
    with pytest.raises(
        ValueError, match=r"links\.rod\.section\.circle\.radius: got .*products with it .*greater than 0 m"
    ):
        _rod().with_parameters({RADIUS: radius})
    with pytest.raises(RobotFileError, match="products with it"):
        _robot(radius).blueprint()


def test_zero_is_still_legal_where_it_was() -> None:
    model = _rod().with_parameters({"materials.rubber.viscosity": 0.0})
    assert np.all(np.isfinite(pliant.forward_dynamics(model, jnp.zeros(1), jnp.zeros(1))))
