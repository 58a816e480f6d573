"""The numbers of contacts: what each sample has in common with its surface, from the parameters."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.blueprint import LINEAR, Contact, Friction, Material, ParameterPath, SurfaceShape, numbers
from pliant.interactions._contact_samples import Samples, SampleSet
from pliant.interactions._places import Frame
from pliant.interactions._rod_meeting import RodMeeting
from pliant.interactions._turning import TurningNumbers, turning_numbers
from pliant.mechanics import SURFACES, NormalLaw, restitution_damping, tangential_ratio

# Penetration at which a contact's stiffness is taken for its friction, and the part of the force's beginning that is
# smooth: shares of the sample's radius. The second is far below the first, so that it shows in no force of interest.
_REFERENCE_DEPTH = 0.01
_SMOOTHING = 1e-5
_LIGHTEST = 0.5  # root of the share of its mass with which a sample resists a push: a body that also turns gives way
_UNKNOWN_POISSON = 0.5  # of sides without material: that of rubber


class SurfaceSide(NamedTuple):
    """A surface, or its inside."""

    frame: Frame
    shape: SurfaceShape
    hollow: bool

    @property
    def sizes(self) -> Mapping[str, str]:
        """Paths of the surface's numbers."""
        return numbers(self.shape)

    @property
    def kind(self) -> tuple[Any, ...]:
        """Surfaces of which it is equal are evaluated together."""
        kind = self.shape.kind
        return (kind, self.hollow, *(tuple(self.sizes.values()) if SURFACES[kind].alone else ()))

    def curvature(self, parameters: Mapping[str, Array]) -> Array | float:
        sizes = {name: parameters[path] for name, path in self.sizes.items()}
        return (-1.0 if self.hollow else 1.0) * SURFACES[self.shape.kind].curvature(sizes)


class Pair(NamedTuple):
    """The samples of one body, and what they may touch: a surface, or the rods of a skin. materials: of the sides that
    have one."""

    plan: Contact
    samples: SampleSet
    other: SurfaceSide | RodMeeting
    materials: tuple[Material, ...]


class GripNumbers(NamedTuple):
    """Numbers (n,) of friction: its coefficients, its spring and the damper beside it, how much more what sticks can
    carry, and the speed below which it creeps. Without directions that across a rod is the coefficient."""

    ahead: Array
    behind: Array
    across: Array
    spring: Array
    damper: Array
    static_ratio: Array
    creep: Array


class ContactNumbers(NamedTuple):
    """Of samples (n,). meeting: those of the meeting; damping: per rate of penetration, or with a restitution times the
    speed of the touch; size [m]: to which penetrations are compared; swing [s]: a touch swings back no faster, as the
    root of mass over stiffness tells (0 where it does not); grip, turning: None without friction,
    without what resists rolling."""

    meeting: Any
    size: Array
    swing: Array
    stiffness: Array
    smoothing: Array
    damping: Array
    grip: Any
    turning: Any


def contact_numbers(
    pairs: Sequence[Pair], law: NormalLaw, meeting: Any, parameters: Mapping[str, Array]
) -> ContactNumbers:
    """meeting: the numbers of the meeting."""
    found = [_of_pair(pair, law, parameters) for pair in pairs]
    every: ContactNumbers = jax.tree.map(lambda *own: jnp.concatenate(own), *found)
    if not isinstance(pairs[0].other, SurfaceSide):
        # Of two rods the lighter one decides.
        every = every._replace(swing=jnp.broadcast_to(jnp.min(every.swing), every.swing.shape))
    return every._replace(meeting=meeting)


def _of_pair(pair: Pair, law: NormalLaw, parameters: Mapping[str, Array]) -> ContactNumbers:
    plan, samples = pair.plan, pair.samples.prepare(parameters)
    count = len(samples.radius)
    moduli = [(parameters[own.young], parameters[own.poisson]) for own in pair.materials]
    if plan.stiffness is None:
        stiffness = _from_materials(pair, samples, moduli, parameters)
    else:
        stiffness = samples.weight * parameters[plan.stiffness]
    smoothing = _SMOOTHING * samples.size if plan.smoothing is None else parameters[plan.smoothing]
    grip = _grip(plan.friction, samples, law.slope(stiffness, _REFERENCE_DEPTH * samples.size), moduli, parameters)
    return ContactNumbers(
        None,
        samples.size,
        _shortest_swing(pair, law, samples, stiffness),
        stiffness,
        jnp.broadcast_to(smoothing, (count,)),
        jnp.broadcast_to(_damping(plan, parameters), (count,)),
        grip,
        _turning(plan.friction, samples, grip, parameters),
    )


def _shortest_swing(pair: Pair, law: NormalLaw, samples: Samples, stiffness: Array) -> Array:
    """The shortest swings [s] of samples that a force in proportion to their depth throws back, by their own mass: what
    they touch is at rest, or as heavy as they are. 0 where the force or what they touch is of another kind."""
    moves = isinstance(pair.other, SurfaceSide) and pair.other.frame.row != 0
    if law.exponent != LINEAR or moves:
        return jnp.zeros_like(stiffness)
    some = stiffness > 0.0
    return _LIGHTEST * _root(jnp.where(some, samples.mass / jnp.where(some, stiffness, 1.0), 0.0))


def _turning(
    plan: Friction | None, samples: Samples, grip: GripNumbers | None, parameters: Mapping[str, Array]
) -> TurningNumbers | None:
    if plan is None or grip is None or not plan.turns:
        return None
    rolling, spin = (0.0 if path is None else parameters[path] for path in (plan.rolling, plan.spin))
    return turning_numbers(rolling, spin, grip.spring, grip.damper, samples.size)


def _damping(plan: Contact, parameters: Mapping[str, Array]) -> Array:
    if plan.restitution is None:
        return parameters[plan.damping]
    return restitution_damping(parameters[plan.restitution])


def _grip(
    plan: Friction | None, samples: Samples, slope: Array, moduli: Sequence[Any], parameters: Mapping[str, Array]
) -> GripNumbers | None:
    """slope: the normal stiffness at the depth that friction is taken for."""
    if plan is None:
        return None

    def number(path: ParameterPath | None, otherwise: Any) -> Array:
        return jnp.broadcast_to(otherwise if path is None else parameters[path], slope.shape)

    spring = tangential_ratio(_softer_poisson(moduli)) * slope
    # Critical for the mass behind the sample: without a damper what is put down gently overshoots, and slips too early.
    critical = 2.0 * jnp.sqrt(spring) * _root(samples.mass)
    alone = 0.0 if plan.coefficient is None else parameters[plan.coefficient]
    ahead, behind = jnp.broadcast_to(alone if plan.along is None else parameters[plan.along], (2,))
    return GripNumbers(
        number(None, ahead),
        number(None, behind),
        number(plan.across, alone),
        spring,
        parameters[plan.damping] * critical,
        number(plan.static_ratio, 1.0),
        number(plan.creep, 0.0),
    )


def _root(mass: Array) -> Array:
    """Square root, with a slope of zero where there is no mass."""
    some = mass > 0.0
    return jnp.where(some, jnp.sqrt(jnp.where(some, mass, 1.0)), 0.0)


def _from_materials(pair: Pair, samples: Samples, moduli: Sequence[Any], parameters: Mapping[str, Array]) -> Array:
    """Hertz's contact of a sphere, (4/3) E* sqrt(R), or per length of two cylinders side by side, (pi/4) E*. A side
    without material is rigid."""
    plane_strain = 1.0 / sum((1.0 - poisson**2) / young for young, poisson in moduli)
    if pair.samples.line or not isinstance(pair.other, SurfaceSide):
        return 0.25 * np.pi * plane_strain * samples.weight
    return 4.0 / 3.0 * plane_strain / jnp.sqrt(1.0 / samples.size + pair.other.curvature(parameters))


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
