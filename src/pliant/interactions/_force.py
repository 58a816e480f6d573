"""User code: a force written in Python enters the equations of motion through this one class."""

import abc
import dataclasses
from collections.abc import Mapping
from typing import Any

from jax import Array


@dataclasses.dataclass(frozen=True)
class Force(abc.ABC):
    """Subclass as a frozen dataclass; every float field becomes the traced parameter `extra.<name>.<field>`.

    @dataclasses.dataclass(frozen=True)
    class Spring(pliant.Force):
        stiffness: float = 10.0

        def wrench(self, kinematics, numbers, t):
            pose = kinematics.pose("tip")
            pull = -numbers["stiffness"] * pose[:3, 3]          # world frame, towards the origin
            return {"tip": jnp.concatenate([jnp.zeros(3), pose[:3, :3].T @ pull])}
    """

    name: str

    def numbers(self) -> dict[str, Any]:
        """The parameters of this force: its float fields."""
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {name: value for name, value in fields.items() if isinstance(value, float)}

    @abc.abstractmethod
    def wrench(self, kinematics: Any, numbers: Mapping[str, Array], t: Array) -> Mapping[str, Array]:
        """Frame name -> wrench (6,) [moment; force] on it, in that frame. Pure JAX.

        `kinematics.pose(name)` is the (4, 4) world pose of a frame, `kinematics.twist(name)` its body twist (6,).
        """
