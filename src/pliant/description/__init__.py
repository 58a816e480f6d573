"""The robot language: robot files, the same words in Python, units, and the errors that explain a bad file."""

from pliant.description._cad import CAD_SUFFIXES, DEFAULT_TOLERANCE, read_wire_net
from pliant.description._problems import Problem, RobotFileError
from pliant.description._robot import Robot, companions, load, loads
from pliant.description._schema import Description, json_schema
from pliant.description._types import STRAINS
from pliant.description._wire_net import NetStatistics, WireNet

__all__ = [
    "CAD_SUFFIXES",
    "DEFAULT_TOLERANCE",
    "STRAINS",
    "Description",
    "NetStatistics",
    "Problem",
    "Robot",
    "RobotFileError",
    "WireNet",
    "companions",
    "json_schema",
    "load",
    "loads",
    "read_wire_net",
]
