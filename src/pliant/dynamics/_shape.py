"""Where the robot is in space, for results and pictures."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._kinematics import Kinematics, kinematics, point_poses
from pliant.dynamics._wrenches import frame_rows
from pliant.elements import Mesh, Rod
from pliant.lie import se3
from pliant.model import Model, Prepared, Structure, body_size, prepare
from pliant.results import Names, Scene, Shape, actuator_units


@jax.jit
def shape(model: Model, q: Array) -> Shape:
    """World poses of nodes, bodies and frames, strain at the nodes and ends of lines, of one configuration q (nq,)."""
    prepared = prepare(model.structure, model.parameters)
    return shape_of(model, prepared, kinematics(model.structure, prepared, q), q)


def shape_of(model: Model, prepared: Prepared, kin: Kinematics, q: Array) -> Shape:
    """The same with kinematics at hand."""
    structure = model.structure
    node_rows = np.array([node.row for node in structure.nodes], dtype=int)
    body_rows = np.array([body.row for body in structure.bodies], dtype=int)
    centre = _body_centres(model)
    bodies = point_poses(kin, body_rows, prepared.body_offset)
    moved = bodies[:, :3, 3] + jnp.einsum("bij,bj->bi", bodies[:, :3, :3], centre)
    return Shape(
        node_pose=point_poses(kin, node_rows, prepared.node_offset),
        strain=_node_strains(model, prepared, q),
        body_pose=se3.from_rotation_translation(bodies[:, :3, :3], moved),
        frame_pose=point_poses(kin, frame_rows(structure), prepared.frame_offset),
        line_ends=_line_ends(structure, prepared, kin, q),
    )


def _line_ends(structure: Structure, prepared: Prepared, kin: Kinematics, q: Array) -> Array:
    """(L, 2, 3) world end points of the edges of meshes, then of springs, in the order of `_line_owners`."""
    ends = [jnp.zeros((0, 2, 3))]
    for group, numbers, offset in zip(structure.groups, prepared.elements, prepared.offsets, strict=True):
        if isinstance(group.element, Mesh):
            nodes = jax.vmap(group.element.positions)(numbers, q[group.q_index])
            if offset is not None:
                nodes = jnp.einsum("mij,mnj->mni", offset[:, :3, :3], nodes) + offset[:, None, :3, 3]
            ends.append(nodes[:, np.array(group.element.edges, dtype=int).reshape(-1, 2)].reshape(-1, 2, 3))
    for springs, offset in zip(structure.spring_groups, prepared.spring_offset, strict=True):
        rows = np.array([end.row for end in (*(s.first for s in springs), *(s.second for s in springs))], dtype=int)
        ends.append(point_poses(kin, rows, offset)[:, :3, 3].reshape(2, -1, 3).swapaxes(0, 1))
    return jnp.concatenate(ends)


def _line_owners(structure: Structure) -> list[tuple[str, str, int]]:
    """Name, kind and number of lines of every mesh, then of every spring."""
    meshes = [
        (member.link, "mesh", len(group.element.edges))
        for group in structure.groups
        if isinstance(group.element, Mesh)
        for member in group.members
    ]
    return meshes + [(spring.name, "spring", 1) for springs in structure.spring_groups for spring in springs]


def _body_centres(model: Model) -> Array:
    centres = [model.parameters[dict(body.numbers)["centre"]] for body in model.structure.bodies]
    return jnp.stack(centres) if centres else jnp.zeros((0, 3))


def _node_strains(model: Model, prepared: Prepared, q: Array) -> Array:
    """(K, 6) total strain at the nodes."""
    strains = [jnp.zeros((0, 6))]
    for group, numbers in zip(model.structure.groups, prepared.elements, strict=True):
        if isinstance(group.element, Rod):
            at = (0.0, *_node_fractions(group.element))
            strains.append(jax.vmap(lambda n, q, e=group.element, at=at: e.strain(n, q, at))(numbers, q[group.q_index]))  # type: ignore[misc]
    by_group = jnp.concatenate([part.reshape(-1, 6) for part in strains])
    return by_group[_node_order(model.structure)]


def _node_fractions(element: Rod) -> tuple[float, ...]:
    return tuple(float(fraction) for fraction in np.unique(element.grid.end))


def _node_order(structure: Structure) -> np.ndarray:
    """Where each node, in link order, stands in the concatenation over groups and members."""
    start, found = 0, {}
    for group in structure.groups:
        if isinstance(group.element, Rod):
            count = 1 + len(_node_fractions(group.element))
            for member in group.members:
                found[member.link] = np.arange(start, start + count)
                start += count
    ordered = [found[link.name] for link in structure.links if link.name in found]
    return np.concatenate(ordered) if ordered else np.zeros(0, dtype=int)


def _rods_with_nodes(structure: Structure) -> list[tuple[Rod, tuple[float, ...], Any]]:
    """Rods, the fractions of their nodes and the names of their numbers."""
    rods = [link.rod for link in structure.links if link.rod is not None]
    return [
        (rod.element, (0.0, *_node_fractions(rod.element)), rod.numbers) for rod in rods if isinstance(rod.element, Rod)
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
    return Names(structure.coordinate_names, structure.velocity_names, frames, actuator_units(structure))
