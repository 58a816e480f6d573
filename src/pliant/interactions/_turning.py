"""What resists that bodies roll on each other, and that they spin about the normal: moments with a memory like that of
friction, a spring with a damper beside it, both up to a length times the normal force."""

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array

from pliant.interactions._touch import Touch
from pliant.mechanics import Friction, RoundCone, friction

Memory = Mapping[str, Array]


class TurningNumbers(NamedTuple):
    """Numbers (n,): the lengths [m] that moments are up to per normal force, and the spring [N m/rad] with its
    damper."""

    rolling: Array
    spin: Array
    spring: Array
    damper: Array


@dataclasses.dataclass(frozen=True)
class Turning:
    """Beside a friction that holds, whose memory tells what touches."""

    def first_memory(self, count: int) -> dict[str, Array]:
        vector = jnp.zeros((count, 3))
        return {"turned": vector, "moment": vector}

    def acts(self, numbers: TurningNumbers, touch: Touch, normal_force: Array, kept: Memory, turned: Array) -> Friction:
        """Moments (n, 3) that resist. turned (n, 3): how far both sides have turned against each other since."""
        assert touch.turning is not None
        angle = kept["touching"][:, None] * (kept["turned"] + turned)
        rolling, spinning = (
            friction(numbers.spring, numbers.damper, RoundCone(limit * normal_force), own, rate)
            for limit, own, rate in (
                (numbers.rolling, touch.tangential(angle), touch.tangential(touch.turning)),
                (numbers.spin, _about(touch, angle), _about(touch, touch.turning)),
            )
        )
        moment, spring = rolling.force + spinning.force, rolling.spring + spinning.spring
        return Friction(moment, spring, rolling.sticks & spinning.sticks)

    def stored(self, numbers: TurningNumbers, found: Friction) -> Array:
        """(n,) energy of the springs."""
        return 0.5 * numbers.spring * jnp.sum(found.spring**2, axis=-1)

    def remembers(self, touch: Touch, found: Friction) -> dict[str, Array]:
        touching = touch.touching[:, None]
        return {"turned": touching * found.spring, "moment": touching * found.force}

    def heat(self, numbers: TurningNumbers, touch: Touch, found: Friction, kept: Memory, turned: Array) -> Array:
        """(n,) energy that they have turned into heat since they remembered, as that of friction."""
        way = kept["touching"][:, None] * turned
        work = 0.5 * jnp.sum((kept["moment"] + found.force) * way, axis=-1)
        before = 0.5 * numbers.spring * jnp.sum(kept["turned"] ** 2, axis=-1)
        return work + before - touch.touching * self.stored(numbers, found)


def _about(touch: Touch, vector: Array) -> Array:
    """(n, 3) parts along the normals."""
    return vector - touch.tangential(vector)


def turning_numbers(rolling: Any, spin: Any, spring: Array, damper: Array, size: Array) -> TurningNumbers:
    """spring, damper: of friction; a point of the skin, at `size` from the middle, is held as stiffly."""
    wide = size**2
    return TurningNumbers(
        jnp.broadcast_to(rolling, size.shape), jnp.broadcast_to(spin, size.shape), wide * spring, wide * damper
    )
