"""What the sections of an arm cannot do, for states that a user gives."""

import jax.numpy as jnp
import numpy as np
from jax import Array

from pliant.elements import ArmSection
from pliant.model import Model, own_coordinates, own_numbers, prepare

FULL_TURN = 2.0 * np.pi  # rad; a section that bends further runs into itself
_ROUNDING = 1e-9  # m


def refuse_impossible_arcs(model: Model, q: Array) -> None:
    """A ValueError that names the section, the value and the bound, for lengths beyond a stroke, sections without
    length and more than a full turn."""
    members = [member for member in model.structure.members if isinstance(member.element, ArmSection)]
    if not members:
        return
    prepared = prepare(model.structure, model.parameters)
    for member in members:
        element, own = member.element, own_coordinates(member, jnp.asarray(q))
        numbers = own_numbers(model.structure, prepared.elements, member)
        bend, length = (np.asarray(part) for part in element.arc(numbers, own))  # type: ignore[attr-defined]
        turn = float(np.linalg.norm(bend))
        if not turn <= FULL_TURN:
            raise ValueError(
                f"section {member.link!r} bends by {np.degrees(turn):.4g} deg; a section can bend by 360 deg at most"
            )
        if not length > 0.0:
            raise ValueError(f"section {member.link!r} has a length of {1e3 * length:.4g} mm; it must be above 0")
        if numbers.stroke is None:
            continue
        low, high = np.asarray(numbers.stroke)
        changes = np.asarray(element.actuator_lengths(own))  # type: ignore[attr-defined]
        for index, change in enumerate(changes):
            if not low - _ROUNDING <= change <= high + _ROUNDING:
                raise ValueError(
                    f"actuator {index + 1} of section {member.link!r} changes its length by {1e3 * change:.4g} mm; its "
                    f"stroke is {1e3 * low:.4g} to {1e3 * high:.4g} mm"
                )
