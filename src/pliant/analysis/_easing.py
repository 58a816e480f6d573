"""Equilibria that Newton's method does not find from where the robot stands: by way of softer contacts, and where these
do not help, of a robot that is held back by its inertia."""

import math
from collections.abc import Callable, Mapping

import jax
import jax.numpy as jnp
from jax import Array

from pliant.analysis._statics import Easing, StaticSolution
from pliant.dynamics import check_inputs, constraint_gaps, constraint_matrix, forces_at_rest, mass_matrix
from pliant.model import Model, prepare
from pliant.numerics import ResultCode

_SHARES = (1e-4, 1e-3, 1e-2, 0.1)  # of the contacts' stiffness
_FIRST_TIME, _GROWS, _SHRINKS = 1e-2, 2.0, 8.0  # [s] of a held step, and by how much the next one is longer or shorter
_NEARLY = 0.7  # of a time that was too long: where this is not, that one may be tried again
_STANDS = 1e3  # times the first: a robot that is held so little and still finds its place stands there
_MOST_STEPS = 120
_SHORTEST_TIME = 1e-6  # s of a held step: what fails in it does not fail because it is not held enough

Inputs = Mapping[str, Array]
Find = Callable[[Array, Array, Easing | None], StaticSolution]


def eased(model: Model, q: Array, multipliers: Array, find: Find) -> StaticSolution:
    """The equilibrium that `find(start, multipliers, easing)` finds from q, with help where it needs some.

    Every solve begins with the reactions of the one before: what nothing holds, such as a ball on a floor, has many
    places of rest, and Newton's method tells only from all forces together that it is in one of them.
    """
    found = find(q, multipliers, None)
    for way in (_by_softer_contacts, _held_back):
        if _succeeded(found):
            break
        found = way(model, q, multipliers, find) or found
    return found


def carried_along(model: Model, q: Array, t: float, inputs: Inputs | None) -> Array | None:
    """q with driven joints where they shall be at time t, the rest of the robot carried along; None where nothing has
    to move, or a contact would open.

    Newton's method weighs metres of a driven joint against newtons of a contact, and where the first step of the joint
    makes a large force, its line search takes none. From here it has to balance forces alone.
    """
    if not model.structure.constraint_count:
        return None
    there = _placed(model, q, t, inputs)
    if bool(jnp.all(there == q)):
        return None
    before, after = (forces_at_rest(model, own, t, inputs).report for own in (q, there))
    opens = any(before[name] <= 0.0 < after[name] for name in before if name.endswith(".gap"))
    return None if opens else there


@jax.jit
def _placed(model: Model, q: Array, t: Array | float, inputs: Inputs | None) -> Array:
    """The shortest step in coordinates: that of a driven joint moves its own alone."""
    prepared = prepare(model.structure, model.parameters)
    time = jnp.asarray(t, dtype=jnp.float64)
    lacking = constraint_gaps(model, prepared, q, time, check_inputs(model, inputs))
    return model.integrate(q, -jnp.linalg.pinv(constraint_matrix(model, q)) @ lacking)


def _succeeded(found: StaticSolution) -> bool:
    return int(found.code) == ResultCode.SUCCESS


def _by_softer_contacts(model: Model, q: Array, multipliers: Array, find: Find) -> StaticSolution | None:
    free = jnp.zeros((model.nv, model.nv))
    near, iterations = q, 0
    for share in _SHARES:
        found = find(near, multipliers, Easing(jnp.asarray(share, dtype=jnp.float64), free, q))
        iterations += int(found.iterations)
        if not _succeeded(found):
            return None
        near, multipliers = found.q, found.multipliers
    found = find(near, multipliers, None)
    return found._replace(iterations=found.iterations + iterations)


def _held_back(model: Model, q: Array, multipliers: Array, find: Find) -> StaticSolution | None:
    """Steps of a motion that forgets its velocity: a robot that nothing holds yet falls until something does."""
    near, time, iterations, too_long = q, _FIRST_TIME, 0, math.inf
    for _ in range(_MOST_STEPS):
        held = mass_matrix(model, near) / time**2
        found = find(near, multipliers, Easing(jnp.ones(()), held, near))
        iterations += int(found.iterations)
        if not _succeeded(found):
            too_long, time = time, time / _SHRINKS
            if time < _SHORTEST_TIME:
                return None
            continue
        near, multipliers = found.q, found.multipliers
        if time >= _STANDS * _FIRST_TIME:
            break
        # A step that fails costs ten that do not.
        too_long = math.inf if time >= _NEARLY * too_long else too_long
        time = min(_GROWS * time, math.sqrt(time * too_long))
    found = find(near, multipliers, None)
    return found._replace(iterations=found.iterations + iterations)
