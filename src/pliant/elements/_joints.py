"""Joints as elements: one row each, no mass. Frame 0 is before the joint, frame 1 after it."""

import abc
import dataclasses
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.elements._contract import Element, FlatCoordinates, Rows
from pliant.lie import quaternion, se3, so3
from pliant.mechanics import RigidInertia, power_law, power_law_dissipation, where_active

_SPRING = ("stiffness", "damping", "rest", "power", "ratio")


@dataclasses.dataclass(frozen=True)
class _Joint(Element):
    """What all joints share: a single massless row, and a spring and a damper on its velocities where given.

    The spring pulls along the velocity that leads from the rest configuration to the present one, so a joint on a
    manifold needs no formula of its own. acts: per velocity, whether spring and damper act always (0), only above the
    rest value (1) or only below it (-1); empty: always.
    """

    acts: tuple[int, ...] = dataclasses.field(default=(), kw_only=True)

    is_chain = True
    is_flat = False

    @property
    def segments(self) -> int:
        return 1

    @property
    def rows_per_segment(self) -> int:
        return 1

    @abc.abstractmethod
    def at(self, values: Array) -> Array:
        """q from nv numbers: the coordinates themselves, or a rotation vector (and a position) on a manifold."""

    @abc.abstractmethod
    def values(self, q: Array) -> Array:
        """The nv numbers of q: the inverse of `at`."""

    def driven_names(self) -> tuple[str, ...]:
        """What a drive on each velocity is named after: the velocity, where coordinates are a quaternion."""
        return self.velocity_names()

    @abc.abstractmethod
    def _pose(self, prepared: Any, q: Array) -> Array: ...

    @abc.abstractmethod
    def _motion(self, prepared: Any, q: Array) -> Array:
        """(6, nv), body frame after the joint."""

    def prepare(self, numbers: Mapping[str, Array]) -> Any:
        return {name: jnp.broadcast_to(numbers[name], (self.nv,)) for name in _SPRING if name in numbers}

    def row_of(self, fraction: float) -> tuple[int, int]:
        return 0, 0

    def row_ends(self) -> tuple[float, ...]:
        return (1.0,)

    def poses(self, prepared: Any, q: Array, fractions: tuple[float, ...]) -> Array:
        moved = self._pose(prepared, q)
        return jnp.stack([moved if fraction > 0.0 else jnp.eye(4) for fraction in fractions])

    def inertia_samples(self, prepared: Any) -> tuple[tuple[float, ...], RigidInertia]:
        return (), RigidInertia(jnp.zeros(0), jnp.zeros((0, 3)), jnp.zeros((0, 3, 3)))

    def row_inertia(self, prepared: Any) -> RigidInertia | None:
        return None

    def _excess(self, prepared: Any, q: Array) -> Array:
        """(nv,) how far the joint is from where its spring rests."""
        rest = prepared.get("rest", jnp.zeros(self.nv))
        return self.difference(q, self.at(rest * prepared["ratio"] if "ratio" in prepared else rest))

    @property
    def gap_count(self) -> int:
        return int(np.count_nonzero(self.acts))

    def gap(self, prepared: Any, q: Array) -> Array:
        sides = np.array(self.acts)
        return -(sides * self._excess(prepared, q))[sides != 0]

    def energy(self, prepared: Any, q: Array) -> Array:
        if "stiffness" not in prepared:
            return jnp.zeros(())
        excess = self._excess(prepared, q)
        return 0.5 * jnp.sum(where_active(prepared["stiffness"] * excess**2, excess, self.acts, at_rest=True))

    def dissipation(self, prepared: Any, q: Array, v: Array) -> Array:
        if "damping" not in prepared:
            return jnp.zeros(())
        lost = power_law_dissipation(prepared["damping"], v, prepared.get("power"))
        return jnp.sum(where_active(lost, self._excess(prepared, q), self.acts) if any(self.acts) else lost)

    def force(self, prepared: Any, q: Array, v: Array) -> Array:
        total = jnp.zeros_like(v)
        if "damping" in prepared:
            total = power_law(prepared["damping"], v, prepared.get("power"))
            total = where_active(total, self._excess(prepared, q), self.acts) if any(self.acts) else total
        return total + self._elastic(prepared, q) if "stiffness" in prepared else total

    def _elastic(self, prepared: Any, q: Array) -> Array:
        return jax.grad(lambda dv: self.energy(prepared, self.integrate(q, dv)))(jnp.zeros(self.nv, dtype=q.dtype))

    def rows(self, prepared: Any, q: Array) -> Rows:
        pose = self._pose(prepared, q)[None, None]
        return Rows(pose[..., :3, :3], pose[..., :3, 3], self._motion(prepared, q))

    def relative(self, detail: Array, v: Array) -> Array:
        return (detail @ v)[None, None]

    def drift(self, detail: Array, v: Array) -> Array | None:
        return None

    def subspace(self, detail: Array) -> Array:
        return detail[None, None]


# Names of the coordinates and of the velocities of each kind of screw joint.
_SCREW_NAMES = {
    "revolute": (("angle",), ("rate",)),
    "prismatic": (("displacement",), ("speed",)),
    "helical": (("angle",), ("rate",)),
    "cylindrical": (("angle", "displacement"), ("rate", "speed")),
    "universal": (("angle_1", "angle_2"), ("rate_1", "rate_2")),
    "planar": (("displacement_1", "displacement_2", "angle"), ("speed_1", "speed_2", "rate")),
}
# Whether each screw turns, and whether it slides.
_SCREW_FREEDOM = {
    "revolute": ((True, False),),
    "prismatic": ((False, True),),
    "helical": ((True, True),),
    "cylindrical": ((True, False), (False, True)),
    "universal": ((True, False), (True, False)),
    "planar": ((False, True), (False, True), (True, False)),
}
_TURNING_SUBSPACE = ("universal", "planar")  # the others move along screws that commute


@dataclasses.dataclass(frozen=True)
class ScrewJoint(FlatCoordinates, _Joint):
    """Up to three constant screws one after the other: the pose is the product of their exponentials."""

    kind: str

    @property
    def nq(self) -> int:
        return len(_SCREW_NAMES[self.kind][0])

    @property
    def nv(self) -> int:
        return self.nq

    def coordinate_names(self) -> tuple[str, ...]:
        return _SCREW_NAMES[self.kind][0]

    def velocity_names(self) -> tuple[str, ...]:
        return _SCREW_NAMES[self.kind][1]

    def neutral(self) -> np.ndarray:
        return np.zeros(self.nq)

    def driven_names(self) -> tuple[str, ...]:
        return self.coordinate_names()

    def initial_state(self, prepared: Any, given: Mapping[str, Any]) -> tuple[Array, Array]:
        """One number, or one for each, of the angles, of the displacements and of their rates."""
        q, v = jnp.zeros(self.nq), jnp.zeros(self.nv)
        for coordinate, rate in (("angle", "rate"), ("displacement", "speed")):
            own = [i for i, name in enumerate(self.coordinate_names()) if name.startswith(coordinate)]
            q = q.at[np.array(own)].set(given[coordinate]) if coordinate in given else q
            v = v.at[np.array(own)].set(given[rate]) if rate in given else v
        return q, v

    def at(self, values: Array) -> Array:
        return values

    def values(self, q: Array) -> Array:
        return q

    def prepare(self, numbers: Mapping[str, Array]) -> Any:
        turns, slides = self._screws(numbers)
        return {**super().prepare(numbers), "turns": jnp.stack(turns), "slides": jnp.stack(slides)}

    def _screws(self, numbers: Mapping[str, Array]) -> tuple[list[Array], list[Array]]:
        """Axis of rotation and direction of translation of every screw in the frame before the joint; each is zero or,
        for the axis, of unit length, and they are parallel where a screw has both."""
        axis, none = _unit(numbers["axis_0"]), jnp.zeros(3)
        if self.kind == "revolute":
            return [axis], [none]
        if self.kind == "prismatic":
            return [none], [axis]
        if self.kind == "helical":
            return [axis], [axis * numbers["pitch"] / (2.0 * jnp.pi)]
        if self.kind == "cylindrical":
            return [axis, none], [none, axis]
        if self.kind == "universal":
            return [axis, _unit(numbers["axis_1"])], [none, none]
        # The normal of a planar joint is a coordinate axis; its plane is spanned by the two that follow.
        return [none, none, axis], [jnp.roll(axis, 1), jnp.roll(axis, 2), none]

    def _steps(self, prepared: Any, q: Array) -> list[tuple[Array | None, Array | None]]:
        """Rotation and translation of every screw, None where it has none."""
        return [
            (
                so3.about(prepared["turns"][i], q[i]) if rotates else None,
                prepared["slides"][i] * q[i] if slides else None,
            )
            for i, (rotates, slides) in enumerate(_SCREW_FREEDOM[self.kind])
        ]

    def _pose(self, prepared: Any, q: Array) -> Array:
        rotation, position = jnp.eye(3), jnp.zeros(3)
        for turn, slide in self._steps(prepared, q):
            position = position if slide is None else position + rotation @ slide
            rotation = rotation if turn is None else rotation @ turn
        return se3.from_rotation_translation(rotation, position)

    def _motion(self, prepared: Any, q: Array) -> Array:
        screws = jnp.concatenate([prepared["turns"], prepared["slides"]], axis=-1)
        if self.kind not in _TURNING_SUBSPACE:
            return screws.T
        # Neither joint slides after it has turned, so the frames beyond a screw are only rotated.
        columns, beyond = [screws[-1]], jnp.eye(3)
        steps = self._steps(prepared, q)
        for i in reversed(range(self.nv - 1)):
            turn = steps[i + 1][0]
            beyond = beyond if turn is None else turn @ beyond
            columns.append(jnp.concatenate([beyond.T @ screws[i, :3], beyond.T @ screws[i, 3:]]))
        return jnp.stack(columns[::-1], axis=-1)

    def drift(self, detail: Array, v: Array) -> Array | None:
        if self.kind not in _TURNING_SUBSPACE:
            return None
        # A column turns with everything between its own screw and the moving frame.
        total, beyond = jnp.zeros(6), detail[:, -1] * v[-1]
        for i in reversed(range(self.nv - 1)):
            own = detail[:, i] * v[i]
            total = total - se3.bracket(beyond, own)
            beyond = beyond + own
        return total[None, None]

    def _elastic(self, prepared: Any, q: Array) -> Array:
        excess = self._excess(prepared, q)
        return where_active(prepared["stiffness"] * excess, excess, self.acts, at_rest=True)


def _unit(axis: Array) -> Array:
    return axis / jnp.linalg.norm(axis)


@dataclasses.dataclass(frozen=True)
class Spherical(_Joint):
    """Any rotation: a quaternion (wxyz, used normalised) in q, the body angular velocity in v."""

    nq = 4
    nv = 3

    def coordinate_names(self) -> tuple[str, ...]:
        return ("quaternion_w", "quaternion_x", "quaternion_y", "quaternion_z")

    def velocity_names(self) -> tuple[str, ...]:
        return ("angular_x", "angular_y", "angular_z")

    def neutral(self) -> np.ndarray:
        return np.array([1.0, 0.0, 0.0, 0.0])

    def initial_state(self, prepared: Any, given: Mapping[str, Any]) -> tuple[Array, Array]:
        turned = quaternion.from_matrix(given["rotation"]) if "rotation" in given else jnp.asarray(self.neutral())
        return turned, given.get("angular_velocity", jnp.zeros(3))

    def _pose(self, prepared: Any, q: Array) -> Array:
        return se3.from_rotation_translation(quaternion.to_matrix(q), jnp.zeros(3))

    def _motion(self, prepared: Any, q: Array) -> Array:
        return jnp.eye(6)[:, :3]

    def at(self, values: Array) -> Array:
        return quaternion.exp(values)

    def values(self, q: Array) -> Array:
        return quaternion.log(q)

    def rate(self, q: Array, v: Array) -> Array:
        return quaternion.rate(q, v)

    def integrate(self, q: Array, dv: Array) -> Array:
        return quaternion.normalise(quaternion.multiply(q, quaternion.exp(dv)))

    def difference(self, q1: Array, q0: Array) -> Array:
        return quaternion.log(quaternion.multiply(quaternion.conjugate(q0), q1))


@dataclasses.dataclass(frozen=True)
class Free(_Joint):
    """Any pose: quaternion and position of the moving frame in q, its body twist [angular; linear] in v."""

    nq = 7
    nv = 6

    def coordinate_names(self) -> tuple[str, ...]:
        return (*Spherical().coordinate_names(), "position_x", "position_y", "position_z")

    def velocity_names(self) -> tuple[str, ...]:
        return (*Spherical().velocity_names(), "linear_x", "linear_y", "linear_z")

    def neutral(self) -> np.ndarray:
        return np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])

    def initial_state(self, prepared: Any, given: Mapping[str, Any]) -> tuple[Array, Array]:
        turned, spin = Spherical().initial_state(prepared, given)
        place, velocity = (given.get(name, jnp.zeros(3)) for name in ("position", "velocity"))
        return jnp.concatenate([turned, place]), jnp.concatenate([spin, velocity])

    def _pose(self, prepared: Any, q: Array) -> Array:
        return se3.from_rotation_translation(quaternion.to_matrix(q[:4]), q[4:])

    def _motion(self, prepared: Any, q: Array) -> Array:
        return jnp.eye(6)

    def rate(self, q: Array, v: Array) -> Array:
        return jnp.concatenate([quaternion.rate(q[:4], v[:3]), quaternion.to_matrix(q[:4]) @ v[3:]])

    def at(self, values: Array) -> Array:
        return jnp.concatenate([quaternion.exp(values[:3]), values[3:]])

    def values(self, q: Array) -> Array:
        return jnp.concatenate([quaternion.log(q[:4]), q[4:]])

    def integrate(self, q: Array, dv: Array) -> Array:
        step = se3.exp(dv)
        rotated = quaternion.normalise(quaternion.multiply(q[:4], quaternion.exp(dv[:3])))
        return jnp.concatenate([rotated, q[4:] + quaternion.to_matrix(q[:4]) @ step[:3, 3]])

    def difference(self, q1: Array, q0: Array) -> Array:
        return se3.log(se3.inverse(self._pose({}, q0)) @ self._pose({}, q1))


JOINTS: dict[str, Element] = {
    **{kind: ScrewJoint(kind) for kind in _SCREW_NAMES},
    "spherical": Spherical(),
    "free": Free(),
}
