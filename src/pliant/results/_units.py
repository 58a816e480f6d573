"""Units of what actuators carry: as computed, and as people read them."""

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pliant.model import Structure

ActuatorUnits = tuple[tuple[str, str, str], ...]  # name, unit of the effort, unit of the travel

_PATHS = {"tension": ("N", "m"), "length": ("N", "m"), "pressure": ("Pa", "m^3")}
_ANGLE, _LENGTH = ("N m", "rad"), ("N", "m")
_READABLE = {"Pa": ("kPa", 1e-3), "m": ("mm", 1e3), "m^3": ("ml", 1e6), "rad": ("deg", 180.0 / math.pi)}


def actuator_units(structure: "Structure") -> ActuatorUnits:
    """Name and units of every effort; a joint with several driven coordinates has one for each."""
    units = [(actuator.name, *_PATHS[actuator.drive]) for actuator in structure.path_actuators]
    joints = {link.name: link.joint for link in structure.links}
    for actuator in structure.joint_actuators:
        member = joints[actuator.link]
        element: Any = member.element if member is not None else None
        # Coordinates of a rotation are quaternions; what is driven there is named after the velocities.
        names = element.coordinate_names() if element.nq == element.nv else element.velocity_names()
        for index in actuator.coordinates:
            name = actuator.name if actuator.size is None else f"{actuator.name}.{names[index]}"
            units.append((name, *(_ANGLE if names[index].startswith("ang") else _LENGTH)))
    return tuple(units)


def readable(unit: str) -> tuple[str, float]:
    """The unit in which a quantity of ``unit`` is shown, and the factor to it: Pa as kPa, m as mm."""
    return _READABLE.get(unit, (unit, 1.0))
