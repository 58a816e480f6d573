"""Nodes that move by themselves, tied to each other by springs or beams: what a rod with absolute states (EBA) and a
mesh have in common.

A node is a lump of mass with its own pose (or, in a net of strings, its own position) in the net's frame: coordinates
are absolute, so the mass matrix is block-diagonal and every force is between two neighbours (TMTDyn Eqs. 7, 36).
Coordinates count from the unloaded net: q is a quaternion and a position in the node's rest frame, v the node's body
twist.
"""

import abc
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.elements._contract import Element, Rows
from pliant.elements._joints import Free
from pliant.lie import quaternion, so3
from pliant.mechanics import (
    FibreNumbers,
    RigidInertia,
    beam_deformation,
    distance,
    power_law,
    power_law_dissipation,
    where_active,
)
from pliant.numerics import apply, multiply

_FREE = Free()
_TWIST = ("angular_x", "angular_y", "angular_z", "linear_x", "linear_y", "linear_z")
_POINT = (3, 4, 5)


class PreparedNet(NamedTuple):
    """Numbers of a net of N nodes (the ones that never move first) and E edges with c components (6 or 1)."""

    turn: Array  # (N, 3, 3) and
    place: Array  # (N, 3): the unloaded net in its own frame
    first_axes: Array  # (E, 3, 3) axes of an edge in the frames of its two nodes; beams only
    second_axes: Array
    stiffness: Array  # (E, c)
    damping: Array
    power: Array | None  # () or (c,); None: linear damping
    rest: Array  # (E, c)
    inertia: RigidInertia  # (P, m) of the rows
    beyond: Array  # (P, m) how far along its node's z a row's end lies from the row before [m]
    length: Array  # (E,) of the unloaded edges
    reference: Array  # (E, 6) strain of the unloaded edges, zero where they are not parts of a rod
    fibres: FibreNumbers | None = None  # of a hyperelastic rod; None: Hooke's law


class NetLayout(NamedTuple):
    """Edges as index arrays (E,) into the nodes, the fixed ones first."""

    first: np.ndarray
    second: np.ndarray


class Net(Element):
    """Static side of a net, a frozen dataclass in its subclasses.

    kind: of the edges, "beam" or "axial"; middle: see `beam_deformation`; acts: see `where_active`; freedom: indices of
    a node's twist that are its velocities.
    """

    kind: str
    middle: bool
    acts: tuple[int, ...]

    is_chain = False  # every segment hangs on the net's frame, none on the segment before
    is_flat = False
    moves_poses = True

    @property
    @abc.abstractmethod
    def fixed(self) -> int:
        """Nodes that never move; they come first."""

    @property
    @abc.abstractmethod
    def moving(self) -> int: ...

    @property
    @abc.abstractmethod
    def freedom(self) -> tuple[int, ...]: ...

    @property
    @abc.abstractmethod
    def layout(self) -> NetLayout: ...

    @property
    @abc.abstractmethod
    def node_row(self) -> int:
        """Which row of its segment is the node."""

    @property
    def points(self) -> bool:
        """Nodes without orientation: positions are all their coordinates."""
        return self.freedom == _POINT

    @property
    def segments(self) -> int:
        return self.moving

    @property
    def node_nq(self) -> int:
        return 3 if self.points else 7

    @property
    def nq(self) -> int:
        return self.moving * self.node_nq

    @property
    def nv(self) -> int:
        return self.moving * len(self.freedom)

    @property
    def tied_segments(self) -> np.ndarray:
        first, second = self.layout
        both_move = (first >= self.fixed) & (second >= self.fixed)
        return np.stack([first[both_move], second[both_move]], axis=-1) - self.fixed

    def coordinate_names(self) -> tuple[str, ...]:
        names = _FREE.coordinate_names()
        return self._per_node(names[4:] if self.points else names)

    def velocity_names(self) -> tuple[str, ...]:
        return self._per_node(tuple(_TWIST[i] for i in self.freedom))

    def _per_node(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"node{node + 1}.{name}" for node in range(self.moving) for name in names)

    def neutral(self) -> np.ndarray:
        return np.tile(np.zeros(3) if self.points else _FREE.neutral(), self.moving)

    def _coordinates(self, q: Array) -> Array:
        return q.reshape(self.moving, self.node_nq)

    def _twists(self, v: Array) -> Array:
        """(P, 6) body twists of the nodes."""
        own = v.reshape(self.moving, len(self.freedom))
        if len(self.freedom) == 6:
            return own
        nothing = jnp.zeros(self.moving, dtype=v.dtype)
        columns = [own[:, self.freedom.index(i)] if i in self.freedom else nothing for i in range(6)]
        return jnp.stack(columns, axis=-1)

    def rate(self, q: Array, v: Array) -> Array:
        if self.points:
            return v
        return jax.vmap(_FREE.rate)(self._coordinates(q), self._twists(v)).reshape(self.nq)

    def integrate(self, q: Array, dv: Array) -> Array:
        if self.points:
            return q + dv
        return jax.vmap(_FREE.integrate)(self._coordinates(q), self._twists(dv)).reshape(self.nq)

    def difference(self, q1: Array, q0: Array) -> Array:
        if self.points:
            return q1 - q0
        whole = jax.vmap(_FREE.difference)(self._coordinates(q1), self._coordinates(q0))
        return whole[:, np.array(self.freedom)].reshape(self.nv)

    def coordinate_sizes(self, prepared: PreparedNet, q: Array) -> Array:
        """Edges are measured between places, to which coordinates are added: those count too."""
        own, place = (
            jnp.max(jnp.abs(numbers), axis=1) for numbers in (self._coordinates(q), prepared.place[self.fixed :])
        )
        return jnp.repeat(jnp.maximum(own, place), len(self.freedom), total_repeat_length=self.nv)

    def _placed(self, prepared: PreparedNet, q: Array) -> tuple[Array, Array]:
        """Rotation (N, 3, 3) and position (N, 3) of all nodes in the net's frame."""
        own = self._coordinates(q)
        rest_turn, rest_place = prepared.turn[self.fixed :], prepared.place[self.fixed :]
        if self.points:
            turn, place = rest_turn, rest_place + own
        else:
            turn = multiply(rest_turn, quaternion.to_matrix(own[:, :4]))
            place = rest_place + apply(rest_turn, own[:, 4:])
        if not self.fixed:
            return turn, place
        return (
            jnp.concatenate([prepared.turn[: self.fixed], turn]),
            jnp.concatenate([prepared.place[: self.fixed], place]),
        )

    def _deformation(self, prepared: PreparedNet, turn: Array, place: Array) -> Array:
        """(E, c) of the edges: length, or rotation and translation of the second end seen from the first."""
        first, second = self.layout
        if self.kind == "axial":
            return distance(place[first], place[second])
        return beam_deformation(
            multiply(turn[first], prepared.first_axes),
            place[first],
            multiply(turn[second], prepared.second_axes),
            place[second],
            self.middle,
        )

    def deformation(self, prepared: PreparedNet, q: Array) -> Array:
        """(E, c) less the rest values."""
        return self._deformation(prepared, *self._placed(prepared, q)) - prepared.rest

    def _near(self, prepared: PreparedNet, q: Array):
        """Deformation as a function of a small motion v of the nodes: exact to first order, which is all that forces
        ask for."""
        turn, place = self._placed(prepared, q)

        def moved(v: Array) -> Array:
            twist = self._twists(v)
            angular, linear = twist[:, :3], twist[:, 3:]
            own_turn, own_place = turn[self.fixed :], place[self.fixed :]
            new_place = own_place + apply(own_turn, linear)
            new_turn = own_turn if self.points else own_turn + multiply(own_turn, so3.hat(angular))
            if self.fixed:
                new_turn = jnp.concatenate([turn[: self.fixed], new_turn])
                new_place = jnp.concatenate([place[: self.fixed], new_place])
            return self._deformation(prepared, new_turn, new_place) - prepared.rest

        return moved

    def energy(self, prepared: PreparedNet, q: Array) -> Array:
        excess = self.deformation(prepared, q)
        return 0.5 * jnp.sum(where_active(prepared.stiffness * excess**2, excess, self.acts, at_rest=True))

    def dissipation(self, prepared: PreparedNet, q: Array, v: Array) -> Array:
        excess, rate = jax.jvp(self._near(prepared, q), (jnp.zeros_like(v),), (v,))
        lost = power_law_dissipation(prepared.damping, rate, prepared.power)
        return jnp.sum(where_active(lost, excess, self.acts))

    def force(self, prepared: PreparedNet, q: Array, v: Array) -> Array:
        moved = self._near(prepared, q)
        excess, pullback = jax.vjp(moved, jnp.zeros_like(v))
        rate = jax.jvp(moved, (jnp.zeros_like(v),), (v,))[1]
        stress = where_active(self._stress(prepared, excess), excess, self.acts, at_rest=True)
        return pullback(stress + where_active(power_law(prepared.damping, rate, prepared.power), excess, self.acts))[0]

    def _stress(self, prepared: PreparedNet, excess: Array) -> Array:
        """(E, c) what is conjugate to the deformation of the edges."""
        return prepared.stiffness * excess

    def edge_forces(self, prepared: PreparedNet, q: Array, stress: Array) -> Array:
        """(nv,) generalised force of what is conjugate (E, c) to the deformation of the edges."""
        return jax.vjp(self._near(prepared, q), jnp.zeros(self.nv, dtype=q.dtype))[1](stress)[0]

    def rows(self, prepared: PreparedNet, q: Array) -> Rows:
        turn, place = self._placed(prepared, q)
        before = self.node_row
        after = self.rows_per_segment - before - 1
        eye = jnp.broadcast_to(jnp.eye(3), (self.moving, 1, 3, 3))
        turns = [eye] * before + [turn[self.fixed :, None]] + [eye] * after
        moves = jnp.zeros((self.moving, self.rows_per_segment, 3))
        moves = moves + prepared.beyond[..., None] * jnp.array([0.0, 0.0, 1.0])
        places = [moves[:, :before], place[self.fixed :, None], moves[:, before + 1 :]]
        return Rows(jnp.concatenate(turns, axis=1), jnp.concatenate(places, axis=1), place)

    def relative(self, detail: Any, v: Array) -> Array:
        twist = self._twists(v)[:, None]
        before = self.node_row
        after = self.rows_per_segment - before - 1
        still = jnp.zeros((self.moving, 1, 6), dtype=v.dtype)
        return jnp.concatenate([still] * before + [twist] + [still] * after, axis=1)

    def drift(self, detail: Any, v: Array) -> Array | None:
        return None

    def subspace(self, detail: Any) -> Array:
        columns = np.zeros((self.moving, self.rows_per_segment, 6, len(self.freedom)))
        columns[:, self.node_row, np.array(self.freedom), np.arange(len(self.freedom))] = 1.0
        return jnp.asarray(columns)

    def row_inertia(self, prepared: PreparedNet) -> RigidInertia:
        return prepared.inertia
