"""A rod whose pose is a polynomial of the arclength: the reduced-order model (ROM) of TMTDyn, Eqs. 10 to 16.

With the fraction x = s / L the position is L (nu_0 x + sum_i c_i x^(i+1)) and the vector part of the orientation's
quaternion sum_i d_i x^i, i = 1 .. n; TMTDyn's coefficients of s are c_i / L^i and d_i / L^i. nu_0 is the linear strain
of the unloaded rod at its base (its S_0 for a straight one): the base neither shears nor stretches. The coordinates q
are departures of the coefficients from those that fit the unloaded rod best, and the rod is free of stress there
(chi_b0 = chi_b(q_0), after Eq. 36).

Orientation "scaled": Q = [1, polynomial], normalised. "unit": Q = [sqrt(1 - |polynomial|^2), polynomial]. Both end at
half a turn between base and tip.
"""

import dataclasses
import functools
from collections.abc import Mapping
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.elements._contract import GridRows, StiffnessFields
from pliant.elements._posed_rows import PosedRows
from pliant.elements._rod_grid import (
    Grid,
    find_row,
    gauss_rows,
    gauss_weights,
    lumps,
    node_numbers,
    padded_grid,
    reference_at,
    reference_of,
)
from pliant.lie import magnus4, quaternion, se3, so3
from pliant.mechanics import (
    STRAINS,
    FibreNumbers,
    RigidInertia,
    SectionLaw,
    power_law,
    power_law_dissipation,
    section_energy,
    section_stress,
)
from pliant.numerics import gauss_legendre

# What each strain's coordinates are coefficients of.
_COMPONENTS = ("orientation_x", "orientation_y", "orientation_z", "position_x", "position_y", "position_z")

# Points beyond the order through which a curve is fitted.
_EXTRA_FIT_POINTS = 3
_COLLOCATION = np.sqrt(3.0) / 6.0  # offset of Gauss' two points from the middle of a unit interval


class PreparedPolynomial(NamedTuple):
    """Numbers of a rod, computed once per solve."""

    length: Array
    reference: tuple[Array, ...]  # six values, each () or (2,)
    base: Array  # (3,) linear reference strain at the base
    rest: Array  # (n, 6) coefficients [orientation, position] of the unloaded rod
    rest_strain: Array  # (m, 6) at the nodes
    stiffness: Array  # (m, 6) weight times length times section stiffness at the nodes
    damping: Array
    power: Array | None  # of the damping law; None: linear
    fibres: FibreNumbers | None  # of a hyperelastic material; None: Hooke's law
    inertia: RigidInertia  # (1, m)


@dataclasses.dataclass(frozen=True)
class PolynomialRod(PosedRows, GridRows, StiffnessFields):
    """Static structure of a rod with a polynomial pose.

    strains: indices (into STRAINS) of the strains it may have, a closed set: all six, those of a plane, the axial ones;
    breaks: fractions where distributed loads begin or end; attachments: fractions where something hangs.
    """

    section: SectionLaw
    strains: tuple[int, ...]
    order: int
    orientation: str
    quadrature: int
    attachments: tuple[float, ...] = ()
    breaks: tuple[float, ...] = ()

    @property
    def nq(self) -> int:
        return len(self.strains) * self.order

    @property
    def nv(self) -> int:
        return self.nq

    @functools.cached_property
    def grid(self) -> Grid:  # type: ignore[override]
        return padded_grid([gauss_rows(0.0, 1.0, set(self.breaks), self.attachments, self.quadrature)])

    def row_of(self, fraction: float) -> tuple[int, int]:
        return find_row(self.grid, fraction)

    def span_weights(self, low: float, high: float) -> np.ndarray:
        """(1, m) part of the rod between two breaks that each row carries."""
        return gauss_weights(self.grid, low, high)

    def strain_weights(self, low: float, high: float) -> np.ndarray:
        """(1, m) part of the rod between two breaks that the strain at each row's end stands for."""
        return gauss_weights(self.grid, low, high)

    def coordinate_names(self) -> tuple[str, ...]:
        return tuple(f"{_COMPONENTS[strain]}[{i}]" for strain in self.strains for i in range(1, self.order + 1))

    def velocity_names(self) -> tuple[str, ...]:
        return self.coordinate_names()

    def neutral(self) -> np.ndarray:
        return np.zeros(self.nq)

    @functools.cached_property
    def _exponents(self) -> np.ndarray:
        return np.arange(1, self.order + 1)

    def _powers(self, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(K, n) of the orientation and of the position."""
        return at[:, None] ** self._exponents, at[:, None] ** (self._exponents + 1)

    def _slopes(self, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(K, n) derivatives of the powers by the fraction."""
        i = self._exponents
        return i * at[:, None] ** (i - 1), (i + 1) * at[:, None] ** i

    @functools.cached_property
    def _fit_points(self) -> np.ndarray:
        return gauss_legendre(self.order + _EXTRA_FIT_POINTS)[0]

    def prepare(self, numbers: Mapping[str, Array]) -> PreparedPolynomial:
        reference = reference_of(numbers)
        length = numbers["length"]
        base = reference_at(reference, np.zeros(()))[3:]
        at = self._fit_points
        curve = _curve(length, reference, jnp.zeros(6), at)
        rest = self._coefficients(length, base, tuple(at), curve)
        nodes = self.grid.end[0]
        stiffness, damping, inertia = node_numbers(self.section, numbers, self.grid)
        rest_strain = self._strains_of(length, base, rest, nodes)
        return PreparedPolynomial(
            length=length,
            reference=reference,
            base=base,
            rest=rest,
            rest_strain=rest_strain,
            stiffness=stiffness[0],
            damping=damping[0],
            power=numbers.get("damping_power"),
            fibres=self.section.fibres(numbers, rest_strain[:, 5]),
            inertia=inertia,
        )

    def _coefficients(self, length: Array, base: Array, fractions: tuple[float, ...], poses: Array) -> Array:
        """(n, 6) that fit poses (K, 4, 4) at fractions > 0 best (Eq. 12); they interpolate when K = n."""
        at = np.asarray(fractions, dtype=float)
        held = quaternion.from_matrix(poses[:, :3, :3])
        vector = held[:, 1:] / held[:, :1] if self.orientation == "scaled" else held[:, 1:]
        beyond = poses[:, :3, 3] / length - jnp.asarray(at)[:, None] * base
        turning, moving = (jnp.asarray(np.linalg.pinv(powers)) for powers in self._powers(at))
        return jnp.concatenate([turning @ vector, moving @ beyond], axis=-1)

    def fit(self, prepared: PreparedPolynomial, fractions: tuple[float, ...], poses: Array) -> Array:
        """q (nq,) of the rod that passes best through poses (K, 4, 4), base frame to the frames at K >= n fractions
        (Eq. 12)."""
        beyond = self._coefficients(prepared.length, prepared.base, fractions, poses) - prepared.rest
        return beyond[:, np.array(self.strains, dtype=int)].T.reshape(self.nq)

    def uniform_strain(self, prepared: PreparedPolynomial, values: Mapping[str, Array]) -> Array:
        """q (nq,) closest to constant strains given by name, beyond the reference."""
        departure = jnp.stack([jnp.asarray(values.get(name, 0.0), dtype=float) for name in STRAINS])
        at = self._fit_points
        return self.fit(prepared, tuple(at), _curve(prepared.length, prepared.reference, departure, at))

    def _all(self, prepared: PreparedPolynomial, q: Array) -> Array:
        """(n, 6) coefficients [orientation, position]."""
        selection = np.eye(6)[list(self.strains)].reshape(len(self.strains), 6)
        return prepared.rest + q.reshape(len(self.strains), self.order).T @ jnp.asarray(selection)

    def _quaternion(self, vector: Array) -> Array:
        """(K, 4), of any length."""
        square = so3.dot(vector, vector)[:, None]
        scalar = jnp.ones_like(square) if self.orientation == "scaled" else jnp.sqrt(1.0 - square)
        return jnp.concatenate([scalar, vector], axis=-1)

    def poses(self, prepared: PreparedPolynomial, q: Array, fractions: tuple[float, ...]) -> Array:
        at = np.asarray(fractions, dtype=float)
        turning, moving = (jnp.asarray(powers) for powers in self._powers(at))
        coefficients = self._all(prepared, q)
        place = prepared.length * (jnp.asarray(at)[:, None] * prepared.base + moving @ coefficients[:, 3:])
        turn = quaternion.to_matrix(self._quaternion(turning @ coefficients[:, :3]))
        return se3.from_rotation_translation(turn, place)

    def _strains_of(self, length: Array, base: Array, coefficients: Array, at: np.ndarray) -> Array:
        """(K, 6) total strain at fractions (Eq. 13, with the stretch counted from zero)."""
        turning = jnp.asarray(self._powers(at)[0])
        turning_slope, moving_slope = (jnp.asarray(slopes) for slopes in self._slopes(at))
        held, slope = jax.jvp(
            self._quaternion, (turning @ coefficients[:, :3],), (turning_slope @ coefficients[:, :3],)
        )
        product = quaternion.multiply(quaternion.conjugate(held), slope)[:, 1:]
        curvature = 2.0 * product / (length * jnp.sum(held * held, axis=-1, keepdims=True))
        tangent = base + moving_slope @ coefficients[:, 3:]
        linear = jnp.sum(quaternion.to_matrix(held) * tangent[:, :, None], axis=-2)
        return jnp.concatenate([curvature, linear], axis=-1)

    def strain(self, prepared: PreparedPolynomial, q: Array, fractions: tuple[float, ...]) -> Array:
        """(K, 6) total strain at fractions of the rod."""
        at = np.asarray(fractions, dtype=float)
        return self._strains_of(prepared.length, prepared.base, self._all(prepared, q), at)

    def _node_strains(self, prepared: PreparedPolynomial, q: Array) -> Array:
        return self._strains_of(prepared.length, prepared.base, self._all(prepared, q), self.grid.end[0])

    def row_strains(self, prepared: PreparedPolynomial, q: Array) -> Array:
        """(1, m, 6) total strain at the ends of the rows."""
        return self._node_strains(prepared, q)[None]

    def strain_forces(self, prepared: PreparedPolynomial, q: Array, stress: Array) -> Array:
        """(nv,) generalised force of what is conjugate (1, m, 6) to the strain at the ends of the rows."""
        return jax.vjp(lambda q: self._node_strains(prepared, q), q)[1](stress[0])[0]

    def inertia_samples(self, prepared: PreparedPolynomial) -> tuple[tuple[float, ...], RigidInertia]:
        return lumps(self.grid, prepared.inertia)

    def row_inertia(self, prepared: PreparedPolynomial) -> RigidInertia:
        return prepared.inertia

    def energy(self, prepared: PreparedPolynomial, q: Array) -> Array:
        departure = self._node_strains(prepared, q) - prepared.rest_strain
        return section_energy(self.section.law, prepared.stiffness, departure, prepared.fibres)

    def _strain_rates(self, prepared: PreparedPolynomial, q: Array, v: Array) -> Array:
        return jax.jvp(lambda q: self._node_strains(prepared, q), (q,), (v,))[1]

    def dissipation(self, prepared: PreparedPolynomial, q: Array, v: Array) -> Array:
        return jnp.sum(power_law_dissipation(prepared.damping, self._strain_rates(prepared, q, v), prepared.power))

    def force(self, prepared: PreparedPolynomial, q: Array, v: Array) -> Array:
        strain, pullback = jax.vjp(lambda q: self._node_strains(prepared, q), q)
        damping = power_law(prepared.damping, self._strain_rates(prepared, q, v), prepared.power)
        departure = strain - prepared.rest_strain
        return pullback(section_stress(self.section.law, prepared.stiffness, departure, prepared.fibres) + damping)[0]


def _curve(length: Array, reference: tuple[Array, ...], departure: Array, fractions: np.ndarray) -> Array:
    """(K, 4, 4) poses at ascending fractions > 0 of a rod with its reference strain and a constant departure (6,)."""
    starts = np.concatenate([[0.0], fractions[:-1]])
    middle, width = 0.5 * (starts + fractions), fractions - starts
    strains = [reference_at(reference, middle + side * _COLLOCATION * width) + departure for side in (-1.0, 1.0)]
    steps = se3.exp(magnus4(length * jnp.asarray(width), *strains))

    def advance(pose: Array, step: Array) -> tuple[Array, Array]:
        moved = pose @ step
        return moved, moved

    return jax.lax.scan(advance, jnp.eye(4), steps)[1]
