"""How well a quasi-static arm follows a recording, over Young's moduli (Shiva et al., Figures 5, 7 and 13)."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import ArrayLike

from pliant.arms._quasi_static_arm import QuasiStaticArm, arm_shape
from pliant.arms._quasi_static_loads import ArmLoad


class ModulusMap(NamedTuple):
    """- moduli (m,) [Pa]; error (m, n): distance of the tip from the measured one, over the arm's length at rest.
    - r2 (m, 3): coefficient of determination of the tip's x, y and z.
    - carried (m, n): whether the material law carries the loads; where it does not, `error` is NaN, and so is `r2` of
      a modulus for which any sample is missing.
    """

    moduli: np.ndarray
    error: np.ndarray
    r2: np.ndarray
    carried: np.ndarray

    @property
    def mean_error(self) -> np.ndarray:
        """(m,) over the samples; NaN for a modulus that carries not all of them."""
        return self.error.mean(axis=1)

    @property
    def best(self) -> float:
        """Modulus [Pa] of the smallest mean error among those that carry every sample; NaN if none does."""
        mean = self.mean_error
        return float("nan") if np.all(np.isnan(mean)) else float(self.moduli[np.nanargmin(mean)])


def modulus_map(
    arm: QuasiStaticArm,
    pressures: ArrayLike,
    measured: ArrayLike,
    moduli: ArrayLike,
    *,
    force: ArrayLike | None = None,
    gravity: ArrayLike | None = None,
) -> ModulusMap:
    """Compare the tip of an arm with a measured one (n, 3) [m] in the axes of the base, for moduli (m,) [Pa].

    pressures (n, ports) [Pa]; force (n, 3) [N] on the tip in the axes of the base; gravity (3,) [m/s^2].
    """
    given, place = np.asarray(pressures, dtype=float), np.asarray(measured, dtype=float)
    if given.ndim != 2 or given.shape[1] != arm.ports:
        raise ValueError(f"pressures: expected a table (samples, {arm.ports}) [Pa]; got the shape {given.shape}")
    if place.shape != (given.shape[0], 3):
        raise ValueError(f"measured: expected a table ({given.shape[0]}, 3) [m]; got the shape {place.shape}")
    values = np.atleast_1d(np.asarray(moduli, dtype=float))
    if not np.all(values > 0.0):
        raise ValueError(f"moduli: expected numbers above 0 Pa; got {values.min():g}")
    push = None if force is None else jnp.asarray(force, dtype=float)
    along = None if gravity is None else jnp.asarray(gravity, dtype=float)
    tips, carried = (np.asarray(found) for found in _tips(arm, jnp.asarray(values), jnp.asarray(given), push, along))
    distance = np.linalg.norm(tips - place, axis=-1) / float(arm.length)
    spread = np.sum((place - place.mean(axis=0)) ** 2, axis=0)
    # A coordinate that was never seen to move has no coefficient of determination.
    r2 = 1.0 - np.sum((tips - place) ** 2, axis=1) / np.where(spread > 0.0, spread, np.nan)
    r2[~carried.all(axis=1)] = np.nan
    return ModulusMap(values, np.where(carried, distance, np.nan), r2, carried)


@jax.jit
def _tips(
    arm: QuasiStaticArm, moduli: Array, pressures: Array, force: Array | None, gravity: Array | None
) -> tuple[Array, Array]:
    """Tips (m, n, 3) and whether they are valid (m, n); one modulus after the other, which bounds the memory."""

    def one(young: Array) -> tuple[Array, Array]:
        stiff = arm.with_young(young)

        def tip(pressure: Array, push: Array | None) -> tuple[Array, Array]:
            loads = () if push is None else (ArmLoad(push),)
            shape = arm_shape(stiff, pressure, loads, gravity)
            return shape.tip[:3, 3], shape.valid

        return jax.vmap(tip)(pressures, force)

    return jax.lax.map(one, moduli)
