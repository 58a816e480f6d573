"""Numbers derived from the parameters, computed in JAX once per solve: section stiffness, masses, constant offsets."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.interactions import Frame
from pliant.mechanics import Chain, RigidInertia, axis_vector, offset_poses, stacked
from pliant.model._initial import initial_state
from pliant.model._placing import Placing
from pliant.model._structure import Body, NumberPaths, Structure


class Prepared(NamedTuple):
    """What every function of (q, v) needs. Poses are relative to the end of the row a thing hangs on."""

    parameters: Mapping[str, Array]
    elements: tuple[Any, ...]  # per group, stacked over its members
    offsets: tuple[
        Array | None, ...
    ]  # per group (n, 4, 4) between a member and the row it hangs on; None: all identity
    inertia: RigidInertia  # (R,) in the frames of the rows, bodies included
    frame_offset: Array  # (F, 4, 4)
    node_offset: Array
    body_offset: Array
    body_inertia: RigidInertia  # (B,) in the bodies' own frames
    interactions: tuple[Any, ...]  # per kind, as it prepared itself
    constraints: tuple[Any, ...]


def prepare(structure: Structure, parameters: Mapping[str, Array]) -> Prepared:
    """Prepared numbers for one set of parameters; differentiable, and the same trace for all values."""
    elements = prepare_elements(structure, parameters)
    offsets = tuple(
        _member_offsets([member.chain for member in group.members], parameters) for group in structure.groups
    )
    start = functools.cache(
        lambda: Placing(structure, elements, parameters, initial_state(structure, parameters, elements)[0])
    )
    body_offset = _offsets(structure.bodies, parameters)
    body_inertia = _body_inertia(structure.bodies, parameters)
    return Prepared(
        parameters=parameters,
        elements=elements,
        offsets=offsets,
        inertia=_row_inertia(structure, elements, body_offset, body_inertia),
        frame_offset=_offsets(structure.frames, parameters),
        node_offset=_offsets(structure.nodes, parameters),
        body_offset=body_offset,
        body_inertia=body_inertia,
        interactions=tuple(kind.prepare(parameters, start) for kind in structure.interactions),
        constraints=tuple(kind.prepare(parameters) for kind in structure.constraints),
    )


def softened(structure: Structure, prepared: Prepared, share: Array) -> Prepared:
    """The robot with a share of the stiffness of what begins to act where it was not felt before."""
    own = zip(structure.interactions, prepared.interactions, strict=True)
    return prepared._replace(interactions=tuple(kind.softened(numbers, share) for kind, numbers in own))


def prepare_elements(structure: Structure, parameters: Mapping[str, Array]) -> tuple[Any, ...]:
    """Per group, stacked over its members."""
    return tuple(
        jax.vmap(group.element.prepare)(stacked_numbers([member.numbers for member in group.members], parameters))
        if group.members[0].numbers
        else {}
        for group in structure.groups
    )


def stacked_numbers(numbers: Sequence[NumberPaths], parameters: Mapping[str, Array]) -> dict[str, Array]:
    """name -> (n, ...) over members whose numbers have the same names and shapes: parameters by path, or the vectors
    of named axes."""
    found = {}
    for index, (name, _) in enumerate(numbers[0]):
        refs = [member[index][1] for member in numbers]
        if name.startswith("axis_"):
            found[name] = jnp.stack([axis_vector(ref, parameters) for ref in refs])
        else:
            found[name] = stacked(refs, parameters)
    return found


def _member_offsets(chains: Sequence[Chain], parameters: Mapping[str, Array]) -> Array | None:
    if not any(chains):
        return None
    return offset_poses(chains, parameters)


def _offsets(items: Sequence[Frame | Body], parameters: Mapping[str, Array]) -> Array:
    """(n, 4, 4) constant pose of each frame in its row."""
    return offset_poses([item.chain for item in items], parameters)


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
