"""How large the numbers of a static problem are: rounding errors are a share of them."""

import jax
import jax.numpy as jnp
from jax import Array

from pliant.model import Model, Prepared


def unknown_sizes(model: Model, prepared: Prepared, x: Array) -> Array:
    """(nv + m + n,) sizes of the numbers behind every unknown of a static problem: coordinates and multipliers x
    (nq + m + n,)."""
    groups = model.structure.groups
    if all(group.element.is_flat for group in groups):
        return jnp.abs(x)
    sizes = jnp.zeros(model.nv)
    for group, numbers in zip(groups, prepared.elements, strict=True):
        own = jax.vmap(group.element.coordinate_sizes)(numbers, x[group.q_index])
        sizes = sizes.at[group.v_index].set(own)
    return jnp.concatenate([sizes, jnp.abs(x[model.nq :])])
