"""URDF files in the words of a robot file."""

from pliant.description.formats.urdf._urdf import expand_urdf, read_urdf, urdf_files

__all__ = [
    "expand_urdf",
    "read_urdf",
    "urdf_files",
]
