"""Surfaces given by data: their signed distances, computed once on a regular grid."""

from pliant.description.sampling._grid import MOST_PLACES, Sampled
from pliant.description.sampling._heights import sampled_heights
from pliant.description.sampling._samples import sampled_triangles
from pliant.description.sampling._triangles import SamplingError, Triangles

__all__ = [
    "MOST_PLACES",
    "Sampled",
    "SamplingError",
    "Triangles",
    "sampled_heights",
    "sampled_triangles",
]
