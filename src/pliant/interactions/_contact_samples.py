"""Points at which a body touches surfaces: each with a radius, the length of skin that it stands for, and the mass
behind it."""

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple, Protocol

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.interactions._places import Frame
from pliant.mechanics import Support, section_outline, taper


class Samples(NamedTuple):
    """Places (n, 3) in their frames, radii (n,), lengths of skin (n,) (1 where there is none: a point), masses (n,)
    behind them, a size (n,) [m] to which penetrations are compared, and what reaches farther than the radius (None:
    nothing), in the axes of the frames."""

    point: Array
    radius: Array
    weight: Array
    mass: Array
    size: Array
    support: Support | None = None


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
class SkinSamples:
    """The nodes of a stretch of a rod, as far as its section reaches around them, and at ends (m,) that nothing hangs
    on half a body each, which stands for a length of the smallest half width. section: its kind; fractions, share (n,)
    of the rod; length: path of its length."""

    frames: tuple[Frame, ...]
    section: str
    length: str
    fractions: np.ndarray
    share: np.ndarray
    ends: np.ndarray
    paths: Mapping[str, str]  # of section and material
    line = True

    def prepare(self, parameters: Mapping[str, Array]) -> Samples:
        given = {name: parameters[path] for name, path in self.paths.items()}
        own = section_outline(self.section, given, jnp.asarray(np.concatenate([self.fractions, self.ends])))
        count = len(self.share)
        length = jnp.concatenate([parameters[self.length] * jnp.asarray(self.share), own.half_width[count:]])
        rounding = np.concatenate([np.ones(count), np.full(len(self.ends), 2.0 / 3.0)])
        mass = given["density"] * own.area * length * rounding
        return Samples(jnp.zeros((len(self.frames), 3)), own.radius, length, mass, own.half_width, own.support)


@dataclasses.dataclass(frozen=True, eq=False)
class NodeSamples:
    """The nodes of a mesh as spheres: those that move, each in its own frame, then those that never do, in the frame of
    the mesh. order (n,): their numbers; held: how many never move; nodes, mass, radius: paths."""

    frames: tuple[Frame, ...]
    order: np.ndarray
    held: int
    nodes: str
    mass: str
    radius: str
    line = False

    def prepare(self, parameters: Mapping[str, Array]) -> Samples:
        count = len(self.order)
        still = jnp.asarray(np.arange(count) >= count - self.held, dtype=float)
        radius = jnp.broadcast_to(parameters[self.radius], (count,))
        mass = jnp.broadcast_to(parameters[self.mass], (count,))[self.order]
        return Samples(still[:, None] * parameters[self.nodes][self.order], radius, jnp.ones(count), mass, radius)


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
