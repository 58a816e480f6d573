"""A rod model of your own in six methods: strains are sums of cosines of the arclength, and its results beside `gvs`.

The rest of what dynamics asks of a rod follows by automatic differentiation, at a price: see docs/extending.md.
"""

import dataclasses
import functools
import time

import jax.numpy as jnp
import numpy as np

import pliant
from pliant.elements import RodModel

pliant.configure()

STRAINS = ("bend_x", "bend_y", "twist", "shear_x", "shear_y", "stretch")


@dataclasses.dataclass(frozen=True)
class CosineRod(RodModel):
    """The strain at the fraction x of the rod is its reference plus the sum of q_k cos(k pi x), k = 0, 1, ...

    The fields are what may stand beside the word: `model: {cosines: {terms: 3}}`.
    """

    word = "cosines"
    terms: int = 3
    points: int = 8  # Gauss points

    def coordinate_names(self):
        return tuple(f"{STRAINS[strain]}[{k}]" for strain in self.strains for k in range(self.terms))

    @functools.cached_property
    def grid(self):
        return self.gauss_grid(self.points)

    def prepare(self, numbers):
        """Once per solve: stiffness, damping and inertia of the section at the nodes."""
        return self.section_numbers(numbers)

    def strain(self, prepared, q, fractions):
        return self._strain_at(prepared, q, np.asarray(fractions, dtype=float))

    def poses(self, prepared, q, fractions):
        return self.poses_from_strain(prepared.length, lambda at: self._strain_at(prepared, q, at), fractions)

    def uniform_strain(self, prepared, values):
        """The constant alone; an initial state of the robot file asks for it."""
        constant = jnp.stack([jnp.asarray(values.get(STRAINS[strain], 0.0), dtype=float) for strain in self.strains])
        return (constant[:, None] * np.eye(self.terms)[0]).reshape(self.nq)

    def _strain_at(self, prepared, q, at):
        """(n, 6) at fractions (n,)."""
        waves = jnp.asarray(np.cos(np.pi * at[:, None] * np.arange(self.terms)))
        own = waves @ q.reshape(len(self.strains), self.terms).T
        return prepared.reference_at(at) + own @ np.eye(6)[list(self.strains)]


def finger(model):
    return (
        pliant.Robot("finger")
        .material("silicone", young="300 kPa", poisson=0.45, density=1070, viscosity="400 Pa*s")
        .rod(
            "finger",
            length="100 mm",
            section={"circle": {"radius": ["8 mm", "5 mm"]}},
            material="silicone",
            allow=["bend_x", "stretch"],
            model=model,
        )
        .tendon("flexor", link="finger", y=["6 mm", "3 mm"], tension="1 N")
        .initial("finger", bend_x="2 rad/m")
    )


own = pliant.compile(finger({"cosines": {"terms": 4}}), rods=[CosineRod])
known = pliant.compile(finger({"gvs": {"order": 3}}))

rest, expected = (pliant.equilibrium(model).position("finger") for model in (own, known))
apart = 1000 * np.linalg.norm(rest - expected)
print(f"1 N brings the tip to {1000 * rest.round(6)} mm; gvs differs by {apart:.4f} mm")
assert apart < 0.1

settings = {"until": 0.2, "stepper": "newmark", "step": 2e-3, "save_every": 0.02}
swing, expected = (pliant.simulate(model, **settings).position("finger") for model in (own, known))
apart = 1000 * np.linalg.norm(swing - expected, axis=1).max()
print(f"released, it is at {1000 * swing[-1].round(6)} mm after 0.2 s; gvs differs by {apart:.3f} mm at most")
assert apart < 0.5

native = pliant.simulate(own, backend="native", **settings).position("finger")
begin = time.perf_counter()
pliant.simulate(own, backend="native", **settings)
took = time.perf_counter() - begin
print(f"native code: {1e6 * np.abs(native - swing).max():.1e} um from the same in JAX; 0.2 s in {1000 * took:.1f} ms")
assert np.abs(native - swing).max() < 1e-9

try:
    pliant.compile(finger("cosine"), rods=[CosineRod])
except pliant.RobotFileError as error:
    print(error)
