"""The state a robot starts from: what the file says of its joints and rods, at rest elsewhere."""

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.blueprint import Initial, numbers
from pliant.mechanics import rotation_matrix
from pliant.model._placing import own_numbers
from pliant.model._structure import Structure


def neutral(structure: Structure) -> Array:
    """q (nq,) of the reference configuration."""
    q = np.zeros(structure.nq)
    for member in structure.members:
        q[member.q_start : member.q_start + member.element.nq] = member.element.neutral()
    return jnp.asarray(q)


def initial_state(
    structure: Structure, parameters: Mapping[str, Array], elements: tuple[Any, ...]
) -> tuple[Array, Array]:
    """q (nq,) and v (nv,) from the file's `initial`; elements: prepared, per group."""
    q, v = neutral(structure), jnp.zeros(structure.nv)
    for entry in structure.initial:
        given = _given(entry, parameters)
        for member in structure.members:
            if member.link == entry.link:
                element = member.element
                own_q, own_v = element.initial_state(own_numbers(structure, elements, member), given)
                q = q.at[member.q_start : member.q_start + element.nq].set(own_q)
                v = v.at[member.v_start : member.v_start + element.nv].set(own_v)
    return q, v


def _given(entry: Initial, parameters: Mapping[str, Array]) -> dict[str, Any]:
    """What the file says of a link, by its words (`Element.initial_state`)."""

    def values(paths: Mapping[str, str]) -> dict[str, Any]:
        return {name: parameters[path] for name, path in paths.items()}

    found = values(numbers(entry)) | {"strain": values(entry.strain), "strain_rate": values(entry.strain_rate)}
    return found | {"rotation": rotation_matrix(entry.rotation, parameters)} if entry.rotation else found
