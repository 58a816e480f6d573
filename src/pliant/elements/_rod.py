"""The contract of rods: elements along which tendons, chambers and distributed loads run."""

import abc
from collections.abc import Mapping
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.elements._contract import Element, Prepared
from pliant.elements._rod_grid import Grid, find_row, gauss_weights, lumps
from pliant.mechanics import RigidInertia, SectionLaw


class Rod(Element):
    """An element with a section and strains everywhere; strains are total ones, (..., 6) in the order of STRAINS.

    What follows from the grid, and from prepared numbers with the fields `inertia` and `stiffness`, is written here;
    a rod whose rows or numbers are others says so by its own methods.
    """

    is_rod = True
    section: SectionLaw
    stiffness_fields: ClassVar[tuple[str, ...]] = ("stiffness",)  # those of the prepared numbers

    @property
    @abc.abstractmethod
    def grid(self) -> Grid:
        """Where the rows end, and which part of the rod the strain there stands for."""

    @abc.abstractmethod
    def strain(self, prepared: Prepared, q: Array, fractions: tuple[float, ...]) -> Array:
        """(K, 6) total strain at fractions of the rod."""

    @abc.abstractmethod
    def row_strains(self, prepared: Prepared, q: Array) -> Array:
        """(P, m, 6) total strain at the ends of the rows."""

    @abc.abstractmethod
    def strain_forces(self, prepared: Prepared, q: Array, stress: Array) -> Array:
        """(nv,) generalised force of what is conjugate (P, m, 6) to `row_strains`."""

    @abc.abstractmethod
    def uniform_strain(self, prepared: Prepared, values: Mapping[str, Array]) -> Array:
        """q (nq,) closest to constant departures, given by name, from the reference strains."""

    @property
    def nv(self) -> int:
        return self.nq

    @property
    def rows_per_segment(self) -> int:
        return self.grid.end.shape[1]

    def row_of(self, fraction: float) -> tuple[int, int]:
        return find_row(self.grid, fraction)

    def row_ends(self) -> tuple[float, ...]:
        return tuple(float(end) for end in self.grid.end.ravel())

    def span_weights(self, low: float, high: float) -> np.ndarray:
        """(P, m) part of the rod between two fractions that each row carries: of a distributed load."""
        return gauss_weights(self.grid, low, high)

    def strain_weights(self, low: float, high: float) -> np.ndarray:
        """(P, m) part of the rod between two fractions that the strain at each row's end stands for."""
        return gauss_weights(self.grid, low, high)

    def velocity_names(self) -> tuple[str, ...]:
        return self.coordinate_names()

    def neutral(self) -> np.ndarray:
        return np.zeros(self.nq)

    def initial_state(self, prepared: Prepared, given: Mapping[str, Any]) -> tuple[Array, Array]:
        """Coordinates of uniform strain, and velocities at a uniform strain rate."""
        strain, rate = given["strain"], given["strain_rate"]
        start = self.uniform_strain(prepared, strain)

        def moved(time: Array) -> Array:
            later = {name: strain.get(name, 0.0) + time * rate.get(name, 0.0) for name in {**strain, **rate}}
            return self.difference(self.uniform_strain(prepared, later), start)

        return start, jax.jvp(moved, (jnp.zeros(()),), (jnp.ones(()),))[1]

    def inertia_samples(self, prepared: Prepared) -> tuple[tuple[float, ...], RigidInertia]:
        return lumps(self.grid, prepared.inertia)

    def row_inertia(self, prepared: Prepared) -> RigidInertia | None:
        return prepared.inertia

    def with_stiffness(self, prepared: Prepared, other: Prepared, factor: Array) -> Prepared:
        """The numbers with the stiffness of another such rod, times a factor."""
        return prepared._replace(**{name: factor * getattr(other, name) for name in self.stiffness_fields})
