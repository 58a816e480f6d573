"""Surfaces out of files: triangles and heights."""

from pliant.description.formats.surfaces._read_heights import read_heights
from pliant.description.formats.surfaces._read_triangles import read_triangles

__all__ = ["read_heights", "read_triangles"]
