"""Gaps of what acts on one side only: how long a step may be that does not pass through a touch."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from pliant.dynamics._evaluation import Evaluation, evaluation
from pliant.dynamics._inputs import Inputs
from pliant.dynamics._interactions import kinds
from pliant.dynamics._kinematics import along, down
from pliant.model import Model, Prepared, State, Structure

# A step while touching, times the angular frequency with which the touch swings back: thirty steps in half a swing.
_WHILE_TOUCHING = 0.1
# Of such a step, one in which a touch begins or ends: a damper's force jumps there, and what the step makes of that is
# wrong.
_LANDING = 1.0 / 8.0


class Touches(NamedTuple):
    """What acts on one side only, in a state: its gaps (n,) [m or rad], the times [s] after which they close, infinite
    where they do not, and while they are closed how long a step [s] may be: a small part of the swing with which they
    open again, and no longer than doubles their depth."""

    gap: Array
    reach: Array
    within: Array

    @property
    def limit(self) -> Array:
        """How long a step [s] may be that ends at the next touch."""
        return jnp.min(jnp.minimum(self.reach, self.within), initial=jnp.inf)

    def switched(self, after: "Touches") -> Array:
        """Whether a touch has begun or ended."""
        return jnp.any((self.gap > 0.0) != (after.gap > 0.0))

    def left(self, after: "Touches", length: Array) -> Array:
        """Whether a step [s] from here has gone too far beyond the end of a touch to land on it."""
        return jnp.any((self.gap <= 0.0) & (after.gap > 0.0) & (_LANDING * self.within < length))

    def slipped(self, after: "Touches") -> Array:
        """Whether a touch has ended out of which nothing pushed: how it swings is not known, only a damper held it."""
        return jnp.any((self.gap <= 0.0) & (after.gap > 0.0) & jnp.isinf(self.within))

    def passed(self, after: "Touches", length: Array) -> Array:
        """Whether a step [s] from here has gone through a touch, or too far into it to land on it."""
        met = (self.gap > 0.0) & ((after.gap <= 0.0) | (self.reach < length))
        return jnp.any(met & ~((after.gap <= 0.0) & (_LANDING * after.within >= length)))


def touches(model: Model, prepared: Prepared, state: State, a: Array, t: Array, inputs: Inputs) -> Touches:
    """The touches of a robot that goes on with its velocity and the acceleration a (nv,)."""
    return touches_at(evaluation(model.structure, prepared, state.q, state.v, t, inputs, memory=state.memory), model, a)


def touches_at(at: Evaluation, model: Model, a: Array) -> Touches:
    """The touches of a robot that moves, at one instant. Gaps change as the rows of the robot move; that numbers
    follow its stretch is left out."""
    structure, motion = at.structure, at.kinematics.motion
    assert motion is not None
    still = jnp.zeros((1, 6))

    def moving(now: Evaluation) -> tuple[Array, Array]:
        """The gaps and their rates."""
        found = [kind.gap_and_rate(own, now) for kind, own in kinds(at) if kind.gap_count]
        for group, numbers in zip(structure.groups, at.numbers.elements, strict=True):
            if group.element.gap_count:

                def own_gaps(q: Array, group: Any = group, numbers: Any = numbers) -> Array:
                    return jax.vmap(group.element.gap)(numbers, q[group.q_index]).reshape(-1)

                found.append(jax.jvp(own_gaps, (at.q,), (model.rate(at.q, now.v),)))
        gaps, rates = zip(*found, strict=True)
        return jnp.concatenate(gaps), jnp.concatenate(rates)

    gap, rate = moving(at)
    faster = down(structure.tree, along(structure, at.kinematics, a))
    _, change = moving(at.at_rates(jnp.concatenate([still, faster]), a))
    # The first zero of gap + rate s + change s^2 / 2, in a form that has no difference of equal numbers.
    under = rate**2 - 2.0 * change * gap
    slope = jnp.sqrt(jnp.maximum(under, 0.0)) - rate
    closes = (gap > 0.0) & (under >= 0.0) & (slope > 0.0)
    reach = jnp.where(closes, 2.0 * gap / jnp.where(closes, slope, 1.0), jnp.inf)
    # What pushes a closed gap open grows with its depth: change over depth is the square of a frequency. What opens it
    # may also be what pushes elsewhere, as where a rod lies on a floor: at a shallow place that looks like a swing that
    # no stiffness makes.
    closed = gap <= 0.0
    pushed, deepens = closed & (change > 0.0), closed & (rate < 0.0)
    swing = jnp.where(pushed, jnp.sqrt(-gap / jnp.where(pushed, change, 1.0)), jnp.inf)
    swing = jnp.maximum(swing, _shortest_swings(structure, at.numbers.interactions))
    twice = jnp.where(deepens, gap / jnp.where(deepens, rate, 1.0), jnp.inf)
    # Where something pushes, how it swings is known.
    return Touches(gap, reach, jnp.where(pushed, _WHILE_TOUCHING * swing, twice))


def _shortest_swings(structure: Structure, numbers: Sequence[Any]) -> Array:
    """(n,) [s] of the gaps; 0 where nothing is known. numbers: of the interactions."""
    found = [kind.swing(own) for kind, own in zip(structure.interactions, numbers, strict=True) if kind.gap_count]
    elements = sum(group.element.gap_count * len(group.q_index) for group in structure.groups)
    return jnp.concatenate([*found, jnp.zeros(elements)])
