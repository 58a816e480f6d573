"""The element contract: what `dynamics` needs to know of anything that has coordinates.

An element is static structure only (hashable, no arrays). Its numbers come in as a dict, `prepare` turns them once
per solve into whatever the other methods need, and everything after is a pure function of (prepared, q, v).
`poses`, `inertia_samples`, `energy` and `dissipation` are the physics; `rows` with its three companions and `force`
are closed forms of the same physics that the flattened recursion uses and that tests compare with automatic
differentiation. What only some elements have or do is a trait: a property with a default, so that nobody has to ask
which class an element is of.
"""

import abc
from collections.abc import Mapping
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.mechanics import RigidInertia

Prepared = Any
_TURNING = ("rate", "angular", "bend", "twist", "orientation")  # what names of velocities about an axis begin with


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


class OwnInertia(NamedTuple):
    """Blocks of M in the kinetic energy x^T M x / 2 of x = [twist of the element's base; its velocities].

    base: as if the element were rigid, in the frame of its base; coupling (6, nv): momentum at the base per unit of the
    velocities; own (nv, nv).
    """

    base: RigidInertia
    coupling: Array
    own: Array


def force_units(velocities: tuple[str, ...], turning: str, moving: str) -> tuple[str, ...]:
    """Units of the forces conjugate to velocities, whose names say whether they turn something or move it."""
    return tuple(turning if name.rpartition(".")[2].startswith(_TURNING) else moving for name in velocities)


class Element(abc.ABC):
    """See the module docstring. q has `nq` numbers, v has `nv`; frames run from fraction 0 (base) to 1 (tip)."""

    @property
    @abc.abstractmethod
    def nq(self) -> int: ...
    @property
    @abc.abstractmethod
    def nv(self) -> int: ...
    @property
    @abc.abstractmethod
    def segments(self) -> int:
        """P of `Rows`."""

    @property
    @abc.abstractmethod
    def rows_per_segment(self) -> int:
        """m of `Rows`."""

    @property
    @abc.abstractmethod
    def is_chain(self) -> bool:
        """Whether every segment hangs on the one before; otherwise all hang on the element's base."""

    @property
    @abc.abstractmethod
    def is_flat(self) -> bool:
        """Whether its coordinates are a vector space (`FlatCoordinates`)."""

    @abc.abstractmethod
    def row_of(self, fraction: float) -> tuple[int, int]:
        """(segment, row) whose end frame is the frame at `fraction` > 0."""

    @abc.abstractmethod
    def row_ends(self) -> tuple[float, ...]:
        """Fractions of the end frames of all rows, in their order."""

    @abc.abstractmethod
    def coordinate_names(self) -> tuple[str, ...]: ...
    @abc.abstractmethod
    def velocity_names(self) -> tuple[str, ...]: ...
    @abc.abstractmethod
    def neutral(self) -> np.ndarray:
        """q of the reference configuration."""

    @abc.abstractmethod
    def initial_state(self, prepared: Prepared, given: Mapping[str, Any]) -> tuple[Array, Array]:
        """q (nq,) and v (nv,) from what the robot file says of the link's start, by its words: numbers, `strain` and
        `strain_rate` by the name of the strain, `rotation` as a matrix (3, 3). What is not given is at rest."""

    @abc.abstractmethod
    def prepare(self, numbers: Mapping[str, Array]) -> Prepared: ...
    @abc.abstractmethod
    def poses(self, prepared: Prepared, q: Array, fractions: tuple[float, ...]) -> Array:
        """(K, 4, 4): base frame to the frames at K fractions."""

    @abc.abstractmethod
    def rate(self, q: Array, v: Array) -> Array:
        """qdot = N(q) v."""

    @abc.abstractmethod
    def integrate(self, q: Array, dv: Array) -> Array:
        """Move q along the constant velocity dv for unit time."""

    @abc.abstractmethod
    def difference(self, q1: Array, q0: Array) -> Array:
        """The dv that takes q0 to q1."""

    @abc.abstractmethod
    def inertia_samples(self, prepared: Prepared) -> tuple[tuple[float, ...], RigidInertia]:
        """Fractions and inertias (K,) whose sum is the element's kinetic energy."""

    @abc.abstractmethod
    def energy(self, prepared: Prepared, q: Array) -> Array:
        """Stored energy [J]."""

    @abc.abstractmethod
    def dissipation(self, prepared: Prepared, q: Array, v: Array) -> Array:
        """Rayleigh function [W]: its gradient by v is the damping force."""

    @abc.abstractmethod
    def rows(self, prepared: Prepared, q: Array) -> Rows: ...
    @abc.abstractmethod
    def relative(self, detail: Any, v: Array) -> Array:
        """(P, m, 6) body twist of each row's end frame relative to its start frame; linear in v (nv,)."""

    @abc.abstractmethod
    def drift(self, detail: Any, v: Array) -> Array | None:
        """(P, m, 6) rate of `relative` at constant v; None where it is always zero."""

    @abc.abstractmethod
    def subspace(self, detail: Any) -> Array:
        """(P, m, 6, w) `relative` as a matrix on the velocities of a row's own segment."""

    @abc.abstractmethod
    def row_inertia(self, prepared: Prepared) -> RigidInertia | None:
        """Inertia (P, m) at the end frames of the rows; None when the element has no mass."""

    @abc.abstractmethod
    def force(self, prepared: Prepared, q: Array, v: Array) -> Array:
        """Elastic plus damping force (nv,), opposing motion when it stands on the left of the equations."""

    @property
    def is_rod(self) -> bool:
        """Whether it is a `Rod`, with a section and strains along it."""
        return False

    @property
    def moves_poses(self) -> bool:
        """Whether its coordinates are poses instead of strains: a step of Newton's method that turns a part then also
        stretches it, and shall be short."""
        return False

    def coordinate_sizes(self, prepared: Prepared, q: Array) -> Array:
        """(nv,) sizes of the numbers behind each velocity: rounding errors of the configuration are a share of them.
        Where coordinates are no vector space, all of them stand behind each."""
        return jnp.abs(q) if self.is_flat else jnp.broadcast_to(jnp.max(jnp.abs(q), initial=0.0), (self.nv,))

    def largest_turn(self, prepared: Prepared, change: Array) -> Array:
        """() [rad]: by how much a change (nq,) of its coordinates turns the end of a row against its start, at most;
        zero where that cannot be many turns."""
        return jnp.zeros(())

    @property
    def has_own_inertia(self) -> bool:
        """Whether its kinetic energy is other than that of inertias at its rows, which are then empty."""
        return False

    def own_inertia(self, prepared: Prepared, q: Array) -> OwnInertia:
        """The kinetic energy of an element with an inertia of its own."""
        raise NotImplementedError

    def own_load(
        self, prepared: Prepared, q: Array, v: Array, a: Array | None, twist: Array, acceleration: Array
    ) -> tuple[Array, Array]:
        """Wrench (6,) on the base and force (nv,) on the coordinates that the motion asks for: a closed form of what
        follows from `own_inertia`. twist, acceleration (6,): of the base, in its frame."""
        raise NotImplementedError

    @property
    def has_limits(self) -> bool:
        """Whether there are configurations that it cannot have; `refuse_state` and `refuse_shape` then say which."""
        return False

    def refuse_state(self, link: str, prepared: Prepared, q: Array) -> None:
        """Raise a ValueError that names the link, the value and the bound where q is a configuration that the element
        cannot have."""
        raise NotImplementedError

    def refuse_shape(self, link: str, prepared: Prepared, q: Array) -> None:
        """The same where its equations do not hold. Stops give a little, so what is found in balance may lie beyond
        one of them, which `refuse_state` does not take as a start."""
        raise NotImplementedError

    @property
    def gap_count(self) -> int:
        """How many distances `gap` gives: of springs that act on one side only."""
        return 0

    def gap(self, prepared: Prepared, q: Array) -> Array:
        """(n,) distances [m or rad] at whose zeros a spring begins to act, positive before; steps land there."""
        raise NotImplementedError

    @property
    def tied_segments(self) -> np.ndarray:
        """(E, 2) segments between which forces of the element act although neither hangs on the other."""
        return np.zeros((0, 2), dtype=int)

    @property
    def drawn_edges(self) -> tuple[tuple[int, int], ...]:
        """Pairs of points of `positions` between which lines are drawn."""
        return ()

    def positions(self, prepared: Prepared, q: Array) -> Array:
        """(N, 3) the points that `drawn_edges` joins, in the element's frame."""
        raise NotImplementedError

    def force_units(self) -> tuple[str, ...]:
        """Units of the forces that are conjugate to the velocities."""
        return force_units(self.velocity_names(), "N m", "N")
