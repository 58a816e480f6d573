"""Joints as elements: one row each, no mass. Frame 0 is before the joint, frame 1 after it."""

import abc
import dataclasses
from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.elements._contract import Element, FlatCoordinates, Rows
from pliant.lie import quaternion, se3, so3
from pliant.mechanics import RigidInertia


@dataclasses.dataclass(frozen=True)
class _Joint(abc.ABC):
    """What all joints share: a single massless row whose motion subspace is constant in the moving frame."""

    @property
    def segments(self) -> int:
        return 1

    @property
    def rows_per_segment(self) -> int:
        return 1

    @property
    @abc.abstractmethod
    def nq(self) -> int: ...

    @property
    @abc.abstractmethod
    def nv(self) -> int: ...

    @abc.abstractmethod
    def coordinate_names(self) -> tuple[str, ...]: ...

    @abc.abstractmethod
    def velocity_names(self) -> tuple[str, ...]: ...

    @abc.abstractmethod
    def neutral(self) -> np.ndarray: ...

    @abc.abstractmethod
    def _pose(self, prepared: Any, q: Array) -> Array: ...

    @abc.abstractmethod
    def _motion(self, prepared: Any) -> Array:
        """(6, nv), body frame after the joint."""

    def prepare(self, numbers: Mapping[str, Array]) -> Any:
        return dict(numbers)

    def row_of(self, fraction: float) -> tuple[int, int]:
        return 0, 0

    def poses(self, prepared: Any, q: Array, fractions: tuple[float, ...]) -> Array:
        moved = self._pose(prepared, q)
        return jnp.stack([moved if fraction > 0.0 else jnp.eye(4) for fraction in fractions])

    def inertia_samples(self, prepared: Any) -> tuple[tuple[float, ...], RigidInertia]:
        return (), RigidInertia(jnp.zeros(0), jnp.zeros((0, 3)), jnp.zeros((0, 3, 3)))

    def row_inertia(self, prepared: Any) -> RigidInertia | None:
        return None

    def energy(self, prepared: Any, q: Array) -> Array:
        return jnp.zeros(())

    def dissipation(self, prepared: Any, q: Array, v: Array) -> Array:
        return jnp.zeros(())

    def force(self, prepared: Any, q: Array, v: Array) -> Array:
        return jnp.zeros_like(v)

    def rows(self, prepared: Any, q: Array) -> Rows:
        pose = self._pose(prepared, q)[None, None]
        return Rows(pose[..., :3, :3], pose[..., :3, 3], self._motion(prepared))

    def relative(self, detail: Array, v: Array) -> Array:
        return (detail @ v)[None, None]

    def drift(self, detail: Array, v: Array) -> None:
        return None

    def subspace(self, detail: Array) -> Array:
        return detail[None, None]


@dataclasses.dataclass(frozen=True)
class Revolute(FlatCoordinates, _Joint):
    """Rotation about an axis, with a torsion spring and damper."""

    nq = 1
    nv = 1

    def coordinate_names(self) -> tuple[str, ...]:
        return ("angle",)

    def velocity_names(self) -> tuple[str, ...]:
        return ("rate",)

    def neutral(self) -> np.ndarray:
        return np.zeros(1)

    def prepare(self, numbers: Mapping[str, Array]) -> Any:
        spring = {name: numbers.get(name, jnp.zeros(())) for name in ("stiffness", "damping", "rest")}
        return {**spring, "axis": numbers["axis"] / jnp.linalg.norm(numbers["axis"])}

    def _pose(self, prepared: Any, q: Array) -> Array:
        return se3.from_rotation_translation(so3.exp(prepared["axis"] * q), jnp.zeros(3))

    def _motion(self, prepared: Any) -> Array:
        return jnp.concatenate([prepared["axis"], jnp.zeros(3)])[:, None]

    def energy(self, prepared: Any, q: Array) -> Array:
        return 0.5 * prepared["stiffness"] * jnp.sum((q - prepared["rest"]) ** 2)

    def dissipation(self, prepared: Any, q: Array, v: Array) -> Array:
        return 0.5 * prepared["damping"] * jnp.sum(v**2)

    def force(self, prepared: Any, q: Array, v: Array) -> Array:
        return prepared["stiffness"] * (q - prepared["rest"]) + prepared["damping"] * v


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

    def _pose(self, prepared: Any, q: Array) -> Array:
        return se3.from_rotation_translation(quaternion.to_matrix(q), jnp.zeros(3))

    def _motion(self, prepared: Any) -> Array:
        return jnp.eye(6)[:, :3]

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

    def _pose(self, prepared: Any, q: Array) -> Array:
        return se3.from_rotation_translation(quaternion.to_matrix(q[:4]), q[4:])

    def _motion(self, prepared: Any) -> Array:
        return jnp.eye(6)

    def rate(self, q: Array, v: Array) -> Array:
        return jnp.concatenate([quaternion.rate(q[:4], v[:3]), quaternion.to_matrix(q[:4]) @ v[3:]])

    def integrate(self, q: Array, dv: Array) -> Array:
        step = se3.exp(dv)
        rotated = quaternion.normalise(quaternion.multiply(q[:4], quaternion.exp(dv[:3])))
        return jnp.concatenate([rotated, q[4:] + quaternion.to_matrix(q[:4]) @ step[:3, 3]])

    def difference(self, q1: Array, q0: Array) -> Array:
        return se3.log(se3.inverse(self._pose({}, q0)) @ self._pose({}, q1))


JOINTS: dict[str, Element] = {"revolute": Revolute(), "spherical": Spherical(), "free": Free()}
