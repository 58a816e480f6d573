"""Elements: what gives a robot its coordinates. Each is kinematics, inertia, stored energy and dissipation."""

from pliant.elements._arm_section import FROM_LENGTHS, ArmSection, Shaping
from pliant.elements._centre import centre_of_gravity
from pliant.elements._contract import Element, FlatCoordinates, OwnInertia, Rows
from pliant.elements._joints import JOINTS, Free, ScrewJoint, Spherical
from pliant.elements._mesh import Mesh
from pliant.elements._node_rod import NodeRod
from pliant.elements._polynomial_rod import PolynomialRod
from pliant.elements._rigid_body import RigidBody
from pliant.elements._rod import Rod
from pliant.elements._rod_grid import Grid
from pliant.elements._rod_model import RodModel, RodNumbers, RodPlan
from pliant.elements._series_rod import SeriesRod
from pliant.elements._shaping import SHAPING
from pliant.elements._strain_rod import StrainRod

__all__ = [
    "FROM_LENGTHS",
    "JOINTS",
    "SHAPING",
    "ArmSection",
    "Element",
    "FlatCoordinates",
    "Free",
    "Grid",
    "Mesh",
    "NodeRod",
    "OwnInertia",
    "PolynomialRod",
    "RigidBody",
    "Rod",
    "RodModel",
    "RodNumbers",
    "RodPlan",
    "Rows",
    "ScrewJoint",
    "SeriesRod",
    "Shaping",
    "Spherical",
    "StrainRod",
    "centre_of_gravity",
]
