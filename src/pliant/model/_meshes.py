"""The element of a mesh of the blueprint."""

from collections.abc import Mapping
from typing import Any

from pliant.elements import Mesh
from pliant.mechanics import SectionLaw
from pliant.model._rods import Shapes, section_law


def build_mesh(net: Mapping[str, Any], shapes: Shapes) -> Mesh:
    """Element of a mesh; shapes: of the parameters, by path."""
    if net["where"]["link"] is not None:
        link = net["where"]["link"]
        raise ValueError(
            f"mesh {net['name']!r} starts on link {link!r}; nodes are free of any link: start from the world"
        )
    edge = net["edge"]
    section: SectionLaw | None = None if edge["section"] is None else section_law(edge["section"])
    return Mesh(
        count=shapes[net["nodes"][1:]][0],
        edges=tuple((int(first), int(second)) for first, second in net["edges"]),
        held=tuple(sorted(net["fixed"])),
        kind=edge["kind"],
        middle=edge["middle"],
        acts=tuple(edge["acts"]),
        along=edge["axes"] == "edge" or section is not None,
        section=section,
    )
