"""A mesh: any graph of nodes and edges in space (fabric, shell, tissue); edges are springs along a line, or beams."""

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.elements._net import Net, NetLayout, PreparedNet
from pliant.lie import se3
from pliant.mechanics import RigidInertia, SectionLaw, beam_deformation, distance


@dataclasses.dataclass(frozen=True)
class Mesh(Net):
    """Static structure of a mesh of `count` nodes.

    edges: pairs of nodes; held: nodes that never move; kind: "axial" or "beam"; along: the six components of a beam are
    in axes with z along the edge rather than in the node's; section: its law where stiffness comes from one.
    """

    count: int
    edges: tuple[tuple[int, int], ...]
    held: tuple[int, ...]
    kind: str
    middle: bool
    acts: tuple[int, ...]
    along: bool
    section: SectionLaw | None = None

    node_row = 0
    rows_per_segment = 1

    @property
    def fixed(self) -> int:
        return len(self.held)

    @property
    def moving(self) -> int:
        return self.count - len(self.held)

    @property
    def freedom(self) -> tuple[int, ...]:
        return (3, 4, 5) if self.kind == "axial" else (0, 1, 2, 3, 4, 5)

    @property
    def drawn_edges(self) -> tuple[tuple[int, int], ...]:
        return self.edges

    @functools.cached_property
    def order(self) -> np.ndarray:
        """(N,) the file's nodes in the order of the element: those that never move first."""
        held = np.array(self.held, dtype=int)
        return np.concatenate([held, np.setdiff1d(np.arange(self.count), held)])

    @functools.cached_property
    def place_of(self) -> np.ndarray:
        """(N,) where each of the file's nodes stands in the order of the element."""
        return np.argsort(self.order)

    @functools.cached_property
    def layout(self) -> NetLayout:
        ends = self.place_of[np.array(self.edges, dtype=int).reshape(-1, 2)]
        return NetLayout(ends[:, 0], ends[:, 1])

    def row_of(self, fraction: float) -> tuple[int, int]:
        """Places on a mesh are numbers of nodes, from 1, where a rod has fractions."""
        segment = int(self.place_of[round(fraction) - 1]) - self.fixed
        if segment < 0:
            raise KeyError(f"node {round(fraction)} of the mesh never moves: attach to the world instead")
        return segment, 0

    def row_ends(self) -> tuple[float, ...]:
        return tuple(float(node + 1) for node in self.order[self.fixed :])

    def initial_state(self, prepared: PreparedNet, given: Mapping[str, Any]) -> tuple[Array, Array]:
        return jnp.asarray(self.neutral()), jnp.zeros(self.nv)

    def prepare(self, numbers: Mapping[str, Array]) -> PreparedNet:
        place = numbers["nodes"][self.order]
        first, second = self.layout
        length = distance(place[first], place[second])
        turn = jnp.broadcast_to(jnp.eye(3), (self.count, 3, 3))
        axes = jnp.broadcast_to(jnp.eye(3), (len(first), 3, 3))
        if self.along:
            axes = _edge_axes((place[second] - place[first]) / length, numbers.get("xaxis"))
        power = numbers.get("power")
        stiffness, damping = self._laws(numbers, length, power)
        if self.kind == "axial":
            rest = length
        else:
            rest = beam_deformation(axes, place[first], axes, place[second], self.middle)
        if "rest" in numbers:
            rest = self._per_edge(numbers["rest"])
        if "ratio" in numbers:
            rest = rest * numbers["ratio"]
        return PreparedNet(
            turn=turn,
            place=place,
            first_axes=axes,
            second_axes=axes,
            stiffness=stiffness,
            damping=damping,
            power=power,
            rest=rest,
            inertia=self._inertia(numbers),
            beyond=jnp.zeros((self.moving, 1)),
            length=length[:, 0],
            reference=jnp.zeros((len(self.edges), 6)),
        )

    def _per_edge(self, value: Array) -> Array:
        """(E, c) from one number, one per component, one per edge, or all of them."""
        components = 1 if self.kind == "axial" else 6
        if value.ndim == 1 and components == 1:
            value = value[:, None]
        return jnp.broadcast_to(value, (len(self.edges), components))

    def _laws(self, numbers: Mapping[str, Array], length: Array, power: Array | None) -> tuple[Array, Array]:
        """Stiffness and damping (E, c): given, or those of a beam (a bar, where edges are axial) of that length."""
        if self.section is None:
            damping = self._per_edge(numbers["damping"]) if "damping" in numbers else self._per_edge(jnp.zeros(()))
            return self._per_edge(numbers["stiffness"]), damping
        values = self.section.evaluate(numbers, jnp.full(1, 0.5))
        components = slice(5, 6) if self.kind == "axial" else slice(0, 6)
        slowed = length if power is None else length**power
        return values.stiffness[:, components] / length, values.damping[:, components] / slowed

    def _inertia(self, numbers: Mapping[str, Array]) -> RigidInertia:
        mass = jnp.broadcast_to(numbers["mass"], (self.count,))[self.order[self.fixed :], None]
        own = numbers["inertia"] if "inertia" in numbers else jnp.zeros(())
        second = jnp.broadcast_to(own, (self.count, 3))[self.order[self.fixed :], None]
        return RigidInertia(mass, jnp.zeros((self.moving, 1, 3)), second[..., None] * jnp.eye(3))

    def poses(self, prepared: PreparedNet, q: Array, fractions: tuple[float, ...]) -> Array:
        """(K, 4, 4) of nodes given by their numbers, from 1."""
        turn, place = self._placed(prepared, q)
        nodes = self.place_of[np.array([round(fraction) - 1 for fraction in fractions], dtype=int)]
        return se3.from_rotation_translation(turn[nodes], place[nodes])

    def positions(self, prepared: PreparedNet, q: Array) -> Array:
        """(N, 3) of all nodes, in the file's order, in the mesh's frame."""
        return self._placed(prepared, q)[1][self.place_of]

    def inertia_samples(self, prepared: PreparedNet) -> tuple[tuple[float, ...], RigidInertia]:
        flat = RigidInertia(*(field[:, 0] for field in prepared.inertia))
        return tuple(float(node + 1) for node in self.order[self.fixed :]), flat


def _edge_axes(direction: Array, towards: Array | None) -> Array:
    """(E, 3, 3) axes with z along unit directions (E, 3) and x as near as may be to a given direction, or to any."""
    if towards is None:
        # The coordinate axis least along the edge.
        towards = jnp.eye(3)[jnp.argmin(jnp.abs(direction), axis=-1)]
    across = towards - jnp.sum(towards * direction, axis=-1, keepdims=True) * direction
    x = across / jnp.linalg.norm(across, axis=-1, keepdims=True)
    return jnp.stack([x, jnp.cross(direction, x), direction], axis=-1)
