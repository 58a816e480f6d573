"""Closed loops and prescribed motions on the flattened tree: what they ask for, and the forces that enforce it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._kinematics import Kinematics, down, from_common_point, point_poses, project, row_twists
from pliant.elements import ScrewJoint
from pliant.interactions import JointActuator, point_wrench
from pliant.lie import se3
from pliant.mechanics import evaluate, two_rates
from pliant.model import Member, Prepared, Structure
from pliant.numerics import apply

Inputs = Mapping[str, Array]


class Signal(NamedTuple):
    """A prescribed motion and its first two rates at one instant."""

    value: Array
    rate: Array
    acceleration: Array

    def after(self, time: Array) -> Array:
        return self.value + time * self.rate + 0.5 * time**2 * self.acceleration


def motion_signal(motion: JointActuator, parameters: Mapping[str, Array], t: Array, inputs: Inputs) -> Signal:
    """From the inputs `name`, `name.rate` and `name.acceleration` (zero where not given), else from the programme."""
    shape = motion.velocities.shape
    if motion.name in inputs:
        nothing = jnp.zeros(())
        ports = (motion.name, f"{motion.name}.rate", f"{motion.name}.acceleration")
        return Signal(*(jnp.broadcast_to(inputs.get(port, nothing), shape) for port in ports))

    def value(t: Array) -> Array:
        return jnp.broadcast_to(evaluate(motion.programme, parameters, t), shape)

    return Signal(*two_rates(value, t))


class _Ends(NamedTuple):
    """Per loop group: rows (2 n,) that the frames hang on, and their poses (2 n, 4, 4) from the common point."""

    rows: np.ndarray
    poses: Array


def _ends(structure: Structure, prepared: Prepared, kin: Kinematics) -> list[_Ends]:
    result = []
    for group, offset in zip(structure.loop_groups, prepared.loop_offset, strict=True):
        rows = np.array([loop.first.row for loop in group] + [loop.second.row for loop in group], dtype=int)
        result.append(_Ends(rows, from_common_point(kin, point_poses(kin, rows, offset))))
    return result


def _loop_rows(structure: Structure, prepared: Prepared, index: int, poses: Array) -> Array:
    """(n rows,) of one loop group."""
    group, numbers = structure.loop_groups[index], prepared.loops[index]
    first, second = poses[: len(group)], poses[len(group) :]
    return jax.vmap(group[0].kind.residual)(numbers, first, second).reshape(-1)


def _own(member: Member, q: Array) -> Array:
    return q[member.q_start : member.q_start + member.element.nq]


def _motion_row(motion: JointActuator, element: Any, own: Array, wanted: Array) -> Array:
    """(n,) how far a joint with coordinates `own` is from the values wanted of its driven velocities."""
    if isinstance(element, ScrewJoint):
        return own[motion.coordinates] - wanted
    whole = jnp.zeros(element.nv).at[motion.coordinates].set(wanted)
    return element.difference(own, element.at(whole))[motion.coordinates]


def _followed(structure: Structure, parameters: Mapping[str, Array], t: Array) -> Array:
    """(rows of all loops,) where their directions shall be."""
    parts = []
    for group in structure.loop_groups:
        for loop in group:
            size = len(loop.kind.rows)
            value = jnp.zeros(()) if loop.follow is None else evaluate(loop.follow, parameters, t)
            parts.append(jnp.broadcast_to(value, (size,)))
    return _joined(parts)


def _tied(structure: Structure, prepared: Prepared, values: Array, which: str) -> list[Array]:
    """Rows of the ties on coordinates or velocities."""
    rows = []
    for tie in structure.ties:
        first, second = getattr(tie, which)
        rows.append((values[first] - prepared.parameters[tie.ratio] * values[second])[None])
    return rows


def _controlled(
    structure: Structure, prepared: Prepared, t: Array, inputs: Inputs, value: Array, first: Array, second: Array
) -> Array:
    """(m,) what is zero at the right acceleration: for rows that a controller leads, the second rate of the error with
    its gains, less the acceleration asked for (TMTDyn Eq. 41 with the signs that converge)."""
    gains = jnp.zeros((3, structure.constraint_count))
    asked = jnp.zeros(structure.constraint_count)
    integral = jnp.zeros(structure.constraint_count)
    for loop in structure.loops:
        if loop.control is None:
            continue
        at = structure.constraint_slices[loop.name]
        own = [prepared.parameters[loop.control[name][1:]] for name in ("proportional", "derivative", "integral")]
        gains = gains.at[:, at].set(jnp.stack(own)[:, None])
        if loop.control["acceleration"] is not None:
            asked = asked.at[at].set(evaluate(loop.control["acceleration"], prepared.parameters, t))
        if f"{loop.name}.integral" in inputs:
            integral = integral.at[at].set(inputs[f"{loop.name}.integral"])
    return second + gains[1] * first + gains[0] * value + gains[2] * integral - asked


def constraint_values(
    structure: Structure, prepared: Prepared, kin: Kinematics, q: Array, t: Array, inputs: Inputs
) -> Array:
    """(m,) how far each loop is from closed and each prescribed joint from where it should be [m or rad]."""
    rows = [
        _loop_rows(structure, prepared, index, ends.poses) for index, ends in enumerate(_ends(structure, prepared, kin))
    ]
    if any(loop.follow is not None for loop in structure.loops):
        rows = [_joined(rows) - _followed(structure, prepared.parameters, t)]
    for motion in structure.motions:
        member = structure.joint_of(motion.link)
        wanted = motion_signal(motion, prepared.parameters, t, inputs).value
        rows.append(_motion_row(motion, member.element, _own(member, q), wanted))
    return _joined(rows + _tied(structure, prepared, q, "coordinates"))


def _joined(parts: list[Array]) -> Array:
    return jnp.concatenate(parts) if parts else jnp.zeros(0)


def constraint_rates(
    structure: Structure,
    prepared: Prepared,
    kin: Kinematics,
    q: Array,
    v: Array,
    t: Array,
    inputs: Inputs,
    a: Array | None = None,
    pushed: Array | None = None,
) -> tuple[Array, Array]:
    """(m,) first and second time derivative of the constraints, for accelerations a (nv,) with `pushed` (R, 6), the
    spatial motion they give the rows (None: zero). Rows that a controller leads: see `_controlled`."""
    if kin.motion is None:
        raise ValueError("rates of constraints need kinematics with velocities")
    motion = kin.motion
    across = motion.drift + se3.bracket(motion.twist, motion.relative)
    if pushed is not None:
        across = across + pushed
    acceleration = jnp.concatenate([jnp.zeros((1, 6)), down(structure.tree, across)])
    ends = _ends(structure, prepared, kin)
    moves = []
    for end in ends:
        to_body = se3.adjoint_inverse(end.poses)
        moves.append((apply(to_body, row_twists(kin)[end.rows]), apply(to_body, acceleration[end.rows])))
    signals = [motion_signal(m, prepared.parameters, t, inputs) for m in structure.motions]
    a = jnp.zeros_like(v) if a is None else a
    goal = None
    if any(loop.follow is not None for loop in structure.loops):
        goal = Signal(*two_rates(lambda t: _followed(structure, prepared.parameters, t), t))

    def after(time: Array) -> Array:
        rows = [
            _loop_rows(structure, prepared, i, _carried(end.poses, twist, rate, time))
            for i, (end, (twist, rate)) in enumerate(zip(ends, moves, strict=True))
        ]
        if goal is not None:
            rows = [_joined(rows) - goal.after(time)]
        for motion, signal in zip(structure.motions, signals, strict=True):
            member = structure.joint_of(motion.link)
            at = slice(member.v_start, member.v_start + member.element.nv)
            own = member.element.integrate(_own(member, q), time * v[at] + 0.5 * time**2 * a[at])
            rows.append(_motion_row(motion, member.element, own, signal.after(time)))
        return _joined(rows)

    value, first, second = two_rates(after, jnp.zeros(()))
    if structure.ties:
        value, first, second = (
            jnp.concatenate([rows, *_tied(structure, prepared, own, which)])
            for rows, own, which in ((value, q, "coordinates"), (first, v, "velocities"), (second, a, "velocities"))
        )
    if structure.held is not None:
        second = _controlled(structure, prepared, t, inputs, value, first, second)
    return first, second


def _carried(poses: Array, twist: Array, rate: Array, time: Array) -> Array:
    """Poses (n, 4, 4) after a short time, right to second order: all that two derivatives at zero ask for."""
    hat = se3.hat(twist)
    return poses + poses @ (time * hat + 0.5 * time**2 * (hat @ hat + se3.hat(rate)))


def constraint_forces(
    structure: Structure, prepared: Prepared, kin: Kinematics, multipliers: Array
) -> tuple[Array, Array]:
    """Spatial wrenches (R, 6) on the rows and generalised force (nv,) of the multipliers (m,).

    A prescribed joint is pushed along its own velocity, which is the gradient of its row wherever the row is zero.
    """
    rows = jnp.zeros((structure.tree.row_count + 1, 6))
    for _, ends, wrench in _loop_wrenches(structure, prepared, kin, multipliers):
        turn, place = ends.poses[:, :3, :3], ends.poses[:, :3, 3]
        rows = rows.at[ends.rows].add(point_wrench(turn, place, wrench[:, :3], wrench[:, 3:], in_world=False))
    force = jnp.zeros(structure.nv)
    driven = _driven(structure)
    end = structure.constraint_count - len(structure.ties)
    force = force.at[driven].add(multipliers[end - len(driven) : end])
    for index, tie in enumerate(structure.ties):
        first, second = tie.velocities
        pull = multipliers[end + index]
        force = force.at[first].add(pull).at[second].add(-prepared.parameters[tie.ratio] * pull)
    return rows[1:], force


def _driven(structure: Structure) -> np.ndarray:
    parts = [motion.velocities for motion in structure.motions]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=int)


def _loop_wrenches(
    structure: Structure, prepared: Prepared, kin: Kinematics, multipliers: Array
) -> list[tuple[int, _Ends, Array]]:
    """Per loop group: index, ends, and body wrenches (2 n, 6) of the multipliers on them."""
    result, start = [], 0
    for index, ends in enumerate(_ends(structure, prepared, kin)):

        def residual(twists: Array, index: int = index, ends: _Ends = ends) -> Array:
            return _loop_rows(structure, prepared, index, ends.poses + ends.poses @ se3.hat(twists))

        values, pullback = jax.vjp(residual, jnp.zeros((len(ends.rows), 6)))
        own = multipliers[start : start + values.shape[0]]
        result.append((index, ends, pullback(own)[0]))
        start += values.shape[0]
    return result


def loop_reactions(structure: Structure, prepared: Prepared, kin: Kinematics, multipliers: Array) -> dict[str, Array]:
    """Loop name -> wrench (6,) [moment; force] on the second frame, at that frame and in its axes."""
    reactions = {}
    for index, _, wrench in _loop_wrenches(structure, prepared, kin, multipliers):
        group = structure.loop_groups[index]
        for k, loop in enumerate(group):
            reactions[loop.name] = wrench[len(group) + k]
    return {loop.name: reactions[loop.name] for loop in structure.loops}


def constraint_jacobian(structure: Structure, prepared: Prepared, kin: Kinematics) -> Array:
    """(m, nv) derivative of the constraints along the velocities."""

    def row(multipliers: Array) -> Array:
        wrench, force = constraint_forces(structure, prepared, kin, multipliers)
        return project(structure, kin, wrench) + force

    return jax.vmap(row)(jnp.eye(structure.constraint_count))
