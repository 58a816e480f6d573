"""What acts on a robot: wrenches at points and along rods, user forces, tendons, chambers, driven joints, loops."""

from pliant.interactions._actuators import Actuator, JointActuator, PathActuator, StressActuator
from pliant.interactions._force import Force
from pliant.interactions._loops import LoopKind
from pliant.interactions._routes import (
    RouteNumbers,
    Routes,
    Run,
    densities,
    measures,
    prepare_routes,
    tension_factors,
    totals,
)
from pliant.interactions._springs import SpringKind
from pliant.interactions._wrenches import DistributedLoad, PointLoad, point_wrench

__all__ = [
    "Actuator",
    "DistributedLoad",
    "Force",
    "JointActuator",
    "LoopKind",
    "PathActuator",
    "PointLoad",
    "RouteNumbers",
    "Routes",
    "Run",
    "SpringKind",
    "StressActuator",
    "densities",
    "measures",
    "point_wrench",
    "prepare_routes",
    "tension_factors",
    "totals",
]
