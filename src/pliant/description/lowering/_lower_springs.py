"""Springs lowered."""

from typing import Any

from pliant.description.language import AnySpring
from pliant.description.language.grammar import acts_numbers
from pliant.description.lowering._lowering import Lowering, Structure


def lower_spring(lowering: Lowering, spring: AnySpring) -> Structure:
    path = f"springs.{spring.name}"
    law: Any = getattr(spring, spring.kind)
    own = f"{path}.{spring.kind}"
    # A rest value that is found in the initial configuration has a place among the parameters all the same.
    rest = law.rest if isinstance(law.rest, tuple) else (law.rest,)
    slack = [0.0 if value is None else value for value in rest]
    return {
        "name": spring.name,
        "kind": spring.kind,
        "between": [lowering.where(f"{path}.between.{index}", place) for index, place in enumerate(spring.between)],
        "stiffness": lowering.number(f"{own}.stiffness", law.stiffness),
        "damping": lowering.number(f"{own}.damping", law.damping),
        "power": lowering.number(f"{own}.damping_power", law.damping_power),
        "ratio": lowering.number(f"{own}.rest_ratio", law.rest_ratio),
        "rest": lowering.number(f"{own}.rest", slack if spring.kind == "beam" else slack[0]),
        "rest_initial": [value is None for value in rest],
        "acts": acts_numbers(law.acts),
        "middle": spring.kind == "beam" and law.frame == "middle",
        "input": None if spring.force is None else lowering.value(f"{path}.force", spring.force),
    }
