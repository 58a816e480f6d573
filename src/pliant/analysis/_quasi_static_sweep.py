"""One sweep along a quasi-static arm, from its tip to its base, for loads that are known in the axes of the tip.

Node 0 is the tip. Interval i lies between the nodes i and i + 1; node i + 1 has the pose (E, d) in the axes of node i.
A row vector u in the axes of node i is u E in those of node i + 1, so that force f and moment m within the arm follow

    f <- f E,    m <- (m - d x f) E

and the pose of the nodes, R and q = p R in the axes of the tip, R <- R E, q <- (q + d) E.

The first loop carries f and m, the second the pose. A loop whose body touches less than a kilobyte becomes one piece of
machine code; all in one loop would be ten times as slow.
"""

import math
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax

from pliant.lie import so3

CONSTRUCTIONS = ("arcs", "increments")

# cos(x) and sin(x)/(2 x) as series in x^2, x half the angle by which an interval bends: exact to round-off up to here.
LARGEST_TURN = math.pi
_TERMS = 11
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
    state = tip if loads is None else jnp.concatenate([tip, jnp.eye(3)])
    wrenches, begin = [tip[None]], 1
    for part in parts:
        here = None if loads is None else NodeLoads(*(load[begin : begin + part.intervals] for load in loads))
        state, along = _carry(part, state, here, construction)
        wrenches.append(along)
        begin += part.intervals
    wrench = jnp.concatenate(wrenches)
    moved, begin = [], 0
    for part in parts:
        moved.append(_displacement(part, wrench[begin : begin + part.intervals], part.axial))
        begin += part.intervals
    displacement = jnp.concatenate(moved)
    turn, place = _poses(displacement, construction)
    return Sweep(wrench, turn, place, displacement)


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


def _carry(part: Part, state: Array, loads: NodeLoads | None, construction: str) -> tuple[Array, Array]:
    """Force and moment from the tip end of a part to its base end, (n, 2, 3) behind each interval. Where loads are met
    on the way, the state also holds the axes of the tip, seen from the node."""

    def across(state: Array, given: tuple[Array | None, NodeLoads | None]) -> tuple[Array, Array]:
        axial, load = given
        moved = -_displacement(part, state[:2], axial)
        place = _place(moved, construction)
        lever = jnp.zeros_like(state).at[1].set(so3.cross(place, state[0]))
        turned = _turned(state - lever, moved[0], construction)
        if load is not None:
            axes = turned[2:]
            extra = load.own_axes + load.tip_axes @ axes
            turned = jnp.concatenate([turned[:2] + extra, axes])
        return turned, turned[:2]

    return lax.scan(across, state, (part.axial, loads), length=part.intervals)


def _turned(rows: Array, turn: Array, construction: str) -> Array:
    """u E for rows u (n, 3)."""
    if construction == "increments":
        return rows - so3.cross(turn[None], rows)
    # Kept apart, or every entry of the result would compute the series and sines again.
    quaternion = lax.optimization_barrier(_quaternion(turn))
    back = -quaternion[None, 1:]
    once = 2.0 * so3.cross(back, rows)
    return rows + quaternion[0] * once + so3.cross(back, once)


def _bending(turn: Array) -> tuple[Array, Array]:
    """cos(x) and sin(x) / (2 x), x half the bending angle."""
    square = 0.25 * (turn[..., 0] ** 2 + turn[..., 1] ** 2)
    return _horner(_COSINE, square), _horner(_SINE, square)


def _horner(terms: tuple[float, ...], at: Array) -> Array:
    value = jnp.full_like(at, terms[-1])
    for term in reversed(terms[:-1]):
        value = term + at * value
    return value


def _quaternion(turn: Array) -> Array:
    """Of bending, then twisting (Eqs. 20 and 21), (..., 4)."""
    cosine, sine = _bending(turn)
    x, y = sine * turn[..., 0], sine * turn[..., 1]
    c, s = jnp.cos(0.5 * turn[..., 2]), jnp.sin(0.5 * turn[..., 2])
    return jnp.stack([cosine * c, x * c + y * s, y * c - x * s, cosine * s], axis=-1)


def _place(moved: Array, construction: str) -> Array:
    """d (..., 3) of turn and displacement (..., 2, 3): along the tangent (Eq. 17), or along the arc and then across its
    end (Eqs. 20 and 23)."""
    turn, straight = moved[..., 0, :], moved[..., 1, :]
    if construction == "increments":
        return straight
    cosine, sine = _bending(turn)
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


def _matrix(turn: Array, construction: str) -> Array:
    """E (..., 3, 3)."""
    if construction == "increments":
        return so3.identity(jnp.ones_like(turn[..., 0])) + so3.hat(turn)
    quaternion = _quaternion(turn)
    w, v = quaternion[..., 0], quaternion[..., 1:]
    return so3.identity(2.0 * w**2 - 1.0) + so3.hat(so3.scaled(2.0 * w, v)) + so3.outer(2.0 * v, v)


def _poses(displacement: Array, construction: str) -> tuple[Array, Array]:
    moved = -displacement
    steps = (_matrix(moved[:, 0], construction), _place(moved, construction))

    def across(pose: Array, step: tuple[Array, Array]) -> tuple[Array, Array]:
        matrix, place = step
        pose = (pose + jnp.zeros_like(pose).at[3].set(place)) @ matrix
        return pose, pose

    first = jnp.concatenate([jnp.eye(3), jnp.zeros((1, 3))])
    _, poses = lax.scan(across, first, steps)
    poses = jnp.concatenate([first[None], poses])
    turn = poses[:, :3]
    return turn, jnp.sum(turn * poses[:, 3:], axis=-1)
