"""Cantilevers that several cases share: clamped at the world's origin, running along world z."""

from collections.abc import Sequence
from typing import Any

from pliant.description import Robot

# Stiffness of strains that are not allowed plays no part.
_UNUSED = 1.0


def inextensible(
    name: str,
    length: float,
    bending: float,
    model: dict[str, Any],
    *,
    allow: Sequence[str] = ("bend_y",),
    mass: float = 1.0,
) -> Robot:
    """A rod that only bends, without gravity, given by its bending stiffness [N m^2] and mass per length [kg/m]."""
    section = {
        "given": {
            "stiffness": [bending, bending, _UNUSED, _UNUSED, _UNUSED, _UNUSED],
            "mass": mass,
            "rotary": [0.0, 0.0, mass * 1e-6 * length**2],
        }
    }
    return (
        Robot(name).with_gravity([0, 0, 0]).rod("rod", length=length, section=section, allow=list(allow), model=model)
    )
