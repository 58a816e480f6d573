"""Cross-sections lowered."""

from pliant import blueprint
from pliant.blueprint import SOLIDS
from pliant.description.language import Given, Holes, Section
from pliant.description.lowering._lowering import Lowering

DRAWN_SLENDERNESS = 50  # a given section is drawn with a radius of length / 50


def lower_section(lowering: Lowering, path: str, section: Section, length: float) -> blueprint.Section:
    inner, kind = f"{path}.{section.word}", SOLIDS[section.word]
    numbers = lowering.numbers(inner, section.chosen)
    if section.bare:
        if section.given is not None and section.given.radius is None:
            numbers["radius"] = lowering.like(f"{inner}.radius", length / DRAWN_SLENDERNESS, Given, "radius")
        return kind(**numbers)
    return kind(
        **numbers,
        torsion=section.torsion,
        shear_factor=lowering.number(path, section, "shear_factor"),
        rotary_inertia=section.rotary_inertia,
        holes=None if section.holes is None else _holes(lowering, f"{path}.holes", section.holes),
    )


def _holes(lowering: Lowering, path: str, holes: Holes) -> blueprint.Holes:
    # The centres of a pattern stand in the file only by way of its radius and angles.
    word = "at" if holes.around is None else "centre"
    radius = lowering.like(f"{path}.radius", holes.radii, Holes, "radius")
    return blueprint.Holes(radius, lowering.like(f"{path}.{word}", holes.centres, Holes, "at"))
