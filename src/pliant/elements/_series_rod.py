"""A rod as lumped pieces with relative states: series rigid links (SRL) and relative Euler-Bernoulli beams (EBR).

A piece of length h has the coordinates of TMTDyn Eqs. 5 and 8: angles alpha [rad] and displacements epsilon [m], both
departures from the unloaded piece, which is straight of length p0 = h nu and turns by R0 = exp(h kappa) for the
reference strain (kappa, nu) in its middle. The two models differ in R(alpha) only.

- End nodes, as TMTDyn prints them (first order): the piece is Trans(p0 + epsilon) R0 R(alpha), its mass at its end.
- Start nodes, as the stored runs of TMTDyn's authors have them (first order): R0 R(alpha) Trans(p0 + epsilon).
- Middle nodes (second order): an unloaded half piece, then Trans(epsilon / 2) R(alpha / 2), where the mass lies, then
  the mirror image of all that. A whole joint on one side of the mass would be first order again: masses would lie half
  a displacement too far and loads point half an angle too far, and rotations about several axes would not commute.
"""

import dataclasses
import functools
from collections.abc import Mapping
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.elements._contract import FlatCoordinates, Rows
from pliant.elements._rod import Rod
from pliant.elements._rod_grid import Grid, padded_grid, reference_at, reference_of
from pliant.elements._spins import SPINS
from pliant.lie import se3, so3
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
from pliant.numerics import apply, multiply


class PreparedPieces(NamedTuple):
    """Numbers of a lumped rod, computed once per solve.

    A row is Trans(start_place + start_axes c epsilon), start_turn, spin, Trans(d epsilon + end_place), end_turn, with
    the shares c and d of its structure.
    """

    length: Array
    reference: Array  # (P, 6) in the middle of the pieces
    stiffness: Array  # (P, w) of the coordinates
    damping: Array  # (P, w) of the section
    power: Array | None  # (w,) of the damping law; None: linear
    fibres: FibreNumbers | None  # of a hyperelastic material; None: Hooke's law
    inertia: RigidInertia  # (P, m)
    start_place: Array  # (P, m, 3)
    start_axes: Array  # (P, m, 3, 3)
    start_turn: Array
    end_place: Array
    end_turn: Array


class PieceDetail(NamedTuple):
    """Rows in one configuration. angles (P, 3) of the pieces; jacobian (P, m, 3, 3): spin rate per angle rate; carry:
    velocity per displacement rate before the spin, in the axes after it; lever: from the spin to the row's end."""

    angles: Array
    jacobian: Array
    carry: Array
    lever: Array
    end_turn: Array


def _transposed(matrix: Array) -> Array:
    return jnp.swapaxes(matrix, -1, -2)


@dataclasses.dataclass(frozen=True)
class SeriesRod(FlatCoordinates, Rod):
    """Static structure of a lumped rod with relative states.

    strains: indices (into STRAINS) of the strains it may have; rotation: "ordered" (SRL) or "quaternion" (EBR);
    nodes: where a piece turns, "start", "middle" or "end"; attachments: fractions where something hangs.
    """

    section: SectionLaw
    strains: tuple[int, ...]
    pieces: int
    rotation: str
    nodes: str = "middle"
    attachments: tuple[float, ...] = ()

    is_chain = True

    @property
    def middle(self) -> bool:
        return self.nodes == "middle"

    @property
    def width(self) -> int:
        """Velocities per piece."""
        return len(self.strains)

    @property
    def nq(self) -> int:
        return self.pieces * self.width

    @property
    def segments(self) -> int:
        return self.pieces

    @functools.cached_property
    def _marks(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(P,) where the pieces begin, where their masses lie and where they end, as fractions of the rod."""
        piece = np.arange(self.pieces)
        low, high = piece / self.pieces, (piece + 1) / self.pieces
        return low, (piece + 0.5) / self.pieces if self.middle else high, high

    @functools.cached_property
    def grid(self) -> Grid:
        rows = []
        for low, node, high in zip(*self._marks, strict=True):
            ends = sorted({float(node), float(high)} | {f for f in self.attachments if low < f <= high})
            rows.append((ends, [1.0 / self.pieces if end == node else 0.0 for end in ends]))
        return padded_grid(rows)

    def largest_turn(self, prepared: PreparedPieces, change: Array) -> Array:
        angles = [column for column, strain in enumerate(self.strains) if strain < 3]
        return jnp.max(jnp.abs(change.reshape(self.pieces, self.width)[:, np.array(angles, int)]), initial=0.0)

    def span_weights(self, low: float, high: float) -> np.ndarray:
        """A lump has the share of its piece that lies between the fractions, so that the sum is exact."""
        begin, _, end = self._marks
        overlap = np.maximum(np.minimum(end, high) - np.maximum(begin, low), 0.0)
        return np.where(self.grid.weight > 0.0, overlap[:, None], 0.0)

    def strain_weights(self, low: float, high: float) -> np.ndarray:
        return self.span_weights(low, high)

    @functools.cached_property
    def _shares(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(P, m) of every row: share of the displacement before the spin, share of it after, share of the angles, and
        whether it is the mirror image."""
        node = self.grid.weight > 0.0
        if not self.middle:
            share, nothing = self.pieces * (self.grid.end - self.grid.start), np.zeros(node.shape)
            if self.nodes == "end":
                return share, nothing, 1.0 * node, np.zeros_like(node)
            first = np.arange(node.shape[1]) == 0  # the row that begins the piece, whether or not it ends it
            return nothing, share, np.broadcast_to(1.0 * first, node.shape), np.zeros_like(node)
        after = np.roll(node, 1, axis=1)  # the end of the piece is a row of its own, so nothing wraps around
        return 0.5 * node, 0.5 * after, 0.5 * (node | after), after

    @functools.cached_property
    def _selection(self) -> np.ndarray:
        """(w, 6) from the coordinates of a piece to the six strains."""
        return np.eye(6)[list(self.strains)].reshape(self.width, 6)

    def coordinate_names(self) -> tuple[str, ...]:
        return tuple(f"piece{piece}.{STRAINS[strain]}" for piece in range(self.pieces) for strain in self.strains)

    def prepare(self, numbers: Mapping[str, Array]) -> PreparedPieces:
        low, _, high = self._marks
        centre = 0.5 * (low + high)
        length = numbers["length"]
        h = length / self.pieces
        reference = reference_at(reference_of(numbers), centre)
        values = self.section.evaluate(numbers, jnp.asarray(centre))
        own, power = np.array(self.strains, dtype=int), numbers.get("damping_power")
        return PreparedPieces(
            length=length,
            reference=reference,
            stiffness=values.stiffness[:, own] / h,
            damping=values.damping[:, own],
            power=None if power is None else jnp.broadcast_to(power, (6,))[own],
            fibres=self.section.fibres(numbers, h * reference[:, 5]),
            inertia=self._lumps(values.inertia, h),
            **self._unloaded(reference, length),
        )

    def _lumps(self, inertia: Array, h: Array) -> RigidInertia:
        """(P, m) a piece is a short stiff rod, turning about its middle."""
        mass = inertia[:, 5] * h
        slender = mass[:, None] * h**2 / 12.0 * jnp.array([1.0, 1.0, 0.0])
        node = jnp.asarray(self.grid.weight > 0.0, dtype=float)
        second = (inertia[:, :3] * h + slender)[:, None, :, None] * jnp.eye(3)
        return RigidInertia(mass[:, None] * node, jnp.zeros((*node.shape, 3)), second * node[..., None, None])

    def _unloaded(self, reference: Array, length: Array) -> dict[str, Array]:
        """The constant parts of the rows."""
        shape = self.grid.end.shape
        size = (length * jnp.asarray(self.grid.end - self.grid.start))[..., None]
        eye, nothing = jnp.broadcast_to(jnp.eye(3), (*shape, 3, 3)), jnp.zeros((*shape, 3))
        if not self.middle:
            # The piece turns at one end, all at once.
            turning = jnp.asarray(self._shares[2])[..., None]
            turn = so3.exp(turning * (length / self.pieces) * reference[:, None, :3])
            place = size * reference[:, None, 3:]
            before, after = (place, nothing) if self.nodes == "end" else (nothing, place)
            return {
                "start_place": before, "start_axes": eye, "start_turn": turn, "end_place": after, "end_turn": eye
            }  # fmt: skip
        arc = se3.exp(size * reference[:, None])
        turn, place = arc[..., :3, :3], arc[..., :3, 3]
        early = self.grid.end <= self._marks[1][:, None]
        vector, matrix = early[..., None], early[..., None, None]
        start_turn = jnp.where(matrix, turn, eye)
        return {
            "start_place": jnp.where(vector, place, nothing),
            "start_axes": start_turn,
            "start_turn": start_turn,
            "end_place": jnp.where(vector, nothing, place),
            "end_turn": jnp.where(matrix, eye, turn),
        }

    def _departure(self, q: Array) -> Array:
        """(P, 6) angles and displacements of the pieces beyond the unloaded ones."""
        return q.reshape(self.pieces, self.width) @ jnp.asarray(self._selection)

    def _strains(self, prepared: PreparedPieces, q: Array) -> Array:
        return prepared.reference + self._departure(q) * self.pieces / prepared.length

    def strain(self, prepared: PreparedPieces, q: Array, fractions: tuple[float, ...]) -> Array:
        return self._strains(prepared, q)[self._piece_of(np.asarray(fractions, dtype=float))]

    def _piece_of(self, fraction: np.ndarray) -> np.ndarray:
        """The piece a place lies on; a boundary is the end of the earlier one."""
        return np.minimum(np.searchsorted(self._marks[2], fraction), self.pieces - 1)

    def row_strains(self, prepared: PreparedPieces, q: Array) -> Array:
        return jnp.broadcast_to(self._strains(prepared, q)[:, None], (*self.grid.end.shape, 6))

    def strain_forces(self, prepared: PreparedPieces, q: Array, stress: Array) -> Array:
        own = stress.sum(axis=1) @ jnp.asarray(self._selection.T)
        return (own * self.pieces / prepared.length).reshape(self.nv)

    def uniform_strain(self, prepared: PreparedPieces, values: Mapping[str, Array]) -> Array:
        own = [values.get(STRAINS[strain], jnp.zeros(())) for strain in self.strains]
        return jnp.tile(jnp.stack(own) * prepared.length / self.pieces, self.pieces)

    def poses(self, prepared: PreparedPieces, q: Array, fractions: tuple[float, ...]) -> Array:
        def advance(pose: Array, piece: Array) -> tuple[Array, Array]:
            return pose @ piece, pose

        every = np.arange(self.pieces)
        _, begin = jax.lax.scan(advance, jnp.eye(4), self._within(prepared, q, every, self._marks[2]))
        at = np.asarray(fractions, dtype=float)
        piece = self._piece_of(at)
        return begin[piece] @ self._within(prepared, q, piece, at)

    def _within(self, prepared: PreparedPieces, q: Array, piece: np.ndarray, at: np.ndarray) -> Array:
        """(K, 4, 4) from the beginning of pieces (K,) to fractions of the rod (K,) on them."""
        low, node, high = (mark[piece] for mark in self._marks)
        angles, moves = jnp.split(self._departure(q)[piece], 2, axis=-1)
        reference, spin = prepared.reference[piece], SPINS[self.rotation]

        def arc(size: np.ndarray) -> Array:
            return se3.exp((prepared.length * jnp.asarray(size))[:, None] * reference)

        def where(mask: np.ndarray, pose: Array) -> Array:
            return jnp.where(jnp.asarray(mask)[:, None, None], pose, jnp.eye(4))

        if not self.middle:
            share = jnp.asarray((at - low) * self.pieces)[:, None]
            size = prepared.length / self.pieces
            turn = se3.from_rotation_translation(so3.exp(size * reference[:, :3]) @ spin(angles)[0], jnp.zeros(3))
            place = se3.from_rotation_translation(jnp.eye(3), share * (size * reference[:, 3:] + moves))
            return place @ where(at == high, turn) if self.nodes == "end" else where(at > low, turn) @ place
        toward = se3.from_rotation_translation(spin(0.5 * angles)[0], 0.5 * moves)
        away = se3.inverse(se3.from_rotation_translation(spin(-0.5 * angles)[0], -0.5 * moves))
        first = arc(np.minimum(at, node) - low) @ where(at >= node, toward)
        return first @ where(at > node, away) @ arc(np.maximum(at - node, 0.0))

    def _rates(self, prepared: PreparedPieces, v: Array) -> Array:
        """(P, w) strain rates."""
        return v.reshape(self.pieces, self.width) * self.pieces / prepared.length

    def _six(self, prepared: PreparedPieces) -> Array:
        """(P, 6) stiffness of the coordinates, 0 where a strain is rigid."""
        return prepared.stiffness @ jnp.asarray(self._selection)

    def energy(self, prepared: PreparedPieces, q: Array) -> Array:
        if prepared.fibres is None:
            return 0.5 * jnp.sum(prepared.stiffness * q.reshape(self.pieces, self.width) ** 2)
        return section_energy(self.section.law, self._six(prepared), self._departure(q), prepared.fibres)

    def dissipation(self, prepared: PreparedPieces, q: Array, v: Array) -> Array:
        density = power_law_dissipation(prepared.damping, self._rates(prepared, v), prepared.power)
        return jnp.sum(density) * prepared.length / self.pieces

    def force(self, prepared: PreparedPieces, q: Array, v: Array) -> Array:
        if prepared.fibres is None:
            elastic = prepared.stiffness * q.reshape(self.pieces, self.width)
        else:
            stress = section_stress(self.section.law, self._six(prepared), self._departure(q), prepared.fibres)
            elastic = stress @ jnp.asarray(self._selection.T)
        # Stress over a piece works on its strain, the coordinate divided by h: h / h.
        return (elastic + power_law(prepared.damping, self._rates(prepared, v), prepared.power)).reshape(self.nv)

    def _spin(self, angles: Array) -> tuple[Array, Array]:
        """Rotation and body Jacobian (P, m, 3, 3) of the rows' spins for the angles (P, 3) of the pieces."""
        _, _, share, mirrored = self._shares
        factor = jnp.asarray(np.where(mirrored, -share, share))[..., None]
        turn, jacobian = SPINS[self.rotation](factor * angles[:, None])
        if self.middle:
            # The mirror image of R(a) is R(-a)^-1, with the body Jacobian R(-a) J(-a).
            image = jnp.asarray(mirrored)[..., None, None]
            jacobian = jnp.where(image, multiply(turn, jacobian), jacobian)
            turn = jnp.where(image, _transposed(turn), turn)
        return turn, jacobian * jnp.asarray(share)[..., None, None]

    def rows(self, prepared: PreparedPieces, q: Array) -> Rows:
        before, after, _, _ = (jnp.asarray(share)[..., None] for share in self._shares)
        departure = self._departure(q)
        angles, moves = departure[:, :3], departure[:, None, 3:]
        spin, jacobian = self._spin(angles)
        turn = multiply(prepared.start_turn, spin)
        lever = after * moves + prepared.end_place
        place = prepared.start_place + apply(prepared.start_axes, before * moves) + apply(turn, lever)
        carry = before[..., None] * multiply(_transposed(turn), prepared.start_axes)
        detail = PieceDetail(angles, jacobian, carry, lever, prepared.end_turn)
        return Rows(multiply(turn, prepared.end_turn), place, detail)

    def _at_end(self, detail: PieceDetail, angular: Array, linear: Array) -> Array:
        """(P, m, 6) a motion given in the axes after the spin, in those of the row's end."""
        back = _transposed(detail.end_turn)
        return jnp.concatenate([apply(back, angular), apply(back, linear)], axis=-1)

    def relative(self, detail: PieceDetail, v: Array) -> Array:
        rates = self._departure(v)[:, None]
        angular = apply(detail.jacobian, rates[..., :3])
        after = jnp.asarray(self._shares[1])[..., None] * rates[..., 3:]
        linear = apply(detail.carry, rates[..., 3:]) + after + so3.cross(angular, detail.lever)
        return self._at_end(detail, angular, linear)

    def drift(self, detail: PieceDetail, v: Array) -> Array:
        rates = self._departure(v)[:, None]
        angular = apply(detail.jacobian, rates[..., :3])
        jacobian_rate = jax.jvp(lambda angles: self._spin(angles)[1], (detail.angles,), (rates[:, 0, :3],))[1]
        acceleration = apply(jacobian_rate, rates[..., :3])
        # What was carried before the spin turns back in the axes after it; what follows turns with them.
        carried = apply(detail.carry, rates[..., 3:])
        after = jnp.asarray(self._shares[1])[..., None] * rates[..., 3:]
        linear = so3.cross(acceleration, detail.lever) + so3.cross(angular, after - carried)
        return self._at_end(detail, acceleration, linear)

    def subspace(self, detail: PieceDetail) -> Array:
        after = jnp.asarray(self._shares[1])[..., None, None] * jnp.eye(3)
        by_angle = jnp.concatenate([detail.jacobian, -multiply(so3.hat(detail.lever), detail.jacobian)], axis=-2)
        by_move = jnp.concatenate([jnp.zeros_like(detail.carry), detail.carry + after], axis=-2)
        back = _transposed(detail.end_turn)
        columns = jnp.concatenate([by_angle, by_move], axis=-1)
        whole = jnp.concatenate([multiply(back, columns[..., :3, :]), multiply(back, columns[..., 3:, :])], axis=-2)
        return whole[..., np.array(self.strains, dtype=int)]
