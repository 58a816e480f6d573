"""Links lowered: rods division by division, rigid bodies."""

from typing import Any

from pliant.description._joints import Joint
from pliant.description._links import Rigid
from pliant.description._lowering import Lowering, Structure
from pliant.description._rod_models import DEFAULT_BASIS, DEFAULT_ORDER
from pliant.description._rods import AnyRod, Piece
from pliant.description._sections import Section

DRAWN_SLENDERNESS = 50  # a given section is drawn with a radius of length / 50
_FIXED: Structure = {"kind": "fixed", "axes": [], "pitch": None, "stiffness": None, "damping": None, "rest": None}


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
    springs = {
        name: lowering.number(f"{path}.{joint.word}.{name}", getattr(joint.chosen, name, None))
        for name in ("stiffness", "damping", "rest")
    }
    return {**lowering.joint(path, joint), **springs}


def _piece(lowering: Lowering, piece: Piece) -> Structure:
    return {
        "length": lowering.number(piece.paths["length"], piece.length),
        "section": _section(lowering, piece.paths["section"], piece.section, piece.drawn_length),
        "allow": list(piece.allow),
        "reference": lowering.numbers(piece.paths["reference"], piece.reference),
        "model": _model(piece),
    }


def _section(lowering: Lowering, path: str, section: Section, length: float) -> Structure:
    inner = f"{path}.{section.word}"
    numbers: Structure = {"kind": section.word, **lowering.numbers(inner, section.chosen)}
    if section.given is not None:
        if section.given.radius is None:
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


def _model(piece: Piece) -> Structure:
    if piece.model.pcs is not None:
        return {"kind": "pcs", "pieces": piece.model.pcs.pieces, "quadrature": piece.model.pcs.quadrature}
    gvs = piece.model.chosen

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
