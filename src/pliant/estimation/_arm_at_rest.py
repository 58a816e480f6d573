"""The quasi-static arm under its pressures and one more force on its body."""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from pliant.arms import ArmLoad, ArmShape, QuasiStaticArm, arm_about, arm_shape
from pliant.estimation._along import between
from pliant.estimation._forward import Linearised
from pliant.lie import so3
from pliant.numerics import ResultCode, lu_solve

_BALANCED = 1e-6  # rad by which the base may be turned; a Newton step later it is its square


class ArmAtRest(eqx.Module):
    """Forward map of a quasi-static arm; its axes are those of the base. Inputs are the pressures (ports,)
    [Pa]; its weight is left out, as in the document (Shiva et al., section B).

    A force at an unknown place is shared smoothly among the nodes: between two nodes by the distance, as at a known
    place, the pose would have a kink in the place at every node. Where the force passes a marker there is a kink all
    the same, as the arm shears and stretches only up to the force. Markers between nodes are of constant strain.
    """

    arm: QuasiStaticArm
    markers: tuple[float, ...] = eqx.field(static=True)
    unknown_place: bool = eqx.field(static=True)

    def __init__(self, arm: QuasiStaticArm, markers: Sequence[Any], frame: str | None, unknown_place: bool) -> None:
        named = [marker for marker in (*markers, frame) if isinstance(marker, str)]
        if named:
            raise KeyError(f"a quasi-static arm has no frame {named[0]!r}; give fractions of its length, 1 for the tip")
        self.arm, self.unknown_place = arm, unknown_place
        self.markers = tuple(float(marker) for marker in markers)

    @property
    def name(self) -> str:
        return "quasi-static arm"

    @property
    def marker_count(self) -> int:
        return len(self.markers)

    @property
    def free_location(self) -> bool:
        return True

    def checked(self, inputs: Any) -> Array:
        pressures = jnp.asarray(inputs, dtype=jnp.float64)
        if pressures.shape != (self.arm.ports,):
            raise ValueError(f"the arm takes {self.arm.ports} pressures [Pa]; got the shape {pressures.shape}")
        return pressures

    def at_rest(self, inputs: Array) -> Array:
        """(3, 3) turn of the tip, from which the arm is solved."""
        return _unloaded(self.arm, inputs)

    def moved(self, carry: Array, carry_rates: Any, change: Array) -> Array:
        return so3.exp(carry_rates @ change) @ carry

    def linearise(self, force: Array, location: Array, inputs: Array, carry: Array, solve: bool) -> Linearised:
        """The turn of the tip is an unknown beside force and place: one sweep with seven derivatives says how it
        follows them."""

        def pushed(unknowns: Array) -> tuple[ArmLoad]:
            return (ArmLoad(unknowns[:3], at=unknowns[3], smooth=self.unknown_place),)

        def swept(unknowns: Array, turn: Array) -> tuple[Array, Array, ArmShape]:
            found, left = arm_about(self.arm, inputs, pushed(unknowns), turn)
            return between(found.pose, found.fraction, jnp.asarray(self.markers)), left, found

        unknowns = jnp.concatenate([force, location[None]])
        turn, code = carry, jnp.int32(ResultCode.SUCCESS)
        if solve:
            rest = arm_shape(self.arm, inputs, pushed(unknowns), None, carry)
            turn, code = rest.tip[:3, :3], rest.code

        def moved(change: Array) -> tuple[tuple[Array, Array], Array]:
            poses, left, _ = swept(unknowns + change[:4], so3.exp(change[4:]) @ turn)
            return (poses, left), left

        (by_all, left_by_all), left = jax.jacfwd(moved, has_aux=True)(jnp.zeros(7))
        follows = -lu_solve(left_by_all[:, 4:], jnp.concatenate([left_by_all[:, :4], left[:, None]], axis=1))
        rates = by_all[..., :4] + by_all[..., 4:] @ follows[:, :4]
        turn = so3.exp(follows[:, 4]) @ turn
        poses, left, found = swept(unknowns, turn)
        balanced = found.valid & (jnp.max(jnp.abs(left)) <= _BALANCED)
        code = jnp.where(balanced, code, jnp.maximum(code, ResultCode.NOT_CONVERGED))
        return Linearised(poses, jnp.moveaxis(rates, -1, 0), turn, follows[:, :4], code.astype(jnp.int32))


@jax.jit
def _unloaded(arm: QuasiStaticArm, pressures: Array) -> Array:
    return arm_shape(arm, pressures).tip[:3, :3]
