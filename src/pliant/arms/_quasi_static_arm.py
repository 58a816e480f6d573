"""A pneumatic arm in quasi-static balance, integrated from its tip to its base (Shiva et al., section B.2).

Pressures stretch the chambers, whose mean is the stretch of the backbone (Eq. 14, with stretches that contain the 1),
and bend it by the moments of their forces, which act along the normal of the section. Loads bend, twist, shear and
stretch it further. Angles are curvatures times lengths at rest and levers are deformed lengths, so that with Hooke's
law the arm tends to a Cosserat rod of the same section.

Eq. 22 multiplies the shear stiffness G A by the form factor 10/9 of a round section; the energy of its shear stress,
which defines that factor, makes the stiffness G A / (10/9), as it is here.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from numpy.typing import ArrayLike

from pliant.arms._quasi_static_loads import ArmLoad, check_loads, gather, is_dead
from pliant.arms._quasi_static_segment import ArmSegment, RigidPiece
from pliant.arms._quasi_static_sweep import CONSTRUCTIONS, LARGEST_TURN, Part, Sweep, sweep
from pliant.lie import so3
from pliant.mechanics import refuse_stress, stretch_range
from pliant.numerics import ResultCode, SolveError, lu_solve

# Sweeps in which the axial force of a hyperelastic arm finds the stretches: each is a Newton step for them.
_PASSES = 3
_SETTLED = 1e-9  # largest change of a stretch in the last of them
_TURN_TOLERANCE = 1e-11  # rad, of the tip
_MOST_ITERATIONS = 40


class QuasiStaticArm(eqx.Module):
    """Segments and rigid pieces from the base to the tip. construction: of the pose over an interval, by concatenated
    `arcs` (Appendix 2), or by `increments` along the tangent (Eq. 17), whose axes are not quite orthogonal."""

    parts: tuple[ArmSegment | RigidPiece, ...]
    construction: str = eqx.field(static=True, default="arcs")

    def __check_init__(self) -> None:
        if self.construction not in CONSTRUCTIONS:
            raise ValueError(
                f"arm construction: unknown {self.construction!r}; expected one of {', '.join(CONSTRUCTIONS)}"
            )
        if not self.segments:
            raise ValueError("arm parts: expected at least one segment; got none")

    @property
    def segments(self) -> tuple[ArmSegment, ...]:
        return tuple(part for part in self.parts if isinstance(part, ArmSegment))

    @property
    def ports(self) -> int:
        """How many pressures the arm takes."""
        return sum(segment.ports for segment in self.segments)

    @property
    def length(self) -> Array:
        """At rest [m]."""
        return sum((part.length for part in self.parts), start=jnp.zeros(()))

    def with_young(self, young: ArrayLike) -> "QuasiStaticArm":
        """This arm with all segments of one modulus [Pa]."""
        value = jnp.asarray(young, dtype=float)
        return eqx.tree_at(
            lambda arm: [segment.young for segment in arm.segments], self, [value for _ in self.segments]
        )


class ArmShape(NamedTuple):
    """Where an arm rests. Nodes are in the order from the base to the tip.

    - fraction (nodes,): of the length at rest; pose (nodes, 4, 4): in the axes of the base.
    - force, moment (nodes, 3) [N, N m]: that the part beyond the node exerts there, in the axes of the node; at the
      base, what its mounting carries.
    - stretch (intervals,): of the backbone.
    - valid: whether the material laws carry the loads and the solve succeeded; code: a ResultCode.
    """

    fraction: Array
    pose: Array
    force: Array
    moment: Array
    stretch: Array
    valid: Array
    code: Array

    @property
    def tip(self) -> Array:
        """Pose (4, 4) of the tip."""
        return self.pose[-1]


def arm_shape(
    arm: QuasiStaticArm,
    pressures: Array,
    loads: Sequence[ArmLoad] = (),
    gravity: Array | None = None,
    guess: Array | None = None,
) -> ArmShape:
    """Balance of an arm under pressures (ports,) [Pa], loads, and gravity (3,) [m/s^2] in the axes of the base.

    Pure, for jit, vmap and derivatives of both modes. Loads in the axes of the tip or the body take one sweep; those in
    the axes of the base need the turn of the tip, which is sought to 1e-11 rad from `guess` (3, 3), or from the arm
    without those loads.
    """
    problem = _Problem(arm, jnp.asarray(pressures), tuple(loads), None if gravity is None else jnp.asarray(gravity))
    if not is_dead(loads, gravity):
        found = problem.swept(jnp.eye(3))
        code = jnp.where(found.settled, ResultCode.SUCCESS, ResultCode.NOT_CONVERGED)
    else:
        turn, code = _tip_turn(problem, guess)
        found = problem.swept(turn)
        code = jnp.where((code == ResultCode.SUCCESS) & ~found.settled, ResultCode.NOT_CONVERGED, code)
    return _shape(arm, found, code.astype(jnp.int32))


def arm_about(
    arm: QuasiStaticArm,
    pressures: Array,
    loads: Sequence[ArmLoad],
    tip_turn: Array,
    gravity: Array | None = None,
) -> tuple[ArmShape, Array]:
    """The arm swept once with an assumed turn (3, 3) of its tip, and the rotation vector (3,) by which its base is then
    turned: in balance it is zero. For those who keep the turn as an unknown of their own."""
    problem = _Problem(arm, jnp.asarray(pressures), tuple(loads), None if gravity is None else jnp.asarray(gravity))
    found = problem.swept(tip_turn)
    code = jnp.where(found.settled, ResultCode.SUCCESS, ResultCode.NOT_CONVERGED)
    return _shape(arm, found, code.astype(jnp.int32)), _base_turn(found, tip_turn)


def solve_arm(
    arm: QuasiStaticArm,
    pressures: ArrayLike,
    loads: Sequence[ArmLoad] = (),
    *,
    gravity: ArrayLike | None = None,
    guess: ArrayLike | None = None,
    throw: bool = True,
) -> ArmShape:
    """`arm_shape` compiled, with its input checked.

    A pressure that a material law cannot carry raises ValueError with the largest it can; a balance that is not found
    raises SolveError with the shape in `.partial`. With throw=False, `valid` and `code` of the shape say so.
    """
    given = jnp.asarray(pressures, dtype=float)
    if given.shape != (arm.ports,):
        raise ValueError(
            f"pressures: expected {arm.ports} numbers in Pa, from the base on; got the shape {given.shape}"
        )
    if not np.all(np.isfinite(given)):
        raise ValueError(f"pressures: expected finite numbers in Pa; got {np.asarray(given)}")
    check_loads(loads)
    along = None if gravity is None else jnp.asarray(gravity, dtype=float)
    start = None if guess is None else jnp.asarray(guess, dtype=float)
    shape = _compiled(arm, given, tuple(loads), along, start)
    if throw and not bool(shape.valid):
        _refuse(arm, given, shape)
    return shape


_compiled = jax.jit(arm_shape)


class _Found(NamedTuple):
    """A sweep; whether the materials carry the loads; whether the stretches had settled."""

    sweep: Sweep
    valid: Array
    settled: Array


class _Problem(eqx.Module):
    """An arm under its loads, for a given turn of the tip in the axes of the base."""

    arm: QuasiStaticArm
    pressures: Array
    loads: tuple[ArmLoad, ...]
    gravity: Array | None

    def swept(self, tip_turn: Array) -> _Found:
        fraction, mass = _nodes(self.arm)
        tip, nodes = gather(self.loads, self.gravity, fraction, mass, tip_turn)
        parts, valid = _parts(self.arm, self.pressures, None)
        found = sweep(parts, tip, nodes, self.arm.construction)
        no_force = not self.loads and self.gravity is None
        if no_force or all(segment.law.material == "hooke" for segment in self.arm.segments):
            return _Found(found, valid, jnp.asarray(True))

        def again(found: Sweep, _: None) -> tuple[Sweep, tuple[Array, Array]]:
            parts, valid = _parts(self.arm, self.pressures, found.wrench[:-1, 0, 2])
            after = sweep(parts, tip, nodes, self.arm.construction)
            change = after.displacement[:, 1, 2] - found.displacement[:, 1, 2]
            return after, (valid, jnp.max(jnp.abs(change) / _steps(self.arm)))

        found, (carried, changes) = lax.scan(again, found, None, length=_PASSES)
        return _Found(found, carried[-1], changes[-1] <= _SETTLED)

    def residual(self, tip_turn: Array) -> Array:
        """Rotation vector (3,) by which the base is turned when the tip is turned so."""
        return _base_turn(self.swept(tip_turn), tip_turn)

    def undisturbed(self) -> Array:
        """Turn of the tip without loads, when every segment is an arc."""
        turn = jnp.eye(3)
        for part in _parts(self.arm, self.pressures, None)[0]:
            turn = so3.exp(part.intervals * part.offset[0]) @ turn
        return turn


def _base_turn(found: _Found, tip_turn: Array) -> Array:
    base_in_tip = found.sweep.turn[-1]
    return so3.log(tip_turn @ (base_in_tip / jnp.cbrt(_determinant(base_in_tip))))


def _turned(tip_turn: Array, by: Array) -> Array:
    return so3.exp(by) @ tip_turn


def _tip_turn(problem: _Problem, guess: Array | None) -> tuple[Array, Array]:
    """Turn (3, 3) of the tip for which the base stands still, and a ResultCode.

    The search is not differentiated: derivatives come from the equation it solves.
    """
    frozen: _Problem = lax.stop_gradient(problem)
    start = frozen.undisturbed() if guess is None else lax.stop_gradient(guess)
    at, left = _broyden(frozen.residual, start)
    by = lax.custom_root(
        lambda by: problem.residual(_turned(at, by)),
        jnp.zeros(3),
        lambda _, solved: solved,
        lambda linear, right: lu_solve(jax.jacfwd(linear)(jnp.zeros(3)), right),
    )
    return _turned(at, by), jnp.where(left <= _TURN_TOLERANCE, ResultCode.SUCCESS, ResultCode.NOT_CONVERGED)


def _broyden(residual: Callable[[Array], Array], start: Array) -> tuple[Array, Array]:
    """Broyden's method, which costs a sweep per step: where the residual vanishes, if it gets there, and what is left.
    Without loads the matrix is the identity, from which it starts."""

    def unfinished(search: tuple[Array, ...]) -> Array:
        size, count = jnp.max(jnp.abs(search[1])), search[4]
        return (count == 0) | ((size > _TURN_TOLERANCE) & (count <= _MOST_ITERATIONS))

    def improve(search: tuple[Array, ...]) -> tuple[Array, ...]:
        at, left, step, inverse, count = search
        moved = _turned(at, step)
        after = residual(moved)
        change = inverse @ (after - left)
        update = jnp.outer(step - change, step @ inverse) / (step @ change)
        # The first evaluation is of the start itself.
        inverse = jnp.where(count == 0, inverse, inverse + update)
        return moved, after, -inverse @ after, inverse, count + 1

    nothing = jnp.zeros(3)
    first: tuple[Array, ...] = (start, nothing, nothing, jnp.eye(3), jnp.zeros((), dtype=int))
    at, left, *_ = lax.while_loop(unfinished, improve, first)
    arrived = jnp.max(jnp.abs(left))
    # A search that went astray leaves the arm as it is without loads.
    return jnp.where(jnp.isfinite(arrived), at, start), jnp.where(jnp.isfinite(arrived), arrived, jnp.inf)


def _parts(arm: QuasiStaticArm, pressures: Array, axial_force: Array | None) -> tuple[tuple[Part, ...], Array]:
    """Parts from the tip to the base; axial_force (intervals,) in the same order."""
    parts, valid, port, node = [], jnp.asarray(True), arm.ports, 0
    for element in reversed(arm.parts):
        if isinstance(element, RigidPiece):
            parts.append(element.part())
            node += 1
            continue
        port -= element.ports
        force = None if axial_force is None else axial_force[node : node + element.intervals]
        part, carried = element.part(pressures[port : port + element.ports], force)
        parts.append(part)
        valid, node = valid & carried, node + element.intervals
    return tuple(parts), valid


def _steps(arm: QuasiStaticArm) -> Array:
    """Lengths at rest (intervals,) [m] of the intervals from the tip to the base."""
    return jnp.concatenate([jnp.full(count, length / count) for count, length, _ in _elements(arm)])


def _elements(arm: QuasiStaticArm) -> list[tuple[int, Array, Array]]:
    """Intervals, length and mass of every element from the tip to the base."""
    return [
        (1, element.length, element.mass)
        if isinstance(element, RigidPiece)
        else (element.intervals, element.length, element.density * element.area * element.length)
        for element in reversed(arm.parts)
    ]


def _nodes(arm: QuasiStaticArm) -> tuple[Array, Array]:
    """Fraction and mass (nodes,) of the nodes from the tip to the base; an interval halves its mass between its two."""
    masses = jnp.concatenate([jnp.full(count, mass / count) for count, _, mass in _elements(arm)])
    steps, none = _steps(arm), jnp.zeros(1)
    # Summed from the base, so that the fraction of the base is exactly 0.
    fraction = jnp.concatenate([jnp.cumsum(steps[::-1])[::-1], none]) / jnp.sum(steps)
    return fraction, 0.5 * (jnp.concatenate([masses, none]) + jnp.concatenate([none, masses]))


def _determinant(matrix: Array) -> Array:
    return so3.dot(matrix[0], so3.cross(matrix[1], matrix[2]))


def _shape(arm: QuasiStaticArm, found: _Found, code: Array) -> ArmShape:
    """Turned into the axes of the base (Eq. 19) and into the order from the base to the tip."""
    turn, place, wrench = (along[::-1] for along in (found.sweep.turn, found.sweep.place, found.sweep.wrench))
    base = turn[0]
    if arm.construction == "arcs":
        inverse = base.T
    else:
        columns = jnp.stack([so3.cross(base[(k + 1) % 3], base[(k + 2) % 3]) for k in range(3)], axis=1)
        inverse = columns / _determinant(base)
    rotation = jnp.sum(inverse[None, :, :, None] * turn[:, None, :, :], axis=2)
    position = jnp.sum(inverse[None] * (place - place[:1])[:, None, :], axis=2)
    upper = jnp.concatenate([rotation, position[:, :, None]], axis=2)
    lower = jnp.broadcast_to(jnp.asarray([[[0.0, 0.0, 0.0, 1.0]]]), (turn.shape[0], 1, 4))
    stretch = found.sweep.displacement[::-1, 1, 2] / _steps(arm)[::-1]
    angle = jnp.max(jnp.sum(found.sweep.displacement[:, 0] ** 2, axis=-1))
    sound = jnp.all(jnp.isfinite(position)) & jnp.all(stretch > 0.0)  # a linear law lets itself be turned inside out
    return ArmShape(
        fraction=_nodes(arm)[0][::-1],
        pose=jnp.concatenate([upper, lower], axis=1),
        force=wrench[:, 0],
        moment=wrench[:, 1],
        stretch=stretch,
        valid=found.valid & sound & (angle <= LARGEST_TURN**2) & (code == ResultCode.SUCCESS),
        code=code,
    )


def _refuse(arm: QuasiStaticArm, pressures: Array, shape: ArmShape) -> None:
    """Raise for what makes a shape invalid."""
    code = ResultCode(int(shape.code))
    if code is not ResultCode.SUCCESS:
        cure = "apply the loads in steps and pass the turn of the last tip as `guess`"
        raise SolveError(code, f"The turn of the tip of the arm was not found; {cure}.", partial=shape)
    fraction, force = np.asarray(shape.fraction), np.asarray(shape.force)
    port, begin = 0, 0
    for element in arm.parts:
        if isinstance(element, RigidPiece):
            begin += 1
            continue
        own, axial = pressures[port : port + element.ports], force[begin + 1 : begin + 1 + element.intervals, 2]
        stress = np.asarray(element.wall_stress(own, jnp.asarray(axial)))
        bounds = stretch_range(element.law, element.numbers)
        if np.any(stress > bounds.highest) or np.any(stress < bounds.lowest):
            ratio = float(element.wall_area) / (np.pi * element.chamber_angles.size)
            inner = float(element.chamber_radius)
            given = np.broadcast_to(np.asarray(own), stress.shape)
            refuse_stress(element.law, bounds, stress, given, inner, float(np.sqrt(inner**2 + ratio)))
        port, begin = port + element.ports, begin + element.intervals
    where = fraction[int(np.argmax(np.linalg.norm(force, axis=1)))]
    raise ValueError(
        f"arm: an interval turns by more than {np.degrees(LARGEST_TURN):.0f} deg (force largest at s = {where:.3g}); "
        "take more intervals, smaller loads or a stiffer material"
    )
