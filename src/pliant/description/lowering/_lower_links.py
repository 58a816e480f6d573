"""Links lowered: rods division by division, rigid bodies."""

from typing import Any

from pliant.description.language import DEFAULT_BASIS, DEFAULT_ORDER, AnyRod, Joint, Piece, Rigid
from pliant.description.language.grammar import acts_numbers
from pliant.description.lowering._lower_sections import lower_section
from pliant.description.lowering._lowering import Lowering, Structure

# Numbers of the spring and damper of a joint, with the words that they have in the file.
_SPRING = {
    "stiffness": "stiffness",
    "damping": "damping",
    "rest": "rest",
    "power": "damping_power",
    "ratio": "rest_ratio",
}
_FIXED: Structure = {"kind": "fixed", "axes": [], "pitch": None, **dict.fromkeys(_SPRING), "acts": None}


def lower_link(lowering: Lowering, link: AnyRod | Rigid) -> list[Structure]:
    """The links of the blueprint that a link of the file stands for: several for a divided rod."""
    path = f"links.{link.name}"
    parent = lowering.where(f"{path}.parent", link.parent)
    joint = _joint(lowering, f"{path}.joint", link.joint)
    if isinstance(link, Rigid):
        common = {"name": link.name, "kind": "rigid", "parent": parent, "joint": joint, "material": link.material}
        return [{**common, **_rigid(lowering, path, link)}]
    links: list[Structure] = []
    for piece in link.pieces:
        if links:
            parent = {"link": links[-1]["name"], "at": 1.0, "offset": {"move": None, "rotate": []}}
            joint = dict(_FIXED)
        common = {"name": piece.name, "kind": "rod", "parent": parent, "joint": joint, "material": piece.material}
        links.append({**common, **_piece(lowering, piece)})
    return links


def _joint(lowering: Lowering, path: str, joint: Joint) -> Structure:
    numbers = {
        name: lowering.number(f"{path}.{joint.word}.{word}", getattr(joint.chosen, word, None))
        for name, word in _SPRING.items()
    }
    acts = getattr(joint.chosen, "acts", None)
    return {**lowering.joint(path, joint), **numbers, "acts": None if acts is None else acts_numbers(acts)}


def _piece(lowering: Lowering, piece: Piece) -> Structure:
    return {
        "length": lowering.number(piece.paths["length"], piece.length),
        "section": lower_section(lowering, piece.paths["section"], piece.section, piece.drawn_length),
        "allow": list(piece.allow),
        "reference": lowering.numbers(piece.paths["reference"], piece.reference),
        "model": _model(piece),
        "damping_power": lowering.number(piece.paths["damping_power"], piece.damping_power),
        "update": piece.update,
    }


def _model(piece: Piece) -> Structure:
    if piece.model.gvs is None:
        return {**dict(piece.model.chosen), "kind": piece.model.word}
    gvs = piece.model.gvs

    def by_strain(value: Any, default: Any) -> dict[str, Any]:
        return {strain: value.get(strain, default) if isinstance(value, dict) else value for strain in piece.allow}

    return {
        "kind": "gvs",
        "basis": by_strain(gvs.basis, DEFAULT_BASIS),
        "order": by_strain(gvs.order, DEFAULT_ORDER),
        "pieces": gvs.pieces,
        "quadrature": gvs.quadrature,
    }


def _rigid(lowering: Lowering, path: str, rigid: Rigid) -> Structure:
    shape: Structure | None = None
    if rigid.shape is not None:
        inner = f"{path}.shape.{rigid.shape.word}"
        if rigid.shape.box is not None:
            shape = {"kind": "box", "size": lowering.number(inner, rigid.shape.box)}
        else:
            shape = {"kind": rigid.shape.word, **lowering.numbers(inner, rigid.shape.chosen)}
    return {
        "mass": lowering.number(f"{path}.mass", rigid.mass),
        "shape": shape,
        "centre": lowering.number(f"{path}.centre", rigid.centre),
        "inertia": lowering.number(f"{path}.inertia", rigid.inertia),
    }
