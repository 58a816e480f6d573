"""Elements: what gives a robot its coordinates. Each is kinematics, inertia, stored energy and dissipation."""

from pliant.elements._contract import Element, FlatCoordinates, Rows
from pliant.elements._joints import JOINTS, Free, ScrewJoint, Spherical
from pliant.elements._rigid_body import RigidBody
from pliant.elements._strain_rod import StrainRod

__all__ = ["JOINTS", "Element", "FlatCoordinates", "Free", "RigidBody", "Rows", "ScrewJoint", "Spherical", "StrainRod"]
