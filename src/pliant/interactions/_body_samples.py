"""Shapes of rigid bodies as points that touch: few and exact against planes, spread over the shape against others."""

import dataclasses
import itertools
from collections.abc import Callable, Mapping
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.blueprint import FINENESS
from pliant.elements import RigidBody
from pliant.interactions._contact_samples import Samples
from pliant.interactions._places import Frame
from pliant.mechanics import Support, disc

_INSET = 0.9  # of the radius of a cylinder: where it stands on its end, within the rim on which it rolls

Sizes = Mapping[str, Array]


class Laid(NamedTuple):
    """Points (k, 3) in the frame of a shape, radii (k,), what reaches farther (None: nothing), and a size [m]."""

    point: Array
    radius: Array
    support: Support | None
    size: Array


@dataclasses.dataclass(frozen=True)
class Layout:
    """How samples lie on a shape. count(n): how many there are where n are asked for; standing: on how many the body
    usually stands, which share the mass behind them."""

    lay: Callable[[Sizes, int], Laid]
    count: Callable[[int], int]
    standing: int


@dataclasses.dataclass(frozen=True, eq=False)
class Carrier:
    """The rigid body that carries a shape, and its numbers; None where what moves with the shape is not one body."""

    body: RigidBody | None
    paths: Mapping[str, str]

    def mass(self, parameters: Mapping[str, Array]) -> Array:
        if self.body is None:
            return jnp.zeros(())
        return self.body.inertia({name: parameters[path] for name, path in self.paths.items()}).mass


@dataclasses.dataclass(frozen=True, eq=False)
class BodySamples:
    """The samples of one shape. fineness: how many are asked for; paths: of its sizes."""

    layout: Layout
    fineness: int
    frame: Frame
    paths: Mapping[str, str]
    carrier: Carrier
    line = False

    @property
    def frames(self) -> tuple[Frame, ...]:
        return (self.frame,) * self.layout.count(self.fineness)

    def prepare(self, parameters: Mapping[str, Array]) -> Samples:
        laid = self.layout.lay({name: parameters[path] for name, path in self.paths.items()}, self.fineness)
        each = jnp.ones(len(laid.point))
        behind = self.carrier.mass(parameters) / self.layout.standing
        return Samples(laid.point, laid.radius, each, behind * each, laid.size * each, laid.support)


def _ball(sizes: Sizes, n: int) -> Laid:
    radius = sizes["radius"]
    return Laid(jnp.zeros((1, 3)), radius[None], None, radius)


def _grid(sizes: Sizes, n: int) -> Laid:
    """Points of a box, n along each edge."""
    marks = np.linspace(-0.5, 0.5, n)
    every = np.array(list(itertools.product(marks, repeat=3)))
    outside = every[np.abs(every).max(axis=1) == 0.5]
    size = sizes["size"]
    return Laid(jnp.asarray(outside) * size, jnp.zeros(len(outside)), None, 0.5 * jnp.sqrt(jnp.sum(size**2)))


def _corners(sizes: Sizes, n: int) -> Laid:
    return _grid(sizes, 2)


def _axis(sizes: Sizes, n: int) -> Laid:
    """Spheres along the axis of a capsule."""
    z = sizes["length"] * jnp.asarray(np.linspace(-0.5, 0.5, n))
    radius = jnp.broadcast_to(sizes["radius"], (n,))
    return Laid(jnp.stack([0.0 * z, 0.0 * z, z], axis=-1), radius, None, sizes["radius"])


def _ends(sizes: Sizes, n: int) -> Laid:
    return _axis(sizes, 2)


def _rings(sizes: Sizes, n: int, share: float) -> Array:
    """(2 n + 2, 3) points on circles at both ends of a cylinder, then the middles of the ends."""
    angles = 2.0 * np.pi * np.arange(n) / n
    ring = np.stack([share * np.cos(angles), share * np.sin(angles)], axis=-1)
    flat = np.concatenate([ring, ring, np.zeros((2, 2))])
    side = np.concatenate([np.full(n, 0.5), np.full(n, -0.5), [0.5, -0.5]])
    return jnp.concatenate([sizes["radius"] * flat, (sizes["length"] * side)[:, None]], axis=-1)


def _half_diagonal(sizes: Sizes) -> Array:
    return jnp.sqrt(sizes["radius"] ** 2 + (0.5 * sizes["length"]) ** 2)


def _rims(sizes: Sizes, n: int) -> Laid:
    return Laid(_rings(sizes, n, 1.0), jnp.zeros(2 * n + 2), None, _half_diagonal(sizes))


def _discs(sizes: Sizes, n: int) -> Laid:
    """Both ends of a cylinder as discs, which roll without corners, and points within them on which it stands."""
    is_disc = jnp.asarray(np.arange(2 * n + 2) >= 2 * n, dtype=float)
    points = _rings(sizes, n, _INSET)
    return Laid(points, jnp.zeros(2 * n + 2), disc(sizes["radius"] * is_disc), _half_diagonal(sizes))


def _mean(semi_axes: Array) -> Array:
    return jnp.cbrt(semi_axes[0] * semi_axes[1] * semi_axes[2])


def _whole(sizes: Sizes, n: int) -> Laid:
    """An ellipsoid by the point of it that reaches farthest."""
    axes = sizes["semi_axes"]
    none = jnp.zeros((1, 3))
    return Laid(none, jnp.zeros(1), Support(axes[None], none, jnp.zeros(1)), _mean(axes))


def _sphere_points(n: int) -> np.ndarray:
    """(k, 3) both poles, and circles of n between them."""
    angles = 2.0 * np.pi * np.arange(n) / n
    heights = np.pi * np.arange(1, (n + 1) // 2) / ((n + 1) // 2)
    circles = [
        np.stack([np.sin(h) * np.cos(angles), np.sin(h) * np.sin(angles), np.full(n, np.cos(h))], axis=-1)
        for h in heights
    ]
    return np.concatenate([[[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]], *circles])


def _skin(sizes: Sizes, n: int) -> Laid:
    points = jnp.asarray(_sphere_points(n)) * sizes["semi_axes"]
    return Laid(points, jnp.zeros(len(points)), None, _mean(sizes["semi_axes"]))


_BALL = Layout(_ball, lambda n: 1, 1)
_ELLIPSOID = Layout(_whole, lambda n: 1, 1)
# By the words of shapes: against planes, against other surfaces from outside, and from the inside of a hollow one.
ON_PLANES = {
    "sphere": _BALL,
    "box": Layout(_corners, lambda n: 8, 4),
    "capsule": Layout(_ends, lambda n: 2, 2),
    "cylinder": Layout(_discs, lambda n: 2 * n + 2, 4),
    "ellipsoid": _ELLIPSOID,
}
ON_SHAPES = {
    "sphere": _BALL,
    "box": Layout(_grid, lambda n: n**3 - (n - 2) ** 3, 4),
    "capsule": Layout(_axis, lambda n: n, 2),
    "cylinder": Layout(_rims, lambda n: 2 * n + 2, 4),
    "ellipsoid": _ELLIPSOID,
}
INSIDE = {**ON_SHAPES, "ellipsoid": Layout(_skin, lambda n: 2 + n * ((n + 1) // 2 - 1), 4)}


def body_samples(
    shape: str, other: str, hollow: bool, fineness: int | None, frame: Frame, paths: Mapping[str, str], carrier: Carrier
) -> BodySamples:
    """The samples of a shape that touches a surface of the kind `other`; fineness: None is that of the shape."""
    layouts = ON_PLANES if other == "plane" else INSIDE if hollow else ON_SHAPES
    points = FINENESS.get(shape, 1) if fineness is None else fineness
    return BodySamples(layouts[shape], points, frame, paths, carrier)
