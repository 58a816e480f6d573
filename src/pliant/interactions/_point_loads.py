"""Moments and forces given in the robot file at points of links."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from jax import Array

from pliant.blueprint import Load
from pliant.interactions._contract import Drawing, Force, Port, Push
from pliant.interactions._places import Frame, Places, place_poses, places, spatial_wrench
from pliant.interactions._ports import PortTable, port_table


def load_ports(plans: Sequence[Load], per_metre: str = "") -> list[Port]:
    """The force and the moment of every load. per_metre: "/m" along a rod."""
    return [
        Port(f"{plan.name}.{what}", (3,), f"{unit}{per_metre}", f"{what} of a load", programme=getattr(plan, what))
        for plan in plans
        for what, unit in (("force", "N"), ("moment", "N m"))
    ]


def force_and_moment(table: PortTable, programmes: Any, at: Any) -> tuple[Array, Array]:
    """(n, 3) each, of n loads with the ports of `load_ports`."""
    values = table.values(programmes, at).reshape(-1, 2, 3)
    return values[:, 0], values[:, 1]


@dataclasses.dataclass(frozen=True, eq=False)
class PointLoads(Force):
    """Moment [N m] and force [N] at one frame each, in the axes of the world or of the frame."""

    table: PortTable
    frames: tuple[Frame, ...]
    places: Places
    in_world: bool

    @property
    def ports(self) -> tuple[Port, ...]:
        return self.table.ports

    @property
    def coupled_rows(self) -> tuple:
        return ()

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        return tuple(
            Drawing("arrow", frame.name, "load", (frame,), value=f"{frame.name}.force") for frame in self.frames
        )

    def prepare(self, parameters: Mapping[str, Array], start: Any) -> Any:
        return self.table.prepare(parameters), self.places.offset(parameters)

    def applies(self, numbers: Any, at: Any, unknowns: Array | None = None) -> Push:
        programmes, offset = numbers
        force, moment = force_and_moment(self.table, programmes, at)
        poses = place_poses(at, self.places, offset)
        wrench = spatial_wrench(poses[:, :3, :3], poses[:, :3, 3], moment, force, self.in_world)
        return Push(self.places.rows, at.load_factor * wrench)


def point_loads(plans: Sequence[Load], frames: Sequence[Frame], shapes: Mapping[str, tuple[int, ...]]) -> PointLoads:
    """The kind of loads whose axes are those of the same frame."""
    table = port_table(load_ports(plans), shapes)
    return PointLoads("point loads", table, tuple(frames), places(frames), plans[0].frame == "world")
