"""Values of many ports of one shape: the programmes of the file together, and what is given in their place."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.interactions._contract import Port
from pliant.mechanics import ProgrammeTable, programme_table


@dataclasses.dataclass(frozen=True, eq=False)
class PortTable:
    """Ports that have a programme each, and values of one shape."""

    ports: tuple[Port, ...]
    table: ProgrammeTable

    def prepare(self, parameters: Mapping[str, Array]) -> Any:
        return self.table.prepare(parameters)

    def values(self, numbers: Any, at: Any) -> Array:
        """(n, *shape) at the instant of the evaluation."""
        given = [index for index, port in enumerate(self.ports) if port.name in at.inputs]
        if not given:
            return self.table.values(numbers, at.t)
        inputs = jnp.stack([jnp.broadcast_to(at.inputs[self.ports[i].name], self.table.shape) for i in given])
        if len(given) == len(self.ports):
            return inputs
        return self.table.values(numbers, at.t).at[np.array(given)].set(inputs)


def port_table(ports: Sequence[Port], shapes: Mapping[str, tuple[int, ...]]) -> PortTable:
    """shapes: of the parameters, by path."""
    programmes = [port.programme for port in ports if port.programme is not None]
    return PortTable(tuple(ports), programme_table(programmes, ports[0].shape, shapes))
