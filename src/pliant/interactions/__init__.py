"""What acts on a robot from outside: wrenches at points, wrenches along rods, user forces."""

from pliant.interactions._force import Force
from pliant.interactions._wrenches import DistributedLoad, PointLoad, point_wrench

__all__ = ["DistributedLoad", "Force", "PointLoad", "point_wrench"]
