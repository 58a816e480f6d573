"""Stresses that rods make within themselves: internal actuation, conjugate to their six strains."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.blueprint import Stress
from pliant.interactions._contract import Effort, Force, Port, Push
from pliant.interactions._distributed_loads import Span, Spans
from pliant.interactions._ports import PortTable, port_table
from pliant.mechanics import STRAINS, taken

_UNITS = ("N m", "N m", "N m", "N", "N", "N")
_TRAVELS = ("rad", "rad", "rad", "m", "m", "m")


@dataclasses.dataclass(frozen=True, eq=False)
class Stresses(Force):
    """A stress [N m, N] each, the same on all its stretches of rods. spans: of all of them; actuator (spans,): whose
    stretch each is. The travel is the strain summed along the stretches [rad, m]."""

    table: PortTable
    spans: Spans
    actuator: np.ndarray

    @property
    def ports(self) -> tuple[Port, ...]:
        return self.table.ports

    @property
    def efforts(self) -> tuple[Effort, ...]:
        return tuple(
            Effort(f"{port.name}.{strain}", unit, travel)
            for port in self.ports
            for strain, unit, travel in zip(STRAINS, _UNITS, _TRAVELS, strict=True)
        )

    @property
    def coupled_rows(self) -> tuple:
        return ()

    @property
    def _owner(self) -> np.ndarray:
        """(K,) the actuator of every row."""
        return self.actuator[self.spans.owner]

    def prepare(self, parameters: Mapping[str, Array], start: Any) -> Any:
        return self.table.prepare(parameters), self.spans.weight(parameters)

    def effort(self, numbers: Any, at: Any, unknowns: Array | None = None) -> Array:
        return at.load_factor * self.table.values(numbers[0], at).reshape(-1)

    def travel(self, numbers: Any, at: Any) -> Array:
        summed = numbers[1][:, None] * at.strains(self.spans.rows)
        return jnp.zeros((len(self.ports), 6)).at[self._owner].add(summed).reshape(-1)

    def drive(self, numbers: Any, at: Any, effort: Array) -> Push:
        stress = numbers[1][:, None] * taken(effort.reshape(-1, 6), self._owner)
        return Push(force=at.strain_forces(self.spans.rows, stress))


def stresses(plans: Sequence[Stress], spans: Sequence[Sequence[Span]], shapes: Mapping) -> Stresses:
    """spans: the stretches of each."""
    ports = [
        Port(plan.name, (6,), "N m, N", "stress within rods: three moments, three forces", programme=plan.value)
        for plan in plans
    ]
    flat = [span for own in spans for span in own]
    actuator = np.repeat(np.arange(len(plans)), [len(own) for own in spans])
    return Stresses("stresses", port_table(ports, shapes), Spans(flat), actuator)
