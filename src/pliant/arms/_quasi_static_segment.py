"""What a quasi-static arm is made of: segments with chambers in their wall, and rigid pieces."""

import math
from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import ArrayLike

from pliant.arms._quasi_static_sweep import Part
from pliant.mechanics import ExtensorLaw, ExtensorNumbers, check_extensor, extensor_stretch

FORM_FACTOR = 10.0 / 9.0  # of a round section in shear (document, Appendix 2)
_ROUND_OFF = 1e-9


def chamber_pairs(middles: Sequence[float], split: float) -> np.ndarray:
    """Angles (n, 2) [rad] of pairs of chambers whose middles are given, each chamber `split` beside its middle."""
    centre = np.asarray(middles, dtype=float)
    return np.stack([centre - split, centre + split], axis=1)


class ArmSegment(eqx.Module):
    """A round segment with chambers in its wall; chambers of a port share a pressure.

    - length, outer_radius, inner_radius [m]; intervals: into how many it is cut.
    - chamber_angles (ports, chambers of each) [rad] about z from x; chamber_offset [m] of their centres from the axis;
      chamber_radius [m] inside. chamber_outer_radius [m] of the wall that stretches (Eq. 2); None: the chambers share
      the segment's section equally, which makes Hooke's law that of the section.
    - law and young [Pa], poisson (of twist and shear; the laws themselves are incompressible), limit (Gent's J_m),
      thread_angle [rad] from the axis; density [kg/m^3] for the weight; form_factor divides the shear stiffness.

    Bending has the modulus at rest for every law, as in the document.
    """

    length: Array
    outer_radius: Array
    inner_radius: Array
    chamber_angles: Array
    chamber_offset: Array
    chamber_radius: Array
    chamber_outer_radius: Array | None
    young: Array
    poisson: Array
    limit: Array
    thread_angle: Array
    density: Array
    form_factor: Array
    law: ExtensorLaw = eqx.field(static=True)
    intervals: int = eqx.field(static=True)

    def __init__(
        self,
        *,
        length: ArrayLike,
        outer_radius: ArrayLike,
        inner_radius: ArrayLike,
        chamber_angles: ArrayLike,
        chamber_offset: ArrayLike,
        chamber_radius: ArrayLike,
        young: ArrayLike,
        law: ExtensorLaw | None = None,
        chamber_outer_radius: ArrayLike | None = None,
        poisson: ArrayLike = 0.5,
        limit: ArrayLike = math.inf,
        thread_angle: ArrayLike = math.pi / 2.0,
        density: ArrayLike = 0.0,
        form_factor: ArrayLike = FORM_FACTOR,
        intervals: int = 100,
    ) -> None:
        def number(value: Any) -> Array:
            return jnp.asarray(value, dtype=float)

        self.length, self.outer_radius, self.inner_radius = number(length), number(outer_radius), number(inner_radius)
        self.chamber_angles = number(chamber_angles)
        self.chamber_offset, self.chamber_radius = number(chamber_offset), number(chamber_radius)
        self.chamber_outer_radius = None if chamber_outer_radius is None else number(chamber_outer_radius)
        self.young, self.poisson, self.limit = number(young), number(poisson), number(limit)
        self.thread_angle, self.density, self.form_factor = number(thread_angle), number(density), number(form_factor)
        self.law = ExtensorLaw() if law is None else law
        self.intervals = intervals

    def __check_init__(self) -> None:
        if self.chamber_angles.ndim != 2:
            raise ValueError(
                "segment chamber_angles: expected a table (ports, chambers of each port) in rad; got the shape "
                f"{self.chamber_angles.shape}"
            )
        if self.intervals < 1:
            raise ValueError(f"segment intervals: expected at least 1; got {self.intervals}")
        if not any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(self)):
            # Numbers that are known are checked even where a segment is made inside a function being traced.
            with jax.ensure_compile_time_eval():
                self._check_numbers()

    def _check_numbers(self) -> None:
        for name in ("length", "outer_radius", "chamber_radius", "young", "form_factor"):
            _above_zero(f"segment {name}", float(getattr(self, name)))
        for name in ("inner_radius", "chamber_offset", "density"):
            if not float(getattr(self, name)) >= 0.0:
                raise ValueError(f"segment {name}: expected 0 or more; got {float(getattr(self, name)):g}")
        if not -1.0 < float(self.poisson) <= 0.5:
            raise ValueError(f"segment poisson: expected above -1 and up to 0.5; got {float(self.poisson):g}")
        inner, outer, radius = float(self.inner_radius), float(self.outer_radius), float(self.chamber_radius)
        low, high = float(self.chamber_offset) - radius, float(self.chamber_offset) + radius
        if low < inner * (1.0 - _ROUND_OFF) or high > outer * (1.0 + _ROUND_OFF):
            raise ValueError(
                f"segment chambers: they reach from {low * 1e3:.4g} to {high * 1e3:.4g} mm from the axis, outside the "
                f"wall, which is from {inner * 1e3:.4g} to {outer * 1e3:.4g} mm; move chamber_offset or shrink "
                "chamber_radius"
            )
        if not float(self.area) > 0.0:
            raise ValueError(
                f"segment chambers: {self.chamber_angles.size} of radius {radius * 1e3:.4g} mm leave no wall; take "
                "fewer or smaller ones"
            )
        if self.chamber_outer_radius is not None and not float(self.chamber_outer_radius) > radius:
            raise ValueError(
                f"segment chamber_outer_radius: expected above chamber_radius, {radius:g} m; got "
                f"{float(self.chamber_outer_radius):g} m"
            )
        check_extensor(self.law, self.numbers)

    @property
    def ports(self) -> int:
        return self.chamber_angles.shape[0]

    @property
    def numbers(self) -> ExtensorNumbers:
        return ExtensorNumbers(self.young, self.limit, self.thread_angle)

    @property
    def area(self) -> Array:
        """Area of the material in the section [m^2]."""
        holes = self.chamber_angles.size * self.chamber_radius**2
        return jnp.pi * (self.outer_radius**2 - self.inner_radius**2 - holes)

    @property
    def stiffness(self) -> Array:
        """(6,) of bending about x and y, twist, shear along x and y, and stretch as far as Hooke's law holds."""
        hole, shear = jnp.pi * self.chamber_radius**2, 0.5 * self.young / (1.0 + self.poisson)
        ring = 0.25 * jnp.pi * (self.outer_radius**4 - self.inner_radius**4)
        own = 0.25 * hole * self.chamber_radius**2 * self.chamber_angles.size
        x, y = self.chamber_offset * jnp.cos(self.chamber_angles), self.chamber_offset * jnp.sin(self.chamber_angles)
        about_x, about_y = ring - own - hole * jnp.sum(y**2), ring - own - hole * jnp.sum(x**2)
        across = shear * self.area / self.form_factor
        return jnp.stack(
            [
                self.young * about_x,
                self.young * about_y,
                shear * (about_x + about_y),
                across,
                across,
                self.young * self.wall_area,
            ]
        )

    @property
    def wall_area(self) -> Array:
        """Area of the walls that stretch, all chambers together [m^2]."""
        if self.chamber_outer_radius is None:
            return self.area
        return self.chamber_angles.size * jnp.pi * (self.chamber_outer_radius**2 - self.chamber_radius**2)

    def actuation(self, pressures: Array) -> Array:
        """(6,) moment and force [N m, N] of the pressures (ports,) [Pa] on every section, in its axes."""
        force = pressures[:, None] * jnp.pi * self.chamber_radius**2
        x, y = self.chamber_offset * jnp.cos(self.chamber_angles), self.chamber_offset * jnp.sin(self.chamber_angles)
        none = jnp.zeros(())
        total = jnp.sum(force) * self.chamber_angles.shape[1]
        return jnp.stack([jnp.sum(force * y), -jnp.sum(force * x), none, none, none, total])

    def wall_stress(self, pressures: Array, axial_force: Array) -> Array:
        """Stress [Pa] in the walls of every port (..., ports) under an axial force (...) [N] in the segment (Eq. 2)."""
        holes = self.chamber_angles.size * jnp.pi * self.chamber_radius**2
        pressed = pressures * holes / self.wall_area
        return pressed.reshape(*([1] * axial_force.ndim), -1) + (axial_force / self.wall_area)[..., None]

    def part(self, pressures: Array, axial_force: Array | None) -> tuple[Part, Array]:
        """Intervals for a sweep under the pressures, with the axial law linearised about the force (intervals,) in each
        of them (None: about none); and whether the material can carry them."""
        step, stiffness = self.length / self.intervals, self.stiffness
        none = jnp.zeros(())
        # Hooke's law is its own linearisation.
        linear = axial_force is None or self.law.material == "hooke"
        stress = self.wall_stress(pressures, none if linear or axial_force is None else axial_force)
        stretches, rate, valid = _linearised(self.law, stress, self.numbers)
        stretch = jnp.mean(stretches, axis=-1)
        slope = jnp.mean(rate, axis=-1) / self.wall_area
        rest = jnp.mean(jnp.atleast_1d(stretch))
        turn = self.actuation(pressures)[:3] / stiffness[:3]
        offset = step * jnp.stack([turn, jnp.stack([none, none, rest])])
        axial_compliance = jnp.mean(jnp.atleast_1d(slope))
        compliance = step * jnp.stack(
            [1.0 / stiffness[:3], jnp.concatenate([1.0 / stiffness[3:5], axial_compliance[None]])]
        )
        lever = 0.5 * step * rest * compliance[0]
        axial = None
        if not linear and axial_force is not None:
            axial = step * jnp.stack([stretch - slope * axial_force, slope], axis=-1)
        return Part(offset, compliance, lever, axial, self.intervals), jnp.all(valid)


class RigidPiece(eqx.Module):
    """A piece that does not deform, between segments or at an end. length [m]; mass [kg], spread evenly."""

    length: Array
    mass: Array

    def __init__(self, length: ArrayLike, mass: ArrayLike = 0.0) -> None:
        self.length, self.mass = jnp.asarray(length, dtype=float), jnp.asarray(mass, dtype=float)

    def __check_init__(self) -> None:
        if any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(self)):
            return
        _above_zero("rigid piece length", float(self.length))
        if not float(self.mass) >= 0.0:
            raise ValueError(f"rigid piece mass: expected 0 kg or more; got {float(self.mass):g}")

    def part(self) -> Part:
        nothing = jnp.zeros((2, 3))
        return Part(nothing.at[1, 2].set(self.length), nothing, jnp.zeros(3), None, 1)


def _linearised(law: ExtensorLaw, stress: Array, numbers: ExtensorNumbers) -> tuple[Array, Array, Array]:
    """Stretch, its derivative by the stress, and whether the law carries it."""

    def stretch(at: Array) -> tuple[Array, Array]:
        return extensor_stretch(law, at, numbers)

    value, rate, valid = jax.jvp(stretch, (stress,), (jnp.ones_like(stress),), has_aux=True)
    return value, rate, valid


def _above_zero(what: str, value: float) -> None:
    if not value > 0.0:
        raise ValueError(f"{what}: expected above 0; got {value:g}")
