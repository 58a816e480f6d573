"""What contacts do at one instant, and what should follow from their energies."""

from typing import Any

from pliant.dynamics import Evaluation
from pliant.dynamics._interactions import gathered, kinds, projected
from pliant.interactions import Contacts, Force


def contact_forces(at: Evaluation) -> dict[str, dict[str, Any]]:
    """By the kinds of contacts: wrenches, the generalised force of these and that derived from energy and dissipation,
    what is lost, gaps and reports."""
    found = {}
    for kind, numbers in kinds(at):
        if isinstance(kind, Contacts):
            push = kind.resists(numbers, at)
            found[kind.name] = {
                "wrench": push.wrench,
                "force": projected(at, gathered(at.structure, [push])),
                "derived": projected(at, gathered(at.structure, [Force.resists(kind, numbers, at)])),
                "loss": kind.loss(numbers, at),
                "gap": kind.gap(numbers, at),
                "report": kind.report(numbers, at),
            }
    return found
