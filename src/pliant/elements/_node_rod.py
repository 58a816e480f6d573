"""A rod as a row of nodes with absolute states, tied by Euler-Bernoulli beams (EBA; TMTDyn Eqs. 7 and 36).

Coordinates of the nodes are poses in the rod's base frame. With `middle` the translation of a beam is measured half-way
between its ends and every node carries half of each neighbouring piece (second order); without, it is measured in the
lower node's axes and a node carries the whole piece below it, as the document has it (first order).
"""

import dataclasses
import functools
from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.elements._net import Net, NetLayout, PreparedNet
from pliant.elements._rod import Rod
from pliant.elements._rod_grid import Grid, reference_at, reference_of
from pliant.lie import quaternion, se3
from pliant.mechanics import (
    STRAINS,
    RigidInertia,
    SectionLaw,
    beam_deformation,
    section_energy,
    section_stress,
)


@dataclasses.dataclass(frozen=True)
class NodeRod(Net, Rod):
    """Static structure; `strains`: indices of the strains it may have, which must belong to one kind of motion (all
    six, a plane, or the axis), since a node moves as a whole."""

    section: SectionLaw
    strains: tuple[int, ...]
    pieces: int
    middle: bool = True
    attachments: tuple[float, ...] = ()
    breaks: tuple[float, ...] = ()

    fixed = 1
    kind = "beam"
    acts = (0,)

    @property
    def moving(self) -> int:
        return self.pieces

    @property
    def freedom(self) -> tuple[int, ...]:
        return self.strains

    @property
    def node_row(self) -> int:
        """The first row carries the half piece next to the base, which does not move with any node."""
        return 1 if self.middle else 0

    @functools.cached_property
    def layout(self) -> NetLayout:
        return NetLayout(np.arange(self.pieces), np.arange(1, self.pieces + 1))

    def _node_of(self, fraction: float) -> int:
        """The moving node (1..pieces) nearest to a place on the rod."""
        return int(np.clip(round(fraction * self.pieces), 1, self.pieces))

    @functools.cached_property
    def _extras(self) -> tuple[tuple[float, ...], ...]:
        """Per moving node: fractions of attachments that hang on it but are not it."""
        found: list[list[float]] = [[] for _ in range(self.pieces)]
        for fraction in sorted(self.attachments):
            node = self._node_of(fraction)
            if fraction > 0.0 and fraction != node / self.pieces:
                found[node - 1].append(fraction)
        return tuple(tuple(own) for own in found)

    @functools.cached_property
    def grid(self) -> Grid:
        """Rows: the base's half piece (middle only), the node, attachments near it. The weight is that of the beam
        below the node, whose strain the node's row reports."""
        count = max(len(own) for own in self._extras)
        node = np.arange(1, self.pieces + 1) / self.pieces
        ends = [
            [at] * (self.node_row + 1) + list(own) + [own[-1] if own else at] * (count - len(own))
            for at, own in zip(node, self._extras, strict=True)
        ]
        end: np.ndarray = np.array(ends)
        weight = np.zeros_like(end)
        weight[:, self.node_row] = 1.0 / self.pieces
        start = np.concatenate([np.zeros((self.pieces, 1)), end[:, :-1]], axis=1)
        return Grid(start, end, weight)

    def row_ends(self) -> tuple[float, ...]:
        """Rows before that of the node stay at the base: they carry its half piece."""
        ends = self.grid.end.copy()
        ends[:, : self.node_row] = 0.0
        return tuple(float(end) for end in ends.ravel())

    def row_of(self, fraction: float) -> tuple[int, int]:
        node = self._node_of(fraction)
        if fraction == node / self.pieces:
            return node - 1, self.node_row
        if fraction not in self._extras[node - 1]:
            raise KeyError(f"the rod has no node at fraction {fraction}")
        return node - 1, self.node_row + 1 + self._extras[node - 1].index(fraction)

    @functools.cached_property
    def _cells(self) -> np.ndarray:
        """(P, m, 2) the part of the rod that each row carries, as fractions; empty where low = high."""
        cells = np.zeros((*self.grid.end.shape, 2))
        node, half = np.arange(1, self.pieces + 1) / self.pieces, 0.5 / self.pieces
        if self.middle:
            cells[:, self.node_row] = np.stack([node - half, np.minimum(node + half, 1.0)], axis=-1)
            cells[0, 0] = (0.0, half)
        else:
            cells[:, self.node_row] = np.stack([node - 2.0 * half, node], axis=-1)
        return cells

    def span_weights(self, low: float, high: float) -> np.ndarray:
        return _overlap(self._cells, low, high)

    def strain_weights(self, low: float, high: float) -> np.ndarray:
        """(P, m) share of the rod between two fractions that the strain at each row stands for: its beam's."""
        beams = np.zeros((*self.grid.end.shape, 2))
        node = np.arange(1, self.pieces + 1) / self.pieces
        beams[:, self.node_row] = np.stack([node - 1.0 / self.pieces, node], axis=-1)
        return _overlap(beams, low, high)

    def prepare(self, numbers: Mapping[str, Array]) -> PreparedNet:
        length = numbers["length"]
        h = length / self.pieces
        centre = (np.arange(self.pieces) + 0.5) / self.pieces
        strain = reference_at(reference_of(numbers), centre)
        poses = _chain(h * strain)
        turn, place = poses[:, :3, :3], poses[:, :3, 3]
        beams = self.section.evaluate(numbers, jnp.asarray(centre))
        axes = jnp.broadcast_to(jnp.eye(3), (self.pieces, 3, 3))
        first, second = self.layout
        power = numbers.get("damping_power")
        return PreparedNet(
            turn=turn,
            place=place,
            first_axes=axes,
            second_axes=axes,
            stiffness=beams.stiffness / h,
            damping=beams.damping / (h if power is None else h**power),
            power=power,
            rest=beam_deformation(turn[first], place[first], turn[second], place[second], self.middle),
            inertia=self._inertia(numbers, length),
            beyond=length * jnp.asarray(self._beyond),
            length=jnp.full(self.pieces, h),
            reference=strain,
            fibres=self.section.fibres(numbers, h * strain[:, 5]),
        )

    @functools.cached_property
    def _beyond(self) -> np.ndarray:
        """(P, m) fraction of the rod from the row before to this one, for rows beyond the node."""
        beyond = np.diff(self.grid.end, axis=1, prepend=0.0)
        beyond[:, : self.node_row + 1] = 0.0
        return beyond

    def _inertia(self, numbers: Mapping[str, Array], length: Array) -> RigidInertia:
        """(P, m) lumps of the rows: a slice of rod, short and stiff, about its own middle."""
        cells = self._cells
        share = cells[..., 1] - cells[..., 0]
        values = self.section.evaluate(numbers, jnp.asarray(0.5 * (cells[..., 0] + cells[..., 1]).ravel()))
        size = length * jnp.asarray(share)
        lump = size[..., None] * values.inertia.reshape(*share.shape, 6)
        slender = lump[..., 5:] * size[..., None] ** 2 / 12.0 * jnp.array([1.0, 1.0, 0.0])
        second = (lump[..., :3] + slender)[..., None] * jnp.eye(3)
        return RigidInertia(lump[..., 5], jnp.zeros((*share.shape, 3)), second)

    def poses(self, prepared: PreparedNet, q: Array, fractions: tuple[float, ...]) -> Array:
        turn, place = self._placed(prepared, q)
        nodes = np.array([self._node_of(fraction) if fraction > 0.0 else 0 for fraction in fractions])
        beyond = self.pieces * prepared.length[0] * jnp.asarray(np.asarray(fractions) - nodes / self.pieces)
        return se3.from_rotation_translation(turn[nodes], place[nodes] + turn[nodes, :, 2] * beyond[:, None])

    def inertia_samples(self, prepared: PreparedNet) -> tuple[tuple[float, ...], RigidInertia]:
        carries = self._cells[..., 1] > self._cells[..., 0]
        at = np.where(np.arange(carries.shape[1]) < self.node_row, 0.0, self.grid.end)
        used = np.flatnonzero(carries.ravel())
        flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:])[used], prepared.inertia)
        return tuple(float(f) for f in at.ravel()[used]), flat

    def energy(self, prepared: PreparedNet, q: Array) -> Array:
        return section_energy(self.section.law, prepared.stiffness, self.deformation(prepared, q), prepared.fibres)

    def _stress(self, prepared: PreparedNet, excess: Array) -> Array:
        return section_stress(self.section.law, prepared.stiffness, excess, prepared.fibres)

    def _strains(self, prepared: PreparedNet, q: Array) -> Array:
        """(pieces, 6) of the beams."""
        return prepared.reference + self.deformation(prepared, q) / prepared.length[:, None]

    def strain(self, prepared: PreparedNet, q: Array, fractions: tuple[float, ...]) -> Array:
        ends = np.arange(1, self.pieces + 1) / self.pieces
        piece = np.minimum(np.searchsorted(ends, np.asarray(fractions)), self.pieces - 1)  # a node ends its beam
        return self._strains(prepared, q)[piece]

    def row_strains(self, prepared: PreparedNet, q: Array) -> Array:
        """(P, m, 6) total strain of the beam below each row's node."""
        return jnp.broadcast_to(self._strains(prepared, q)[:, None], (*self.grid.end.shape, 6))

    def strain_forces(self, prepared: PreparedNet, q: Array, stress: Array) -> Array:
        return self.edge_forces(prepared, q, stress.sum(axis=1) / prepared.length[:, None])

    def uniform_strain(self, prepared: PreparedNet, values: Mapping[str, Array]) -> Array:
        departure = jnp.stack([values.get(name, jnp.zeros(())) for name in STRAINS])
        bent = _chain(prepared.length[:, None] * (prepared.reference + departure))[1:]
        rest = se3.from_rotation_translation(prepared.turn, prepared.place)[1:]
        own = se3.inverse(rest) @ bent
        return jnp.concatenate([quaternion.from_matrix(own[:, :3, :3]), own[:, :3, 3]], axis=-1).reshape(self.nq)


def _overlap(cells: np.ndarray, low: float, high: float) -> np.ndarray:
    """(...,) length of the common part of cells (..., 2) and an interval."""
    return np.maximum(np.minimum(cells[..., 1], high) - np.maximum(cells[..., 0], low), 0.0)


def _chain(steps: Array) -> Array:
    """(n + 1, 4, 4) poses of a base and of n steps (n, 6) of constant twist from it."""

    def advance(pose: Array, step: Array) -> tuple[Array, Array]:
        moved = pose @ se3.exp(step)
        return moved, moved

    _, poses = jax.lax.scan(advance, jnp.eye(4), steps)
    return jnp.concatenate([jnp.eye(4)[None], poses])
