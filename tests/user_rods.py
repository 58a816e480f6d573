"""Rod models as users write them."""

import dataclasses
import functools

import jax.numpy as jnp
import numpy as np

from pliant.elements import RodModel
from pliant.mechanics import STRAINS

STRETCH = STRAINS.index("stretch")


@dataclasses.dataclass(frozen=True)
class LogarithmicRod(RodModel):
    """Strains depart from the reference by cosines of the arclength, the stretch by a factor of which they are the
    logarithm."""

    word = "log-stretch"
    terms: int
    points: int = 4

    def coordinate_names(self):
        return tuple(f"{STRAINS[strain]}[{k}]" for strain in self.strains for k in range(self.terms))

    @functools.cached_property
    def grid(self):
        return self.gauss_grid(self.points)

    def prepare(self, numbers):
        return self.section_numbers(numbers)

    def poses(self, prepared, q, fractions):
        return self.poses_from_strain(prepared.length, lambda at: self._strain_at(prepared, q, at), fractions)

    def strain(self, prepared, q, fractions):
        return self._strain_at(prepared, q, np.asarray(fractions, dtype=float))

    def uniform_strain(self, prepared, values):
        start = prepared.reference[STRETCH].mean()
        departure = {**values, "stretch": jnp.log1p(values.get("stretch", 0.0) / start)}
        constant = jnp.stack([jnp.asarray(departure.get(STRAINS[s], 0.0), dtype=float) for s in self.strains])
        return (constant[:, None] * np.eye(self.terms)[0]).reshape(self.nq)

    def _strain_at(self, prepared, q, at):
        waves = jnp.asarray(np.cos(np.pi * at[:, None] * np.arange(self.terms)))
        own = waves @ q.reshape(len(self.strains), self.terms).T @ np.eye(6)[list(self.strains)]
        reference = prepared.reference_at(at)
        stretch = reference[:, STRETCH:] * jnp.exp(own[:, STRETCH:])
        return jnp.concatenate([reference[:, :STRETCH] + own[:, :STRETCH], stretch], axis=-1)


@dataclasses.dataclass(frozen=True)
class LinearStrainRod(LogarithmicRod):
    """Strains are linear in the arclength: `gvs` of order 1 with the basis 1, 2 x - 1 in other words."""

    word = "linear-strain"
    terms: int = 2

    def _strain_at(self, prepared, q, at):
        line = jnp.asarray(np.stack([np.ones_like(at), 2.0 * at - 1.0], axis=-1))
        own = line @ q.reshape(len(self.strains), self.terms).T @ np.eye(6)[list(self.strains)]
        return prepared.reference_at(at) + own

    def uniform_strain(self, prepared, values):
        constant = jnp.stack([jnp.asarray(values.get(STRAINS[s], 0.0), dtype=float) for s in self.strains])
        return (constant[:, None] * np.eye(self.terms)[0]).reshape(self.nq)
