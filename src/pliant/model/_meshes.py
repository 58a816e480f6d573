"""The element of a mesh of the blueprint."""

from pliant import blueprint
from pliant.elements import Mesh
from pliant.mechanics import SectionLaw
from pliant.model._rods import Shapes, section_law


def build_mesh(net: blueprint.Mesh, shapes: Shapes) -> Mesh:
    """Element of a mesh; shapes: of the parameters, by path."""
    if net.where.link is not None:
        raise ValueError(
            f"mesh {net.name!r} starts on link {net.where.link!r}; nodes are free of any link: start from the world"
        )
    edge = net.edge
    section: SectionLaw | None = None if edge.section is None else section_law(edge.section)
    return Mesh(
        count=shapes[net.nodes][0],
        edges=net.edges,
        held=tuple(sorted(net.fixed)),
        kind=edge.kind,
        middle=edge.middle,
        acts=edge.acts,
        along=edge.axes == "edge" or section is not None,
        section=section,
    )
