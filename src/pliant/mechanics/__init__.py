"""Cross-sections, materials and damping laws, and programmes evaluated in time."""

from pliant.mechanics._inertia import RigidInertia, inertia_about, shape_inertia
from pliant.mechanics._programmes import breakpoints, evaluate, two_rates
from pliant.mechanics._sections import STRAINS, SectionLaw, taper
from pliant.mechanics._spring_laws import (
    beam_deformation,
    distance,
    power_law,
    power_law_dissipation,
    where_active,
)

__all__ = [
    "STRAINS",
    "RigidInertia",
    "SectionLaw",
    "beam_deformation",
    "breakpoints",
    "distance",
    "evaluate",
    "inertia_about",
    "power_law",
    "power_law_dissipation",
    "shape_inertia",
    "taper",
    "two_rates",
    "where_active",
]
