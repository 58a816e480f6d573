"""Tendons and chambers: their lengths and volumes on the robot, and the forces that do the conjugate work."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.blueprint import Chamber, Tendon
from pliant.interactions._contract import Effort, Force, Port, Push
from pliant.interactions._ports import PortTable, port_table
from pliant.interactions._routes import (
    RouteNumbers,
    Routes,
    densities,
    measures,
    prepare_routes,
    tension_factors,
    totals,
)
from pliant.lie import so3
from pliant.mechanics import offset_poses, stacked
from pliant.numerics import apply

# Drive -> unit of its port, what the port means, and unit, unit of travel and sense of its effort: pressure widens a
# chamber, tension shortens a tendon.
_DRIVES = {
    "tension": ("N", "tension of a tendon", ("N", "m", -1)),
    "length": ("m", "length to which a tendon is wound", ("N", "m", -1)),
    "pressure": ("Pa", "pressure in a chamber", ("Pa", "m^3", 1)),
}
_TENSION_SCALE, _SLACK_SCALE = 1.0, 0.01  # N and m: which of the two is the smaller is decided in these


class PathNumbers(NamedTuple):
    """Numbers of the routes, of the programmes, stiffness (k,) [N] of the tendons that stretch, and coefficients (f,)
    of friction."""

    routes: RouteNumbers
    programmes: Any
    stiffness: Array | None
    friction: Array | None


class _Course(NamedTuple):
    """Where the paths run: points (P, 3) from the common point, strains (K, 6) at the samples."""

    points: Array
    strains: Array


@dataclasses.dataclass(frozen=True, eq=False)
class Paths(Force):
    """All tendons and chambers of a robot, in the order of the paths of `routes`. drives: "tension" [N], "length" [m]
    or "pressure" [Pa] each; stiffness: path of EA [N] of length-driven tendons that stretch, None for the others."""

    table: PortTable
    routes: Routes
    drives: tuple[str, ...]
    stiffness: tuple[str | None, ...]

    @property
    def ports(self) -> tuple[Port, ...]:
        return self.table.ports

    @property
    def efforts(self) -> tuple[Effort, ...]:
        return tuple(Effort(port.name, *_DRIVES[drive][2]) for port, drive in zip(self.ports, self.drives, strict=True))

    @property
    def coupled_rows(self) -> tuple[np.ndarray, ...]:
        routes = self.routes
        return tuple(
            np.concatenate(
                [
                    routes.sample_row[routes.sample_path == path],
                    routes.point_row[routes.leg[routes.leg_path == path].ravel()],
                ]
            )
            for path in range(routes.count)
        )

    @property
    def inextensible(self) -> np.ndarray:
        """Tendons driven by length that do not stretch: their tension is whatever keeps their length."""
        own = zip(self.drives, self.stiffness, strict=True)
        return np.array([i for i, (drive, stiffness) in enumerate(own) if drive == "length" and stiffness is None], int)

    @property
    def unknowns(self) -> int:
        """One tension for every inextensible tendon."""
        return len(self.inextensible)

    @property
    def motion_refusal(self) -> str | None:
        """A tendon that jerks taut has no finite tension; how it stretches has to be known."""
        if not self.unknowns:
            return None
        names = ", ".join(self.ports[index].name for index in self.inextensible)
        return (
            f"in motion the length-driven tendons {names} need a stiffness (EA, e.g. '20 kN'); without one they are "
            "solved in statics only"
        )

    @property
    def _sign(self) -> np.ndarray:
        """(n,) of the effort on the gradient of the measure."""
        return np.array([float(effort.sense) for effort in self.efforts])

    def prepare(self, parameters: Mapping[str, Array], start: Any) -> PathNumbers:
        stiff = [path for path in self.stiffness if path is not None]
        rubbing = [coefficient for _, coefficient, *_ in self.routes.friction]
        return PathNumbers(
            prepare_routes(self.routes, parameters, offset_poses(self.routes.point_chain, parameters)),
            self.table.prepare(parameters),
            stacked(stiff, parameters) if stiff else None,
            stacked(rubbing, parameters) if rubbing else None,
        )

    def thinned(self, numbers: PathNumbers, factor: Array) -> PathNumbers:
        """The lines move towards the axis."""
        own = factor[self.routes.sample_row][:, None]
        routes = numbers.routes
        return numbers._replace(routes=routes._replace(offset=own * routes.offset, slope=own * routes.slope))

    def _course(self, numbers: PathNumbers, at: Any) -> _Course:
        rows = self.routes.point_row
        points = at.position[rows] + apply(at.rotation[rows], numbers.routes.point)
        return _Course(points, at.strains(self.routes.sample_row))

    def _factors(self, numbers: PathNumbers, at: Any, course: _Course) -> tuple[Array, Array]:
        """Share of the tension that friction leaves, on every segment and at the far ends."""
        if numbers.friction is None:
            return jnp.ones(len(self.routes.owner)), jnp.ones(self.routes.count)
        rotation = at.rotation[self.routes.sample_row]
        return tension_factors(self.routes, numbers.routes, numbers.friction, course.points, course.strains, rotation)

    def travel(self, numbers: PathNumbers, at: Any) -> Array:
        """Length [m] of every tendon, volume [m^3] of every chamber."""
        return totals(self.routes, measures(self.routes, numbers.routes, *self._course(numbers, at)))

    def effort(self, numbers: PathNumbers, at: Any, unknowns: Array | None = None) -> Array:
        """Pressure, or tension, which is never negative."""
        values = self.table.values(numbers.programmes, at)
        effort = at.load_factor * values
        pulled, wound = (np.array(self.drives) == drive for drive in ("tension", "length"))
        if pulled.any():
            pulling = jnp.maximum(effort, 0.0)
            effort = pulling if pulled.all() else jnp.where(pulled, pulling, effort)
        if not wound.any():
            return effort
        effort = jnp.where(wound, 0.0, effort)
        if numbers.stiffness is not None:
            own = np.array([index for index, path in enumerate(self.stiffness) if path is not None])
            strain = (self.travel(numbers, at)[own] - values[own]) / values[own]
            effort = effort.at[own].set(jnp.maximum(numbers.stiffness * strain, 0.0))
        if unknowns is not None and self.unknowns:
            effort = effort.at[self.inextensible].set(unknowns)
        return effort

    def drive(self, numbers: PathNumbers, at: Any, effort: Array) -> Push:
        """Efforts times the gradients of the measures, segment by segment where friction takes a share."""
        routes, course = self.routes, self._course(numbers, at)
        factors, _ = self._factors(numbers, at, course)
        _, pullback = jax.vjp(lambda points, strains: measures(routes, numbers.routes, points, strains), *course)
        force, stress = pullback((jnp.asarray(self._sign) * effort)[routes.owner] * factors)
        wrench = jnp.concatenate([so3.cross(course.points, force), force], axis=-1)
        return Push(routes.point_row, wrench, at.strain_forces(routes.sample_row, stress))

    def far_end(self, numbers: PathNumbers, at: Any, unknowns: Array | None = None) -> dict[str, Array]:
        """Tension [N] that friction leaves at the far end of a tendon."""
        if numbers.friction is None:
            return {}
        left = self.effort(numbers, at, unknowns) * self._factors(numbers, at, self._course(numbers, at))[1]
        return {self.ports[path].name: left[path] for path, *_ in self.routes.friction}

    def equations(self, numbers: PathNumbers, at: Any, unknowns: Array) -> Array:
        """The smaller of tension and slack (both scaled): one of them is zero, neither negative."""
        own = self.inextensible
        slack = self.table.values(numbers.programmes, at)[own] - self.travel(numbers, at)[own]
        return jnp.minimum(unknowns / _TENSION_SCALE, slack / _SLACK_SCALE)

    def standing(self, numbers: PathNumbers, at: Any) -> dict[str, Array]:
        """Present lengths of the tendons that are driven by length."""
        wound = [index for index, drive in enumerate(self.drives) if drive == "length"]
        if not wound:
            return {}
        lengths = self.travel(numbers, at)
        return {self.ports[index].name: lengths[index] for index in wound}

    def section_wrenches(self, numbers: PathNumbers, at: Any, unknowns: Array | None = None) -> Push:
        """What the paths that pass a row's end exert on the section there, body frame [moment; force]."""
        routes, course = self.routes, self._course(numbers, at)
        factors, _ = self._factors(numbers, at, course)
        effort = (jnp.asarray(self._sign) * self.effort(numbers, at, unknowns))[routes.owner] * factors
        _, pullback = jax.vjp(lambda strains: densities(routes, numbers.routes, strains), course.strains)
        return Push(routes.sample_row, pullback(effort[: len(routes.sample_row)])[0])


def paths(plans: Sequence[Tendon | Chamber], routes: Routes, shapes: Mapping[str, tuple[int, ...]]) -> Paths:
    """Tendons and chambers of a blueprint, on their routes."""
    ports = []
    for plan in plans:
        unit, about, _ = _DRIVES[plan.drive]
        ports.append(Port(plan.name, (), unit, about, programme=plan.value, walked=plan.drive == "length"))
    drives, stiffness = tuple(plan.drive for plan in plans), tuple(plan.stiffness for plan in plans)
    return Paths("paths", port_table(ports, shapes), routes, drives, stiffness)
