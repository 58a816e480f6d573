"""Rod models from six methods: the rest of the contract follows by automatic differentiation.

A model says how its coordinates are called, where its nodes lie, what it computes once per solve, where its frames are,
what its strains are there, and which coordinates are nearest to a uniform strain. Motion across the rows is the
derivative of the poses, and energy, damping and what tendons and chambers do follow from the strain at the nodes.

The price: the rod is one segment whose rows all depend on all its coordinates, so its mass matrix and its tangent gain
nothing from the tree, and what is derived is longer than a closed form, in compile time and in native code.
"""

import abc
import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.elements._contract import FlatCoordinates, Rows
from pliant.elements._rod import Rod
from pliant.elements._rod_grid import (
    Grid,
    StrainAlong,
    at_collocation,
    gauss_rows,
    node_numbers,
    padded_grid,
    poses_from_strain,
    reference_at,
    reference_of,
)
from pliant.lie import se3
from pliant.mechanics import (
    FibreNumbers,
    RigidInertia,
    SectionLaw,
    power_law,
    power_law_dissipation,
    section_energy,
    section_stress,
)
from pliant.numerics import Basis


class RodPlan(NamedTuple):
    """What the robot file says of a rod's element. strains: indices (into STRAINS) of those it may have; attachments:
    fractions where something hangs; breaks: where a distributed load or the run of a tendon has an end; options: what
    stands beside the word of its model; loaded: whether a distributed load acts on it; tapers: whether its reference
    strain changes along it; bases: those given from Python, by the name of the strain."""

    link: str
    section: SectionLaw
    strains: tuple[int, ...]
    attachments: tuple[float, ...]
    breaks: tuple[float, ...]
    options: Mapping[str, Any]
    loaded: bool
    tapers: bool
    bases: Mapping[str, Basis]


class RodNumbers(NamedTuple):
    """Numbers of a rod at its nodes, computed once per solve. own: what its model adds."""

    length: Array
    reference: tuple[Array, ...]  # six strains of the unloaded rod, each () or (2,)
    rest_strain: Array  # (m, 6) at which the rod is free of stress
    stiffness: Array  # (m, 6) weight times length times section stiffness
    damping: Array
    power: Array | None  # of the damping law; None: linear
    fibres: FibreNumbers | None  # of a hyperelastic material; None: Hooke's law
    inertia: RigidInertia  # (1, m)
    own: Any = None

    def reference_at(self, fractions: np.ndarray) -> Array:
        """(..., 6) strain of the unloaded rod."""
        return reference_at(self.reference, fractions)


class PosedDetail(NamedTuple):
    """The configuration, and the motion (m, 6, nv) across each row per unit of the velocities."""

    prepared: Any
    q: Array
    subspace: Array


@dataclasses.dataclass(frozen=True, kw_only=True)
class RodModel(FlatCoordinates, Rod):
    """A rod model: a frozen dataclass with `coordinate_names`, `grid`, `prepare`, `poses`, `strain` and
    `uniform_strain`. Its own fields are what may stand beside its `word` in a robot file.

    `prepare` returns `section_numbers`, with what else it needs as `own`. `gauss_grid` and `poses_from_strain` are
    grids and poses that many models can use as they are.
    """

    section: SectionLaw
    strains: tuple[int, ...]
    attachments: tuple[float, ...] = ()
    breaks: tuple[float, ...] = ()

    word: ClassVar[str] = ""
    is_chain = True
    segments = 1

    @abc.abstractmethod
    def prepare(self, numbers: Mapping[str, Array]) -> RodNumbers: ...

    @classmethod
    def build(cls, plan: RodPlan) -> Self:
        """The element of a rod whose `model` is this word."""
        shared = {name: getattr(plan, name) for name in ("section", "strains", "attachments", "breaks")}
        own = {field.name: field for field in dataclasses.fields(cls) if field.name not in shared}
        legal = ", ".join(own) or "none"
        for name in plan.options:
            if name not in own:
                raise ValueError(f"rod {plan.link!r}: the model {cls.word} has no number {name!r}; legal: {legal}")
        for name, field in own.items():
            required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            if required and name not in plan.options:
                raise ValueError(f"rod {plan.link!r}: the model {cls.word} needs the number {name!r}")
        return cls(**shared, **plan.options)

    def gauss_grid(self, points: int) -> Grid:
        """Nodes at Gauss points between the breaks, at the breaks and where something hangs."""
        return padded_grid([gauss_rows(0.0, 1.0, set(self.breaks), self.attachments, points)])

    def poses_from_strain(self, length: Array, strain: StrainAlong, fractions: tuple[float, ...]) -> Array:
        """(K, 4, 4) poses at fractions of the rod with the strain (n, 6) at fractions (n,): Magnus steps from node to
        node."""
        return poses_from_strain(self.grid, length, at_collocation(strain), fractions)

    def section_numbers(self, numbers: Mapping[str, Array], rest_strain: Array | None = None) -> RodNumbers:
        """Stiffness, damping and inertia of the section at the nodes. rest_strain (m, 6): at which the rod is free of
        stress; the reference strain of the robot file where none is given."""
        reference = reference_of(numbers)
        stiffness, damping, inertia = node_numbers(self.section, numbers, self.grid)
        rest = reference_at(reference, self.grid.end[0]) if rest_strain is None else rest_strain
        return RodNumbers(
            length=numbers["length"],
            reference=reference,
            rest_strain=rest,
            stiffness=stiffness[0],
            damping=damping[0],
            power=numbers.get("damping_power"),
            fibres=self.section.fibres(numbers, rest[:, 5]),
            inertia=inertia,
        )

    @property
    def nq(self) -> int:
        return len(self.coordinate_names())

    def force_units(self) -> tuple[str, ...]:
        """Coordinates count as numbers without a unit, such as coefficients of polynomials."""
        return ("N m",) * self.nv

    def _steps(self, prepared: Any, q: Array) -> Array:
        """(m, 4, 4) every row's end frame in its start frame."""
        ends = self.poses(prepared, q, self.row_ends())
        return se3.inverse(jnp.concatenate([jnp.eye(4)[None], ends[:-1]])) @ ends

    def _across(self, prepared: Any, q: Array, v: Array) -> Array:
        """(m, 6) body twist of each row's end frame relative to its start frame."""
        return se3.twist(*jax.jvp(lambda q: self._steps(prepared, q), (q,), (v,)))

    def rows(self, prepared: Any, q: Array) -> Rows:
        steps = self._steps(prepared, q)
        columns = jax.vmap(lambda v: self._across(prepared, q, v), out_axes=-1)(jnp.eye(len(q), dtype=q.dtype))
        return Rows(steps[None, :, :3, :3], steps[None, :, :3, 3], PosedDetail(prepared, q, columns))

    def relative(self, detail: PosedDetail, v: Array) -> Array:
        return (detail.subspace @ v)[None]

    def drift(self, detail: PosedDetail, v: Array) -> Array:
        return jax.jvp(lambda q: self._across(detail.prepared, q, v), (detail.q,), (v,))[1][None]

    def subspace(self, detail: PosedDetail) -> Array:
        return detail.subspace[None]

    def _node_strains(self, prepared: Any, q: Array) -> Array:
        return self.strain(prepared, q, self.row_ends())

    def _strain_rates(self, prepared: Any, q: Array, v: Array) -> Array:
        return jax.jvp(lambda q: self._node_strains(prepared, q), (q,), (v,))[1]

    def row_strains(self, prepared: Any, q: Array) -> Array:
        return self._node_strains(prepared, q)[None]

    def strain_forces(self, prepared: Any, q: Array, stress: Array) -> Array:
        return jax.vjp(lambda q: self._node_strains(prepared, q), q)[1](stress[0])[0]

    def energy(self, prepared: RodNumbers, q: Array) -> Array:
        departure = self._node_strains(prepared, q) - prepared.rest_strain
        return section_energy(self.section.law, prepared.stiffness, departure, prepared.fibres)

    def dissipation(self, prepared: RodNumbers, q: Array, v: Array) -> Array:
        return jnp.sum(power_law_dissipation(prepared.damping, self._strain_rates(prepared, q, v), prepared.power))

    def force(self, prepared: RodNumbers, q: Array, v: Array) -> Array:
        strain, pullback = jax.vjp(lambda q: self._node_strains(prepared, q), q)
        damping = power_law(prepared.damping, self._strain_rates(prepared, q, v), prepared.power)
        departure = strain - prepared.rest_strain
        return pullback(section_stress(self.section.law, prepared.stiffness, departure, prepared.fibres) + damping)[0]
