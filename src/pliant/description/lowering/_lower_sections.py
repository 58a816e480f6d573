"""Cross-sections lowered."""

from pliant.description.language import Section
from pliant.description.lowering._lowering import Lowering, Structure

DRAWN_SLENDERNESS = 50  # a given section is drawn with a radius of length / 50


def lower_section(lowering: Lowering, path: str, section: Section, length: float) -> Structure:
    inner = f"{path}.{section.word}"
    numbers: Structure = {"kind": section.word, **lowering.numbers(inner, section.chosen)}
    if section.bare:
        if section.given is not None and section.given.radius is None:
            numbers["radius"] = lowering.number(f"{inner}.radius", length / DRAWN_SLENDERNESS)
        return numbers
    holes: Structure | None = None
    if section.holes is not None:
        centres = section.holes.centres
        # The centres of a pattern stand in the file only by way of its radius and angles.
        words = "at" if section.holes.around is None else "centre"
        holes = {
            "radius": lowering.number(f"{path}.holes.radius", section.holes.radii),
            "centre": lowering.number(f"{path}.holes.{words}", centres),
        }
    return {
        **numbers,
        "torsion": section.torsion,
        "shear_factor": lowering.number(f"{path}.shear_factor", section.shear_factor),
        "rotary_inertia": section.rotary_inertia,
        "holes": holes,
    }
