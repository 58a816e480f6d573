"""Springs and dampers between two places of a robot: along the line between two points, or in six components.

Ropes (which only pull) and soft contacts (which only push, along chosen directions) are springs that act on one side.
"""

import dataclasses
from collections.abc import Mapping

import jax.numpy as jnp
from jax import Array

from pliant.mechanics import (
    beam_deformation,
    distance,
    power_law,
    power_law_dissipation,
    where_active,
)


@dataclasses.dataclass(frozen=True)
class SpringKind:
    """Static side of a spring.

    acts: per component always (0), only above rest (1), only below it (-1). initial: which rest values are those of the
    initial configuration. middle: the translation of a beam is measured half-way between its ends. driven: an input
    pushes its ends apart.
    """

    kind: str  # "axial" | "beam"
    acts: tuple[int, ...]
    initial: tuple[bool, ...]
    middle: bool
    driven: bool

    @property
    def components(self) -> int:
        return 1 if self.kind == "axial" else 6

    def measure(self, first: Array, second: Array) -> Array:
        """(n, c) length, or rotation and translation of the second frame seen from the first; poses (n, 4, 4)."""
        if self.kind == "axial":
            return distance(first[..., :3, 3], second[..., :3, 3])
        return beam_deformation(
            first[..., :3, :3], first[..., :3, 3], second[..., :3, :3], second[..., :3, 3], self.middle
        )

    def prepare(self, numbers: Mapping[str, Array], first: Array, second: Array) -> dict[str, Array]:
        """Numbers (n, c), the rest values completed by the initial poses (n, 4, 4) of the ends."""
        shape = (first.shape[0], self.components)
        own = {name: jnp.broadcast_to(value.reshape(shape[0], -1), shape) for name, value in numbers.items()}
        rest = own["rest"]
        if any(self.initial):
            rest = jnp.where(jnp.asarray(self.initial), self.measure(first, second), rest)
        return {**own, "rest": rest * own["ratio"]}

    def elastic(self, numbers: Mapping[str, Array], excess: Array) -> Array:
        """(n, c) force that opposes the deformation beyond rest."""
        return where_active(numbers["stiffness"] * excess, excess, self.acts)

    def damping(self, numbers: Mapping[str, Array], excess: Array, rate: Array) -> Array:
        """(n, c) force that opposes the rate of deformation."""
        return where_active(power_law(numbers["damping"], rate, numbers["power"]), excess, self.acts)

    def energy(self, numbers: Mapping[str, Array], excess: Array) -> Array:
        """(n, c) [J]."""
        return 0.5 * where_active(numbers["stiffness"] * excess**2, excess, self.acts)

    def dissipation(self, numbers: Mapping[str, Array], excess: Array, rate: Array) -> Array:
        """(n, c) Rayleigh function [W]."""
        return where_active(power_law_dissipation(numbers["damping"], rate, numbers["power"]), excess, self.acts)
