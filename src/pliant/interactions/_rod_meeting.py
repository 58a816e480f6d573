"""Samples along the skin of a rod against the skin of another, or of itself, at the nearest place of its axis.

Axes are cubic between nodes. What acts at a place of them acts on the nodes of its piece, as their motion moves it, so
forces are the gradient of the energy of the distance.
"""

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.interactions._contract import Push
from pliant.interactions._places import Places, place_poses, taken_at
from pliant.interactions._touch import Marks, Rows, Touch
from pliant.lie import so3
from pliant.mechanics import Spot, at_node, nearest, norm, place_at, radius_at, spread, stacked, taper
from pliant.numerics import Curve, apply, apply_transposed

AHEAD, BEHIND, ANYWHERE = "ahead", "behind", "anywhere"
_BEND = np.pi  # radii along the axis within which a rod does not touch itself
_LOST = 4.0  # radii: a sample whose nearest place has moved on by more touches something else


@dataclasses.dataclass(frozen=True, eq=False)
class Axis:
    """The axis of a skin: its nodes; for each piece between two the path of its rod's length and its share of it; for
    each node the path of its rod's radius, and the fraction there."""

    places: Places
    lengths: tuple[str, ...]
    shares: np.ndarray
    radii: tuple[str, ...]
    fractions: np.ndarray

    def prepare(self, parameters: Mapping[str, Array]) -> "AxisNumbers":
        radius = [
            taper(parameters[path], jnp.asarray(fraction))
            for path, fraction in zip(self.radii, self.fractions, strict=True)
        ]
        length = stacked(self.lengths, parameters) * jnp.asarray(self.shares)
        return AxisNumbers(self.places.offset(parameters), jnp.stack(radius), length)


class AxisNumbers(NamedTuple):
    offset: Array | None
    radius: Array
    length: Array


class _Nodes(NamedTuple):
    """An axis where it is: the curve, the axes (m + 1, 3, 3) of its nodes, and their spatial twists."""

    curve: Curve
    turn: Array
    twist: Array


def _nodes(axis: Axis, numbers: AxisNumbers, at: Rows) -> _Nodes:
    poses = place_poses(at, axis.places, numbers.offset)
    curve = Curve(poses[:, :3, 3], poses[:, :3, 2], numbers.radius, numbers.length)
    twist = jnp.zeros((len(axis.places.rows), 6)) if at.twists is None else at.twists[axis.places.rows]
    return _Nodes(curve, poses[:, :3, :3], twist)


def _velocity(nodes: _Nodes, spot: Spot, place: Array) -> Array:
    """(n, 3) of points at `place` that move with the sections at `spot`."""
    rate = nodes.twist[:, 3:] + so3.cross(nodes.twist[:, :3], nodes.curve.place)
    turning = so3.cross(nodes.twist[:, :3], nodes.curve.direction)
    axis = place_at(nodes.curve._replace(place=rate, direction=turning), spot)
    first, last = (at_node(nodes.twist, index)[:, :3] for index in (spot.piece, spot.piece + 1))
    spin = (1.0 - spot.share)[:, None] * first + spot.share[:, None] * last
    return axis + so3.cross(spin, place - place_at(nodes.curve, spot))


def _wrenches(nodes: _Nodes, spot: Spot, place: Array, force: Array) -> tuple[Array, Array]:
    """(n, 6) spatial wrenches on the first and second nodes of the pieces that forces at `place` act on; the transpose
    of `_velocity`."""
    moment = so3.cross(place - place_at(nodes.curve, spot), force)
    length = at_node(nodes.curve.length, spot.piece)
    first, second, leaving, arriving = spread(spot.share)
    found = []
    for index, whole, turned, spun in (
        (spot.piece, first, leaving, 1.0 - spot.share),
        (spot.piece + 1, second, arriving, spot.share),
    ):
        push = whole[:, None] * force
        place, direction = at_node(nodes.curve.place, index), at_node(nodes.curve.direction, index)
        turn = spun[:, None] * moment + so3.cross((length * turned)[:, None] * direction, force)
        found.append(jnp.concatenate([turn + so3.cross(place, push), push], axis=-1))
    return found[0], found[1]


class RodNumbers(NamedTuple):
    own: AxisNumbers
    other: AxisNumbers


class _Seen(NamedTuple):
    """Both axes; moves: whether they have twists."""

    own: _Nodes
    other: _Nodes
    moves: bool


class _Sides(NamedTuple):
    own: _Nodes
    other: _Nodes
    spot: Spot  # on the other side
    centre: Array


class RodWrenches(NamedTuple):
    """Spatial wrenches (n, 6) on the first and second nodes of the samples' pieces, and of those that they touch,
    which are `piece` (n,)."""

    own: tuple[Array, Array]
    other: tuple[Array, Array]
    piece: Array


@dataclasses.dataclass(frozen=True, eq=False)
class RodMeeting:
    """Samples at the static places `piece`, `share` (n,) of an axis. window: which part of the other axis they may
    touch, seen from where they are on it themselves; of another rod anywhere."""

    own: Axis
    other: Axis
    piece: np.ndarray
    share: np.ndarray
    window: str

    @property
    def count(self) -> int:
        return len(self.piece)

    @property
    def rows(self) -> tuple[np.ndarray, ...]:
        return (np.concatenate([self.own.places.rows, self.other.places.rows]),)

    @property
    def parts(self) -> tuple["RodMeeting"]:
        return (self,)

    @property
    def _spot(self) -> Spot:
        return Spot(jnp.asarray(self.piece), jnp.asarray(self.share))

    @property
    def _near(self) -> np.ndarray:
        """(n,) the nodes nearest to the samples."""
        return self.piece + (self.share > 0.5)

    def prepare(self, parameters: Mapping[str, Array]) -> RodNumbers:
        return RodNumbers(self.own.prepare(parameters), self.other.prepare(parameters))

    def _window(self, nodes: _Nodes) -> tuple[Array, Array]:
        """(n,) arc lengths between which the other axis may be touched."""
        least, most = jnp.full(self.count, -jnp.inf), jnp.full(self.count, jnp.inf)
        if self.window == ANYWHERE:
            return least, most
        length = nodes.curve.length
        arc = jnp.concatenate([jnp.zeros(1), jnp.cumsum(length)])
        here = taken_at(arc, self.piece) + jnp.asarray(self.share) * taken_at(length, self.piece)
        near = _BEND * radius_at(nodes.curve, self._spot)
        return (here + near, most) if self.window == AHEAD else (least, here - near)

    def one(self, numbers: RodNumbers, index: Array) -> tuple["RodMeeting", RodNumbers]:
        piece, share = taken_at(self.piece.astype(np.uint32), index), taken_at(self.share, index)
        return dataclasses.replace(self, piece=piece, share=share), numbers

    def seen(self, numbers: RodNumbers, rows: Rows) -> _Seen:
        return _Seen(_nodes(self.own, numbers.own, rows), _nodes(self.other, numbers.other, rows), rows.moves)

    def touch(self, numbers: RodNumbers, seen: _Seen) -> Touch:
        own, other, moves = seen
        centre = place_at(own.curve, self._spot)
        spot, found = nearest(other.curve, centre, *self._window(own))
        apart = centre - place_at(other.curve, spot)
        distance = norm(apart)
        some = distance > 0.0
        normal = apart * jnp.where(some, 1.0 / jnp.where(some, distance, 1.0), 0.0)[:, None]
        radius, beyond = radius_at(own.curve, self._spot), radius_at(other.curve, spot)
        # What has nothing to touch is as far as the rod is long.
        gap = jnp.where(found, distance - radius - beyond, jnp.sum(numbers.other.length))
        place = centre - (0.5 * (distance + radius - beyond))[:, None] * normal
        axes = taken_at(own.turn, self._near)
        velocity = jnp.zeros_like(place)
        if moves:
            velocity = _velocity(own, self._spot, place) - _velocity(other, spot, place)
            velocity = apply_transposed(axes, velocity)
        along = apply_transposed(axes, taken_at(own.curve.direction, self._near))
        return Touch(
            axes, gap, apply_transposed(axes, normal), place, velocity, along, _Sides(own, other, spot, centre)
        )

    def first_marks(self) -> dict[str, Array]:
        vector = jnp.zeros((self.count, 3))
        return {"own": vector, "other": vector, "where": jnp.zeros(self.count)}

    def marks(self, numbers: RodNumbers, touch: Touch) -> dict[str, Array]:
        """Both points from their axes, in the axes of nodes beside them; where on the other axis, in pieces."""
        own, other, spot, centre = touch.sides
        across = touch.place - place_at(other.curve, spot)
        return {
            "own": apply_transposed(taken_at(own.turn, self._near), touch.place - centre),
            "other": apply_transposed(at_node(other.turn, spot.piece), across),
            "where": spot.piece + spot.share,
        }

    def _kept(self, touch: Touch, marks: Marks) -> Spot:
        last = len(self.other.shares) - 1
        piece = jnp.clip(jnp.floor(jax.lax.stop_gradient(marks["where"])).astype(int), 0, last)
        return Spot(piece, marks["where"] - piece)

    def moved(self, numbers: RodNumbers, touch: Touch, marks: Marks) -> Array:
        own, other, _, centre = touch.sides
        kept = self._kept(touch, marks)
        mine = centre + apply(taken_at(own.turn, self._near), marks["own"])
        its = place_at(other.curve, kept) + apply(at_node(other.turn, kept.piece), marks["other"])
        return apply_transposed(touch.axes, mine - its)

    def same(self, numbers: RodNumbers, touch: Touch, marks: Marks) -> Array:
        _, other, spot, _ = touch.sides
        kept = self._kept(touch, marks)
        arc = jnp.concatenate([jnp.zeros(1), jnp.cumsum(other.curve.length)])
        where, before = (
            at_node(arc, own.piece) + own.share * at_node(other.curve.length, own.piece) for own in (spot, kept)
        )
        near = jnp.abs(where - before) < _LOST * radius_at(other.curve, spot)
        return jnp.where(near, 1.0, 0.0)

    def wrenches(self, numbers: RodNumbers, touch: Touch, force: Array) -> RodWrenches:
        own, other, spot, _ = touch.sides
        force = apply(touch.axes, force)
        mine = _wrenches(own, self._spot, touch.place, force)
        return RodWrenches(mine, _wrenches(other, spot, touch.place, -force), spot.piece)

    def push(self, wrenches: RodWrenches) -> Push:
        mine = _on_nodes(self.own, jnp.asarray(self.piece), wrenches.own)
        its = _on_nodes(self.other, wrenches.piece, wrenches.other)
        rows = np.concatenate([self.own.places.rows, self.other.places.rows])
        return Push(rows, jnp.concatenate([mine, its]))


def _on_nodes(axis: Axis, piece: Array, wrenches: tuple[Array, Array]) -> Array:
    """(m + 1, 6) of wrenches on the first and second nodes of pieces (n,)."""
    first, second = wrenches
    return jnp.zeros((len(axis.places.rows), 6)).at[piece].add(first).at[piece + 1].add(second)
