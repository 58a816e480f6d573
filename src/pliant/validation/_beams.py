"""Beams that several cases share: clamped at the world's origin unless said otherwise, running along world z."""

from collections.abc import Sequence
from typing import Any

from pliant.description import Robot

# Stiffness of strains that are not allowed plays no part.
_UNUSED = 1.0
PLANE = ("bend_y", "shear_x", "stretch")  # all motions in the x-z plane, which rom and eba can be held to
SLENDERNESS = 1e-3  # radius of a slender rod over its length: shear and stretch change its tip by less than 1e-5 L


def inextensible(
    name: str,
    length: float,
    bending: float,
    model: dict[str, Any],
    *,
    allow: Sequence[str] = ("bend_y",),
    mass: float = 1.0,
    joint: Any = None,
) -> Robot:
    """A rod that only bends, without gravity, given by its bending stiffness [N m^2] and mass per length [kg/m]."""
    section = {
        "stiffness": [bending, bending, *[_UNUSED] * 4],
        "mass": mass,
        "rotary": [0.0, 0.0, mass * 1e-6 * length**2],
    }
    return _rod(name, length, section, model, allow, joint)


def slender(name: str, length: float, bending: float, model: dict[str, Any], *, joint: Any = None) -> Robot:
    """That rod in a plane for models that cannot leave strains out: round, of a material without Poisson's effect,
    SLENDERNESS thin."""
    radius = SLENDERNESS * length
    axial = 4.0 * bending / radius**2
    section = {
        "stiffness": [bending, bending, _UNUSED, 0.5 * axial, 0.5 * axial, axial],
        "mass": 1.0,
        "rotary": [0.25 * radius**2, 0.25 * radius**2, 0.5 * radius**2],
    }
    return _rod(name, length, section, model, PLANE, joint)


def _rod(name: str, length: float, section: dict[str, Any], model: Any, allow: Sequence[str], joint: Any) -> Robot:
    robot = Robot(name).with_gravity([0, 0, 0])
    return robot.rod("rod", length=length, section={"given": section}, allow=list(allow), model=model, joint=joint)
