"""Meshes lowered: nodes and edges counted from 0."""

from pliant.description.language import BeamEdges, Mesh, direction
from pliant.description.language.grammar import acts_numbers
from pliant.description.lowering._lower_sections import lower_section
from pliant.description.lowering._lowering import Lowering, Structure


def lower_mesh(lowering: Lowering, mesh: Mesh) -> Structure:
    path = f"meshes.{mesh.name}"
    return {
        "name": mesh.name,
        "where": lowering.where(f"{path}.where", mesh.where),
        "nodes": lowering.number(f"{path}.nodes", mesh.net.nodes),
        "edges": [list(edge) for edge in mesh.net.edges],
        "mass": lowering.number(f"{path}.mass", mesh.node_mass),
        "inertia": lowering.number(f"{path}.inertia", mesh.node_inertia),
        "fixed": [number - 1 for number in mesh.fixed],
        "edge": _edge(lowering, path, mesh),
    }


def _edge(lowering: Lowering, path: str, mesh: Mesh) -> Structure:
    law, kind = mesh.law, mesh.kind
    own = f"{path}.{kind}"
    edge: Structure = {
        "kind": kind,
        "stiffness": lowering.number(f"{own}.stiffness", law.stiffness),
        "damping": lowering.number(f"{own}.damping", law.damping),
        "power": lowering.number(f"{own}.damping_power", law.damping_power),
        "ratio": lowering.number(f"{own}.rest_ratio", law.rest_ratio),
        "rest": lowering.number(f"{own}.rest", law.rest),
        "acts": acts_numbers(law.acts),
        "middle": False,
        "axes": "edge",
        "xaxis": None,
        "section": None,
        "material": None,
    }
    return {**edge, **_beam(lowering, own, law, mesh)} if isinstance(law, BeamEdges) else edge


def _beam(lowering: Lowering, path: str, beam: BeamEdges, mesh: Mesh) -> Structure:
    own: Structure = {"middle": beam.frame == "middle", "axes": beam.axes, "material": beam.material}
    if beam.x_axis is not None:
        letter = beam.x_axis if isinstance(beam.x_axis, str) else None
        own["xaxis"] = lowering.number(f"{path}.x_axis", direction(letter) if letter else beam.x_axis)
    if beam.section is not None:
        own["section"] = lower_section(lowering, f"{path}.section", beam.section, mesh.mean_length)
        return own
    for name in ("stiffness", "damping"):
        if getattr(beam, name) is None:
            own[name] = lowering.number(f"{path}.{name}", (0.0,) * 6)
    return own
