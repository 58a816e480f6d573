"""Configurations that an element cannot have: of states that a user gives, and of what a solver finds."""

from collections.abc import Iterator
from typing import Any

from jax import Array

from pliant.model import Model, own_coordinates, own_numbers, prepare


def refuse_impossible_state(model: Model, q: Array) -> None:
    """Raise a ValueError that names the link, the value and the bound where an element cannot be as q says."""
    for element, *own in _limited(model, q):
        element.refuse_state(*own)


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
