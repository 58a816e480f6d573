"""Springs lowered."""

from typing import Any

from pliant import blueprint
from pliant.description.language import AnySpring
from pliant.description.language.grammar import acts_numbers
from pliant.description.lowering._lowering import Lowering


def lower_spring(lowering: Lowering, spring: AnySpring) -> blueprint.Spring:
    path = f"springs.{spring.name}"
    law: Any = getattr(spring, spring.kind)
    own = f"{path}.{spring.kind}"
    first, second = (lowering.where(f"{path}.between.{index}", end) for index, end in enumerate(spring.between))
    # A rest value that is found in the initial configuration has a place among the parameters all the same.
    rest = law.rest if isinstance(law.rest, tuple) else (law.rest,)
    slack = [0.0 if value is None else value for value in rest]
    return blueprint.Spring(
        kind=spring.kind,
        name=spring.name,
        between=(first, second),
        stiffness=lowering.number(own, law, "stiffness"),
        damping=lowering.number(own, law, "damping"),
        power=lowering.number(own, law, "damping_power"),
        ratio=lowering.number(own, law, "rest_ratio"),
        rest=lowering.like(f"{own}.rest", slack if spring.kind == "beam" else slack[0], type(law), "rest"),
        rest_initial=tuple(value is None for value in rest),
        acts=acts_numbers(law.acts),
        middle=spring.kind == "beam" and law.frame == "middle",
        input=lowering.value(path, spring, "force"),
    )
