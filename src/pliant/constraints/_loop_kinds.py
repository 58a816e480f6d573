"""Closed loops: a joint between two frames, or directions held, as equations on their relative pose."""

import dataclasses
from collections.abc import Mapping

import jax.numpy as jnp
from jax import Array

from pliant.lie import so3

DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")
_ROWS = {
    "fixed": DIRECTIONS,
    "revolute": ("x", "y", "z", "tilt_1", "tilt_2"),
    "prismatic": ("side_1", "side_2", "rx", "ry", "rz"),
    "helical": ("side_1", "side_2", "tilt_1", "tilt_2", "thread"),
    "cylindrical": ("side_1", "side_2", "tilt_1", "tilt_2"),
    "universal": ("x", "y", "z", "square"),
    "planar": ("height", "tilt_1", "tilt_2"),
    "spherical": ("x", "y", "z"),
}
_LENGTHS = ("x", "y", "z", "side_1", "side_2", "height", "thread")


@dataclasses.dataclass(frozen=True)
class LoopKind:
    """Static side of a closed loop: a joint by name, or the directions held in the axes of one frame."""

    joint: str | None
    fix: tuple[str, ...]
    frame: str  # "first" | "second" | "world"

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the equations."""
        return _ROWS[self.joint] if self.joint else self.fix

    @property
    def is_length(self) -> tuple[bool, ...]:
        """Which equations are lengths [m]; the others are angles [rad]."""
        return tuple(row in _LENGTHS for row in self.rows)

    def prepare(self, numbers: Mapping[str, Array]) -> dict[str, Array]:
        """Axes of the joint: unit axis, two directions across it, the second axis of a universal joint, the pitch."""
        if "axis_0" not in numbers:
            return {}
        axis = numbers["axis_0"] / jnp.linalg.norm(numbers["axis_0"])
        x, y, z = axis
        # An orthonormal pair across a unit vector, without a singular direction (Duff et al. 2017).
        sign = jnp.where(z >= 0.0, 1.0, -1.0)
        a = -1.0 / (sign + z)
        first = jnp.stack([1.0 + sign * x * x * a, sign * x * y * a, -sign * x])
        second = jnp.stack([x * y * a, sign + y * y * a, -y])
        result = {"axis": axis, "across_1": first, "across_2": second}
        if "axis_1" in numbers:
            result["second"] = numbers["axis_1"] / jnp.linalg.norm(numbers["axis_1"])
        if "pitch" in numbers:
            result["pitch"] = numbers["pitch"]
        return result

    def residual(self, prepared: Mapping[str, Array], first: Array, second: Array) -> Array:
        """(rows,) zero when the loop is closed; poses (4, 4) of the two frames."""
        turn = first[:3, :3].T @ second[:3, :3]
        apart = second[:3, 3] - first[:3, 3]
        if self.frame == "first":
            apart = first[:3, :3].T @ apart
        elif self.frame == "second":
            apart = second[:3, :3].T @ apart
        vector = apart
        if any(name in DIRECTIONS[3:] for name in self.rows):
            vector = so3.log(turn)  # the same in both frames
            vector = first[:3, :3] @ vector if self.frame == "world" else vector
        return jnp.stack([self._row(name, prepared, turn, apart, vector) for name in self.rows])

    def _row(self, name: str, prepared: Mapping[str, Array], turn: Array, apart: Array, vector: Array) -> Array:
        if name in ("x", "y", "z"):
            return apart["xyz".index(name)]
        if name in ("rx", "ry", "rz"):
            return vector["xyz".index(name[1])]
        axis = prepared["axis"]
        if name == "height":
            return axis @ apart
        if name == "square":
            return axis @ turn @ prepared["second"] - axis @ prepared["second"]
        if name == "thread":
            across = turn @ prepared["across_1"]
            angle = jnp.arctan2(prepared["across_2"] @ across, prepared["across_1"] @ across)
            turns = (axis @ apart) / prepared["pitch"] - angle / (2.0 * jnp.pi)
            # Only the part of a turn counts: a nut may be any number of turns up its thread.
            return prepared["pitch"] * (turns - jnp.round(turns))
        across = prepared[f"across_{name[-1]}"]
        return across @ apart if name.startswith("side") else across @ turn @ axis
