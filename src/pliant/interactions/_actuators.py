"""What drives a robot on purpose: tendons, chambers, joints. Static side; each is an input port of its name."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.mechanics import evaluate


@dataclasses.dataclass(frozen=True, eq=False)
class Actuator:
    """name of the port, programme of the file, how many numbers it takes (None: one, a scalar)."""

    name: str
    programme: Mapping[str, Any]
    size: int | None

    def value(self, parameters: Mapping[str, Array], inputs: Mapping[str, Array], t: Array) -> Array:
        """The input of that name where one is given, else the programme of the file at time t."""
        given = inputs.get(self.name)
        return evaluate(self.programme, parameters, t) if given is None else jnp.asarray(given)


@dataclasses.dataclass(frozen=True, eq=False)
class PathActuator(Actuator):
    """A tendon (drive "tension" [N] or "length" [m]) or a chamber (drive "pressure" [Pa]) on its path (an index).

    stiffness: path of EA [N] of a length-driven tendon that may stretch; None: it does not.
    """

    path: int
    drive: str
    stiffness: str | None

    @property
    def inextensible(self) -> bool:
        """Whether its tension is whatever keeps its length."""
        return self.drive == "length" and self.stiffness is None


@dataclasses.dataclass(frozen=True, eq=False)
class JointActuator(Actuator):
    """A generalised force [N or N m], or a prescribed motion [rad or m], on velocities of one joint."""

    link: str
    drive: str  # "force" | "motion"
    velocities: np.ndarray  # (n,) indices into v
    coordinates: np.ndarray  # (n,) indices into the joint's own velocities


@dataclasses.dataclass(frozen=True, eq=False)
class StressActuator(Actuator):
    """A stress [N m, N] that a rod makes within itself, conjugate to its six strains, the same on stretches of rods.

    stretches: per stretch the rod, the path of its length, and the share (P, m) of the rod that each row stands for.
    """

    stretches: tuple[tuple[str, str, np.ndarray], ...]
