"""Numbers derived from the parameters, computed in JAX once per solve: section stiffness, masses, constant offsets."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.interactions import RouteNumbers, prepare_routes
from pliant.mechanics import RigidInertia
from pliant.model._initial import initial_state
from pliant.model._offsets import AXES, axis_vector, offset_pose
from pliant.model._placing import Placing
from pliant.model._structure import Body, Chain, Frame, Numbers, Structure


class Prepared(NamedTuple):
    """What every function of (q, v) needs. Poses are relative to the end of the row a thing hangs on."""

    parameters: Mapping[str, Array]
    elements: tuple[Any, ...]  # per group, stacked over its members
    offsets: tuple[
        Array | None, ...
    ]  # per group (n, 4, 4) between a member and the row it hangs on; None: all identity
    inertia: RigidInertia  # (R,) in the frames of the rows, bodies included
    frame_offset: Array  # (F, 4, 4)
    load_offset: Array
    node_offset: Array
    body_offset: Array
    body_inertia: RigidInertia  # (B,) in the bodies' own frames
    routes: RouteNumbers | None
    loops: tuple[Any, ...]  # per loop group, stacked over its loops
    loop_offset: tuple[Array, ...]  # per loop group (2 n, 4, 4), the first frames, then the second
    springs: tuple[Any, ...]  # per spring group, stacked over its springs
    spring_offset: tuple[Array, ...]  # as loop_offset


def prepare(structure: Structure, parameters: Mapping[str, Array]) -> Prepared:
    """Prepared numbers for one set of parameters; differentiable, and the same trace for all values."""
    elements = prepare_elements(structure, parameters)
    spring_offset = tuple(
        _offsets([spring.first for spring in group] + [spring.second for spring in group], parameters)
        for group in structure.spring_groups
    )
    offsets = tuple(
        _member_offsets([member.chain for member in group.members], parameters) for group in structure.groups
    )
    body_offset = _offsets(structure.bodies, parameters)
    body_inertia = _body_inertia(structure.bodies, parameters)
    return Prepared(
        parameters=parameters,
        elements=elements,
        offsets=offsets,
        inertia=_row_inertia(structure, elements, body_offset, body_inertia),
        frame_offset=_offsets(structure.frames, parameters),
        load_offset=_offsets(structure.point_load_frames, parameters),
        node_offset=_offsets(structure.nodes, parameters),
        body_offset=body_offset,
        body_inertia=body_inertia,
        routes=_routes(structure, parameters),
        loops=tuple(
            jax.vmap(group[0].kind.prepare)(stacked_numbers([loop.numbers for loop in group], parameters))
            if group[0].numbers
            else {}
            for group in structure.loop_groups
        ),
        loop_offset=tuple(
            _offsets([loop.first for loop in group] + [loop.second for loop in group], parameters)
            for group in structure.loop_groups
        ),
        springs=_springs(structure, parameters, elements),
        spring_offset=spring_offset,
    )


def prepare_elements(structure: Structure, parameters: Mapping[str, Array]) -> tuple[Any, ...]:
    """Per group, stacked over its members."""
    return tuple(
        jax.vmap(group.element.prepare)(stacked_numbers([member.numbers for member in group.members], parameters))
        if group.members[0].numbers
        else {}
        for group in structure.groups
    )


def _springs(structure: Structure, parameters: Mapping[str, Array], elements: tuple[Any, ...]) -> tuple[Any, ...]:
    """Per group the numbers of its springs; rest values that are to be found are those of the initial configuration."""
    if not structure.springs:
        return ()
    placing = Placing(structure, elements, parameters, initial_state(structure, parameters, elements)[0])
    result = []
    for group in structure.spring_groups:
        kind = group[0].kind
        nowhere = jnp.broadcast_to(jnp.eye(4), (len(group), 4, 4))
        ends = [nowhere, nowhere]
        if any(kind.initial):
            ends = [
                jnp.stack([placing.frame(frame) for frame in frames])
                for frames in ([spring.first for spring in group], [spring.second for spring in group])
            ]
        result.append(kind.prepare(stacked_numbers([spring.numbers for spring in group], parameters), *ends))
    return tuple(result)


def _routes(structure: Structure, parameters: Mapping[str, Array]) -> RouteNumbers | None:
    if structure.routes is None:
        return None
    return prepare_routes(structure.routes, parameters, _poses(structure.routes.point_chain, parameters))


def _number(ref: str, parameters: Mapping[str, Array]) -> Array:
    """A parameter by path, or the vector of a named axis."""
    return axis_vector(ref, parameters) if ref in AXES or ref.startswith("@") else parameters[ref]


def stacked_numbers(numbers: Sequence[Numbers], parameters: Mapping[str, Array]) -> dict[str, Array]:
    """name -> (n, ...) over members whose numbers have the same names and shapes."""
    names = [name for name, _ in numbers[0]]
    return {
        name: jnp.stack([_number(member[index][1], parameters) for member in numbers])
        for index, name in enumerate(names)
    }


def _member_offsets(chains: Sequence[Chain], parameters: Mapping[str, Array]) -> Array | None:
    if not any(chains):
        return None
    return jnp.stack([offset_pose(chain, parameters) for chain in chains])


def _offsets(items: Sequence[Frame | Body], parameters: Mapping[str, Array]) -> Array:
    """(n, 4, 4) constant pose of each frame in its row."""
    return _poses([item.chain for item in items], parameters)


def _poses(chains: Sequence[Chain], parameters: Mapping[str, Array]) -> Array:
    poses = jnp.broadcast_to(jnp.eye(4), (len(chains), 4, 4))
    moved = [index for index, chain in enumerate(chains) if chain]
    if not moved:
        return poses
    return poses.at[np.array(moved)].set(jnp.stack([offset_pose(chains[i], parameters) for i in moved]))


def _body_inertia(bodies: Sequence[Body], parameters: Mapping[str, Array]) -> RigidInertia:
    """(B,) inertia of the bodies in their own frames; equal kinds of bodies are evaluated together."""
    result = RigidInertia(jnp.zeros(len(bodies)), jnp.zeros((len(bodies), 3)), jnp.zeros((len(bodies), 3, 3)))
    for indices, inertia in _by_kind(bodies, parameters, lambda body: body.body.inertia):
        result = RigidInertia(*(whole.at[indices].set(part) for whole, part in zip(result, inertia, strict=True)))
    return result


def body_size(bodies: Sequence[Body], parameters: Mapping[str, Array]) -> Array:
    """(B, 3) sizes for drawing."""
    result = jnp.zeros((len(bodies), 3))
    for indices, size in _by_kind(bodies, parameters, lambda body: body.body.size):
        result = result.at[indices].set(size)
    return result


def _by_kind(
    bodies: Sequence[Body], parameters: Mapping[str, Array], function: Callable[[Body], Callable]
) -> list[tuple[np.ndarray, Any]]:
    kinds: dict[Any, list[int]] = {}
    for index, body in enumerate(bodies):
        shapes = tuple((name, parameters[path].shape) for name, path in body.numbers)
        kinds.setdefault((body.body, shapes), []).append(index)
    return [
        (np.array(i), jax.vmap(function(bodies[i[0]]))(stacked_numbers([bodies[k].numbers for k in i], parameters)))
        for i in kinds.values()
    ]


def _row_inertia(
    structure: Structure, elements: tuple[Any, ...], body_offset: Array, body_inertia: RigidInertia
) -> RigidInertia:
    parts = []
    for group, prepared in zip(structure.groups, elements, strict=True):
        own = jax.vmap(group.element.row_inertia)(prepared) if prepared else None
        if own is None:
            n = group.row_count
            own = RigidInertia(jnp.zeros(n), jnp.zeros((n, 3)), jnp.zeros((n, 3, 3)))
        parts.append(own)
    rows = structure.tree.row_count
    flat = RigidInertia(
        jnp.concatenate([p.mass.reshape(-1) for p in parts]) if parts else jnp.zeros(0),
        jnp.concatenate([p.moment.reshape(-1, 3) for p in parts]) if parts else jnp.zeros((0, 3)),
        jnp.concatenate([p.second.reshape(-1, 3, 3) for p in parts]) if parts else jnp.zeros((0, 3, 3)),
    )
    carried = [index for index, body in enumerate(structure.bodies) if body.row > 0]
    if not carried or rows == 0:
        return flat
    at_row = body_inertia.transform(body_offset[:, :3, :3], body_offset[:, :3, 3])
    target = np.array([structure.bodies[index].row - 1 for index in carried])
    chosen = np.array(carried)
    return RigidInertia(*(whole.at[target].add(part[chosen]) for whole, part in zip(flat, at_row, strict=True)))
