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
from pliant.mechanics._offsets import (
    AXES,
    Chain,
    axis_vector,
    offset_pose,
    offset_poses,
    rotation_matrix,
)
from pliant.mechanics._programmes import (
    ProgrammeTable,
    breakpoints,
    evaluate,
    jumps,
    programme_table,
    two_rates,
)
from pliant.mechanics._sections import STRAINS, SectionLaw, taper
from pliant.mechanics._spring_laws import (
    beam_deformation,
    distance,
    power_law,
    power_law_dissipation,
    where_active,
)
from pliant.mechanics._stacking import stacked, taken

__all__ = [
    "AXES",
    "STRAINS",
    "Chain",
    "ExtensorLaw",
    "ExtensorNumbers",
    "FibreNumbers",
    "ProgrammeTable",
    "RigidInertia",
    "SectionLaw",
    "StretchRange",
    "axis_vector",
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
    "jumps",
    "offset_pose",
    "offset_poses",
    "power_law",
    "power_law_dissipation",
    "programme_table",
    "refuse_stress",
    "rotation_matrix",
    "section_energy",
    "section_stress",
    "shape_inertia",
    "stacked",
    "stretch_range",
    "stretch_under_pressure",
    "taken",
    "taper",
    "two_rates",
    "wall_stress",
    "where_active",
]
