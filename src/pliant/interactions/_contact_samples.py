"""Points at which a body touches surfaces: each with a radius, the length of skin that it stands for, and the mass
behind it."""

import dataclasses
import itertools
from collections.abc import Mapping
from typing import NamedTuple, Protocol

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.elements import RigidBody
from pliant.interactions._places import Frame
from pliant.mechanics import taper

_STANDING = 4  # corners on which a box stands: the mass behind each


class Samples(NamedTuple):
    """Places (n, 3) in their frames, radii (n,), lengths of skin (n,) (1 where there is none: a point), masses (n,)
    behind them, and a size (n,) [m] to which penetrations are compared."""

    point: Array
    radius: Array
    weight: Array
    mass: Array
    size: Array


class SampleSet(Protocol):
    """The samples of one body. line: whether they stand for lengths of a skin."""

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The frame on which each hangs."""
        ...

    @property
    def line(self) -> bool: ...
    def prepare(self, parameters: Mapping[str, Array]) -> Samples: ...


@dataclasses.dataclass(frozen=True, eq=False)
class Carrier:
    """The rigid body that carries a shape, and its numbers; None where what moves with the shape is not one body."""

    body: RigidBody | None
    paths: Mapping[str, str]

    def mass(self, parameters: Mapping[str, Array]) -> Array:
        if self.body is None:
            return jnp.zeros(())
        return self.body.inertia({name: parameters[path] for name, path in self.paths.items()}).mass


@dataclasses.dataclass(frozen=True, eq=False)
class SphereSample:
    """The centre of a sphere, with its radius. paths: of its sizes."""

    frame: Frame
    paths: Mapping[str, str]
    carrier: Carrier
    line = False

    @property
    def frames(self) -> tuple[Frame, ...]:
        return (self.frame,)

    def prepare(self, parameters: Mapping[str, Array]) -> Samples:
        radius = parameters[self.paths["radius"]][None]
        return Samples(
            jnp.zeros((1, 3)), radius, jnp.ones(1), jnp.broadcast_to(self.carrier.mass(parameters), (1,)), radius
        )


@dataclasses.dataclass(frozen=True, eq=False)
class CornerSamples:
    """The eight corners of a box, which are sharp."""

    frame: Frame
    paths: Mapping[str, str]
    carrier: Carrier
    line = False

    @property
    def frames(self) -> tuple[Frame, ...]:
        return (self.frame,) * 8

    def prepare(self, parameters: Mapping[str, Array]) -> Samples:
        size = parameters[self.paths["size"]]
        signs = jnp.asarray(list(itertools.product((-0.5, 0.5), repeat=3)))
        behind = self.carrier.mass(parameters) / _STANDING
        half = 0.5 * jnp.sqrt(jnp.sum(size**2))
        return Samples(
            signs * size, jnp.zeros(8), jnp.ones(8), jnp.broadcast_to(behind, (8,)), jnp.broadcast_to(half, (8,))
        )


@dataclasses.dataclass(frozen=True, eq=False)
class SkinSamples:
    """The nodes of a stretch of a rod with a circular section, as spheres of its radius, and at ends (m,) that nothing
    hangs on half a sphere each, which stands for a length of a radius. fractions, share (n,) of the rod; length: path
    of its length."""

    frames: tuple[Frame, ...]
    length: str
    fractions: np.ndarray
    share: np.ndarray
    ends: np.ndarray
    paths: Mapping[str, str]  # of section and material
    line = True

    def prepare(self, parameters: Mapping[str, Array]) -> Samples:
        density = parameters[self.paths["density"]]
        radius = taper(parameters[self.paths["radius"]], jnp.asarray(np.concatenate([self.fractions, self.ends])))
        along, cap = radius[: len(self.share)], radius[len(self.share) :]
        length = parameters[self.length] * jnp.asarray(self.share)
        mass = density * np.pi * jnp.concatenate([along**2 * length, 2.0 / 3.0 * cap**3])
        return Samples(jnp.zeros((len(self.frames), 3)), radius, jnp.concatenate([length, cap]), mass, radius)


@dataclasses.dataclass(frozen=True, eq=False)
class AlongSamples:
    """Places at equal distances along a stretch of a rod with a circular section, which touch other rods as these touch
    them: each counts half. fractions (n,) of the rod; share: of the rod that each stands for; length: path of its
    length."""

    frames: tuple[Frame, ...]
    length: str
    fractions: np.ndarray
    share: float
    paths: Mapping[str, str]  # of section and material
    line = True

    def prepare(self, parameters: Mapping[str, Array]) -> Samples:
        radius = taper(parameters[self.paths["radius"]], jnp.asarray(self.fractions))
        length = jnp.broadcast_to(0.5 * self.share * parameters[self.length], radius.shape)
        mass = parameters[self.paths["density"]] * np.pi * radius**2 * length
        return Samples(jnp.zeros((len(self.frames), 3)), radius, length, mass, radius)


# Shapes that can stand on others, by their words.
SAMPLES: dict[str, type[SphereSample] | type[CornerSamples]] = {"sphere": SphereSample, "box": CornerSamples}
