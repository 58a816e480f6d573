"""Switching loads off by name."""

from collections.abc import Iterable

import jax.numpy as jnp
from jax import Array

from pliant.model import Model


def without_loads(model: Model, drop: Iterable[str]) -> dict[str, Array]:
    """Inputs that hold the named loads at zero."""
    loads = {name.rsplit(".", 1)[0] for name in model.input_names}
    inputs = {}
    for name in drop:
        if name not in loads:
            raise KeyError(
                f"robot {model.name!r} has no load {name!r} to drop; its loads are: {', '.join(sorted(loads))}"
            )
        inputs.update({f"{name}.force": jnp.zeros(3), f"{name}.moment": jnp.zeros(3)})
    return inputs
