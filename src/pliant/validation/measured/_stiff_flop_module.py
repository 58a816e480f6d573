"""The STIFF-FLOP module of the TMTDyn authors: parameters of their runs as data, and the robot made of them.

Source: data/stiff_flop/README (the parameters stored with the authors' runs "master" and "v2", TMTDyn, BSD-4).
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from jax import Array

from pliant.description import Robot

PIECEWISE = ("srl", "ebr", "eba")
_STIFFNESS = "links.module.section.given.stiffness"
_POWERS = np.array([3.0, 3.0, 3.0, 2.0, 2.0, 2.0])  # of the stretch by which E I and E A fall: E / l, A / l, I / l^2


class Module(NamedTuple):
    """Parameters of one set of runs, SI units. damping: model -> (mu_v, mu_u)."""

    length: float
    young: float
    damping: dict[str, tuple[float, float]]
    damping_power: int = 1
    inner_radius: float = 4.5e-3
    outer_radius: float = 12.5e-3
    chamber_radius: float = 2.5e-3
    chamber_offset: float = 8.5e-3
    chamber_wall: float = 3e-3
    chamber_angles: tuple[float, float, float] = (90.0, -30.0, 210.0)  # deg
    density: float = 1.4 * 1300.0
    sensor_mass: float = 13.47e-3
    sensor_length: float = 14.5e-3
    sensor_radius: float = 7.5e-3
    gravity: float = 9.81  # along +z: the module hangs

    @property
    def shear(self) -> float:
        return self.young / 3.0

    @property
    def full_length(self) -> float:
        """Module and sensor: what errors are normalised by."""
        return self.length + self.sensor_length

    @property
    def split(self) -> float:
        """Angle [rad] from the middle of a pair of chambers to either of them."""
        return math.acos(1.0 - self.chamber_wall**2 / (2.0 * self.chamber_offset**2))


MASTER = Module(
    length=44e-3,
    young=120e3,
    damping={"srl": (0.1, 1e-3), "ebr": (0.1, 1e-3), "eba": (0.1, 1e-3), "rom": (0.1, 1e-5), "gvs": (0.1, 1e-5)},
)
V2 = Module(
    length=50e-3,
    young=205e3,
    damping={"srl": (0.1, 1e-5), "ebr": (100.0, 0.5), "eba": (100.0, 0.01), "rom": (0.1, 1e-5), "gvs": (0.1, 1e-5)},
    damping_power=2,
)


def model_word(kind: str, size: int) -> dict[str, Any]:
    """`model:` of a rod. TMTDyn's Table 3 prints a piece of SRL and EBR as a translation followed by a rotation; the
    authors' stored runs have the rotation first (`nodes: start`: with `end` the tip is 8 % of the length away)."""
    if kind in PIECEWISE:
        return {kind: {"pieces": size, "nodes": "end" if kind == "eba" else "start"}}
    return {kind: {"order": size}}


def section(module: Module, damping: tuple[float, float], piece: float | None) -> dict[str, Any]:
    """The authors' section. piece: length [m] of the pieces whose rates the damping multiplies; None: it multiplies
    rates of strain. A piece's damper mu |x'|^(p-1) x' is mu piece^p per length and rate of strain."""
    r1, r2, rp = module.inner_radius, module.outer_radius, module.chamber_radius
    middles = np.radians(module.chamber_angles)
    angles = np.concatenate([middles - module.split, middles + module.split])
    x, y = module.chamber_offset * np.cos(angles), module.chamber_offset * np.sin(angles)
    hole = math.pi * rp**2
    area = math.pi * (r2**2 - r1**2) - 6.0 * hole
    # [1 1 2] pi/4 (r2^4 - r1^4 - 6 rp^4) - a_p diag(r_o' r_o): the holes are not moved off the axis for torsion
    second = math.pi / 4.0 * (r2**4 - r1**4 - 6.0 * rp**4)
    second_x, second_y = second - hole * float(np.sum(y**2)), second - hole * float(np.sum(x**2))
    per_length = 1.0 if piece is None else piece**module.damping_power
    linear, angular = (value * per_length for value in damping)
    mass = module.density * area
    round_inertia = mass * (r1**2 + r2**2) / 4.0
    return {
        "given": {
            "stiffness": [
                module.young * second_x,
                module.young * second_y,
                module.shear * 2.0 * second,
                module.shear * area,
                module.shear * area,
                module.young * area,
            ],
            "mass": mass,
            "rotary": [round_inertia, round_inertia, 2.0 * round_inertia],
            "damping": [angular] * 3 + [linear] * 3,
            "radius": r2,
        }
    }


def thinner(parameters: Mapping[str, Array], stretch: Mapping[str, Array], _: Array) -> dict[str, Array]:
    """The v2 runs' update of radii (over the root of the mean stretch) and moduli (over the stretch): what `compile`
    takes as `update`. Chambers keep their radius and come nearer to the axis."""
    mean = stretch["module"]
    centres = [path for path in parameters if path.startswith("actuators.pair-") and ".channels." in path]
    changed = {path: parameters[path] * mean**-0.5 for path in centres}
    return {**changed, _STIFFNESS: parameters[_STIFFNESS] * mean**-_POWERS}


def robot(module: Module, kind: str, size: int, update: str | None = None, frame: str = "world") -> Robot:
    """The module with its sensor, modelled by `kind` of `size` pieces or order. Inputs: `pair-1` to `pair-3` [Pa], and
    the load `contact` at the sensor's tip, in the axes of `frame`."""
    piece = module.length / size if kind in PIECEWISE else None
    top = {"move": [0.0, 0.0, module.sensor_length]}
    words: dict[str, Any] = {
        "update": update,
        "damping_power": module.damping_power if module.damping_power != 1 else None,
    }
    return (
        Robot("stiff-flop-module")
        .with_gravity([0.0, 0.0, module.gravity])
        .rod(
            "module",
            length=module.length,
            section=section(module, module.damping[kind], piece),
            model=model_word(kind, size),
            **{word: value for word, value in words.items() if value is not None},
        )
        .rigid(
            "sensor",
            parent="module",
            mass=module.sensor_mass,
            shape={"cylinder": {"radius": module.sensor_radius, "length": module.sensor_length}},
            centre=[0.0, 0.0, module.sensor_length / 2.0],
        )
        .frame("tip", link="sensor", offset=top)
        .chamber(
            "pair",
            link="module",
            radius=module.chamber_radius,
            around={
                "radius": module.chamber_offset,
                "angles": [f"{angle} deg" for angle in module.chamber_angles],
                "split": module.split,
            },
            pressure=[0.0, 0.0, 0.0],
        )
        .load("contact", where={"link": "sensor", "offset": top}, force=[0.0] * 3, moment=[0.0] * 3, frame=frame)
    )
