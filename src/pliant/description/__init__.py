"""The robot language: robot files, the same words in Python, units, and the errors that explain a bad file."""

from pliant.description._load import companions, load, parse, parse_value
from pliant.description._robot import Robot
from pliant.description.formats.cad import CAD_SUFFIXES, DEFAULT_TOLERANCE, NetStatistics, WireNet, read_wire_net
from pliant.description.language import Description, json_schema
from pliant.description.language.grammar import STRAINS, Problem, RobotFileError

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
    "parse",
    "parse_value",
    "read_wire_net",
]
