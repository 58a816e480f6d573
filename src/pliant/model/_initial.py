"""The state a robot starts from: what the file says of its joints and rods, at rest elsewhere."""

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.elements import ScrewJoint
from pliant.lie import quaternion
from pliant.mechanics import rotation_matrix
from pliant.model._placing import own_numbers
from pliant.model._structure import Member, Structure


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
        for member in structure.members:
            if member.link == entry["link"]:
                q, v = _apply(entry, member, own_numbers(structure, elements, member), parameters, q, v)
    return q, v


def _apply(
    entry: Mapping[str, Any], member: Member, prepared: Any, parameters: Mapping[str, Array], q: Array, v: Array
) -> tuple[Array, Array]:
    def number(name: str) -> Array | None:
        return None if entry.get(name) is None else parameters[entry[name][1:]]

    element: Any = member.element
    if hasattr(element, "uniform_strain"):
        q_at = slice(member.q_start, member.q_start + element.nq)
        v_at = slice(member.v_start, member.v_start + element.nv)
        own_q, own_v = _strained(entry, element, prepared, parameters)
        return q.at[q_at].set(own_q), v.at[v_at].set(own_v)
    if isinstance(element, ScrewJoint):
        for place, speed in (("angle", "rate"), ("displacement", "speed")):
            own = [i for i, name in enumerate(element.coordinate_names()) if name.startswith(place)]
            value, rate_value = number(place), number(speed)
            q = q if value is None else q.at[member.q_start + np.array(own)].set(value)
            v = v if rate_value is None else v.at[member.v_start + np.array(own)].set(rate_value)
        return q, v
    if entry["rotation"]:
        turned = quaternion.from_matrix(rotation_matrix(entry["rotation"], parameters))
        q = q.at[member.q_start : member.q_start + 4].set(turned)
    spin, position, velocity = number("angular_velocity"), number("position"), number("velocity")
    if spin is not None:
        v = v.at[member.v_start : member.v_start + 3].set(spin)
    if position is not None:
        q = q.at[member.q_start + 4 : member.q_start + 7].set(position)
    if velocity is not None:
        v = v.at[member.v_start + 3 : member.v_start + 6].set(velocity)
    return q, v


def _strained(
    entry: Mapping[str, Any], element: Any, prepared: Any, parameters: Mapping[str, Array]
) -> tuple[Array, Array]:
    """Coordinates of a rod of uniform strain, and its velocities at a uniform strain rate."""
    strain = {name: parameters[ref[1:]] for name, ref in entry["strain"].items()}
    rate = {name: parameters[ref[1:]] for name, ref in entry["strain_rate"].items()}
    start = element.uniform_strain(prepared, strain)

    def moved(time: Array) -> Array:
        names = strain.keys() | rate.keys()
        later = {name: strain.get(name, 0.0) + time * rate.get(name, 0.0) for name in names}
        return element.difference(element.uniform_strain(prepared, later), start)

    return start, jax.jvp(moved, (jnp.zeros(()),), (jnp.ones(()),))[1]
