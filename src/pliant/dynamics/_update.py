"""Numbers that follow the state: radii, lengths and moduli of rods that update with their mean stretch, and maps
written by the user (TMTDyn's mid-step function).

Forces are taken at the numbers of the moment, as if they were constant; Newton's method differentiates through them.
"""

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.arguments import call_traced
from pliant.model import Group, Prepared, Structure, prepare, stacked_numbers

# Sizes of a cross-section that shrink as an incompressible rod stretches. The radius of a hole does not: its chamber is
# bound by fibres.
_SIZES = ("radius", "inner", "outer", "width", "height", "semi_x", "semi_y", "holes.centre")
# Stiffness of a section whose shape is not known: E A over the square of the stretch, E I over its cube. Muscles have
# one stiffness, E A; what it makes of bending follows their distance from the axis.
_GIVEN_POWER = np.array([3.0, 3.0, 3.0, 2.0, 2.0, 2.0])
_UPDATE = "updates must be JAX functions (parameters, stretch, t) -> {path: value}"


def at_state(structure: Structure, prepared: Prepared, q: Array, v: Array, t: Array) -> Prepared:
    """The prepared numbers as they are in this state."""
    if structure.update is not None:
        who, stretches = f"the update of robot {structure.name!r}", mean_stretches(structure, prepared, q)
        changed = call_traced(who, _UPDATE, structure.update, prepared.parameters, stretches, t)
        unknown = [path for path in changed if path not in prepared.parameters]
        if unknown:
            raise KeyError(f"{who} returned unknown parameters: {', '.join(unknown)}")
        for path, value in changed.items():
            if jnp.shape(value) != prepared.parameters[path].shape:
                shapes = f"shape {jnp.shape(value)} for {path}, which has {prepared.parameters[path].shape}"
                raise ValueError(f"{who} returned a value of {shapes}")
        prepared = prepare(structure, {**prepared.parameters, **changed})
    if not any(group.members[0].update for group in structure.groups):
        return prepared
    elements, thinner = [], jnp.ones(structure.tree.row_count + 1)
    for group, numbers in zip(structure.groups, prepared.elements, strict=True):
        if group.members[0].update:
            stretch = _mean_stretch(group, numbers, q)
            elements.append(_softened(group, numbers, prepared.parameters, stretch))
            rows = jnp.repeat(stretch**-0.5, group.row_count // len(group.members))
            thinner = thinner.at[np.arange(group.row_start, group.row_start + group.row_count)].set(rows)
        else:
            elements.append(numbers)
    pairs = zip(structure.interactions, prepared.interactions, strict=True)
    interactions = tuple(kind.thinned(numbers, thinner) for kind, numbers in pairs)
    return prepared._replace(elements=tuple(elements), interactions=interactions)


def mean_stretches(structure: Structure, prepared: Prepared, q: Array) -> dict[str, Array]:
    """Rod name -> length of its axis over its unloaded length, as strains have it."""
    found = {}
    for group, numbers in zip(structure.groups, prepared.elements, strict=True):
        if group.element.is_rod:
            stretch = _mean_stretch(group, numbers, q)
            found.update({member.link: stretch[index] for index, member in enumerate(group.members)})
    return found


def _mean_stretch(group: Group, numbers: Any, q: Array) -> Array:
    """(n,) of the rods of a group."""
    rod: Any = group.element
    weight = jnp.asarray(rod.strain_weights(0.0, 1.0))
    strains = jax.vmap(rod.row_strains)(numbers, q[group.q_index])
    return jnp.sum(strains[..., 5] * weight, axis=(1, 2))


def _softened(group: Group, prepared: Any, parameters: Mapping[str, Array], stretch: Array) -> Any:
    """Prepared numbers with the stiffness of thinner, longer, softer rods: r / sqrt(stretch), l stretch, E / stretch.

    Strains stay what the coordinates say; that they are per unloaded length, the length in the stiffness makes good."""
    numbers = stacked_numbers([member.numbers for member in group.members], parameters)
    element: Any = group.element

    def one(numbers: Mapping[str, Array], stretch: Array) -> Any:
        changed = {name: value * stretch**-0.5 for name, value in numbers.items() if name in _SIZES}
        if "young" in numbers:
            changed["young"] = numbers["young"] / stretch
        if "stiffness" in numbers:
            power = _GIVEN_POWER if numbers["stiffness"].ndim else _GIVEN_POWER[-1]
            changed["stiffness"] = numbers["stiffness"] * stretch**-power
        return element.prepare({**numbers, **changed})

    softer = jax.vmap(one)(numbers, stretch)
    return jax.vmap(element.with_stiffness)(prepared, softer, 1.0 / stretch)
