"""Configurations that an element cannot have, and that are no start for what touches: of states that a user gives, and
of what a solver finds."""

import warnings
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.dynamics._evaluation import evaluation
from pliant.dynamics._interactions import kinds
from pliant.interactions import Force
from pliant.model import Model, own_coordinates, own_numbers, prepare


def refuse_impossible_state(model: Model, q: Array) -> None:
    """Raise a ValueError that names the link, the value and the bound where an element cannot be as q says."""
    for element, *own in _limited(model, q):
        element.refuse_state(*own)


def refuse_overlap(model: Model, q: Array, given: bool) -> None:
    """Raise a ValueError where things are so deep in each other at the start that the robot file cannot mean it. Where
    the state was given it is a warning: a soft contact may have got there."""
    worst, told = 0.0, ""
    touching = [kind for kind in model.structure.interactions if type(kind).overlap is not Force.overlap]
    if not touching:
        return
    for kind, (depth, allowed) in zip(touching, _overlaps(model, q), strict=True):
        beyond = np.asarray(depth) - np.asarray(allowed)
        index = int(np.argmax(beyond))
        if beyond[index] > worst:
            words = f"{float(depth[index]):.3g} m deep in each other, more than {float(allowed[index]):.3g} m"
            worst, told = float(beyond[index]), f"{kind.overlap_name(index)} begin {words}"
    if not told:
        return
    text = (
        f"robot {model.name!r}: {told}, the radius or size of what touches; expected sides that touch at most: move "
        "one of them"
    )
    if not given:
        raise ValueError(text)
    warnings.warn(text, RuntimeWarning, stacklevel=4)


@jax.jit
def _overlaps(model: Model, q: Array) -> list[tuple[Array, Array]]:
    at = evaluation(model.structure, prepare(model.structure, model.parameters), q, None, jnp.zeros(()), {})
    found = (kind.overlap(numbers, at) for kind, numbers in kinds(at))
    return [own for own in found if own is not None]


def impossible_shape(model: Model, q: Array) -> str | None:
    """A sentence about the element whose equations do not hold at q; None where there is none."""
    try:
        for element, *own in _limited(model, q):
            element.refuse_shape(*own)
    except ValueError as error:
        return str(error)
    return None


def _limited(model: Model, q: Array) -> Iterator[tuple[Any, ...]]:
    """The elements that have limits, each with its link, its numbers and its coordinates."""
    members = [member for member in model.structure.members if member.element.has_limits]
    if not members:
        return
    prepared = prepare(model.structure, model.parameters)
    for member in members:
        numbers = own_numbers(model.structure, prepared.elements, member)
        yield member.element, member.link, numbers, own_coordinates(member, q)
