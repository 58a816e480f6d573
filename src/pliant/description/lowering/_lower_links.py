"""Links lowered: rods division by division, rigid bodies."""

from typing import Any

from pliant import blueprint
from pliant.blueprint import FIXED, NO_OFFSET, SOLIDS, Place, RodModel
from pliant.description.language import DEFAULT_BASIS, DEFAULT_ORDER, AnyRod, Joint, Piece, Rigid, Rod, Shape
from pliant.description.language.grammar import acts_numbers
from pliant.description.lowering._lower_sections import lower_section
from pliant.description.lowering._lowering import Lowering

# Numbers of the spring and damper of a joint, with the words that they have in the file.
_SPRING = {
    "stiffness": "stiffness",
    "damping": "damping",
    "rest": "rest",
    "power": "damping_power",
    "ratio": "rest_ratio",
}


def lower_link(lowering: Lowering, link: AnyRod | Rigid) -> list[blueprint.Link]:
    """The links of the blueprint that a link of the file stands for: several for a divided rod."""
    path = f"links.{link.name}"
    parent = lowering.where(f"{path}.parent", link.parent)
    joint = _joint(lowering, f"{path}.joint", link.joint)
    if isinstance(link, Rigid):
        return [_rigid(lowering, path, link, parent, joint)]
    links: list[blueprint.Link] = []
    for piece in link.pieces:
        if links:
            parent, joint = Place(links[-1].name, 1.0, NO_OFFSET), FIXED
        links.append(_piece(lowering, piece, parent, joint))
    return links


def _joint(lowering: Lowering, path: str, joint: Joint) -> blueprint.Joint:
    own = f"{path}.{joint.word}"
    numbers = {name: lowering.number(own, joint.chosen, word) for name, word in _SPRING.items()}
    acts = getattr(joint.chosen, "acts", None)
    closing = lowering.joint(path, joint)
    return blueprint.Joint(
        closing.kind, closing.axes, closing.pitch, **numbers, acts=None if acts is None else acts_numbers(acts)
    )


def _piece(lowering: Lowering, piece: Piece, parent: Place, joint: blueprint.Joint) -> blueprint.Rod:
    paths = piece.paths
    return blueprint.Rod(
        name=piece.name,
        parent=parent,
        joint=joint,
        material=piece.material,
        length=lowering.like(paths["length"], piece.length, Rod, "length"),
        section=lower_section(lowering, paths["section"], piece.section, piece.drawn_length),
        allow=piece.allow,
        reference=lowering.numbers(paths["reference"], piece.reference),
        model=_model(piece),
        damping_power=lowering.like(paths["damping_power"], piece.damping_power, Rod, "damping_power"),
        update=piece.update,
    )


def _model(piece: Piece) -> RodModel:
    if piece.model.gvs is None:
        return RodModel(piece.model.word, {name: _plain(value) for name, value in dict(piece.model.chosen).items()})
    gvs = piece.model.gvs

    def by_strain(value: Any, default: Any) -> dict[str, Any]:
        return {strain: value.get(strain, default) if isinstance(value, dict) else value for strain in piece.allow}

    options = {
        "basis": by_strain(gvs.basis, DEFAULT_BASIS),
        "order": by_strain(gvs.order, DEFAULT_ORDER),
        "pieces": gvs.pieces,
        "quadrature": gvs.quadrature,
    }
    return RodModel("gvs", options)


def _plain(value: Any) -> Any:
    """What a user wrote beside the word of a rod model, fixed."""
    return tuple(_plain(item) for item in value) if isinstance(value, list | tuple) else value


def _rigid(lowering: Lowering, path: str, rigid: Rigid, parent: Place, joint: blueprint.Joint) -> blueprint.Rigid:
    return blueprint.Rigid(
        name=rigid.name,
        parent=parent,
        joint=joint,
        material=rigid.material,
        mass=lowering.number(path, rigid, "mass"),
        shape=None if rigid.shape is None else lower_shape(lowering, f"{path}.shape", rigid.shape),
        centre=lowering.number(path, rigid, "centre"),
        inertia=lowering.number(path, rigid, "inertia"),
    )


def lower_shape(lowering: Lowering, path: str, shape: Shape) -> blueprint.Shape:
    kind = SOLIDS[shape.word]
    if shape.word in ("box", "ellipsoid"):
        return kind(lowering.number(path, shape, shape.word))
    return kind(**lowering.numbers(f"{path}.{shape.word}", shape.chosen))
