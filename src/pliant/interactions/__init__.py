"""What acts on a robot: loads, springs, tendons, chambers, motors, stresses, and forces of users. One contract."""

from pliant.interactions._body_samples import Carrier, body_samples
from pliant.interactions._contact_numbers import Pair, SurfaceSide
from pliant.interactions._contact_samples import AlongSamples, NodeSamples, SampleSet, SkinSamples
from pliant.interactions._contacts import Contacts, contact_kind, contacts
from pliant.interactions._contract import AddedInertia, Anchor, At, Drawing, Effort, Force, Port, Push, drives
from pliant.interactions._distributed_loads import DistributedLoads, Span, Spans, distributed_loads
from pliant.interactions._joint_forces import DrivenJoint, JointForces, joint_forces
from pliant.interactions._paths import Paths, paths
from pliant.interactions._places import (
    Frame,
    Places,
    place_poses,
    place_twists,
    places,
    spatial_wrench,
    wrench_at,
)
from pliant.interactions._point_loads import PointLoads, point_loads
from pliant.interactions._ports import PortTable, port_table
from pliant.interactions._rod_meeting import AHEAD, ANYWHERE, BEHIND, Axis, RodMeeting
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
from pliant.interactions._springs import SpringKind, Springs, springs
from pliant.interactions._stresses import Stresses, stresses

__all__ = [
    "AHEAD",
    "ANYWHERE",
    "BEHIND",
    "AddedInertia",
    "AlongSamples",
    "Anchor",
    "At",
    "Axis",
    "Carrier",
    "Contacts",
    "DistributedLoads",
    "Drawing",
    "DrivenJoint",
    "Effort",
    "Force",
    "Frame",
    "JointForces",
    "NodeSamples",
    "Pair",
    "Paths",
    "Places",
    "PointLoads",
    "Port",
    "PortTable",
    "Push",
    "RodMeeting",
    "RouteNumbers",
    "Routes",
    "Run",
    "SampleSet",
    "SkinSamples",
    "Span",
    "Spans",
    "SpringKind",
    "Springs",
    "Stresses",
    "SurfaceSide",
    "body_samples",
    "contact_kind",
    "contacts",
    "densities",
    "distributed_loads",
    "drives",
    "joint_forces",
    "measures",
    "paths",
    "place_poses",
    "place_twists",
    "places",
    "point_loads",
    "port_table",
    "prepare_routes",
    "spatial_wrench",
    "springs",
    "stresses",
    "tension_factors",
    "totals",
    "wrench_at",
]
