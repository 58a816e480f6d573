"""Laws of incompressible materials, and the energy of a section of fibres against their integral."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pliant.mechanics import FibreNumbers, energy_density, gent_limit, section_energy, section_stress

SHEAR = 3e4
LIMIT = float(gent_limit(2.5))
LAWS = {"neo-hookean": np.inf, "gent": LIMIT}
STIFFNESS = np.array([3.0, 2.0, 1.5, 40.0, 40.0, 90.0])


def _uniaxial(law, stretch):
    return energy_density(law, stretch**2 + 2.0 / stretch - 3.0, SHEAR, LIMIT)


def _fibres(law, size=1.0):
    return FibreNumbers(jnp.asarray(size), jnp.asarray(LAWS[law]))


def _energy(law, departure, size=1.0):
    return section_energy(law, jnp.asarray(STIFFNESS), jnp.asarray(departure), _fibres(law, size))


@pytest.mark.parametrize("law", LAWS)
def test_uniaxial_stress(law):
    stretch = np.array([0.6, 1.0, 1.7, 2.4])
    stress = jax.vmap(jax.grad(lambda own: _uniaxial(law, own)))(stretch)
    locked = 1.0 if law == "neo-hookean" else 1.0 - (stretch**2 + 2.0 / stretch - 3.0) / LIMIT
    np.testing.assert_allclose(stress, SHEAR * (stretch - stretch**-2) / locked, rtol=1e-12, atol=1e-9)
    modulus = jax.grad(jax.grad(lambda own: _uniaxial(law, own)))(1.0)
    assert modulus == pytest.approx(3.0 * SHEAR, rel=1e-12)


def test_gent_far_from_its_limit_is_neo_hookean():
    far = energy_density("gent", jnp.asarray(0.7), jnp.asarray(SHEAR), gent_limit(1e4))
    assert far == pytest.approx(0.5 * SHEAR * 0.7, rel=1e-7)


@pytest.mark.parametrize("law", LAWS)
def test_section_is_the_sum_of_its_fibres(law):
    """Over a thin rectangle, up to the fourth power of its thickness, at any stretch of the axis."""
    points, weights = np.polynomial.legendre.leggauss(6)
    stretch, curvature, width = 1.6, 0.3, 2.0

    def errors(height):
        area = width * height
        numbers = jnp.array([area * height**2 / 12.0, 0.0, 0.0, 0.0, 0.0, area])
        departure = jnp.array([curvature, 0.0, 0.0, 0.0, 0.0, stretch - 1.0])
        fibres = _uniaxial(law, stretch + curvature * 0.5 * height * points) / (3.0 * SHEAR)
        exact = area * 0.5 * np.sum(weights * np.asarray(fibres))
        axial = area * float(_uniaxial(law, stretch)) / (3.0 * SHEAR)
        found = float(section_energy(law, numbers, departure, _fibres(law)))
        return abs(found - exact) / (exact - axial), (exact - axial) / area

    coarse, fine = errors(0.4), errors(0.2)
    assert coarse[0] < 1e-2 and fine[0] < 0.27 * coarse[0]  # of the part of bending, whose error is of second order
    assert coarse[1] == pytest.approx(4.0 * fine[1], rel=0.02)


@pytest.mark.parametrize("law", LAWS)
def test_stress_is_the_gradient_of_the_energy(law):
    departure, step = np.array([0.2, -0.3, 0.4, 0.1, -0.2, 0.5]), 1e-6
    found = section_stress(law, jnp.asarray(STIFFNESS), jnp.asarray(departure), _fibres(law, 1.3))
    moved = step * np.eye(6)
    expected = [(_energy(law, departure + dx, 1.3) - _energy(law, departure - dx, 1.3)) / (2.0 * step) for dx in moved]
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("law", LAWS)
def test_small_strains_follow_hooke(law):
    departure = 1e-6 * np.array([2.0, -3.0, 4.0, 1.0, -2.0, 5.0])
    linear = section_stress("hooke", jnp.asarray(STIFFNESS), jnp.asarray(departure), None)
    found = section_stress(law, jnp.asarray(STIFFNESS), jnp.asarray(departure), _fibres(law, 1.3))
    np.testing.assert_allclose(found, linear, rtol=2e-5)
    assert _energy(law, departure, 1.3) == pytest.approx(float(0.5 * departure @ linear), rel=2e-5)


@pytest.mark.parametrize("law, strain", [("gent", 1.5), ("gent", 1.7), ("neo-hookean", -1.0), ("neo-hookean", -1.2)])
def test_no_finite_force_where_the_law_ends(law, strain):
    """At the limiting stretch and beyond, and where fibres have no length: nothing there can be taken for a rest."""
    departure = np.array([0.1, 0.0, 0.0, 0.0, 0.0, strain])
    stress = section_stress(law, jnp.asarray(STIFFNESS), jnp.asarray(departure), _fibres(law))
    assert not np.isfinite(stress[5]) and not np.isfinite(_energy(law, departure))


def test_unknown_law():
    with pytest.raises(ValueError, match="mooney"):
        energy_density("mooney", jnp.asarray(0.1), jnp.asarray(1.0), jnp.asarray(1.0))
