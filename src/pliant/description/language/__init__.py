"""What words a robot file has: every part of a robot with its fields, and the whole of them."""

from pliant.description.language._actuators import (
    FOLLOWS,
    Actuator,
    ChamberActuator,
    JointDrive,
    Offsets,
    Point,
    Run,
    TendonActuator,
    joint_drive,
)
from pliant.description.language._constraints import (
    DIRECTIONS,
    AnyConstraint,
    Constraint,
    Control,
    CoordinateTie,
    constraint_on,
    coordinate_of,
    tie_of,
)
from pliant.description.language._edit import with_value_at
from pliant.description.language._joints import VELOCITIES, Joint, direction, directions
from pliant.description.language._links import Link, Material, Rigid
from pliant.description.language._mesh_files import expand_mesh_files, mesh_files, mesh_in_python
from pliant.description.language._mesh_laws import BeamEdges
from pliant.description.language._meshes import Mesh
from pliant.description.language._places import AXES, WORLD, Offset, Rotation, Where
from pliant.description.language._programmes import Acceleration
from pliant.description.language._rod_models import (
    ARCS,
    DEFAULT_BASIS,
    DEFAULT_ORDER,
    Model,
    Reference,
    UserModel,
    allow_problem,
)
from pliant.description.language._rods import AnyRod, DividedRod, Piece, Rod, place_on, stretches
from pliant.description.language._schema import (
    IMPLICIT,
    Analysis,
    AnyLink,
    Description,
    DistributedLoad,
    Frame,
    Initial,
    Load,
    PointLoad,
    StrainRates,
    json_schema,
)
from pliant.description.language._sections import Section, ends
from pliant.description.language._springs import AnySpring, AxialSpring, BeamSpring
from pliant.description.language._stress import StressActuator
from pliant.description.language._urdf_words import DRIVES, UrdfFile

__all__ = [
    "ARCS",
    "AXES",
    "DEFAULT_BASIS",
    "DEFAULT_ORDER",
    "DIRECTIONS",
    "DRIVES",
    "FOLLOWS",
    "IMPLICIT",
    "VELOCITIES",
    "WORLD",
    "Acceleration",
    "Actuator",
    "Analysis",
    "AnyConstraint",
    "AnyLink",
    "AnyRod",
    "AnySpring",
    "AxialSpring",
    "BeamEdges",
    "BeamSpring",
    "ChamberActuator",
    "Constraint",
    "Control",
    "CoordinateTie",
    "Description",
    "DistributedLoad",
    "DividedRod",
    "Frame",
    "Initial",
    "Joint",
    "JointDrive",
    "Link",
    "Load",
    "Material",
    "Mesh",
    "Model",
    "Offset",
    "Offsets",
    "Piece",
    "Point",
    "PointLoad",
    "Reference",
    "Rigid",
    "Rod",
    "Rotation",
    "Run",
    "Section",
    "StrainRates",
    "StressActuator",
    "TendonActuator",
    "UrdfFile",
    "UserModel",
    "Where",
    "allow_problem",
    "constraint_on",
    "coordinate_of",
    "direction",
    "directions",
    "ends",
    "expand_mesh_files",
    "joint_drive",
    "json_schema",
    "mesh_files",
    "mesh_in_python",
    "place_on",
    "stretches",
    "tie_of",
    "with_value_at",
]
