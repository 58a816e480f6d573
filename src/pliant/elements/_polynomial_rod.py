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

from pliant.elements._rod_grid import Grid, at_collocation, integrated_poses, reference_at, reference_of
from pliant.elements._rod_model import RodModel, RodNumbers
from pliant.lie import quaternion, se3, so3
from pliant.mechanics import STRAINS
from pliant.numerics import gauss_legendre

# What each strain's coordinates are coefficients of.
_COMPONENTS = ("orientation_x", "orientation_y", "orientation_z", "position_x", "position_y", "position_z")

# Points beyond the order through which a curve is fitted.
_EXTRA_FIT_POINTS = 3


class UnloadedPose(NamedTuple):
    """base (3,): linear reference strain at the base; rest (n, 6): coefficients [orientation, position]."""

    base: Array
    rest: Array


@dataclasses.dataclass(frozen=True, kw_only=True)
class PolynomialRod(RodModel):
    """Static structure of a rod with a polynomial pose; its `strains` are a closed set: all six, those of a plane, the
    axial ones."""

    order: int
    orientation: str
    quadrature: int

    word = "rom"
    moves_poses = True

    @functools.cached_property
    def grid(self) -> Grid:
        return self.gauss_grid(self.quadrature)

    def coordinate_names(self) -> tuple[str, ...]:
        return tuple(f"{_COMPONENTS[strain]}[{i}]" for strain in self.strains for i in range(1, self.order + 1))

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

    def prepare(self, numbers: Mapping[str, Array]) -> RodNumbers:
        reference, length = reference_of(numbers), numbers["length"]
        base = reference_at(reference, np.zeros(()))[3:]
        at = self._fit_points
        rest = self._coefficients(length, base, tuple(at), _curve(length, reference, jnp.zeros(6), at))
        rest_strain = self._strains_of(length, base, rest, self.grid.end[0])
        return self.section_numbers(numbers, rest_strain)._replace(own=UnloadedPose(base, rest))

    def _coefficients(self, length: Array, base: Array, fractions: tuple[float, ...], poses: Array) -> Array:
        """(n, 6) that fit poses (K, 4, 4) at fractions > 0 best (Eq. 12); they interpolate when K = n."""
        at = np.asarray(fractions, dtype=float)
        held = quaternion.from_matrix(poses[:, :3, :3])
        vector = held[:, 1:] / held[:, :1] if self.orientation == "scaled" else held[:, 1:]
        beyond = poses[:, :3, 3] / length - jnp.asarray(at)[:, None] * base
        turning, moving = (jnp.asarray(np.linalg.pinv(powers)) for powers in self._powers(at))
        return jnp.concatenate([turning @ vector, moving @ beyond], axis=-1)

    def fit(self, prepared: RodNumbers, fractions: tuple[float, ...], poses: Array) -> Array:
        """q (nq,) of the rod that passes best through poses (K, 4, 4), base frame to the frames at K >= n fractions
        (Eq. 12)."""
        beyond = self._coefficients(prepared.length, prepared.own.base, fractions, poses) - prepared.own.rest
        return beyond[:, np.array(self.strains, dtype=int)].T.reshape(self.nq)

    def uniform_strain(self, prepared: RodNumbers, values: Mapping[str, Array]) -> Array:
        departure = jnp.stack([jnp.asarray(values.get(name, 0.0), dtype=float) for name in STRAINS])
        at = self._fit_points
        return self.fit(prepared, tuple(at), _curve(prepared.length, prepared.reference, departure, at))

    def _all(self, prepared: RodNumbers, q: Array) -> Array:
        """(n, 6) coefficients [orientation, position]."""
        selection = np.eye(6)[list(self.strains)].reshape(len(self.strains), 6)
        return prepared.own.rest + q.reshape(len(self.strains), self.order).T @ jnp.asarray(selection)

    def _quaternion(self, vector: Array) -> Array:
        """(K, 4), of any length."""
        square = so3.dot(vector, vector)[:, None]
        scalar = jnp.ones_like(square) if self.orientation == "scaled" else jnp.sqrt(1.0 - square)
        return jnp.concatenate([scalar, vector], axis=-1)

    def poses(self, prepared: RodNumbers, q: Array, fractions: tuple[float, ...]) -> Array:
        at = np.asarray(fractions, dtype=float)
        turning, moving = (jnp.asarray(powers) for powers in self._powers(at))
        coefficients = self._all(prepared, q)
        place = prepared.length * (jnp.asarray(at)[:, None] * prepared.own.base + moving @ coefficients[:, 3:])
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

    def strain(self, prepared: RodNumbers, q: Array, fractions: tuple[float, ...]) -> Array:
        at = np.asarray(fractions, dtype=float)
        return self._strains_of(prepared.length, prepared.own.base, self._all(prepared, q), at)


def _curve(length: Array, reference: tuple[Array, ...], departure: Array, fractions: np.ndarray) -> Array:
    """(K, 4, 4) poses at ascending fractions > 0 of a rod with its reference strain and a constant departure (6,)."""
    return integrated_poses(length, at_collocation(lambda at: reference_at(reference, at) + departure), fractions)
