"""Where the robot is in space, for results and pictures."""

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._evaluation import Evaluation, evaluate
from pliant.dynamics._functions import frame_poses
from pliant.dynamics._kinematics import point_poses
from pliant.elements import Rod
from pliant.interactions import Anchor, Drawing, Frame, place_poses, places
from pliant.lie import se3
from pliant.mechanics import stacked
from pliant.model import Model, State, Structure, body_size
from pliant.results import Names, Scene, Shape


@jax.jit
def shape(model: Model, q: Array) -> Shape:
    """World poses of nodes, bodies and frames, strain at the nodes and ends of lines, of one configuration q (nq,)."""
    return shape_of(evaluate(model, State(q, jnp.zeros(model.nv)), at_rest=True))


def shape_of(at: Evaluation) -> Shape:
    """Shape of a robot that is evaluated."""
    structure, kin, prepared = at.structure, at.kinematics, at.numbers
    node_rows = np.array([node.row for node in structure.nodes], dtype=int)
    body_rows = np.array([body.row for body in structure.bodies], dtype=int)
    centre = _body_centres(at)
    bodies = point_poses(kin, body_rows, prepared.body_offset)
    moved = bodies[:, :3, 3] + jnp.einsum("bij,bj->bi", bodies[:, :3, :3], centre)
    return Shape(
        node_pose=point_poses(kin, node_rows, prepared.node_offset),
        strain=_node_strains(at),
        body_pose=se3.from_rotation_translation(bodies[:, :3, :3], moved),
        frame_pose=frame_poses(at),
        line_ends=_line_ends(at),
    )


def _line_ends(at: Evaluation) -> Array:
    """(L, 2, 3) world end points of the edges of meshes, then of drawn lines, in the order of `_line_owners`."""
    structure, q = at.structure, at.q
    ends = [jnp.zeros((0, 2, 3))]
    for group, numbers, offset in zip(structure.groups, at.numbers.elements, at.numbers.offsets, strict=True):
        if group.element.drawn_edges:
            nodes = jax.vmap(group.element.positions)(numbers, q[group.q_index])
            if offset is not None:
                nodes = jnp.einsum("mij,mnj->mni", offset[:, :3, :3], nodes) + offset[:, None, :3, 3]
            ends.append(nodes[:, np.array(group.element.drawn_edges, dtype=int)].reshape(-1, 2, 3))
    anchors = [anchor for drawing in _lines(structure) for anchor in drawing.anchors]
    if anchors:
        ends.append(_anchor_places(at, anchors).reshape(-1, 2, 3))
    return jnp.concatenate(ends)


def _anchor_places(at: Evaluation, anchors: Sequence[Anchor]) -> Array:
    """(n, 3) world places of what drawings hang on: frames of the tree, frames by name, points of the world."""
    found: list[Any] = [None] * len(anchors)
    frames = {index: anchor for index, anchor in enumerate(anchors) if isinstance(anchor, Frame)}
    if frames:
        own = places(list(frames.values()))
        poses = place_poses(at, own, own.offset(at.parameters))
        found_frames = poses[:, :3, 3] + at.origin
        if len(frames) == len(anchors):
            return found_frames
        for place, index in enumerate(frames):
            found[index] = found_frames[place]
    for index, anchor in enumerate(anchors):
        if isinstance(anchor, str):
            found[index] = at.pose(anchor)[:3, 3]
        elif not isinstance(anchor, Frame):
            found[index] = jnp.asarray(anchor, dtype=jnp.float64)
    return jnp.stack(found)


def _lines(structure: Structure) -> list[Drawing]:
    """Lines that interactions and constraints ask to be drawn."""
    return [drawing for part in structure.parts for drawing in part.drawings if drawing.kind == "line"]


def _line_owners(structure: Structure) -> list[tuple[str, str, int]]:
    """Name, kind and number of lines of every mesh, then of every drawn line."""
    meshes = [
        (member.link, "mesh", len(group.element.drawn_edges))
        for group in structure.groups
        if group.element.drawn_edges
        for member in group.members
    ]
    return meshes + [(drawing.name, drawing.word, 1) for drawing in _lines(structure)]


def _body_centres(at: Evaluation) -> Array:
    centres = [dict(body.numbers)["centre"] for body in at.structure.bodies]
    return stacked(centres, at.parameters) if centres else jnp.zeros((0, 3))


def _node_strains(at: Evaluation) -> Array:
    """(K, 6) total strain at the nodes."""
    q, strains = at.q, [jnp.zeros((0, 6))]
    for group, numbers in zip(at.structure.groups, at.numbers.elements, strict=True):
        if group.rod is not None:
            strain = functools.partial(group.rod.strain, fractions=(0.0, *_node_fractions(group.rod)))
            strains.append(jax.vmap(strain)(numbers, q[group.q_index]))
    by_group = jnp.concatenate([part.reshape(-1, 6) for part in strains])
    return by_group[_node_order(at.structure)]


def _node_fractions(element: Rod) -> tuple[float, ...]:
    return tuple(float(fraction) for fraction in np.unique(element.grid.end))


def _node_order(structure: Structure) -> np.ndarray:
    """Where each node, in link order, stands in the concatenation over groups and members."""
    start, found = 0, {}
    for group in structure.groups:
        if group.rod is not None:
            count = 1 + len(_node_fractions(group.rod))
            for member in group.members:
                found[member.link] = np.arange(start, start + count)
                start += count
    ordered = [found[link.name] for link in structure.links if link.name in found]
    return np.concatenate(ordered) if ordered else np.zeros(0, dtype=int)


def _rods_with_nodes(structure: Structure) -> list[tuple[Rod, tuple[float, ...], Any]]:
    """Rods, the fractions of their nodes and the names of their numbers."""
    rods = {member.link: (group.rod, member) for group in structure.groups if group.rod for member in group.members}
    return [
        (rod, (0.0, *_node_fractions(rod)), member.numbers)
        for rod, member in (rods[link.name] for link in structure.links if link.name in rods)
    ]


@jax.jit
def _sizes(model: Model) -> tuple[Array, Array]:
    """Half widths (n, 2) of rods at their nodes, and sizes of bodies."""
    widths = [jnp.zeros((0, 2))]
    for rod, at, names in _rods_with_nodes(model.structure):
        numbers = {name: model.parameters[path] for name, path in names}
        widths.append(rod.section.evaluate(numbers, jnp.asarray(at)).half_width)
    return jnp.concatenate(widths), body_size(model.structure.bodies, model.parameters)


def scene(model: Model) -> Scene:
    """What a viewer needs to know of the robot."""
    half_width, sizes = _sizes(model)
    return Scene(half_width=half_width, body_size=sizes, **_outline(model.structure))


# Looked up by structure: of a short run it would be a good part to gather them anew.
@functools.lru_cache(maxsize=64)
def _outline(structure: Structure) -> dict[str, Any]:
    """What of a scene is no number."""
    links = tuple(link.name for link in structure.links)
    owners = _line_owners(structure)
    return {
        "links": links,
        "node_link": tuple(links.index(node.name) for node in structure.nodes),
        "node_fraction": structure.node_fractions,
        "node_round": tuple(rod.section.round for rod, at, _ in _rods_with_nodes(structure) for _ in at),
        "body_link": tuple(links.index(body.link) for body in structure.bodies),
        "body_shape": tuple(body.body.shape or "point" for body in structure.bodies),
        "line_names": tuple(name for name, _, _ in owners),
        "line_kind": tuple(kind for _, kind, _ in owners),
        "line_link": tuple(owner for owner, (_, _, count) in enumerate(owners) for _ in range(count)),
    }


def names(model: Model) -> Names:
    return _names(model.structure)


@functools.lru_cache(maxsize=64)
def _names(structure: Structure) -> Names:
    frames = tuple(frame.name for frame in structure.frames)
    units = tuple((e.name, e.unit, e.travel_unit) for efforts in structure.efforts.values() for e in efforts)
    reported = tuple(structure.reported.items())
    return Names(structure.coordinate_names, structure.velocity_names, frames, units, reported)
