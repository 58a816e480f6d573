"""CAD files as nets of straight wires."""

from pliant.description.formats.cad._cad import CAD_SUFFIXES, DEFAULT_TOLERANCE, read_wire_net
from pliant.description.formats.cad._wire_net import NetStatistics, WireNet

__all__ = [
    "CAD_SUFFIXES",
    "DEFAULT_TOLERANCE",
    "NetStatistics",
    "WireNet",
    "read_wire_net",
]
