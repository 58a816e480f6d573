"""One sweep along a quasi-static arm, from its tip to its base, for loads that are known in the axes of the tip.

Node 0 is the tip. Interval i lies between the nodes i and i + 1; node i + 1 has the pose (E, d) in the axes of node i.
A row vector u in the axes of node i is u E in those of node i + 1, so that force f and moment m within the arm follow

    f <- f E,    m <- (m - d x f) E

and the pose of the nodes, R and q = p R in the axes of the tip, R <- R E, q <- (q + d) E.

For arrays the first loop carries f and m, the second the pose: a loop whose body touches less than a kilobyte becomes
one piece of machine code; all in one loop would be ten times as slow. For scalars one loop carries everything.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax

from pliant._scalars import for_scalars
from pliant.lie import so3

CONSTRUCTIONS = ("arcs", "increments")

# cos(x) and sin(x)/(2 x) as series in x^2, x half the angle by which an interval bends: exact to round-off up to here.
LARGEST_TURN = math.pi
_TERMS = 11
_SMALL, _SMALL_TERMS = 0.01, 5  # below this x^2 (11 deg) so many do as well
_COSINE = tuple((-1.0) ** j / math.factorial(2 * j) for j in range(_TERMS))
_SINE = tuple(0.5 * (-1.0) ** j / math.factorial(2 * j + 1) for j in range(_TERMS))


class Part(NamedTuple):
    """A stretch of the arm whose intervals are alike but for their axial law; a rigid piece is one interval.

    Each is for an interval as a whole, (2, 3) [turn; displacement] in rad and m: `offset` under the pressures alone,
    `compliance` per moment and force, `lever` (3,) turn per force across, as the moment is taken at the middle.
    axial (n, 2): where the intervals differ, the axial displacement of each without force and its compliance.
    """

    offset: Array
    compliance: Array
    lever: Array
    axial: Array | None
    intervals: int


class NodeLoads(NamedTuple):
    """Loads (nodes, 2, 3) [force; moment] from the tip to the base: in the axes of the tip, and of the node itself."""

    tip_axes: Array
    own_axes: Array


class Sweep(NamedTuple):
    """wrench (nodes, 2, 3): force and moment that the part beyond a node exerts there, in the axes of the node.
    turn (nodes, 3, 3), place (nodes, 3): pose of the nodes in the axes of the tip. displacement (intervals, 2, 3): turn
    and displacement over each interval."""

    wrench: Array
    turn: Array
    place: Array
    displacement: Array


def sweep(parts: tuple[Part, ...], tip: Array, loads: NodeLoads | None, construction: str) -> Sweep:
    """parts: from the tip to the base. tip (2, 3): force and moment on the tip; loads: on all other nodes."""
    start = jnp.concatenate([jnp.eye(3), jnp.zeros((1, 3))])
    # Rows of the state: force and moment; R, where the axes of the tip are needed on the way; q.
    needed = 2 if loads is None else 5
    rows, kept = (6, 6) if for_scalars() else (needed, 2)
    state = jnp.concatenate([tip, start])[:rows]
    along, begin = [state[None, :kept]], 1
    for part in parts:
        here = None if loads is None else NodeLoads(*(load[begin : begin + part.intervals] for load in loads))
        state, behind = _carry(part, state, here, construction, kept)
        along.append(behind)
        begin += part.intervals
    states = jnp.concatenate(along)
    wrench = states[:, :2]
    moved, begin = [], 0
    for part in parts:
        moved.append(_displacement(part, wrench[begin : begin + part.intervals], part.axial))
        begin += part.intervals
    displacement = jnp.concatenate(moved)
    poses = states[:, 2:] if for_scalars() else _poses(start, *_step(-displacement, construction))
    turn = poses[:, :3]
    return Sweep(wrench, turn, jnp.sum(turn * poses[:, 3:], axis=-1), displacement)


def _displacement(part: Part, wrench: Array, axial: Array | None) -> Array:
    """Turn and displacement (..., 2, 3) of an interval whose tip end carries the wrench (..., 2, 3)."""
    force, moment = wrench[..., 0, :], wrench[..., 1, :]
    across = jnp.stack([-force[..., 1], force[..., 0], jnp.zeros_like(force[..., 0])], axis=-1)
    offset, compliance, lever = _leading((part.offset, part.compliance, part.lever), wrench.ndim - 2)
    turn = offset[..., 0, :] + compliance[..., 0, :] * moment + lever * across
    moved = offset[..., 1, :] + compliance[..., 1, :] * force
    if axial is not None:
        stretched = axial[..., 0] + axial[..., 1] * force[..., 2]
        moved = jnp.concatenate([moved[..., :2], stretched[..., None]], axis=-1)
    return jnp.stack([turn, moved], axis=-2)


def _leading(arrays: tuple[Array, ...], count: int) -> tuple[Array, ...]:
    return tuple(array.reshape(*([1] * count), *array.shape) for array in arrays)


def _carry(part: Part, state: Array, loads: NodeLoads | None, construction: str, kept: int) -> tuple[Array, Array]:
    """The state at the base end of a part from that at its tip end, and (n, kept, 3) of it behind each interval."""

    def across(state: Array, given: tuple[Array | None, NodeLoads | None]) -> tuple[Array, Array]:
        axial, load = given
        matrix, place = _step(-_displacement(part, state[:2], axial), construction)
        change = jnp.zeros_like(state).at[1].set(-so3.cross(place, state[0]))
        if state.shape[0] == 6:
            change = change.at[5].set(place)
        turned = (state + change) @ matrix
        if load is not None:
            extra = load.own_axes + load.tip_axes @ turned[2:5]
            turned = jnp.concatenate([turned[:2] + extra, turned[2:]])
        return turned, turned[:kept]

    return lax.scan(across, state, (part.axial, loads), length=part.intervals)


class _Halves(NamedTuple):
    """cos(x) and sin(x) / (2 x), x half of the angle by which an interval bends; the same of its twist."""

    bent_cosine: Array
    bent_sine: Array
    twisted_cosine: Array
    twisted_sine: Array


def _halves(turn: Array) -> _Halves:
    bend, twist = turn[..., 0] ** 2 + turn[..., 1] ** 2, turn[..., 2] ** 2
    return _Halves(*(_series(terms, 0.25 * square) for square in (bend, twist) for terms in (_COSINE, _SINE)))


def _series(terms: Sequence[float], at: Array) -> Array:
    """Sum of terms[j] at^j. Scalars can leave out what does not matter."""
    if not for_scalars():
        return _paired(terms, at)
    return jnp.where(at < _SMALL, _paired(terms[:_SMALL_TERMS], at), _paired(terms, at))


def _paired(terms: Sequence[Array | float], at: Array) -> Array:
    """The sum by pairs, pairs of pairs and so on: it waits for few operations, not for one per term."""
    if len(terms) == 1:
        return jnp.asarray(terms[0])
    pairs = [terms[j] + at * terms[j + 1] if j + 1 < len(terms) else terms[j] for j in range(0, len(terms), 2)]
    return _paired(pairs, at * at)


def _step(moved: Array, construction: str) -> tuple[Array, Array]:
    """Pose E (..., 3, 3), d (..., 3) over an interval, of turn and displacement (..., 2, 3) over it."""
    turn, straight = moved[..., 0, :], moved[..., 1, :]
    if construction == "increments":
        return so3.identity(jnp.ones_like(turn[..., 0])) + so3.hat(turn), straight
    halves = _halves(turn)
    return _matrix(turn, halves), _place(turn, straight, halves)


def _place(turn: Array, straight: Array, halves: _Halves) -> Array:
    """d (..., 3): along the arc and then across its end (Eqs. 20 and 23)."""
    cosine, sine = halves.bent_cosine, halves.bent_sine
    first, second = 2.0 * sine * cosine, 2.0 * sine**2  # sin(a)/a and (1 - cos(a))/a^2
    x, y = turn[..., 0], turn[..., 1]
    shear_x, shear_y, along = straight[..., 0], straight[..., 1], straight[..., 2]
    common, whole = second * (x * shear_x + y * shear_y), 1.0 - second * (x**2 + y**2)
    return jnp.stack(
        [
            whole * shear_x + common * x + second * along * y,
            whole * shear_y + common * y - second * along * x,
            first * (x * shear_y - y * shear_x + along),
        ],
        axis=-1,
    )


def _matrix(turn: Array, halves: _Halves) -> Array:
    """E (..., 3, 3) of bending, then twisting (Eqs. 20 and 21)."""
    x, y = halves.bent_sine * turn[..., 0], halves.bent_sine * turn[..., 1]
    cosine, c, s = halves.bent_cosine, halves.twisted_cosine, halves.twisted_sine * turn[..., 2]
    # Kept apart, or every entry of the result would compute the series again.
    quaternion = lax.optimization_barrier(jnp.stack([cosine * c, x * c + y * s, y * c - x * s, cosine * s], axis=-1))
    w, v = quaternion[..., 0], quaternion[..., 1:]
    return so3.identity(2.0 * w**2 - 1.0) + so3.hat(so3.scaled(2.0 * w, v)) + so3.outer(2.0 * v, v)


def _poses(start: Array, matrices: Array, places: Array) -> Array:
    """R and q (nodes, 4, 3) of the nodes, from the poses over the intervals."""

    def across(pose: Array, step: tuple[Array, Array]) -> tuple[Array, Array]:
        matrix, place = step
        pose = (pose + jnp.zeros_like(pose).at[3].set(place)) @ matrix
        return pose, pose

    _, poses = lax.scan(across, start, (matrices, places))
    return jnp.concatenate([start[None], poses])
