"""Gaps of what acts on one side only: how long a step may be that does not pass through a touch."""

import jax
import jax.numpy as jnp
from jax import Array

from pliant.dynamics._evaluation import Inputs, evaluation
from pliant.dynamics._interactions import kinds
from pliant.model import Model, Prepared, State

# A step while touching, times the angular frequency with which the touch swings back: thirty steps in half a swing.
_WHILE_TOUCHING = 0.1


def touch_limit(model: Model, prepared: Prepared, state: State, a: Array, t: Array, inputs: Inputs) -> Array:
    """How long a step [s] from a state may be that does not pass through a touch: it ends where a gap closes, as the
    robot goes on with its velocity and the acceleration a (nv,); while a gap is closed it is a small part of the swing
    with which it opens again, and no longer than doubles its depth. Infinite where nothing comes near."""

    def gaps(q: Array) -> Array:
        at = evaluation(model.structure, prepared, q, None, t, inputs, memory=state.memory)
        found = [kind.gap(own, at) for kind, own in kinds(at) if kind.gap_count]
        for group, numbers in zip(model.structure.groups, at.numbers.elements, strict=True):
            if group.element.gap_count:
                found.append(jax.vmap(group.element.gap)(numbers, q[group.q_index]).reshape(-1))
        return jnp.concatenate(found)

    gap, along = jax.linearize(gaps, state.q)
    rate, change = (along(model.rate(state.q, moved)) for moved in (state.v, a))
    # The first zero of gap + rate s + change s^2 / 2, in a form that has no difference of equal numbers.
    under = rate**2 - 2.0 * change * gap
    slope = jnp.sqrt(jnp.maximum(under, 0.0)) - rate
    reaches = (gap > 0.0) & (under >= 0.0) & (slope > 0.0)
    reach = jnp.where(reaches, 2.0 * gap / jnp.where(reaches, slope, 1.0), jnp.inf)
    # What pushes a closed gap open grows with its depth: change over depth is the square of a frequency.
    closed = gap <= 0.0
    pushed, deepens = closed & (change > 0.0), closed & (rate < 0.0)
    swing = jnp.where(pushed, jnp.sqrt(-gap / jnp.where(pushed, change, 1.0)), jnp.inf)
    twice = jnp.where(deepens, gap / jnp.where(deepens, rate, 1.0), jnp.inf)
    return jnp.min(jnp.minimum(jnp.minimum(reach, twice), _WHILE_TOUCHING * swing), initial=jnp.inf)
