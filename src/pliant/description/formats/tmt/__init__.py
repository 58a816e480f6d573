"""TMTDyn's high-level language: its fields, its symbols, and the robot that a system in it is."""

from pliant.description.formats.tmt._tmt_symbols import sym
from pliant.description.formats.tmt._tmt_system import System, load
from pliant.description.formats.tmt._tmt_yaml import SUFFIXES

__all__ = [
    "SUFFIXES",
    "System",
    "load",
    "sym",
]
