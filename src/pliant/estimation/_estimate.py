"""What an estimator returns."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jax import Array

from pliant.estimation._forward import Carry


class ForceEstimate(eqx.Module):
    """A force found from poses.

    - ``force``: (3,) [N] in world axes; ``location``: () fraction of the rod where it acts, nan at a named frame.
    - ``covariance``: (3, 3) of the force [N^2]; (4, 4) with the location last where that was unknown. It is that of the
      noise alone: what the model gets wrong is not in it, but shows in ``misfit``. It is linear in the noise: of an
      unknown location that is uncertain by a tenth of the rod, some errors are far larger than it says.
    - ``errors``: (m, 6) from predicted to observed markers: turn [rad] in their axes, way [m] in the world.
    - ``misfit``: () sum of squared errors over their deviations, per degree of freedom: about 1 where model and noise
      are right.
    - ``iterations``, ``code``: () trials, and a ResultCode. ``rest``: where the robot rests, for the next start.
    """

    force: Array
    location: Array
    covariance: Array
    errors: Array
    misfit: Array
    iterations: Array
    code: Array
    rest: Carry

    @property
    def magnitude(self) -> Array:
        """() [N]."""
        return jnp.linalg.norm(self.force)

    @property
    def direction(self) -> Array:
        """(3,) unit vector; zero without a force."""
        size = self.magnitude
        return self.force / jnp.where(size > 0.0, size, 1.0)

    @property
    def deviation(self) -> Array:
        """(3,) or (4,) standard deviations of force and, where unknown, location."""
        return jnp.sqrt(jnp.diag(self.covariance))

    def __repr__(self) -> str:
        def text(values: Any) -> str:
            return ", ".join(f"{float(value):.4g}" for value in values)

        spread = text(self.deviation[:3])
        where = f" at {float(self.location):.3f}" if jnp.isfinite(self.location) else ""
        return f"ForceEstimate([{text(self.force)}] N, deviation [{spread}] N{where}, misfit {float(self.misfit):.3g})"
