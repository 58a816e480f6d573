"""The element of a rod: the word `model` of the robot file, and nothing else, decides which."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from pliant.elements import SHAPING, ArmSection, NodeRod, PolynomialRod, Rod, SeriesRod, StrainRod
from pliant.mechanics import STRAINS, SectionLaw
from pliant.numerics import Basis, Chebyshev, Legendre, Monomial, PiecewiseConstant

_BASES: dict[str, Callable[[int], Basis]] = {"legendre": Legendre, "monomial": Monomial, "chebyshev": Chebyshev}

# Gauss points beyond the polynomial order of the strain: enough for the Magnus steps between them (docs/theory.md).
_EXTRA_POINTS = 6
_PIECE_POINTS = 5
# Beyond the order of a polynomial pose, whose strains are polynomials divided by the length of a quaternion.
_POSE_POINTS = 4

# A rod that has no strain is the same whatever its model.
_RIGID = {"kind": "pcs", "pieces": 1, "quadrature": None}
_ROTATION = {"srl": "ordered", "ebr": "quaternion"}

UserBases = Mapping[tuple[str, str], Basis]  # (link, strain) -> basis given from Python
Shapes = Mapping[str, tuple[int, ...]]


def build_rod(
    link: Mapping[str, Any],
    shapes: Shapes,
    bases: UserBases,
    attachments: tuple[float, ...],
    breaks: tuple[float, ...],
    loaded: bool,
    material_law: str,
) -> Rod:
    """Element of a rod of the blueprint. attachments: fractions where something hangs; breaks: where a distributed load
    or the run of a tendon has an end; loaded: whether there is such a load; shapes: of the parameters, by path;
    material_law: how the energy of its fibres grows."""
    section, model = link["section"], link["model"]
    if not link["allow"] and model["kind"] not in ("gvs", "pcs"):
        model = _RIGID
    law = dataclasses.replace(section_law(section), law=material_law)
    strains = tuple(STRAINS.index(strain) for strain in link["allow"])
    kind = model["kind"]
    if kind == "rom":
        points = model["quadrature"] or model["order"] + _POSE_POINTS
        return PolynomialRod(law, strains, model["order"], model["orientation"], points, attachments, breaks)
    if kind in ("cog", "integral"):
        return _arm_section(model, law, strains, attachments, breaks, loaded)
    if kind in ("gvs", "pcs"):
        return _strain_rod(link, model, law, strains, shapes, bases, attachments, breaks)
    pieces, middle = model["pieces"], model["nodes"] == "middle"
    if kind == "eba":
        return NodeRod(
            section=law, strains=strains, pieces=pieces, middle=middle, attachments=attachments, breaks=breaks
        )
    return SeriesRod(law, strains, pieces, _ROTATION[kind], model["nodes"], attachments)


def section_law(section: Mapping[str, Any]) -> SectionLaw:
    """The static side of a cross-section of the blueprint."""
    return SectionLaw(
        section["kind"],
        section.get("torsion", "saint-venant"),
        section.get("rotary_inertia", True),
        section.get("holes") is not None,
    )


def _arm_section(
    model: Mapping[str, Any],
    section: SectionLaw,
    strains: tuple[int, ...],
    attachments: tuple[float, ...],
    breaks: tuple[float, ...],
    loaded: bool,
) -> ArmSection:
    cog = model["kind"] == "cog"
    # Strains are constant along a section: points are for discs, which the CoG model has in one place, and for loads.
    rod = StrainRod(
        section=section,
        strains=strains,
        bases=(Legendre(0),) * len(strains),
        pieces=1,
        quadrature=0 if cog and not loaded else model.get("quadrature") or _PIECE_POINTS,
        uniform=True,
        attachments=attachments,
        breaks=breaks,
    )
    return ArmSection(rod, model["actuators"], SHAPING if cog else None)


def _strain_rod(
    link: Mapping[str, Any],
    model: Mapping[str, Any],
    section: SectionLaw,
    strains: tuple[int, ...],
    shapes: Shapes,
    given: UserBases,
    attachments: tuple[float, ...],
    breaks: tuple[float, ...],
) -> StrainRod:
    constant = model["kind"] == "pcs"
    bases: list[Basis] = []
    for strain in link["allow"]:
        own = given.get((link["name"], strain))
        if own is not None:
            bases.append(own)
        elif constant:
            bases.append(Legendre(0))
        elif model["basis"][strain] == "piecewise":
            bases.append(PiecewiseConstant(model["order"][strain] + 1))
        else:
            bases.append(_BASES[model["basis"][strain]](model["order"][strain]))
    longest = max((basis.count for basis in bases), default=1)
    straight = all(shapes[ref[1:]] == () for ref in link["reference"].values())
    return StrainRod(
        section=section,
        strains=strains,
        bases=tuple(bases),
        pieces=model["pieces"],
        quadrature=model["quadrature"] or (_PIECE_POINTS if constant else longest - 1 + _EXTRA_POINTS),
        uniform=straight and all(isinstance(b, Legendre) and b.count == 1 for b in bases),
        attachments=attachments,
        breaks=breaks,
    )
