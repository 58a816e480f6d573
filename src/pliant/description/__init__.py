"""The robot language: robot files, the same words in Python, units, and the errors that explain a bad file."""

from pliant.description._problems import Problem, RobotFileError
from pliant.description._robot import Robot, companions, load, loads
from pliant.description._schema import Description, json_schema
from pliant.description._types import STRAINS

__all__ = [
    "STRAINS",
    "Description",
    "Problem",
    "Robot",
    "RobotFileError",
    "companions",
    "json_schema",
    "load",
    "loads",
]
