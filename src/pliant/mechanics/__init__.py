"""Cross-sections, materials and damping laws, and programmes evaluated in time."""

from pliant.mechanics._inertia import RigidInertia, inertia_about, shape_inertia
from pliant.mechanics._programmes import breakpoints, evaluate, two_rates
from pliant.mechanics._sections import STRAINS, SectionLaw, taper

__all__ = [
    "STRAINS",
    "RigidInertia",
    "SectionLaw",
    "breakpoints",
    "evaluate",
    "inertia_about",
    "shape_inertia",
    "taper",
    "two_rates",
]
