"""Elements: what gives a robot its coordinates. Each is kinematics, inertia, stored energy and dissipation."""

from pliant.elements._contract import Element, FlatCoordinates, Rod, Rows
from pliant.elements._joints import JOINTS, Free, ScrewJoint, Spherical
from pliant.elements._mesh import Mesh
from pliant.elements._net import Net
from pliant.elements._node_rod import NodeRod
from pliant.elements._polynomial_rod import PolynomialRod
from pliant.elements._rigid_body import RigidBody
from pliant.elements._series_rod import SeriesRod
from pliant.elements._strain_rod import StrainRod

__all__ = [
    "JOINTS",
    "Element",
    "FlatCoordinates",
    "Free",
    "Mesh",
    "Net",
    "NodeRod",
    "PolynomialRod",
    "RigidBody",
    "Rod",
    "Rows",
    "ScrewJoint",
    "SeriesRod",
    "Spherical",
    "StrainRod",
]
