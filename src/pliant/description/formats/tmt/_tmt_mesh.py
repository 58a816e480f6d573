"""The mesh of a CAD file: its nodes as bodies that move by themselves, its edges as springs or beams."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from pliant.description.formats.cad import WireNet, read_wire_net
from pliant.description.formats.tmt._tmt_connections import law
from pliant.description.formats.tmt._tmt_document import Document, in_order
from pliant.description.formats.tmt._tmt_geometry import fixed_offset, freedoms
from pliant.description.formats.tmt._tmt_items import Item
from pliant.description.formats.tmt._tmt_plan import MESH, Plan
from pliant.description.language.grammar import FileBelow

_NOT_IN_NODES = "expected none: a node of a CAD file is where the file has it, and free"
_EDGE_FIELDS = ("spring.coeff", "spring.init", "spring.compr", "damp.visc", "damp.pow", "dir", "xaxis")


def read_net(mesh: Item, folder: Path | None) -> WireNet | None:
    """The net of the file, placed as `mesh.tr` says; None where there is no mesh. A file in `folder` stays below it."""
    name = mesh.value("file_name")
    if name is None:
        for field in list(mesh.set_fields())[:1]:
            mesh.refuse(field, "there is no mesh; expected mesh.file_name")
        return None
    path = Path(name)
    if folder is not None:
        path = folder / name
        below = FileBelow("a CAD file", "sleeve.iges")
        try:
            below.check(name)
        except ValueError:
            mesh.refuse("file_name", f"expected {below.expected}")
            return None
        if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
            mesh.refuse("file_name", "there is no such file; expected a CAD file below the folder of this file")
            return None
    net = read_wire_net(path, tolerance=mesh.value("tol"))
    offset = fixed_offset(mesh.items("tr"))
    return net.transformed(offset.turn, offset.move)


def lower_net(plan: Plan, document: Document, mesh: Item) -> None:
    net = plan.net
    assert net is not None
    joints = mesh.items("joint")
    if len(joints) != 2:
        mesh.notes.refuse(
            mesh.path("joint"),
            len(joints),
            f"got {len(joints)}; expected two: joint(1), the freedoms of a node, and joint(2), an edge",
        )
        return
    turning = _freedoms(joints[0])
    kind, edges = _edges(net, joints[1])
    if kind == "beam" and not turning:
        joints[0].refuse(
            "", "the nodes do not turn, but edges with six columns turn them; expected rot = [0, inf, inf, inf] too"
        )
    item: dict[str, Any] = {
        "name": MESH,
        "nodes": net.nodes.tolist(),
        "edges": [[first + 1, second + 1] for first, second in net.edges],
        "fixed": [node + 1 for node in net.single_edge_nodes()],
        kind: edges,
        **_masses(plan, mesh.item("body"), kind),
    }
    path = joints[1].path()
    words = {"stiffness": "spring.coeff", "damping": "damp.visc", "rest": "spring.init", "acts": "dir"}
    words |= {"damping_power": "damp.pow", "rest_ratio": "spring.compr", "x_axis": "xaxis"}
    origin = {f"{kind}.{word}": f"{path}.{name}" for word, name in words.items()}
    body = mesh.item("body")
    document.add("meshes", item, mesh.path(), {**origin, kind: path, "mass": body.path("m"), "inertia": body.path("I")})


def _freedoms(joint: Item) -> bool:
    """Whether the nodes turn; they move in all three directions."""
    for name in joint.set_fields():
        if name not in ("tr", "dof"):
            joint.refuse(name, _NOT_IN_NODES)
    for dof in joint.items("dof"):
        for name in dof.set_fields():
            dof.refuse(name, _NOT_IN_NODES)
    found, rest = freedoms(joint.items("tr"))
    slides = [freedom.axes[0] for freedom in found if freedom.kind == "slide"]
    turns = [freedom.kind for freedom in found if freedom.kind != "slide"]
    fixed = rest.words or any(freedom.before.words for freedom in found)
    if slides != [0, 1, 2] or turns not in ([], ["ball"]) or fixed:
        joint.notes.refuse(
            joint.path("tr"),
            None,
            "expected nodes that move in all directions: trans = [inf, inf, inf], and rot = [0, inf, inf, inf] or none",
        )
    return bool(turns)


def _edges(net: WireNet, joint: Item) -> tuple[str, dict[str, Any]]:
    """The words of the edges: one value for all, or one for each."""
    for name in joint.set_fields():
        if name == "input":
            joint.refuse(name, "expected none: the edges of a CAD file have no inputs; use a joint between its bodies")
        elif name not in _EDGE_FIELDS:
            joint.refuse(name, "expected only spring, damp, dir and xaxis: the rest comes from the CAD file")
    kind, laws = law(joint, len(net.edges))
    own = laws[0]
    for word in ("stiffness", "damping"):
        if any(other.get(word) != own.get(word) for other in laws):
            own[word] = [other[word] for other in laws]
    for word, name in (("damping_power", "damp.pow"), ("rest_ratio", "spring.compr"), ("acts", "dir")):
        if any(other.get(word) != own.get(word) for other in laws):
            joint.refuse(name, "expected the same for all edges of a CAD file")
    own["rest"] = _rest(net, joint, kind)
    if kind == "beam":
        own |= {"axes": "node", "frame": "first"}
        if joint.given("xaxis"):
            own |= {"axes": "edge", "x_axis": joint.rows("xaxis", len(net.edges), 3)[0]}
    return kind, own


def _rest(net: WireNet, joint: Item, kind: str) -> Any:
    """The word initial, or numbers for every edge where only some of them are nan."""
    rows = joint.rows("spring.init", len(net.edges), 6 if kind == "beam" else 1)
    rows = [row if isinstance(row, list) else [row] for row in rows]
    if all(math.isnan(value) for row in rows for value in row):
        return "initial"
    if not any(math.isnan(value) for row in rows for value in row):
        values = [in_order(row) if kind == "beam" else row[0] for row in rows]
        return values[0] if all(value == values[0] for value in values) else values
    if joint.given("xaxis"):
        joint.refuse("spring.init", "expected all six nan, or none, beside xaxis")
        return "initial"
    found = []
    for row, (first, second), length in zip(rows, net.edges, net.lengths, strict=True):
        # Nodes start with the axes of the ground: an edge is not bent, and its components are those in the ground.
        start = [*(net.nodes[second] - net.nodes[first]), 0.0, 0.0, 0.0] if kind == "beam" else [length]
        own = [float(there) if math.isnan(value) else value for value, there in zip(row, start, strict=True)]
        found.append(in_order(own) if kind == "beam" else own[0])
    return found


def _masses(plan: Plan, body: Item, kind: str) -> dict[str, Any]:
    """Mass, and inertia where nodes turn, of every node; rows of `mesh.body` are in the order of the bodies."""
    net, count = plan.net, len(plan.imported)
    assert net is not None
    for name in body.given("l.com", "tip"):
        if np.any(body.value(name)):
            body.refuse(name, "expected 0: the mass of a node is where the node is")
    masses, inertias = body.rows("m", count, 1), body.inertias(count)
    if any(np.any(matrix - np.diag(np.diag(matrix))) for matrix in inertias):
        body.refuse("I", "expected diagonal matrices: the axes of a node are those of the ground at the start")
    principal = [np.diag(matrix).tolist() for matrix in inertias]
    same = all(own == masses[0] for own in masses) and all(own == principal[0] for own in principal)
    if same:
        return {"mass": masses[0], **({"inertia": principal[0]} if kind == "beam" else {})}
    # Nodes that are held have no body in TMTDyn; here they need a mass, which never moves.
    each = {node: index for index, node in enumerate(plan.imported)}
    order = [each.get(node, 0) for node in range(len(net.nodes))]
    spread: dict[str, Any] = {"mass": [masses[index] for index in order]}
    return {**spread, **({"inertia": [principal[index] for index in order]} if kind == "beam" else {})}
