"""Meshes lowered: nodes and edges counted from 0."""

import dataclasses
from typing import Any

from pliant import blueprint
from pliant.blueprint import Edges
from pliant.description.language import BeamEdges, Mesh, direction
from pliant.description.language.grammar import acts_numbers
from pliant.description.lowering._lower_sections import lower_section
from pliant.description.lowering._lowering import Lowering


def lower_mesh(lowering: Lowering, mesh: Mesh) -> blueprint.Mesh:
    path = f"meshes.{mesh.name}"
    return blueprint.Mesh(
        name=mesh.name,
        where=lowering.where(f"{path}.where", mesh.where),
        nodes=lowering.like(f"{path}.nodes", mesh.net.nodes, Mesh, "nodes"),
        edges=tuple((int(first), int(second)) for first, second in mesh.net.edges),
        mass=lowering.like(f"{path}.mass", mesh.node_mass, Mesh, "mass"),
        inertia=lowering.like(f"{path}.inertia", mesh.node_inertia, Mesh, "inertia"),
        fixed=tuple(number - 1 for number in mesh.fixed),
        edge=_edges(lowering, f"{path}.{mesh.kind}", mesh),
    )


def _edges(lowering: Lowering, path: str, mesh: Mesh) -> Edges:
    law = mesh.law
    edges = Edges(
        kind=mesh.kind,
        stiffness=lowering.number(path, law, "stiffness"),
        damping=lowering.number(path, law, "damping"),
        power=lowering.number(path, law, "damping_power"),
        ratio=lowering.number(path, law, "rest_ratio"),
        rest=lowering.number(path, law, "rest"),
        acts=acts_numbers(law.acts),
        middle=False,
        axes="edge",
        xaxis=None,
        section=None,
        material=None,
    )
    return dataclasses.replace(edges, **_beam(lowering, path, law, mesh)) if isinstance(law, BeamEdges) else edges


def _beam(lowering: Lowering, path: str, beam: BeamEdges, mesh: Mesh) -> dict[str, Any]:
    own: dict[str, Any] = {"middle": beam.frame == "middle", "axes": beam.axes, "material": beam.material}
    if beam.x_axis is not None:
        towards = direction(beam.x_axis) if isinstance(beam.x_axis, str) else beam.x_axis
        own["xaxis"] = lowering.like(f"{path}.x_axis", towards, BeamEdges, "x_axis")
    if beam.section is not None:
        own["section"] = lower_section(lowering, f"{path}.section", beam.section, mesh.mean_length)
        return own
    for name in ("stiffness", "damping"):
        if getattr(beam, name) is None:
            own[name] = lowering.like(f"{path}.{name}", (0.0,) * 6, BeamEdges, name)
    return own
