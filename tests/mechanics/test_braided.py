"""Braided extensors: laws by derivatives of energies, their inverse, and how far they carry."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pliant.mechanics import (
    ExtensorLaw,
    energy_density,
    extensor_numbers,
    extensor_stress,
    extensor_stretch,
    stretch_range,
    stretch_under_pressure,
)
from pliant.mechanics._braided import CONSTRAINTS, STRESSES
from pliant.validation.arms._braided_extensor import numbers, printed_laws

SHEAR = 130e3 / 3.0
KINDS = [("uni", "printed")] + [(constraint, of) for constraint in CONSTRAINTS[1:] for of in STRESSES]
LAWS = [ExtensorLaw(), *(ExtensorLaw(material, *kind) for material in ("neo-hookean", "gent") for kind in KINDS)]
stress = jax.jit(extensor_stress, static_argnums=0)


@functools.partial(jax.jit, static_argnums=0)
def solved(law, at, values):
    """Range, stretch, whether it is carried, and derivatives by the stress and the numbers."""
    bounds = stretch_range(law, values)

    def alone(s, v):
        return extensor_stretch(law, s, v, bounds)[0]

    stretch, valid = extensor_stretch(law, at, values, bounds)
    slopes = jax.vmap(jax.grad(alone, argnums=(0, 1)), in_axes=(0, None))(at, values)
    return bounds, stretch, valid, slopes


@pytest.mark.parametrize("law, closed", printed_laws().items(), ids=lambda x: getattr(x, "label", ""))
def test_printed_laws_are_derivatives_of_their_energies(law, closed):
    stretch = np.linspace(0.6, 1.7, 45)
    np.testing.assert_allclose(stress(law, stretch, numbers()), closed(stretch), rtol=1e-11, atol=1e-10 * SHEAR)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.label)
def test_stretch_inverts_stress_and_its_derivative_is_the_inverse(law):
    values = numbers()
    bounds = solved(law, jnp.zeros(9), values)[0]
    at = jnp.linspace(max(0.95 * float(bounds.lowest), -5.0 * SHEAR), 0.95 * min(float(bounds.highest), 3.0 * SHEAR), 9)
    bounds, stretch, valid, (by_stress, by_numbers) = solved(law, at, values)
    assert bool(jnp.all(valid)) and bool(jnp.all(jnp.diff(stretch) > 0.0))
    np.testing.assert_allclose(stress(law, stretch, values), at, rtol=1e-11, atol=1e-11 * SHEAR)

    def moved(by, change):
        low, high = (stress(law, stretch, by(sign * change)) for sign in (-1.0, 1.0))
        return (high - low) / (2.0 * change)

    step = 1e-6
    slope = (stress(law, stretch + step, values) - stress(law, stretch - step, values)) / (2.0 * step)
    np.testing.assert_allclose((by_stress * slope), 1.0, rtol=1e-6)
    by_young = moved(lambda d: values._replace(young=values.young + d), 1.0)
    np.testing.assert_allclose((by_numbers.young * slope), -by_young, rtol=1e-5, atol=1e-7)
    if law.constraint == "inf" and law.material != "hooke":
        by_angle = moved(lambda d: values._replace(angle=values.angle + d), 1e-6)
        np.testing.assert_allclose((by_numbers.angle * slope), -by_angle, rtol=1e-4, atol=1e-2)


def test_thread_around_the_axis_is_no_change_of_radius():
    stretch = jnp.linspace(0.7, 1.6, 10)
    for material in ("neo-hookean", "gent"):
        ring = stress(ExtensorLaw(material, "nr"), stretch, numbers())
        gaps = [
            float(jnp.max(jnp.abs(stress(ExtensorLaw(material, "inf"), stretch, numbers(angle)) - ring)))
            for angle in np.radians([88.0, 89.0])
        ]
        assert gaps[0] / gaps[1] == pytest.approx(4.0, rel=0.02)  # second order in the angle
        exact = stress(ExtensorLaw(material, "inf"), stretch, numbers(np.pi / 2))
        np.testing.assert_allclose(exact, ring, atol=1e-9 * SHEAR)


def test_printed_neo_hookean_has_a_limit_point_and_virtual_work_has_none():
    bounds, stretch, valid, (by_stress, _) = solved(ExtensorLaw("neo-hookean", "nr"), SHEAR * jnp.ones(9), numbers())
    assert bool(bounds.limit_point) and not bool(jnp.any(valid))
    np.testing.assert_allclose([bounds.high, bounds.highest / SHEAR], [np.sqrt(3.0), 2.0 / 3.0], rtol=1e-9)
    # Beyond it the answer stays at the end of the branch, finite and without slope; the flag says so.
    np.testing.assert_allclose(stretch, np.sqrt(3.0), rtol=1e-6)
    np.testing.assert_array_equal(by_stress, 0.0)
    other = solved(ExtensorLaw("neo-hookean", "nr", "virtual_work"), SHEAR * jnp.ones(9), numbers())
    assert not bool(other[0].limit_point) and bool(jnp.all(other[2]))


def test_virtual_work_balances_the_work_of_the_pressure():
    """P dV = dU for a tube: its stress is the pressure times the ratio of the areas."""
    law, values, angle = ExtensorLaw("gent", "inf", "virtual_work"), numbers(), float(numbers().angle)

    def hoop(stretch):
        return (1.0 - stretch**2 * np.cos(angle) ** 2) / np.sin(angle) ** 2

    def energy(stretch):
        excess = stretch**2 + hoop(stretch) + 1.0 / (stretch**2 * hoop(stretch)) - 3.0
        return float(energy_density("gent", jnp.asarray(excess), values.young / 3.0, values.limit))

    at, step = 1.3, 1e-6
    work = (at + step) * hoop(at + step) - (at - step) * hoop(at - step)
    expected = (energy(at + step) - energy(at - step)) / work
    assert float(stress(law, jnp.asarray(at), values)) == pytest.approx(expected, rel=1e-7)


def test_batches_over_numbers_and_scalars():
    law = ExtensorLaw("gent", "nr")
    young = jnp.linspace(60e3, 180e3, 5)
    each = jax.jit(jax.vmap(lambda e: extensor_stretch(law, 0.1 * e, numbers()._replace(young=e))))(young)
    np.testing.assert_allclose(each[0], each[0][0], rtol=1e-12)  # the law is one of stress over modulus
    assert each[0].shape == (5,) and bool(jnp.all(each[1]))


def test_pressure_beyond_the_limit_is_refused_with_the_limit():
    law, radii = ExtensorLaw("neo-hookean", "nr"), {"inner_radius": 2.5e-3, "outer_radius": 4.76e-3}
    with pytest.raises(
        ValueError, match=r"neo-hookean-nr \(printed\): 200000 Pa .* largest pressure here is 75839\.\d"
    ):
        stretch_under_pressure(law, numbers(), [1e4, 2e5], **radii)
    legal = stretch_under_pressure(law, numbers(), 75.8e3, **radii)
    assert 1.6 < float(legal) < np.sqrt(3.0)
    # An axial force takes its share of what the wall can carry.
    with pytest.raises(ValueError, match="largest pressure here is 5"):
        stretch_under_pressure(law, numbers(), 75e3, force=0.4, **radii)


def test_bad_laws_are_refused():
    with pytest.raises(ValueError, match="unknown 'yeoh'; expected one of hooke, neo-hookean, gent"):
        ExtensorLaw("yeoh")
    radii = {"inner_radius": 2e-3, "outer_radius": 4e-3}
    with pytest.raises(ValueError, match=r"thread angle: expected above 54\.74 and up to 90 deg; got 40 deg"):
        thread = extensor_numbers(1e5, thread_angle=np.radians(40.0))
        stretch_under_pressure(ExtensorLaw("neo-hookean", "inf", "virtual_work"), thread, 0.0, **radii)
    with pytest.raises(ValueError, match="J_m"):
        stretch_under_pressure(ExtensorLaw("gent", "nr"), extensor_numbers(1e5), 0.0, **radii)
    with pytest.raises(ValueError, match="0 < inner < outer"):
        stretch_under_pressure(ExtensorLaw(), numbers(), 0.0, inner_radius=4e-3, outer_radius=2e-3)
