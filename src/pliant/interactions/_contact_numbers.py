"""The numbers of contacts: what each sample has in common with its surface, from the parameters."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.blueprint import Contact, Material, SurfaceShape, numbers
from pliant.interactions._contact_samples import Samples, SampleSet
from pliant.interactions._places import Frame
from pliant.mechanics import SURFACES, NormalLaw, tangential_ratio

# Penetration at which a contact's stiffness is taken for its friction, and the part of the force's beginning that is
# smooth: shares of the sample's radius. The second is far below the first, so that it shows in no force of interest.
_REFERENCE_DEPTH = 0.01
_SMOOTHING = 1e-5
_UNKNOWN_POISSON = 0.5  # of sides without material: that of rubber


class Pair(NamedTuple):
    """The samples of one body against one surface. materials: of the sides that have one."""

    plan: Contact
    samples: SampleSet
    frame: Frame
    shape: SurfaceShape
    materials: tuple[Material, ...]

    @property
    def sizes(self) -> Mapping[str, str]:
        """Paths of the surface's numbers."""
        return numbers(self.shape)


class Rubbing(NamedTuple):
    """Numbers (n,) of friction: its coefficient, its spring and the damper beside it."""

    friction: Array
    spring: Array
    damper: Array


class ContactNumbers(NamedTuple):
    """Of samples (n, ...). offset, base_offset: of samples and of surfaces (p, ...) in their rows; sizes: of the
    surfaces; rubbing: None without friction."""

    offset: Array | None
    base_offset: Array | None
    sizes: dict[str, Array]
    point: Array
    radius: Array
    stiffness: Array
    smoothing: Array
    damping: Array
    rubbing: Rubbing | None


def contact_numbers(
    pairs: Sequence[Pair],
    law: NormalLaw,
    offsets: tuple[Array | None, Array | None],
    parameters: Mapping[str, Array],
) -> ContactNumbers:
    """offsets: of samples and of surfaces."""
    found = [_of_pair(pair, law, parameters) for pair in pairs]
    every = jax.tree.map(lambda *own: jnp.concatenate(own), *found)
    return every._replace(offset=offsets[0], base_offset=offsets[1])


def _of_pair(pair: Pair, law: NormalLaw, parameters: Mapping[str, Array]) -> ContactNumbers:
    plan, samples = pair.plan, pair.samples.prepare(parameters)
    count = len(pair.samples.frames)
    sizes = {name: parameters[path] for name, path in pair.sizes.items()}
    moduli = [(parameters[own.young], parameters[own.poisson]) for own in pair.materials]
    if plan.stiffness is None:
        stiffness = _from_materials(pair, samples, sizes, moduli)
    else:
        stiffness = samples.weight * parameters[plan.stiffness]
    smoothing = _SMOOTHING * samples.size if plan.smoothing is None else parameters[plan.smoothing]
    return ContactNumbers(
        None,
        None,
        {name: jnp.broadcast_to(own, (count, *own.shape)) for name, own in sizes.items()},
        samples.point,
        samples.radius,
        stiffness,
        jnp.broadcast_to(smoothing, (count,)),
        jnp.broadcast_to(parameters[plan.damping], (count,)),
        _rubbing(plan, samples, law.slope(stiffness, _REFERENCE_DEPTH * samples.size), moduli, parameters),
    )


def _rubbing(
    plan: Contact, samples: Samples, slope: Array, moduli: Sequence[Any], parameters: Mapping[str, Array]
) -> Rubbing | None:
    """slope: the normal stiffness at the depth that friction is taken for."""
    if plan.friction is None or plan.slip_damping is None:
        return None
    spring = tangential_ratio(_softer_poisson(moduli)) * slope
    # Critical for the mass behind the sample: without a damper what is put down gently overshoots, and slips too early.
    critical = 2.0 * jnp.sqrt(spring) * _root(samples.mass)
    coefficient = jnp.broadcast_to(parameters[plan.friction], slope.shape)
    return Rubbing(coefficient, spring, parameters[plan.slip_damping] * critical)


def _root(mass: Array) -> Array:
    """Square root, with a slope of zero where there is no mass."""
    some = mass > 0.0
    return jnp.where(some, jnp.sqrt(jnp.where(some, mass, 1.0)), 0.0)


def _from_materials(pair: Pair, samples: Samples, sizes: Mapping[str, Array], moduli: Sequence[Any]) -> Array:
    """Hertz's contact of a sphere, (4/3) E* sqrt(R), or per length of two cylinders side by side, (pi/4) E*. A side
    without material is rigid."""
    plane_strain = 1.0 / sum((1.0 - poisson**2) / young for young, poisson in moduli)
    if pair.samples.line:
        return 0.25 * np.pi * plane_strain * samples.weight
    curvature = 1.0 / samples.radius + SURFACES[pair.shape.kind].curvature(sizes)
    return 4.0 / 3.0 * plane_strain / jnp.sqrt(curvature)


def _softer_poisson(moduli: Sequence[Any]) -> Array:
    if not moduli:
        return jnp.asarray(_UNKNOWN_POISSON)
    young, poisson = moduli[0]
    for other, of_other in moduli[1:]:
        poisson, young = jnp.where(other < young, of_other, poisson), jnp.minimum(other, young)
    return poisson


def law_of(plan: Contact) -> NormalLaw:
    """How the normal force grows with the penetration."""
    return NormalLaw(plan.exponent)
