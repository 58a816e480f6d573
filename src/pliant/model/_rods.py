"""The element of a rod: the word `model` of the robot file decides which, by the registry of rod models.

A word has two halves. `description/language/_rod_models.py` says which options may stand beside it, and the builder
here makes the element from them. A user brings both as one class (`elements.RodModel`).
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from pliant import blueprint
from pliant.elements import SHAPING, ArmSection, NodeRod, PolynomialRod, Rod, RodPlan, SeriesRod, StrainRod
from pliant.mechanics import STRAINS, SectionLaw
from pliant.numerics import Basis, Chebyshev, Legendre, Monomial, PiecewiseConstant

_BASES: dict[str, Callable[[int], Basis]] = {
    "legendre": Legendre,
    "monomial": Monomial,
    "chebyshev": Chebyshev,
    "piecewise": lambda order: PiecewiseConstant(order + 1),
}

# Gauss points beyond the polynomial order of the strain: enough for the Magnus steps between them (docs/theory.md).
# From _HIGH_ORDER on polynomials are so good that it takes more: twice the order and some.
_EXTRA_POINTS = 6
_HIGH_ORDER, _EXTRA_HIGH = 7, 8
_PIECE_POINTS = 5
# Beyond the order of a polynomial pose, whose strains are polynomials divided by the length of a quaternion.
_POSE_POINTS = 4

UserBases = Mapping[tuple[str, str], Basis]  # (link, strain) -> basis given from Python
Shapes = Mapping[str, tuple[int, ...]]
Builder = Callable[[RodPlan], Rod]


class UserRod(Protocol):
    """A rod model that a user brings: a class derived from `RodModel`, or anything else with these two."""

    word: str

    def build(self, plan: RodPlan) -> Rod: ...


def build_rod(
    rod: blueprint.Rod,
    models: Mapping[str, Builder],
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
    word = rod.model.kind
    if word not in models:
        raise ValueError(f"rod {rod.name!r} has the unknown model {word!r}; the models are: {', '.join(models)}")
    plan = RodPlan(
        link=rod.name,
        section=dataclasses.replace(section_law(rod.section), law=material_law),
        strains=tuple(STRAINS.index(strain) for strain in rod.allow),
        attachments=attachments,
        breaks=breaks,
        options=rod.model.options,
        loaded=loaded,
        tapers=any(shapes[path] != () for path in rod.reference.values()),
        bases={strain: basis for (name, strain), basis in bases.items() if name == rod.name},
    )
    if not plan.strains and word not in STRAIN_MODELS:
        # A rod that has no strain is the same whatever its model.
        return _constant_strain(plan._replace(options={"pieces": 1, "quadrature": None}))
    return models[word](plan)


def rod_models(rods: Sequence[UserRod]) -> dict[str, Builder]:
    """Builders of all rod models by their words, with those that a user brings."""
    models = dict(ROD_MODELS)
    for rod in rods:
        name = getattr(rod, "__name__", type(rod).__name__)
        word = getattr(rod, "word", None)
        if not word or not isinstance(word, str) or not callable(getattr(rod, "build", None)):
            raise TypeError(
                f"{name} is no rod model: derive it from pliant.elements.RodModel, with the word of its model as `word`"
            )
        if not word.replace("-", "_").isidentifier():
            raise ValueError(f"{name}: the word {word!r} is no name; use letters, digits, '_' and '-'")
        if word in models:
            raise ValueError(f"{name}: there is a rod model {word!r} already; the models are: {', '.join(models)}")
        models[word] = rod.build
    return models


def section_law(section: blueprint.Section) -> SectionLaw:
    """The static side of a cross-section of the blueprint."""
    return SectionLaw(section.kind, section.torsion, section.rotary_inertia, section.holes is not None)


def _varying_strain(plan: RodPlan) -> StrainRod:
    kinds, orders = plan.options["basis"], plan.options["order"]
    bases = [
        plan.bases.get(name) or _BASES[kinds[name]](orders[name]) for name in (STRAINS[index] for index in plan.strains)
    ]
    return _strain_rod(plan, bases, plan.options["quadrature"] or _points_for(bases))


def _points_for(bases: Sequence[Basis]) -> int:
    """Gauss points of a piece, or between the breaks of its bases where these have any, by the order of the strains."""
    order = max((basis.count for basis in bases), default=1) - 1
    smooth = max((basis.count for basis in bases if not basis.breaks), default=1) - 1
    return max(order + _EXTRA_POINTS, 2 * smooth + _EXTRA_HIGH if smooth >= _HIGH_ORDER else 0)


def _constant_strain(plan: RodPlan) -> StrainRod:
    bases = [plan.bases.get(STRAINS[index]) or Legendre(0) for index in plan.strains]
    return _strain_rod(plan, bases, plan.options["quadrature"] or _PIECE_POINTS)


def _strain_rod(plan: RodPlan, bases: list[Basis], quadrature: int) -> StrainRod:
    return StrainRod(
        section=plan.section,
        strains=plan.strains,
        bases=tuple(bases),
        pieces=plan.options["pieces"],
        quadrature=quadrature,
        uniform=not plan.tapers and all(isinstance(basis, Legendre) and basis.count == 1 for basis in bases),
        attachments=plan.attachments,
        breaks=plan.breaks,
    )


def _polynomial_pose(plan: RodPlan) -> PolynomialRod:
    points = plan.options["quadrature"] or plan.options["order"] + _POSE_POINTS
    return PolynomialRod.build(plan._replace(options={**plan.options, "quadrature": points}))


def _series(rotation: str) -> Builder:
    """Lumped pieces that turn by angles one after the other, or by a quaternion."""

    def build(plan: RodPlan) -> SeriesRod:
        pieces, nodes = plan.options["pieces"], plan.options["nodes"]
        return SeriesRod(plan.section, plan.strains, pieces, rotation, nodes, plan.attachments)

    return build


def _nodes(plan: RodPlan) -> NodeRod:
    return NodeRod(
        section=plan.section,
        strains=plan.strains,
        pieces=plan.options["pieces"],
        middle=plan.options["nodes"] == "middle",
        attachments=plan.attachments,
        breaks=plan.breaks,
    )


def _centre_of_gravity(plan: RodPlan) -> ArmSection:
    # Strains are constant along a section: points are for discs, which are all in one place here, and for loads.
    rod = _strain_rod(_arc(plan), [Legendre(0)] * len(plan.strains), _PIECE_POINTS if plan.loaded else 0)
    return ArmSection(rod, plan.options["actuators"], SHAPING)


def _integral(plan: RodPlan) -> ArmSection:
    quadrature = plan.options["quadrature"] or _PIECE_POINTS
    return ArmSection(
        _strain_rod(_arc(plan), [Legendre(0)] * len(plan.strains), quadrature), plan.options["actuators"], None
    )


def _arc(plan: RodPlan) -> RodPlan:
    """The rod of one constant strain inside a section of an arm."""
    return plan._replace(options={"pieces": 1}, tapers=False)


STRAIN_MODELS = ("gvs", "pcs")  # those that take bases given from Python
ROD_MODELS: dict[str, Builder] = {
    "gvs": _varying_strain,
    "pcs": _constant_strain,
    "rom": _polynomial_pose,
    "srl": _series("ordered"),
    "ebr": _series("quaternion"),
    "eba": _nodes,
    "cog": _centre_of_gravity,
    "integral": _integral,
}
