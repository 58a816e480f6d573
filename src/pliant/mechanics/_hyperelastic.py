"""Incompressible hyperelastic materials: stored energy as a function of the first strain invariant, and the energy of a
rod's section made of fibres of such a material."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

HOOKE = "hooke"
# The shear modulus of an incompressible material over its Young's modulus.
_SHEAR_RATIO = 1.0 / 3.0
_BEND_X, _BEND_Y, _STRETCH = 0, 1, 5
_OTHERS = slice(2, 5)  # twist and shears


def energy_density(law: str, excess: Array, shear: Array, limit: Array) -> Array:
    """Return the energy per volume u(I1) [J/m^3], with `excess` = I1 - 3 and `shear` the modulus at rest [Pa].

    `limit` is Gent's J_m, the excess at which the chains are straight: there and beyond the energy is infinite and its
    gradient not a number, so that no solve ends there.
    """
    if law == "neo-hookean":
        return 0.5 * shear * excess
    if law == "gent":
        # The derivative of the logarithm alone would be finite, with the wrong sign, beyond the limit.
        return -0.5 * shear * limit * jnp.log1p(-jnp.minimum(excess / limit, 1.0))
    raise ValueError(f"unknown hyperelastic law {law!r}: expected 'neo-hookean' or 'gent'")


def gent_limit(stretch: ArrayLike) -> Array:
    """Return Gent's J_m of a material that locks at this uniaxial `stretch`."""
    stretch = jnp.asarray(stretch)
    return stretch**2 + 2.0 / stretch - 3.0


class FibreNumbers(NamedTuple):
    """What a hyperelastic law needs beside the stiffness: the axial size of the unloaded rod, in the unit in which the
    departures are given (reference stretch, or length of a piece), and Gent's J_m."""

    size: Array
    limit: Array


def section_energy(law: str, stiffness: Array, departure: Array, fibres: FibreNumbers | None) -> Array:
    """Energy of all sections, from stiffness and departure from the reference (..., 6) in the order of the strains.

    With lambda the stretch of the axis and E f(lambda) the uniaxial energy of the material, f''(1) = 1, it is

        EA f(lambda) + f''(lambda) (EIx kx^2 + EIy ky^2) / 2 + (GJ tau^2 + GA gamma^2) / 2,

    what fibres of the material store to second order in their distance from the axis: bending feels the tangent of
    the energy at the stretch of the axis. fibres None: Hooke's law, f'' = 1.
    """
    if fibres is None:
        return 0.5 * jnp.sum(stiffness * departure**2)
    squares = 0.5 * stiffness * departure**2
    energy, tangent = _fibre(law, departure[..., _STRETCH] / fibres.size, fibres.limit)
    axial = stiffness[..., _STRETCH] * fibres.size**2 * energy
    return (
        jnp.sum(axial) + jnp.sum(tangent * (squares[..., _BEND_X] + squares[..., _BEND_Y]))
        + jnp.sum(squares[..., _OTHERS])
    )  # fmt: skip


def section_stress(law: str, stiffness: Array, departure: Array, fibres: FibreNumbers | None) -> Array:
    """(..., 6) gradient of `section_energy` by the departure."""
    if fibres is None:
        return stiffness * departure
    return jax.grad(section_energy, argnums=2)(law, stiffness, departure, fibres)


def _fibre(law: str, strain: Array, limit: Array) -> tuple[Array, Array]:
    """f and f'' of a fibre of stretch 1 + strain."""

    def energy(strain: Array) -> Array:
        # I1 - 3 = stretch^2 + 2 / stretch - 3 without cancellation. A fibre turned inside out has no energy: the
        # formula goes on beyond the pole at stretch 0 and would offer a second, false equilibrium.
        real = jnp.where(strain > -1.0, 1.0, jnp.nan)
        return energy_density(law, real * strain**2 * (3.0 + strain) / (1.0 + strain), jnp.asarray(_SHEAR_RATIO), limit)

    def slope(strain: Array) -> Array:
        return jax.jvp(energy, (strain,), (jnp.ones_like(strain),))[1]

    return energy(strain), jax.jvp(slope, (strain,), (jnp.ones_like(strain),))[1]
