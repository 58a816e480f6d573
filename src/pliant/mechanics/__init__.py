"""Cross-sections, materials and damping laws, and programmes evaluated in time."""

from pliant.mechanics._braided import (
    ExtensorLaw,
    ExtensorNumbers,
    StretchRange,
    check_extensor,
    extensor_numbers,
    extensor_stress,
    extensor_stretch,
    hoop_stretch_squared,
    refuse_stress,
    stretch_range,
    stretch_under_pressure,
    wall_stress,
)
from pliant.mechanics._hyperelastic import (
    FibreNumbers,
    energy_density,
    gent_limit,
    section_energy,
    section_stress,
)
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
    "ExtensorLaw",
    "ExtensorNumbers",
    "FibreNumbers",
    "RigidInertia",
    "SectionLaw",
    "StretchRange",
    "beam_deformation",
    "breakpoints",
    "check_extensor",
    "distance",
    "energy_density",
    "evaluate",
    "extensor_numbers",
    "extensor_stress",
    "extensor_stretch",
    "gent_limit",
    "hoop_stretch_squared",
    "inertia_about",
    "power_law",
    "power_law_dissipation",
    "refuse_stress",
    "section_energy",
    "section_stress",
    "shape_inertia",
    "stretch_range",
    "stretch_under_pressure",
    "taper",
    "two_rates",
    "wall_stress",
    "where_active",
]
