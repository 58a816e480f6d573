"""Cross-section of a rod: geometry and material to the six stiffnesses, dampings and inertias per length.

Order of the strains everywhere: bend_x, bend_y, twist, shear_x, shear_y, stretch.
"""

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.mechanics._hyperelastic import HOOKE, FibreNumbers, gent_limit

STRAINS = ("bend_x", "bend_y", "twist", "shear_x", "shear_y", "stretch")

# Odd terms kept in the Saint-Venant series of a rectangle. The n-th term falls like n^-5; thirteen terms leave 1e-8.
_SERIES_TERMS = np.arange(1, 27, 2)

# Viscosity acts three times as strongly on bending and stretch (Trouton's ratio of an incompressible solid).
_TROUTON = 3.0


class SectionValues(NamedTuple):
    """Per-length properties at K fractions, each (K, 6) in the order of the strains, and the outline (K, 2) in m."""

    stiffness: Array
    damping: Array
    inertia: Array
    half_width: Array


def taper(value: Array, fraction: Array) -> Array:
    """A number given once, or as [base, tip] and linear between, at the given fractions of the rod."""
    if value.ndim == 0:
        return jnp.broadcast_to(value, fraction.shape)
    return value[0] + (value[1] - value[0]) * fraction


@dataclasses.dataclass(frozen=True)
class SectionLaw:
    """The static side of a cross-section: which shape, which torsion constant, whether sections resist rotation,
    whether round holes run along the rod, and the law of its material."""

    kind: str
    torsion: str = "saint-venant"
    rotary_inertia: bool = True
    holes: bool = False
    law: str = HOOKE

    @property
    def round(self) -> bool:
        """Whether the outline is an ellipse rather than a rectangle."""
        return self.kind != "rectangle"

    def evaluate(self, numbers: Mapping[str, Array], fraction: Array) -> SectionValues:
        """Properties at `fraction` (K,) from the numbers of the section and of its material."""
        if self.kind == "given":
            return self._given(numbers, fraction)
        if self.kind == "muscles":
            return self._muscles(numbers, fraction)
        area, second_x, second_y, torsion, half_width = self._geometry(numbers, fraction)
        if self.holes:
            missing, about_x, about_y = _holes(numbers["holes.radius"], numbers["holes.centre"])
            area, second_x, second_y = area - missing, second_x - about_x, second_y - about_y
            # Exact for the polar moment; for Saint-Venant torsion, what holes far from each other take away.
            torsion = torsion - (about_x + about_y)
        polar = second_x + second_y
        if self.torsion == "polar":
            torsion = polar
        young, density, viscosity = numbers["young"], numbers["density"], numbers["viscosity"]
        shear = young / (2.0 * (1.0 + numbers["poisson"]))
        shear_area = numbers["shear_factor"] * area
        stiffness = jnp.stack(
            [young * second_x, young * second_y, shear * torsion, shear * shear_area, shear * shear_area, young * area],
            axis=-1,
        )
        damping = viscosity * jnp.stack(
            [_TROUTON * second_x, _TROUTON * second_y, torsion, area, area, _TROUTON * area], axis=-1
        )
        # Euler-Bernoulli leaves out the rotation of a section in bending; spinning about the axis still has inertia.
        bending = 1.0 if self.rotary_inertia else 0.0
        inertia = density * jnp.stack([bending * second_x, bending * second_y, polar, area, area, area], axis=-1)
        return SectionValues(stiffness, damping, inertia, half_width)

    def fibres(self, numbers: Mapping[str, Array], size: Array) -> FibreNumbers | None:
        """What `section_energy` needs of the material for parts of the rod of this axial size; None: Hooke's law."""
        if self.law == HOOKE:
            return None
        return FibreNumbers(size, gent_limit(numbers["stretch_limit"]) if self.law == "gent" else jnp.asarray(jnp.inf))

    def _muscles(self, numbers: Mapping[str, Array], fraction: Array) -> SectionValues:
        """Evenly on a circle: half the square of its radius makes bending out of stretch; the mass is a disc."""
        bend = 0.5 * numbers["radius"] ** 2
        none = jnp.zeros(())
        share = jnp.stack([bend, bend, none, none, none, jnp.ones(())])
        disc = jnp.stack([0.5 * bend, 0.5 * bend, bend, jnp.ones(()), jnp.ones(()), jnp.ones(())])
        shape = (fraction.shape[0], 6)
        return SectionValues(
            jnp.broadcast_to(numbers["stiffness"] * share, shape),
            jnp.broadcast_to(numbers["damping"] * share, shape),
            jnp.broadcast_to(numbers["mass"] * disc, shape),
            jnp.broadcast_to(numbers["radius"], (shape[0], 2)),
        )

    def _given(self, numbers: Mapping[str, Array], fraction: Array) -> SectionValues:
        count = fraction.shape[0]
        inertia = jnp.concatenate([numbers["rotary"], jnp.full(3, numbers["mass"])])
        return SectionValues(
            jnp.broadcast_to(numbers["stiffness"], (count, 6)),
            jnp.broadcast_to(numbers["damping"], (count, 6)),
            jnp.broadcast_to(inertia, (count, 6)),
            jnp.broadcast_to(numbers["radius"], (count, 2)),
        )

    def _geometry(self, numbers: Mapping[str, Array], fraction: Array) -> tuple[Array, Array, Array, Array, Array]:
        """Area, second moments about x and y, Saint-Venant torsion constant, outline half sizes."""
        if self.kind in ("circle", "annulus"):
            name = "radius" if self.kind == "circle" else "outer"
            outer = taper(numbers[name], fraction)
            inner = jnp.zeros_like(outer) if self.kind == "circle" else taper(numbers["inner"], fraction)
            second = jnp.pi / 4.0 * (outer**4 - inner**4)
            return jnp.pi * (outer**2 - inner**2), second, second, 2.0 * second, jnp.stack([outer, outer], axis=-1)
        if self.kind == "ellipse":
            a, b = taper(numbers["semi_x"], fraction), taper(numbers["semi_y"], fraction)
            area = jnp.pi * a * b
            torsion = jnp.pi * a**3 * b**3 / (a**2 + b**2)
            return area, area * b**2 / 4.0, area * a**2 / 4.0, torsion, jnp.stack([a, b], axis=-1)
        if self.kind == "rectangle":
            width, height = taper(numbers["width"], fraction), taper(numbers["height"], fraction)
            area = width * height
            outline = 0.5 * jnp.stack([width, height], axis=-1)
            return area, area * height**2 / 12.0, area * width**2 / 12.0, _rectangle_torsion(width, height), outline
        raise ValueError(f"unknown cross-section kind {self.kind!r}")


def _holes(radius: Array, centre: Array) -> tuple[Array, Array, Array]:
    """Area and second moments about x and y of round holes, radius (n,) and centre (n, 2)."""
    area = jnp.pi * radius**2
    own = 0.25 * area * radius**2
    return jnp.sum(area), jnp.sum(own + area * centre[:, 1] ** 2), jnp.sum(own + area * centre[:, 0] ** 2)


def _rectangle_torsion(width: Array, height: Array) -> Array:
    """Saint-Venant constant of a rectangle: a b^3 (1/3 - 64 b / (pi^5 a) sum tanh(n pi a / 2b) / n^5), a >= b."""
    long, short = jnp.maximum(width, height), jnp.minimum(width, height)
    n = jnp.asarray(_SERIES_TERMS, dtype=long.dtype)
    series = jnp.sum(jnp.tanh(0.5 * jnp.pi * n * (long / short)[..., None]) / n**5, axis=-1)
    return long * short**3 * (1.0 / 3.0 - 64.0 / jnp.pi**5 * (short / long) * series)
