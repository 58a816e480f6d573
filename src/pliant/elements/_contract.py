"""The element contract: what `dynamics` needs to know of anything that has coordinates.

An element is static structure only (hashable, no arrays). Its numbers come in as a dict, `prepare` turns them once
per solve into whatever the other methods need, and everything after is a pure function of (prepared, q, v).
`poses`, `inertia_samples`, `energy` and `dissipation` are the physics; `rows` with its three companions and `force`
are closed forms of the same physics that the flattened recursion uses and that tests compare with automatic
differentiation.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from jax import Array

from pliant.elements._rod_grid import Grid
from pliant.mechanics import RigidInertia, SectionLaw

Prepared = Any


class Rows(NamedTuple):
    """One element as rows of the flattened tree: P segments of m rows, each segment with its own w velocities.

    rotation (P, m, 3, 3), translation (P, m, 3): a row's end frame in its start frame.
    detail: whatever `relative`, `drift` and `subspace` need of this configuration.
    """

    rotation: Array
    translation: Array
    detail: Any


class FlatCoordinates:
    """Coordinates that are a vector space: N is the identity and moving is adding."""

    is_flat = True

    def rate(self, q: Array, v: Array) -> Array:
        return v

    def integrate(self, q: Array, dv: Array) -> Array:
        return q + dv

    def difference(self, q1: Array, q0: Array) -> Array:
        return q1 - q0


class GridRows:
    """Rows that end at the nodes of a grid."""

    def row_ends(self) -> tuple[float, ...]:
        return tuple(float(end) for end in self.grid.end.ravel())  # type: ignore[attr-defined]


class StiffnessFields:
    """A rod whose prepared numbers hold its stiffness in fields of these names."""

    stiffness_fields: tuple[str, ...] = ("stiffness",)

    def with_stiffness(self, prepared: Any, other: Any, factor: Array) -> Any:
        return prepared._replace(**{name: factor * getattr(other, name) for name in self.stiffness_fields})


class OwnInertia(NamedTuple):
    """Blocks of M in the kinetic energy x^T M x / 2 of x = [twist of the element's base; its velocities].

    base: as if the element were rigid, in the frame of its base; coupling (6, nv): momentum at the base per unit of the
    velocities; own (nv, nv).
    """

    base: RigidInertia
    coupling: Array
    own: Array


@runtime_checkable
class OwnInertial(Protocol):
    """An element that may have a kinetic energy other than that of inertias at its rows, which are then empty."""

    @property
    def own(self) -> bool:
        """Whether it has."""
        ...

    def own_inertia(self, prepared: Prepared, q: Array) -> OwnInertia: ...
    def own_load(
        self, prepared: Prepared, q: Array, v: Array, a: Array | None, twist: Array, acceleration: Array
    ) -> tuple[Array, Array]:
        """Wrench (6,) on the base and force (nv,) on the coordinates that the motion asks for: a closed form of what
        follows from `own_inertia`. twist, acceleration (6,): of the base, in its frame."""
        ...


def has_own_inertia(element: object) -> bool:
    return isinstance(element, OwnInertial) and element.own


class Element(Protocol):
    """See the module docstring. q has `nq` numbers, v has `nv`; frames run from fraction 0 (base) to 1 (tip)."""

    @property
    def nq(self) -> int: ...
    @property
    def nv(self) -> int: ...
    @property
    def segments(self) -> int:
        """P of `Rows`."""
        ...

    @property
    def rows_per_segment(self) -> int:
        """m of `Rows`."""
        ...

    @property
    def hangs_together(self) -> bool:
        """Whether every segment hangs on the one before; otherwise all hang on the element's base."""
        ...

    @property
    def is_flat(self) -> bool:
        """Whether its coordinates are a vector space (`FlatCoordinates`)."""
        ...

    def row_of(self, fraction: float) -> tuple[int, int]:
        """(segment, row) whose end frame is the frame at `fraction` > 0."""
        ...

    def row_ends(self) -> tuple[float, ...]:
        """Fractions of the end frames of all rows, in their order."""
        ...

    def coordinate_names(self) -> tuple[str, ...]: ...
    def velocity_names(self) -> tuple[str, ...]: ...
    def neutral(self) -> np.ndarray:
        """q of the reference configuration."""
        ...

    def prepare(self, numbers: Mapping[str, Array]) -> Prepared: ...
    def poses(self, prepared: Prepared, q: Array, fractions: tuple[float, ...]) -> Array:
        """(K, 4, 4): base frame to the frames at K fractions."""
        ...

    def rate(self, q: Array, v: Array) -> Array:
        """qdot = N(q) v."""
        ...

    def integrate(self, q: Array, dv: Array) -> Array:
        """Move q along the constant velocity dv for unit time."""
        ...

    def difference(self, q1: Array, q0: Array) -> Array:
        """The dv that takes q0 to q1."""
        ...

    def inertia_samples(self, prepared: Prepared) -> tuple[tuple[float, ...], RigidInertia]:
        """Fractions and inertias (K,) whose sum is the element's kinetic energy."""
        ...

    def energy(self, prepared: Prepared, q: Array) -> Array:
        """Stored energy [J]."""
        ...

    def dissipation(self, prepared: Prepared, q: Array, v: Array) -> Array:
        """Rayleigh function [W]: its gradient by v is the damping force."""
        ...

    def rows(self, prepared: Prepared, q: Array) -> Rows: ...
    def relative(self, detail: Any, v: Array) -> Array:
        """(P, m, 6) body twist of each row's end frame relative to its start frame; linear in v (nv,)."""
        ...

    def drift(self, detail: Any, v: Array) -> Array | None:
        """(P, m, 6) rate of `relative` at constant v; None where it is always zero."""
        ...

    def subspace(self, detail: Any) -> Array:
        """(P, m, 6, w) `relative` as a matrix on the velocities of a row's own segment."""
        ...

    def row_inertia(self, prepared: Prepared) -> RigidInertia | None:
        """Inertia (P, m) at the end frames of the rows; None when the element has no mass."""
        ...

    def force(self, prepared: Prepared, q: Array, v: Array) -> Array:
        """Elastic plus damping force (nv,), opposing motion when it stands on the left of the equations."""
        ...


@runtime_checkable
class Rod(Element, Protocol):
    """An element along which tendons, chambers and distributed loads run: it has a section and strains everywhere.

    Strains are total ones, (..., 6) in the order of STRAINS.
    """

    @property
    def section(self) -> SectionLaw: ...
    @property
    def grid(self) -> Grid:
        """Where the rows end, and which part of the rod the strain there stands for."""
        ...

    def span_weights(self, low: float, high: float) -> np.ndarray:
        """(P, m) part of the rod between two fractions that each row carries: of a distributed load."""
        ...

    def strain_weights(self, low: float, high: float) -> np.ndarray:
        """(P, m) part of the rod between two fractions that the strain at each row's end stands for."""
        ...

    def strain(self, prepared: Prepared, q: Array, fractions: tuple[float, ...]) -> Array:
        """(K, 6) at fractions of the rod."""
        ...

    def row_strains(self, prepared: Prepared, q: Array) -> Array:
        """(P, m, 6) at the ends of the rows."""
        ...

    def strain_forces(self, prepared: Prepared, q: Array, stress: Array) -> Array:
        """(nv,) generalised force of what is conjugate (P, m, 6) to `row_strains`."""
        ...

    def with_stiffness(self, prepared: Prepared, other: Prepared, factor: Array) -> Prepared:
        """The numbers with the stiffness of another such rod, times a factor."""
        ...

    def uniform_strain(self, prepared: Prepared, values: Mapping[str, Array]) -> Array:
        """q (nq,) closest to constant departures, given by name, from the reference strains."""
        ...
