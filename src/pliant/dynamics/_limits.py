"""Configurations that an element cannot have, for states that a user gives."""

from jax import Array

from pliant.model import Model, own_coordinates, own_numbers, prepare


def refuse_impossible_state(model: Model, q: Array) -> None:
    """Raise a ValueError that names the link, the value and the bound where an element cannot be as q says."""
    members = [member for member in model.structure.members if member.element.has_limits]
    if not members:
        return
    prepared = prepare(model.structure, model.parameters)
    for member in members:
        numbers = own_numbers(model.structure, prepared.elements, member)
        member.element.refuse_state(member.link, numbers, own_coordinates(member, q))
