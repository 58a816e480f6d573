"""Equations of motion: one residual, derived once for all elements, and what follows from it."""

from pliant.dynamics import _generic as generic
from pliant.dynamics._functions import (
    accelerations,
    bias,
    damping_matrix,
    element_forces,
    energy,
    forward_dynamics,
    forward_kinematics,
    inverse_dynamics,
    jacobian,
    jacobian_rate,
    mass_matrix,
    power,
    residual,
    static_residual,
    stiffness_matrix,
    twist,
)
from pliant.dynamics._shape import names, scene, shape

__all__ = [
    "accelerations",
    "bias",
    "damping_matrix",
    "element_forces",
    "energy",
    "forward_dynamics",
    "forward_kinematics",
    "generic",
    "inverse_dynamics",
    "jacobian",
    "jacobian_rate",
    "mass_matrix",
    "names",
    "power",
    "residual",
    "scene",
    "shape",
    "static_residual",
    "stiffness_matrix",
    "twist",
]
