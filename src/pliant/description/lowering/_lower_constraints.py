"""Constraints lowered."""

from pliant import blueprint
from pliant.blueprint import JointCoordinate
from pliant.description.language import VELOCITIES, AnyConstraint, Constraint, Control, CoordinateTie, Link
from pliant.description.lowering._lowering import Lowering


def lower_constraint(lowering: Lowering, constraint: AnyConstraint, links: dict[str, Link]) -> blueprint.Constraint:
    if isinstance(constraint, CoordinateTie):
        return _coupling(lowering, constraint, links)
    return _loop(lowering, constraint)


def _loop(lowering: Lowering, constraint: Constraint) -> blueprint.Loop:
    path = f"constraints.{constraint.name}"
    first, second = (lowering.where(f"{path}.between.{index}", end) for index, end in enumerate(constraint.between))
    control = constraint.control
    return blueprint.Loop(
        name=constraint.name,
        between=(first, second),
        joint=None if constraint.joint is None else lowering.joint(f"{path}.joint", constraint.joint),
        fix=constraint.fix,
        frame=constraint.frame or "first",
        follow=lowering.value(path, constraint, "follow"),
        control=None if control is None else _control(lowering, f"{path}.control", control),
        through=constraint.through,
    )


def _control(lowering: Lowering, path: str, control: Control) -> blueprint.Control:
    gains = ("proportional", "derivative", "integral")
    return blueprint.Control(
        acceleration=lowering.value(path, control, "acceleration"),
        **{name: lowering.number(path, control, name) for name in gains},
    )


def _coupling(lowering: Lowering, constraint: CoordinateTie, links: dict[str, Link]) -> blueprint.Coupling:
    ends = []
    for end in constraint.tie:
        names = VELOCITIES[links[end.joint].joint.word]
        index = names.index(end.coordinate) if end.coordinate is not None else 0
        ends.append(JointCoordinate(lowering.joint_link(end.joint), index))
    ratio = lowering.number(f"constraints.{constraint.name}", constraint, "ratio")
    return blueprint.Coupling(constraint.name, (ends[0], ends[1]), ratio)
