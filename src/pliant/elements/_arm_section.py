"""A section of a variable-length arm: it bends in an arc and changes its length, and its coordinates are the length
changes of the actuators along its outline (Godage et al., section II).

It is a rod of constant bending and stretch in other coordinates, so kinematics, elasticity and loads are the rod's. Its
kinetic energy is that of thin discs along the arc (the integral model), or that of one disc at the centre of gravity,
shaped by six coefficients (the CoG model).
"""

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.elements._centre import POINTS, Centre, centre_drift, centre_of_gravity
from pliant.elements._contract import FlatCoordinates, OwnInertia, Rows
from pliant.elements._rod import Rod
from pliant.elements._rod_grid import Grid
from pliant.elements._strain_rod import PreparedRod, RodDetail, StrainRod
from pliant.lie import so3
from pliant.mechanics import RigidInertia, SectionLaw
from pliant.numerics import apply, apply_transposed, multiply

# bend_x L, bend_y L and the mean length change, over r, r and 1, from the first three lengths. An actuator at the angle
# alpha on the outline changes its length by mean - r (bend_y L cos(alpha) - bend_x L sin(alpha)). Four actuators, at
# right angles, have three freedoms too: opposite ones share the mean, and the fourth follows.
FROM_LENGTHS = {
    3: np.array([[0.0, 1.0 / np.sqrt(3.0), -1.0 / np.sqrt(3.0)], [-2.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0], [1.0 / 3.0] * 3]),
    4: np.array([[-0.5, 1.0, -0.5], [-0.5, 0.0, 0.5], [0.5, 0.0, 0.5]]),
}


# Actuators (n, 3) from the coordinates.
_ALL = {3: np.eye(3), 4: np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, -1.0, 1.0]])}
_STOP = 50.0  # stiffness of a stop over that of a muscle
_FULL_TURN = 2.0 * np.pi  # rad; a section that bends further runs into itself
_ROUNDING = 1e-9  # m


class Shaping(NamedTuple):
    """The six coefficients of the CoG model: of the terms turning-turning, turning-changing and changing-changing of
    the energy of translation and of rotation."""

    linear: tuple[float, float, float]
    angular: tuple[float, float, float]


class PreparedSection(NamedTuple):
    """rod: its numbers; strains (3, 3): the rod's coordinates from the lengths; shape (3, 3): bend and length from
    them; length; mass and second moments (3,) [kg m^2] of all its discs about their own axes, the sums of m (x^2, y^2,
    z^2); stroke (2,) [m] and stiffness of the stops [N/m], if there are any."""

    rod: PreparedRod
    strains: Array
    shape: Array
    length: Array
    mass: Array
    spread: Array
    stroke: Array | None
    stop: Array | None


class SectionDetail(NamedTuple):
    rod: RodDetail
    strains: Array


@dataclasses.dataclass(frozen=True)
class ArmSection(FlatCoordinates, Rod):
    """Static structure of a section. rod: one piece with constant bend_x, bend_y and stretch; actuators: 3 or 4;
    shaping: of the CoG model, None for the integral model."""

    rod: StrainRod
    actuators: int
    shaping: Shaping | None

    nq = nv = 3
    segments = 1
    is_chain = True
    has_limits = True

    @property
    def section(self) -> SectionLaw:  # type: ignore[override]
        return self.rod.section

    @property
    def grid(self) -> Grid:
        return self.rod.grid

    def coordinate_names(self) -> tuple[str, ...]:
        return tuple(f"length[{number}]" for number in range(1, self.nq + 1))

    def prepare(self, numbers: Mapping[str, Array]) -> PreparedSection:
        length = numbers["length"]
        values = self.section.evaluate(numbers, jnp.zeros(1))
        radius = values.half_width[0, 0]
        sizes = jnp.stack([radius * length, radius * length, length])
        inertia = length * values.inertia[0]
        turning = 0.5 * jnp.sum(inertia[:3]) - inertia[:3]
        strains = jnp.asarray(FROM_LENGTHS[self.actuators]) / sizes[:, None]
        stroke, stop = numbers.get("stroke"), None
        if stroke is not None:
            stop = _STOP * values.stiffness[0, 5] / (self.actuators * length)
        rod = self.rod.prepare(numbers)
        return PreparedSection(rod, strains, length * strains, length, inertia[5], turning, stroke, stop)

    def actuator_lengths(self, q: Array) -> Array:
        """(actuators,) length changes [m]."""
        return apply(jnp.asarray(_ALL[self.actuators]), q)

    def _beyond(self, prepared: PreparedSection, q: Array) -> Array:
        """(actuators,) how far beyond its stroke each actuator is; negative below it."""
        assert prepared.stroke is not None
        lengths = self.actuator_lengths(q)
        return lengths - jnp.clip(lengths, prepared.stroke[0], prepared.stroke[1])

    def uniform_strain(self, prepared: PreparedSection, values: Mapping[str, Array]) -> Array:
        return jnp.linalg.solve(prepared.strains, self.rod.uniform_strain(prepared.rod, values))

    def strain(self, prepared: PreparedSection, q: Array, fractions: tuple[float, ...]) -> Array:
        return self.rod.strain(prepared.rod, apply(prepared.strains, q), fractions)

    def with_stiffness(self, prepared: PreparedSection, other: PreparedSection, factor: Array) -> PreparedSection:
        return prepared._replace(rod=self.rod.with_stiffness(prepared.rod, other.rod, factor))

    def poses(self, prepared: PreparedSection, q: Array, fractions: tuple[float, ...]) -> Array:
        return self.rod.poses(prepared.rod, apply(prepared.strains, q), fractions)

    def inertia_samples(self, prepared: PreparedSection) -> tuple[tuple[float, ...], RigidInertia]:
        if self.shaping is None:
            return self.rod.inertia_samples(prepared.rod)
        return (), RigidInertia(jnp.zeros(0), jnp.zeros((0, 3)), jnp.zeros((0, 3, 3)))

    def row_inertia(self, prepared: PreparedSection) -> RigidInertia | None:
        return self.rod.row_inertia(prepared.rod) if self.shaping is None else None

    @property
    def has_own_inertia(self) -> bool:
        return self.shaping is not None

    def own_inertia(self, prepared: PreparedSection, q: Array) -> OwnInertia:
        """Godage et al., Eqs. 18 and 20 with their coefficients, as a quadratic form."""
        points, along = self._centre(prepared, q)
        turning, mixed, changing = self._weights(prepared)
        outer = jnp.sum((turning[:, None] * points)[:, :, None] * points[:, None, :], axis=0)
        second = jnp.sum(outer * np.eye(3)) * np.eye(3) - outer
        turned = jnp.sum(so3.cross(mixed[:, None] * points, along), axis=1)
        pairs = jnp.sum((changing[:, None] * along)[:, None] * along[None], axis=(-1, -2))
        return OwnInertia(
            RigidInertia(prepared.mass, prepared.mass * points[0], second),
            jnp.concatenate([turned, prepared.mass * along[:, 0]], axis=-1).T,
            pairs,
        )

    def own_load(
        self, prepared: PreparedSection, q: Array, v: Array, a: Array | None, twist: Array, acceleration: Array
    ) -> tuple[Array, Array]:
        """The points move in a frame that turns: each term of their accelerations has its coefficient."""
        points, along = self._centre(prepared, q)
        turning, mixed, changing = (weights[:, None] for weights in self._weights(prepared))
        bend, length = self.arc(prepared, q)
        rates = apply(prepared.shape, v)
        moved = jnp.sum(along * v[:, None, None], axis=0)
        drift = centre_drift(bend, length, rates[:2], rates[2])
        if a is not None:
            drift = drift + jnp.sum(along * a[:, None, None], axis=0)
        spin, speed = twist[:3], twist[3:]
        carried = so3.cross(spin, points)
        swung, centripetal = so3.cross(acceleration[:3], points), so3.cross(spin, carried)
        coriolis = so3.cross(spin, moved)
        base = acceleration[3:] + so3.cross(spin, speed)
        felt = changing * drift + mixed * (swung + 2.0 * coriolis) + turning * centripetal
        force = jnp.sum(along * felt, axis=(-1, -2)) + prepared.mass * jnp.sum(along[:, 0] * base, axis=-1)
        push = prepared.mass * (base + swung[0] + 2.0 * coriolis[0] + drift[0] + centripetal[0])
        held = so3.cross(points, turning * carried + mixed * moved)
        rate = so3.cross(points, turning * (swung + coriolis) + mixed * drift) + turning * so3.cross(moved, carried)
        moment = jnp.sum(rate + so3.cross(spin, held), axis=0) + prepared.mass * so3.cross(points[0], base)
        return jnp.concatenate([moment, push]), force

    def arc(self, prepared: PreparedSection, q: Array) -> tuple[Array, Array]:
        """Bend (2,) [rad] and length [m]."""
        change = apply(prepared.shape, q)
        return change[:2], prepared.length + change[2]

    def refuse_state(self, link: str, prepared: PreparedSection, q: Array) -> None:
        """Lengths beyond a stroke are refused as well."""
        self.refuse_shape(link, prepared, q)
        if prepared.stroke is None:
            return
        low, high = np.asarray(prepared.stroke)
        for index, change in enumerate(np.asarray(self.actuator_lengths(q))):
            if not low - _ROUNDING <= change <= high + _ROUNDING:
                raise ValueError(
                    f"actuator {index + 1} of section {link!r} changes its length by {1e3 * change:.4g} mm; its "
                    f"stroke is {1e3 * low:.4g} to {1e3 * high:.4g} mm"
                )

    def refuse_shape(self, link: str, prepared: PreparedSection, q: Array) -> None:
        """No length at all and more than a full turn are refused."""
        bend, length = (np.asarray(part) for part in self.arc(prepared, q))
        turn = float(np.linalg.norm(bend))
        if not turn <= _FULL_TURN:
            raise ValueError(
                f"section {link!r} bends by {np.degrees(turn):.4g} deg; a section can bend by 360 deg at most"
            )
        if not length > 0.0:
            raise ValueError(f"section {link!r} has a length of {1e3 * length:.4g} mm; it must be above 0")

    def _centre(self, prepared: PreparedSection, q: Array) -> Centre:
        """Along the coordinates rather than bend and length."""
        centre = centre_of_gravity(*self.arc(prepared, q))
        return centre._replace(along=jnp.sum(prepared.shape[:, :, None, None] * centre.along[:, None], axis=0))

    def _weights(self, prepared: PreparedSection) -> tuple[Array, Array, Array]:
        """(4,) masses of the points with the coefficients of turning, mixed and changing terms."""
        if self.shaping is None:
            raise ValueError("the inertia of an integral section is that of its rows")
        masses = jnp.concatenate([prepared.mass[None], prepared.spread])
        pairs = zip(self.shaping.linear, self.shaping.angular, strict=True)
        first, second, third = (masses * np.array([own, *[turn] * (POINTS - 1)]) for own, turn in pairs)
        return first, second, third

    def row_strains(self, prepared: PreparedSection, q: Array) -> Array:
        return self.rod.row_strains(prepared.rod, apply(prepared.strains, q))

    def strain_forces(self, prepared: PreparedSection, q: Array, stress: Array) -> Array:
        inner = self.rod.strain_forces(prepared.rod, apply(prepared.strains, q), stress)
        return apply_transposed(prepared.strains, inner)

    def energy(self, prepared: PreparedSection, q: Array) -> Array:
        stored = self.rod.energy(prepared.rod, apply(prepared.strains, q))
        if prepared.stop is None:
            return stored
        return stored + 0.5 * prepared.stop * jnp.sum(self._beyond(prepared, q) ** 2)

    def dissipation(self, prepared: PreparedSection, q: Array, v: Array) -> Array:
        return self.rod.dissipation(prepared.rod, apply(prepared.strains, q), apply(prepared.strains, v))

    def force(self, prepared: PreparedSection, q: Array, v: Array) -> Array:
        inner = self.rod.force(prepared.rod, apply(prepared.strains, q), apply(prepared.strains, v))
        force = apply_transposed(prepared.strains, inner)
        if prepared.stop is None:
            return force
        stops = prepared.stop * self._beyond(prepared, q)
        return force + apply_transposed(jnp.asarray(_ALL[self.actuators]), stops)

    def rows(self, prepared: PreparedSection, q: Array) -> Rows:
        rows = self.rod.rows(prepared.rod, apply(prepared.strains, q))
        return rows._replace(detail=SectionDetail(rows.detail, prepared.strains))

    def relative(self, detail: SectionDetail, v: Array) -> Array:
        return self.rod.relative(detail.rod, apply(detail.strains, v))

    def drift(self, detail: SectionDetail, v: Array) -> Array:
        return self.rod.drift(detail.rod, apply(detail.strains, v))

    def subspace(self, detail: SectionDetail) -> Array:
        return multiply(self.rod.subspace(detail.rod), detail.strains)
