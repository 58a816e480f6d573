"""A rod whose coordinates are its strains: geometric variable strain, with piecewise constant strain as order zero.

The strain is xi(s) = reference(s) + B(s) q on each of the rod's equal pieces (SoRoSim Eq. 3); poses follow from the
Magnus expansion of fourth order between consecutive nodes, from the mean and the first moment of the strain there.
Nodes are the Gauss points that carry inertia and stiffness, the fractions where something is attached, and the ends of
the pieces.
"""

import dataclasses
import functools
from collections.abc import Mapping
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.elements._contract import FlatCoordinates, Rows, force_units
from pliant.elements._rod import Rod
from pliant.elements._rod_grid import (
    Grid,
    collocation,
    gauss_rows,
    moment_basis,
    node_numbers,
    padded_grid,
    poses_from_strain,
    reference_at,
    reference_of,
)
from pliant.lie import magnus2, magnus4, magnus4_bracket, magnus4_derivative, se3
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
from pliant.numerics import Basis, gauss_legendre


class PreparedRod(NamedTuple):
    """Numbers of a rod, computed once per solve."""

    length: Array
    reference: tuple[Array, ...]  # six values, each () or (2,)
    reference_first: Array  # (P, m, 6) at the collocation points of the rows
    reference_second: Array
    stiffness: Array  # (P, m, 6) weight times length times section stiffness at the nodes
    damping: Array
    inertia: RigidInertia  # (P, m)
    stiffness_matrix: Array  # (P, w, w)
    damping_matrix: Array
    power: Array | None  # of the damping law; None: linear
    fibres: FibreNumbers | None  # of a hyperelastic material; None: Hooke's law


class RodDetail(NamedTuple):
    """Rows of a rod in one configuration: length, the two strains of a Magnus step (second is None for a constant
    strain), Magnus exponent, its body Jacobian and the coefficients of their closed forms."""

    h: Array  # (P, m)
    first: Array  # (P, m, 6)
    second: Array | None
    exponent: Array
    dexp: Array  # (P, m, 6, 6)
    coefficients: tuple[Array, ...]  # each (P, m)


@dataclasses.dataclass(frozen=True)
class StrainRod(FlatCoordinates, Rod):
    """Static structure of a strain-parametrised rod.

    strains: indices (into STRAINS) of the strains it may have; bases: one per such strain, on a piece's own [0, 1];
    breaks: fractions where distributed loads begin or end; attachments: fractions where something hangs.
    """

    section: SectionLaw
    strains: tuple[int, ...]
    bases: tuple[Basis, ...]
    pieces: int
    quadrature: int
    uniform: bool  # constant strain on each piece: the Magnus expansion is exact with one point
    attachments: tuple[float, ...] = ()
    breaks: tuple[float, ...] = ()

    is_chain = True
    stiffness_fields = ("stiffness", "stiffness_matrix")

    @property
    def width(self) -> int:
        """Velocities per piece."""
        return sum(basis.count for basis in self.bases)

    @property
    def nq(self) -> int:
        return self.pieces * self.width

    @property
    def segments(self) -> int:
        return self.pieces

    @functools.cached_property
    def grid(self) -> Grid:
        return padded_grid([self._piece_rows(piece) for piece in range(self.pieces)])

    def _piece_rows(self, piece: int) -> tuple[list[float], list[float]]:
        """End fractions and Gauss weights of the rows of one piece."""
        low, high = piece / self.pieces, (piece + 1) / self.pieces
        inner = {low + (high - low) * b for basis in self.bases for b in basis.breaks} | set(self.breaks)
        return gauss_rows(low, high, inner, self.attachments, self.quadrature)

    def basis_matrix(self, fraction: np.ndarray, piece: np.ndarray) -> np.ndarray:
        """(..., 6, w) strain basis at fractions of the rod that lie in the given pieces."""
        local = np.clip(fraction * self.pieces - piece, 0.0, 1.0)
        matrix = np.zeros((*fraction.shape, 6, self.width))
        column = 0
        for strain, basis in zip(self.strains, self.bases, strict=True):
            values = basis.evaluate(local.ravel()).reshape(*fraction.shape, basis.count)
            matrix[..., strain, column : column + basis.count] = values
            column += basis.count
        return matrix

    @functools.cached_property
    def _piece_index(self) -> np.ndarray:
        return np.broadcast_to(np.arange(self.pieces)[:, None], self.grid.end.shape)

    @functools.cached_property
    def node_basis(self) -> np.ndarray:
        """(P, m, 6, w) at the nodes."""
        return self.basis_matrix(self.grid.end, self._piece_index)

    @functools.cached_property
    def _row_basis(self) -> tuple[np.ndarray, np.ndarray]:
        if self.uniform:
            return self.node_basis, self.node_basis
        return self._moments(self.grid.start, self.grid.end, self._piece_index)

    def _moments(self, start: np.ndarray, end: np.ndarray, piece: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(..., 6, w) twice: the strain basis in intervals that lie in the given pieces, as a Magnus step needs it."""
        return moment_basis(lambda at: self.basis_matrix(at, np.broadcast_to(piece[..., None], at.shape)), start, end)

    def coordinate_names(self) -> tuple[str, ...]:
        names = [
            f"{STRAINS[strain]}[{i}]"
            for strain, basis in zip(self.strains, self.bases, strict=True)
            for i in range(basis.count)
        ]
        if self.pieces == 1:
            return tuple(names)
        return tuple(f"piece{piece}.{name}" for piece in range(self.pieces) for name in names)

    def force_units(self) -> tuple[str, ...]:
        """Coordinates are strains: curvatures [1/m] and numbers."""
        return force_units(self.velocity_names(), "N m^2", "N m")

    def uniform_strain(self, prepared: PreparedRod, values: Mapping[str, Array]) -> Array:
        """Closest in the least-squares sense."""
        if not self.strains:
            return jnp.zeros(0)
        nodes, _ = gauss_legendre(max(self.quadrature, 2))
        columns = []
        for strain, basis in zip(self.strains, self.bases, strict=True):
            value = values.get(STRAINS[strain], jnp.zeros(()))
            weights = np.linalg.lstsq(basis.evaluate(nodes), np.ones(len(nodes)), rcond=None)[0]
            columns.append(value * jnp.asarray(weights))
        return jnp.tile(jnp.concatenate(columns), self.pieces)

    def prepare(self, numbers: Mapping[str, Array]) -> PreparedRod:
        grid = self.grid
        reference = reference_of(numbers)
        first, second = collocation(grid.start, grid.end)
        stiffness, damping, inertia = node_numbers(self.section, numbers, grid)
        basis = jnp.asarray(self.node_basis)
        return PreparedRod(
            length=numbers["length"],
            reference=reference,
            reference_first=reference_at(reference, first),
            reference_second=reference_at(reference, second),
            stiffness=stiffness,
            damping=damping,
            inertia=inertia,
            stiffness_matrix=jnp.einsum("pmia,pmi,pmib->pab", basis, stiffness, basis),
            damping_matrix=jnp.einsum("pmia,pmi,pmib->pab", basis, damping, basis),
            power=numbers.get("damping_power"),
            fibres=self.section.fibres(numbers, reference_at(reference, grid.end)[..., 5]),
        )

    def strain(self, prepared: PreparedRod, q: Array, fractions: tuple[float, ...]) -> Array:
        return self._strain_at(prepared, q, np.asarray(fractions, dtype=float))

    def _strain_at(self, prepared: PreparedRod, q: Array, at: np.ndarray) -> Array:
        piece = np.minimum((at * self.pieces).astype(int), self.pieces - 1)
        departure = jnp.einsum(
            "kij,kj->ki", jnp.asarray(self.basis_matrix(at, piece)), q.reshape(self.pieces, self.width)[piece]
        )
        return departure + reference_at(prepared.reference, at)

    def poses(self, prepared: PreparedRod, q: Array, fractions: tuple[float, ...]) -> Array:
        def strains(start: np.ndarray, end: np.ndarray) -> tuple[Array, Array]:
            piece = np.minimum((0.5 * (start + end) * self.pieces).astype(int), self.pieces - 1)
            own = q.reshape(self.pieces, self.width)[piece]
            places = zip(self._moments(start, end, piece), collocation(start, end), strict=True)
            first, second = (
                jnp.einsum("kij,kj->ki", jnp.asarray(basis), own) + reference_at(prepared.reference, at)
                for basis, at in places
            )
            return first, second

        return poses_from_strain(self.grid, prepared.length, strains, fractions)

    def _departure(self, q: Array) -> Array:
        """(P, m, 6) strain at the nodes less the reference strain."""
        return jnp.einsum("pmij,pj->pmi", jnp.asarray(self.node_basis), q.reshape(self.pieces, self.width))

    def row_strains(self, prepared: PreparedRod, q: Array) -> Array:
        return self._departure(q) + reference_at(prepared.reference, self.grid.end)

    def strain_forces(self, prepared: PreparedRod, q: Array, stress: Array) -> Array:
        return self._on_coordinates(stress)

    def _on_coordinates(self, stress: Array) -> Array:
        return jnp.einsum("pmiw,pmi->pw", jnp.asarray(self.node_basis), stress).reshape(self.nv)

    def energy(self, prepared: PreparedRod, q: Array) -> Array:
        return section_energy(self.section.law, prepared.stiffness, self._departure(q), prepared.fibres)

    def dissipation(self, prepared: PreparedRod, q: Array, v: Array) -> Array:
        return jnp.sum(power_law_dissipation(prepared.damping, self._departure(v), prepared.power))

    def force(self, prepared: PreparedRod, q: Array, v: Array) -> Array:
        by_piece = (self.pieces, self.width)
        if prepared.fibres is None:
            elastic = jnp.einsum("pab,pb->pa", prepared.stiffness_matrix, q.reshape(by_piece))
        else:
            stress = section_stress(self.section.law, prepared.stiffness, self._departure(q), prepared.fibres)
            elastic = self._on_coordinates(stress).reshape(by_piece)
        if prepared.power is not None:
            stress = power_law(prepared.damping, self._departure(v), prepared.power)
            return elastic.reshape(self.nv) + self._on_coordinates(stress)
        damping = jnp.einsum("pab,pb->pa", prepared.damping_matrix, v.reshape(by_piece))
        return (elastic + damping).reshape(self.nv)

    def rows(self, prepared: PreparedRod, q: Array) -> Rows:
        h = prepared.length * jnp.asarray(self.grid.end - self.grid.start)
        first = self._at_first(q) + prepared.reference_first
        if self.uniform:
            second, exponent = None, magnus2(h, first)
        else:
            second = self._at_second(q) + prepared.reference_second
            exponent = magnus4(h, first, second)
        coefficients = se3.coefficients(exponent)
        pose, dexp = se3.exp_and_dexp(exponent, coefficients)
        detail = RodDetail(h, first, second, exponent, dexp, coefficients)
        return Rows(pose[..., :3, :3], pose[..., :3, 3], detail)

    def largest_turn(self, prepared: PreparedRod, change: Array) -> Array:
        h = prepared.length * jnp.asarray(self.grid.end - self.grid.start)
        return jnp.max(jnp.abs(h[..., None] * self._at_first(change)[..., :3]), initial=0.0)

    def _at_first(self, q: Array) -> Array:
        """(P, m, 6) basis times coordinates: the first of the two strains of each Magnus step."""
        return jnp.einsum("pmij,pj->pmi", jnp.asarray(self._row_basis[0]), q.reshape(self.pieces, self.width))

    def _at_second(self, q: Array) -> Array:
        return jnp.einsum("pmij,pj->pmi", jnp.asarray(self._row_basis[1]), q.reshape(self.pieces, self.width))

    def _exponent_rate(self, detail: RodDetail, v: Array) -> Array:
        """(P, m, 6) rate of the Magnus exponent."""
        first = self._at_first(v)
        if detail.second is None:
            return magnus2(detail.h, first)
        second = self._at_second(v)
        # Omega is linear in the strains but for the bracket, which is linear in each of them.
        plain = magnus2(detail.h, 0.5 * (first + second))
        return plain + magnus4_bracket(detail.h, detail.first, second) + magnus4_bracket(detail.h, first, detail.second)

    def relative(self, detail: RodDetail, v: Array) -> Array:
        return jnp.einsum("pmij,pmj->pmi", detail.dexp, self._exponent_rate(detail, v))

    def drift(self, detail: RodDetail, v: Array) -> Array:
        rate = self._exponent_rate(detail, v)
        drift = se3.dexp_dot_along(detail.exponent, rate, detail.coefficients)
        if detail.second is None:
            return drift
        # The exponent is quadratic in the strain: its second rate at constant v is twice the bracket.
        first, second = self._at_first(v), self._at_second(v)
        return drift + jnp.einsum("pmij,pmj->pmi", detail.dexp, 2.0 * magnus4_bracket(detail.h, first, second))

    def subspace(self, detail: RodDetail) -> Array:
        first, second = (jnp.asarray(basis) for basis in self._row_basis)
        if detail.second is None:
            exponent_motion = detail.h[..., None, None] * first
        else:
            exponent_motion = magnus4_derivative(detail.h, detail.first, detail.second, first, second)
        return jnp.einsum("pmij,pmjw->pmiw", detail.dexp, exponent_motion)
