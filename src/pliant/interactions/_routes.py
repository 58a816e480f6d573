"""Paths through a robot whose length (tendon) or volume (chamber) does work: all of them, flattened to segments.

A path is a sequence of segments: samples of a run along a rod, each with a Gauss weight, and straight legs between
points. Its length is the sum of theirs, and everything a tendon or chamber does to the robot is the gradient of that
sum: no case has a formula of its own.
"""

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.lie import so3
from pliant.mechanics import norm, stacked

Parameters = Mapping[str, Array]

_TINY = 1e-12  # m and 1: below it a leg has no direction, a turn no axis


@dataclasses.dataclass(frozen=True, eq=False)
class Run:
    """Numbers (parameter paths) of one run along a rod; `slope` is the part of the run per fraction of the rod."""

    x: str
    y: str
    helix: tuple[str, str, str] | None  # radius, turns, phase
    length: str  # of the rod
    slope: float
    area: str | None  # chambers: path of the area, or of the radius
    radius: str | None


@dataclasses.dataclass(frozen=True, eq=False)
class Routes:
    """All paths of a robot.

    - Samples: the row whose end frame it is, the run, the position in the run (0 to 1 as written), the Gauss weight (0
      at a place that is only looked at), 1 or -1 for a run towards the tip or the base, and the path it belongs to.
    - Points: the row and the chain of offsets they hang on, and the run and position in it that displaces them (-1:
      none).
    - Legs: pairs of points, and their path.
    - friction: of the paths that have it, the path, its coefficient, its segments from the driven end (samples first,
      then legs, counted together), and the parts of the first and the last turn that lie outside the samples.
    """

    runs: tuple[Run, ...]
    sample_row: np.ndarray
    sample_run: np.ndarray
    sample_position: np.ndarray
    sample_weight: np.ndarray
    sample_sense: np.ndarray
    sample_path: np.ndarray
    point_row: np.ndarray
    point_chain: tuple[Any, ...]
    point_run: np.ndarray
    point_position: np.ndarray
    leg: np.ndarray  # (Q, 2)
    leg_path: np.ndarray
    count: int
    friction: tuple[tuple[int, str, np.ndarray, float, float], ...]

    @property
    def owner(self) -> np.ndarray:
        """(K + Q,) path of every segment."""
        return np.concatenate([self.sample_path, self.leg_path])

    @property
    def in_chamber(self) -> np.ndarray:
        """(K,) whether a sample lies in a chamber."""
        chamber = np.array([bool(run.area or run.radius) for run in self.runs], dtype=bool)
        return chamber[self.sample_run]


class RouteNumbers(NamedTuple):
    """Traced numbers: offset and its slope per metre at the samples, length weight, area in the plane of the section (1
    for tendons); points in the frames of their rows; area of the straight legs is 1 (chambers have none)."""

    offset: Array  # (K, 3)
    slope: Array  # (K, 3)
    weight: Array  # (K,)
    area: Array  # (K,)
    point: Array  # (P, 3)


def prepare_routes(routes: Routes, parameters: Parameters, point_offset: Array) -> RouteNumbers:
    """point_offset (P, 4, 4): constant pose of the frame a point hangs on, in its row."""
    if not routes.runs:
        none = jnp.zeros((0, 3))
        return RouteNumbers(none, none, jnp.zeros(0), jnp.zeros(0), point_offset[:, :3, 3])
    table = _run_table(routes.runs, parameters)

    def offset(run: np.ndarray, position: Array) -> Array:
        x, y, radius = (taper_rows(table[name][run], position) for name in ("x", "y", "radius"))
        angle = table["phase"][run] + 2.0 * jnp.pi * table["turns"][run] * position
        return jnp.stack([x + radius * jnp.cos(angle), y + radius * jnp.sin(angle), jnp.zeros_like(x)], axis=-1)

    position = jnp.asarray(routes.sample_position)
    at, along = jax.jvp(lambda p: offset(routes.sample_run, p), (position,), (jnp.ones_like(position),))
    length = stacked([run.length for run in routes.runs], parameters)
    per_metre = jnp.asarray([run.slope for run in routes.runs]) / length
    moved = offset(np.maximum(routes.point_run, 0), jnp.asarray(routes.point_position))
    local = jnp.where((routes.point_run >= 0)[:, None], moved, 0.0)
    point = point_offset[:, :3, 3] + jnp.einsum("pij,pj->pi", point_offset[:, :3, :3], local)
    slope = along * per_metre[routes.sample_run][:, None]
    # A bore is measured across its own line; a section cuts a slanted one in an ellipse.
    slant = jnp.where(routes.in_chamber, jnp.sqrt(1.0 + jnp.sum(slope**2, axis=-1)), 1.0)
    return RouteNumbers(
        offset=at,
        slope=slope,
        weight=length[routes.sample_run] * jnp.asarray(routes.sample_weight),
        area=taper_rows(table["area"][routes.sample_run], position) * slant,
        point=point,
    )


def taper_rows(ends: Array, position: Array) -> Array:
    """Value between ends (n, 2) at positions (n,)."""
    return ends[:, 0] + (ends[:, 1] - ends[:, 0]) * position


def _run_table(runs: tuple[Run, ...], parameters: Parameters) -> dict[str, Array]:
    areas = _ends([run.area for run in runs], parameters)
    bores = _ends([run.radius for run in runs], parameters)
    given = np.array([run.area is not None for run in runs])[:, None]
    round_ = np.array([run.radius is not None for run in runs])[:, None]
    return {
        "x": _ends([run.x for run in runs], parameters),
        "y": _ends([run.y for run in runs], parameters),
        "radius": _ends([run.helix[0] if run.helix else None for run in runs], parameters),
        "turns": _ends([run.helix[1] if run.helix else None for run in runs], parameters)[:, 0],
        "phase": _ends([run.helix[2] if run.helix else None for run in runs], parameters)[:, 0],
        "area": jnp.where(given, areas, jnp.where(round_, jnp.pi * bores**2, 1.0)),
    }


def _ends(paths: Sequence[str | None], parameters: Parameters) -> Array:
    """(n, 2) values at both ends of the runs, of numbers that are given once or as [begin, end]; zero without one."""
    values = jnp.zeros((len(paths), 2))
    for size in ((), (2,)):
        own = [index for index, path in enumerate(paths) if path and parameters[path].shape == size]
        if own:
            found = stacked([paths[index] or "" for index in own], parameters)
            found = found if size else found[:, None]
            if len(own) == len(paths):
                return jnp.broadcast_to(found, values.shape)
            values = values.at[np.array(own)].set(found)
    return values


def _along(numbers: RouteNumbers, strains: Array) -> Array:
    """(K, 3) tangents of the samples in their row's frame, per metre of the unstretched rod."""
    return strains[:, 3:] + so3.cross(strains[:, :3], numbers.offset) + numbers.slope


def measures(routes: Routes, numbers: RouteNumbers, points: Array, strains: Array) -> Array:
    """(K + Q,) length [m] of every segment, volume [m^3] in a chamber.

    points (P, 3): where the points are, in any fixed frame; strains (K, 6): total strain of the rod at the samples.
    """
    straight = points[routes.leg[:, 1]] - points[routes.leg[:, 0]]
    return jnp.concatenate([numbers.weight * densities(routes, numbers, strains), norm(straight)])


def densities(routes: Routes, numbers: RouteNumbers, strains: Array) -> Array:
    """(K,) length of path, in a chamber volume, per metre of the unstretched rod.

    Between two sections, which stay plane and rigid, a chamber holds its area times their distance along the normal:
    shear makes its line longer and its volume not.
    """
    along = _along(numbers, strains)
    return numbers.area * jnp.where(routes.in_chamber, along[:, 2], norm(along))


def totals(routes: Routes, segments: Array) -> Array:
    """(count,) sums of the segments (K + Q,) over each path."""
    return jnp.zeros(routes.count).at[routes.owner].add(segments)


def tension_factors(
    routes: Routes, numbers: RouteNumbers, coefficients: Array, points: Array, strains: Array, rotation: Array
) -> tuple[Array, Array]:
    """Share of the driven end's tension that friction leaves: on every segment (K + Q,), and at the far end of every
    path (count,). coefficients: in the order of `Routes.friction`; rotation (K, 3, 3): of the samples' frames, in the
    frame of the points."""
    # Runs towards the base are passed against the direction in which the rod is measured.
    along = jnp.einsum("kij,kj->ki", rotation, _along(numbers, strains)) * jnp.asarray(routes.sample_sense)[:, None]
    tangents = jnp.concatenate([along, points[routes.leg[:, 1]] - points[routes.leg[:, 0]]])
    tangents = tangents / jnp.maximum(norm(tangents), _TINY)[:, None]
    factors, ends = jnp.ones(len(routes.owner)), jnp.ones(routes.count)
    for (path, _, segments, before, after), coefficient in zip(routes.friction, coefficients, strict=True):
        ordered = _continued(tangents[segments], segments >= len(routes.sample_row))
        turn = _angle(ordered[:-1], ordered[1:])
        first = before * turn[:1] if len(segments) > 1 else jnp.zeros(1)
        turned = jnp.cumsum(jnp.concatenate([first, turn]))
        beyond = turned[-1] + (after * turn[-1] if len(segments) > 1 else 0.0)
        factors = factors.at[segments].set(jnp.exp(-coefficient * turned))
        ends = ends.at[path].set(jnp.exp(-coefficient * beyond))
    return factors, ends


def _continued(tangents: Array, is_leg: np.ndarray) -> Array:
    """Tangents (n, 3) in order, where a leg between points that coincide (it has no direction) takes the one before
    it, or after it where it is the first: a path that passes from rod to rod does not turn there by itself."""
    in_a_row = max((len(list(same)) for leg, same in itertools.groupby(is_leg) if leg), default=0)
    for _ in range(in_a_row if len(tangents) > 1 else 0):
        undirected = is_leg & (jnp.sum(tangents**2, axis=-1) < 0.5)  # a unit vector or next to nothing
        before = jnp.concatenate([tangents[1:2], tangents[:-1]])
        tangents = jnp.where(undirected[:, None], before, tangents)
    return tangents


def _angle(a: Array, b: Array) -> Array:
    """Angle between unit vectors (n, 3), smooth where they agree."""
    return 2.0 * jnp.arctan2(norm(a - b), norm(a + b))
