"""Moments and forces given in the robot file along rods."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.blueprint import Load
from pliant.interactions._contract import Force, Port, Push
from pliant.interactions._places import spatial_wrench
from pliant.interactions._point_loads import force_and_moment, load_ports
from pliant.interactions._ports import PortTable, port_table
from pliant.mechanics import stacked, taken


class Span(NamedTuple):
    """A stretch of a rod: path of its length, the rows (K,) that carry it and the share (K,) of the rod of each."""

    length: str
    rows: np.ndarray
    share: np.ndarray


class Spans:
    """Many stretches side by side: rows (K,) of all, and which stretch each belongs to."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.lengths = tuple(span.length for span in spans)
        self.rows = np.concatenate([span.rows for span in spans])
        self.share = np.concatenate([span.share for span in spans])
        self.owner = np.repeat(np.arange(len(spans)), [len(span.rows) for span in spans])

    def weight(self, parameters: Mapping[str, Array]) -> Array:
        """(K,) [m] what each row stands for."""
        return taken(stacked(self.lengths, parameters), self.owner) * jnp.asarray(self.share)


@dataclasses.dataclass(frozen=True, eq=False)
class DistributedLoads(Force):
    """Moment [N m/m] and force [N/m] along rods, acting at the rows of each stretch with their weights."""

    table: PortTable
    spans: Spans
    in_world: bool

    @property
    def ports(self) -> tuple[Port, ...]:
        return self.table.ports

    @property
    def coupled_rows(self) -> tuple:
        return ()

    def prepare(self, parameters: Mapping[str, Array], start: Any) -> Any:
        return self.table.prepare(parameters), self.spans.weight(parameters)

    def applies(self, numbers: Any, at: Any, unknowns: Array | None = None) -> Push:
        programmes, weight = numbers
        spans = self.spans
        force, moment = (taken(part, spans.owner) for part in force_and_moment(self.table, programmes, at))
        wrench = spatial_wrench(at.rotation[spans.rows], at.position[spans.rows], moment, force, self.in_world)
        return Push(spans.rows, at.load_factor * wrench * weight[:, None])


def distributed_loads(
    plans: Sequence[Load], spans: Sequence[Span], shapes: Mapping[str, tuple[int, ...]]
) -> DistributedLoads:
    """The kind of loads whose axes are those of the same frame."""
    table = port_table(load_ports(plans, "/m"), shapes)
    return DistributedLoads("distributed loads", table, Spans(spans), plans[0].frame == "world")
