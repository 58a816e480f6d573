"""The blueprint of a robot: everything about it but the values of its numbers."""

from collections.abc import Mapping
from dataclasses import dataclass

from pliant.blueprint._acting import Actuator, Constraint, Load, Spring
from pliant.blueprint._analyses import Analysis
from pliant.blueprint._contacts import AnySurface, Contact
from pliant.blueprint._links import Initial, Link, Material, Mesh
from pliant.blueprint._parameters import ParameterInfo
from pliant.blueprint._places import Frame
from pliant.blueprint._programmes import AnyProgramme


@dataclass(frozen=True)
class Blueprint:
    """links: a parent stands before its children; parameters: what every path is, in the order of the paths."""

    robot: str
    gravity: AnyProgramme
    materials: tuple[Material, ...]
    links: tuple[Link, ...]
    frames: tuple[Frame, ...]
    loads: tuple[Load, ...]
    actuators: tuple[Actuator, ...]
    constraints: tuple[Constraint, ...]
    springs: tuple[Spring, ...]
    meshes: tuple[Mesh, ...]
    initial: tuple[Initial, ...]
    analyses: tuple[Analysis, ...]
    parameters: Mapping[str, ParameterInfo]
    surfaces: tuple[AnySurface, ...] = ()
    contacts: tuple[Contact, ...] = ()
