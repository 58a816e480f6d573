"""What all rods share: their nodes as rows, the numbers of the section there, and the reference strain."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.lie import magnus4, se3
from pliant.mechanics import STRAINS, RigidInertia, SectionLaw, taper
from pliant.numerics import gauss_legendre

_COLLOCATION = np.sqrt(3.0) / 6.0  # offset of Gauss' two points from the middle of a unit interval
_MOMENT_POINTS = 16  # Gauss points for moments of basis functions: exact for polynomials up to order 30

StrainAlong = Callable[[np.ndarray], Array]  # (n, 6) total strain at fractions (n,) of a rod
# The two strains (n, 6) that a Magnus step asks for in intervals from fractions (n,) to others
StrainPairs = Callable[[np.ndarray, np.ndarray], tuple[Array, Array]]


class Grid(NamedTuple):
    """Nodes of a rod, each array (pieces, rows). A row runs from `start` to `end` (fractions of the rod)."""

    start: np.ndarray
    end: np.ndarray
    weight: np.ndarray  # part of the rod that the strain at the end node stands for; 0 where it stands for none


def padded_grid(rows: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Grid:
    """Grid of equal pieces from the end fractions and weights of the rows of each; a piece with fewer rows than the
    others repeats its last place without weight."""
    count = max(len(ends) for ends, _ in rows)
    end = np.array([[*ends, *[ends[-1]] * (count - len(ends))] for ends, _ in rows])
    weight = np.array([[*weights, *[0.0] * (count - len(weights))] for _, weights in rows])
    first = np.arange(len(rows))[:, None] / len(rows)
    return Grid(np.concatenate([first, end[:, :-1]], axis=1), end, weight)


def gauss_rows(
    low: float, high: float, breaks: set[float], attachments: Sequence[float], quadrature: int
) -> tuple[list[float], list[float]]:
    """End fractions and Gauss weights of the rows of one piece: Gauss points between the breaks, the breaks, the places
    where something is attached, and the end of the piece. quadrature 0: one point at the end of each span, enough for
    what does not change along it."""
    spans = [low, *sorted(b for b in breaks if low < b < high), high]
    nodes: dict[float, float] = {}
    points, weights = gauss_legendre(quadrature) if quadrature else (np.ones(1), np.ones(1))
    for left, right in itertools.pairwise(spans):
        nodes.update(
            {left + (right - left) * float(x): (right - left) * float(w) for x, w in zip(points, weights, strict=True)}
        )
        nodes.setdefault(right, 0.0)
    for fraction in attachments:
        if low < fraction <= high:
            nodes.setdefault(fraction, 0.0)
    ordered = sorted(nodes.items())
    return [fraction for fraction, _ in ordered], [weight for _, weight in ordered]


def gauss_weights(grid: Grid, low: float, high: float) -> np.ndarray:
    """(pieces, rows) the Gauss weights between two fractions of the rod, both ends of rows."""
    return np.where((grid.end > low) & (grid.end <= high), grid.weight, 0.0)


def find_row(grid: Grid, fraction: float) -> tuple[int, int]:
    """(segment, row) whose end is the node at a fraction: the first one, where rows without length share it."""
    ends = grid.end.ravel()  # ascending
    index = int(np.searchsorted(ends, fraction))
    if index == len(ends) or ends[index] != fraction:
        raise KeyError(f"the rod has no node at fraction {fraction}")
    return divmod(index, grid.end.shape[1])


def reference_of(numbers: Mapping[str, Array]) -> tuple[Array, ...]:
    """The six reference strains, each () or (2,)."""
    return tuple(numbers[f"reference.{name}"] for name in STRAINS)


def reference_at(reference: tuple[Array, ...], fraction: np.ndarray) -> Array:
    """(..., 6) reference strain at fractions of the rod."""
    at = jnp.asarray(fraction)
    return jnp.stack([taper(value, at) for value in reference], axis=-1)


def collocation(start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Zanna's two points in each interval, at which a Magnus step of fourth order asks for the strain."""
    middle, width = 0.5 * (start + end), end - start
    return middle - _COLLOCATION * width, middle + _COLLOCATION * width


def moment_basis(
    basis: Callable[[np.ndarray], np.ndarray], start: np.ndarray, end: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What stands for the values of basis functions at Zanna's two points of intervals (...,): the two values of the
    straight line with the mean and the first moment of the function over the interval. A Magnus step knows no more of a
    strain than these two (Blanes et al. 2009), and collocation only estimates them: exact ones make the pose of a rod
    that bends little exact. basis(fractions (..., g)): values (..., g, i, j)."""
    points, weights = gauss_legendre(_MOMENT_POINTS)
    values = basis(start[..., None] + (end - start)[..., None] * points)
    mean = np.einsum("g,...gij->...ij", weights, values)
    slope = np.einsum("g,...gij->...ij", 12.0 * weights * (points - 0.5), values)
    return mean - _COLLOCATION * slope, mean + _COLLOCATION * slope


def at_collocation(strain: StrainAlong) -> StrainPairs:
    """Strains at Zanna's points."""

    def pairs(start: np.ndarray, end: np.ndarray) -> tuple[Array, Array]:
        first, second = collocation(start, end)
        return strain(first), strain(second)

    return pairs


def integrated_poses(length: Array, strains: StrainPairs, ends: np.ndarray) -> Array:
    """(K, 4, 4) poses at ascending fractions > 0 of a rod with given strains: one Magnus step from each to the next,
    the first from the base."""
    starts = np.concatenate([[0.0], ends[:-1]])
    steps = se3.exp(magnus4(length * jnp.asarray(ends - starts), *strains(starts, ends)))

    def advance(pose: Array, step: Array) -> tuple[Array, Array]:
        moved = pose @ step
        return moved, moved

    return jax.lax.scan(advance, jnp.eye(4), steps)[1]


def poses_from_strain(grid: Grid, length: Array, strains: StrainPairs, fractions: tuple[float, ...]) -> Array:
    """(K, 4, 4) poses at fractions of a rod with given strains. The Magnus steps are those of the rows, cut further
    where a fraction asks for it."""
    ends = np.unique(np.concatenate([grid.end.ravel(), np.asarray(fractions, dtype=float)]))
    ends = ends[ends > 0.0]
    poses = jnp.concatenate([jnp.eye(4)[None], integrated_poses(length, strains, ends)])
    return poses[np.searchsorted(np.concatenate([[0.0], ends]), fractions)]


class NodeNumbers(NamedTuple):
    """Section numbers at the nodes times their weights: stiffness and damping (P, m, 6), inertia (P, m)."""

    stiffness: Array
    damping: Array
    inertia: RigidInertia


def node_numbers(section: SectionLaw, numbers: Mapping[str, Array], grid: Grid) -> NodeNumbers:
    shape = grid.end.shape
    values = section.evaluate(numbers, jnp.asarray(grid.end.ravel()))
    weight = numbers["length"] * jnp.asarray(grid.weight)[..., None]
    inertia = weight * values.inertia.reshape(*shape, 6)
    return NodeNumbers(
        weight * values.stiffness.reshape(*shape, 6),
        weight * values.damping.reshape(*shape, 6),
        RigidInertia(inertia[..., 5], jnp.zeros((*shape, 3)), inertia[..., :3, None] * jnp.eye(3)),
    )


def lumps(grid: Grid, inertia: RigidInertia) -> tuple[tuple[float, ...], RigidInertia]:
    """Fractions and inertias of the nodes that have a weight, out of those of all rows (P, m)."""
    used = np.flatnonzero(grid.weight.ravel())
    flat = RigidInertia(*(x.reshape(-1, *x.shape[2:])[used] for x in inertia))
    return tuple(float(f) for f in grid.end.ravel()[used]), flat
