"""Whether the numbers of a mesh fit its net."""

from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic_core import InitErrorDetails

from pliant.description.language._joints import PARALLEL, direction
from pliant.description.language.grammar import refuse, show

if TYPE_CHECKING:
    from pliant.description.language._meshes import Mesh

_SHOWN = 5  # so many of a long list of nodes are named


def net_problems(mesh: "Mesh") -> list[InitErrorDetails]:
    """Everything wrong with the nodes and edges, and with lists that are not as long as these."""
    written = _edge_problems(mesh)
    if written:
        return written
    count = len(mesh.net.nodes)
    problems = _number_problems(mesh)
    strangers = [number for number in mesh.fixed if number > count]
    if strangers:
        problems.append(refuse(("fixed",), strangers[0], f"got {strangers[0]}; expected nodes from 1 to {count}"))
    elif len(mesh.fixed) == count:
        text = f"got all {count} nodes; expected at least one node that moves"
        problems.append(refuse(("fixed",), list(mesh.fixed), text))
    if mesh.axial is not None and mesh.inertia is not None:
        text = f'got {show(mesh.inertia)}; expected no "inertia" beside "axial": the nodes are points'
        problems.append(refuse(("inertia",), mesh.inertia, text))
    return problems


def _edge_problems(mesh: "Mesh") -> list[InitErrorDetails]:
    shape, nodes = mesh.grid or mesh.block, mesh.nodes or ()
    if shape is not None:
        count = int(np.prod(shape.nodes))
        if mesh.nodes is not None and len(nodes) != count:
            kind = "grid" if mesh.grid is not None else "block"
            return [refuse(("nodes",), None, f"got {len(nodes)} nodes; expected {count}, as many as the {kind} has")]
        return _length_problems(mesh)
    problems: list[InitErrorDetails] = []
    seen: dict[tuple[int, int], int] = {}
    for index, (first, second) in enumerate(mesh.edges or ()):
        pair = (min(first, second), max(first, second))
        if pair[1] > len(nodes):
            text = f"got {show([first, second])}; expected nodes from 1 to {len(nodes)}"
            problems.append(refuse(("edges", index), [first, second], text))
        elif pair in seen:
            text = f"got {show([first, second])}; expected each edge once, but it is edge {seen[pair]} already"
            problems.append(refuse(("edges", index), [first, second], text))
        seen.setdefault(pair, index + 1)
    tied = {node for pair in seen for node in pair}
    loose = [number for number in range(1, len(nodes) + 1) if number not in tied]
    if loose:
        named = ", ".join(str(number) for number in loose[:_SHOWN]) + (", ..." if len(loose) > _SHOWN else "")
        which = f"node {named} has" if len(loose) == 1 else f"the nodes {named} have"
        problems.append(refuse(("nodes",), None, f"{which} no edge; expected every node at the end of an edge"))
    return problems or _length_problems(mesh)


def _length_problems(mesh: "Mesh") -> list[InitErrorDetails]:
    nodes, edges = mesh.net
    first, second = np.array(edges).T
    along = nodes[second] - nodes[first]
    lengths = np.linalg.norm(along, axis=1)

    def told(index: int, text: str, expected: str) -> InitErrorDetails:
        one, other = (number + 1 for number in edges[index])
        return refuse(("nodes",), None, f"the edge from node {one} to node {other} {text}; expected {expected}")

    if not lengths.all():
        return [told(int(np.argmin(lengths)), "has no length", "nodes in different places")]
    if mesh.beam is not None and mesh.beam.x_axis is not None:
        crossed = np.linalg.norm(np.cross(along / lengths[:, None], direction(mesh.beam.x_axis)), axis=1)
        if crossed.min() < PARALLEL:
            problem = told(int(np.argmin(crossed)), "is parallel to it", "a direction across all edges")
            return [{**problem, "loc": ("beam", "x_axis")}]
    return []


def _number_problems(mesh: "Mesh") -> list[InitErrorDetails]:
    """Lists of one number, or one row, for each edge or node."""
    nodes, edges = mesh.net
    dimensions = 1 if mesh.kind == "axial" else 2
    lists: list[tuple[tuple[str, ...], Any, int, int, str]] = [
        ((mesh.kind, name), getattr(mesh.law, name), dimensions, len(edges), "edge")
        for name in ("stiffness", "damping", "rest")
    ]
    lists += [(("mass",), mesh.node_mass, 1, len(nodes), "node"), (("inertia",), mesh.inertia, 2, len(nodes), "node")]
    return [
        refuse(place, None, f"got {len(value)} values; expected one for all, or {count}: one for each {thing}")
        for place, value, listed, count, thing in lists
        if value is not None and np.ndim(value) == listed and len(value) != count
    ]
