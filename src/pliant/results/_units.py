"""Units of what actuators carry: as computed, and as people read them."""

import math

ActuatorUnits = tuple[tuple[str, str, str], ...]  # name, unit of the effort, unit of the travel

_READABLE = {"Pa": ("kPa", 1e-3), "m": ("mm", 1e3), "m^3": ("ml", 1e6), "rad": ("deg", 180.0 / math.pi)}


def readable(unit: str) -> tuple[str, float]:
    """The unit in which a quantity of ``unit`` is shown, and the factor to it: Pa as kPa, m as mm."""
    return _READABLE.get(unit, (unit, 1.0))
