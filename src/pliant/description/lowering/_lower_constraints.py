"""Constraints lowered."""

from pliant.description.language import VELOCITIES, AnyConstraint, Constraint, Control, CoordinateTie, Link
from pliant.description.lowering._lowering import Lowering, Structure


def lower_constraint(lowering: Lowering, constraint: AnyConstraint, links: dict[str, Link]) -> Structure:
    if isinstance(constraint, CoordinateTie):
        return _tie(lowering, constraint, links)
    return _between(lowering, constraint)


def _between(lowering: Lowering, constraint: Constraint) -> Structure:
    path = f"constraints.{constraint.name}"
    places = [lowering.where(f"{path}.between.{index}", place) for index, place in enumerate(constraint.between)]
    follow, control = constraint.follow, constraint.control
    return {
        "name": constraint.name,
        "between": places,
        "joint": None if constraint.joint is None else lowering.joint(f"{path}.joint", constraint.joint),
        "fix": None if constraint.fix is None else list(constraint.fix),
        "frame": constraint.frame or "first",
        "follow": None if follow is None else lowering.value(f"{path}.follow", follow),
        "control": None if control is None else _control(lowering, f"{path}.control", control),
        "through": None if constraint.through is None else list(constraint.through),
    }


def _control(lowering: Lowering, path: str, control: Control) -> Structure:
    wanted = control.acceleration
    gains = ("proportional", "derivative", "integral")
    return {
        "acceleration": None if wanted is None else lowering.value(f"{path}.acceleration", wanted),
        **{name: lowering.number(f"{path}.{name}", getattr(control, name)) for name in gains},
    }


def _tie(lowering: Lowering, constraint: CoordinateTie, links: dict[str, Link]) -> Structure:
    ends = []
    for end in constraint.tie:
        names = VELOCITIES[links[end.joint].joint.word]
        index = names.index(end.coordinate) if end.coordinate is not None else 0
        ends.append({"link": lowering.joint_link(end.joint), "coordinate": index})
    ratio = lowering.number(f"constraints.{constraint.name}.ratio", constraint.ratio)
    return {"name": constraint.name, "tie": ends, "ratio": ratio}
