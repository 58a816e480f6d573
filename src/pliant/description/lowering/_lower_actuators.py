"""Actuators lowered."""

from collections.abc import Sequence
from typing import Any

from pliant import blueprint
from pliant.blueprint import Constant, Helix, JointDrive, RouteItem, RoutePoint, RouteRun
from pliant.description.language import (
    VELOCITIES,
    Actuator,
    Centre,
    ChamberActuator,
    Link,
    Offsets,
    Point,
    Run,
    StressActuator,
    TendonActuator,
    per_velocity,
)
from pliant.description.language import JointDrive as WrittenDrive
from pliant.description.lowering._lowering import Lowering


def lower_actuator(lowering: Lowering, actuator: Actuator, links: dict[str, Link]) -> list[blueprint.Actuator]:
    """The actuators of the blueprint that one of the file stands for: several for a pattern of chambers."""
    if isinstance(actuator, TendonActuator):
        return [_tendon(lowering, actuator)]
    if isinstance(actuator, ChamberActuator):
        return _chambers(lowering, actuator)
    if isinstance(actuator, StressActuator):
        return [_stress(lowering, actuator)]
    names = VELOCITIES[links[actuator.joint].joint.word]
    value = lowering.value(f"actuators.{actuator.name}", actuator, actuator.drive)
    chosen = tuple(names.index(name) for name in actuator.coordinate or names)
    return [JointDrive(actuator.name, lowering.joint_link(actuator.joint), chosen, actuator.drive, value)]


def lower_drive(lowering: Lowering, link: Link) -> list[blueprint.Actuator]:
    """`joint: {prismatic: x, drive: motion}` is an actuator of the link's name that holds every coordinate at 0."""
    drive, names = link.joint.drive, VELOCITIES[link.joint.word]
    if drive is None:
        return []
    value = 0.0 if len(names) == 1 else [0.0] * len(names)
    path, meaning = f"actuators.{link.name}.{drive}", WrittenDrive.meaning(drive)
    kept = Constant(lowering.keep(path, value, [per_velocity(names, drive)], meaning))
    return [JointDrive(link.name, lowering.joint_link(link.name), tuple(range(len(names))), drive, kept)]


def _stress(lowering: Lowering, actuator: StressActuator) -> blueprint.Stress:
    run = actuator.internal
    along = tuple(stretch for stretch, _ in lowering.stretches(run.link, run.from_, run.to))
    return blueprint.Stress(actuator.name, along, lowering.value(f"actuators.{actuator.name}", actuator, "stress"))


def _tendon(lowering: Lowering, actuator: TendonActuator) -> blueprint.Tendon:
    path = f"actuators.{actuator.name}"
    route = actuator.tendon.route
    if isinstance(route, Offsets):
        items: Sequence[RouteItem] = _run(lowering, f"{path}.tendon.route", str(actuator.tendon.link), route)
    else:
        items = [
            lowered
            for index, item in enumerate(route)
            for lowered in _item(lowering, f"{path}.tendon.route.{index}", item)
        ]
    drive = "length" if actuator.tension is None else "tension"
    return blueprint.Tendon(
        name=actuator.name,
        route=tuple(items),
        drive=drive,
        value=lowering.value(path, actuator, drive),
        friction=lowering.number(path, actuator, "friction"),
        stiffness=lowering.number(path, actuator, "stiffness"),
    )


def _item(lowering: Lowering, path: str, item: Run | Point) -> Sequence[RouteItem]:
    if isinstance(item, Run):
        return _run(lowering, path, item.link, item)
    return [RoutePoint(lowering.where(path, item))]


def _run(lowering: Lowering, path: str, link: str, run: Offsets) -> list[RouteRun]:
    numbers = {
        "x": lowering.number(path, run, "x"),
        "y": lowering.number(path, run, "y"),
        "helix": None if run.helix is None else Helix(**lowering.numbers(f"{path}.helix", run.helix)),
    }
    return _along(lowering, link, run.from_, run.to, numbers)


def _along(lowering: Lowering, link: str, begin: float, end: float, numbers: dict[str, Any]) -> list[RouteRun]:
    return [RouteRun(stretch, span, **numbers) for stretch, span in lowering.stretches(link, begin, end)]


def _chambers(lowering: Lowering, actuator: ChamberActuator) -> list[blueprint.Actuator]:
    chamber, path = actuator.chamber, f"actuators.{actuator.name}"
    pressures = actuator.pressure * (1 if len(actuator.pressure) > 1 else len(actuator.names))
    lowered: list[blueprint.Actuator] = []
    for name, pressure, group in zip(actuator.names, pressures, chamber.channels(), strict=True):
        channels: list[RouteRun] = []
        for index, (x, y) in enumerate(group):
            # The centres of a pattern stand in the file only by way of its radius and angles.
            where = f"{path}.chamber.centre" if chamber.around is None else f"actuators.{name}.channels.{index}"
            own = {"x": x, "y": y}
            numbers = {word: lowering.like(f"{where}.{word}", value, Centre, word) for word, value in own.items()}
            channels += _along(lowering, chamber.link, chamber.from_, chamber.to, {**numbers, "helix": None})
        lowered.append(
            blueprint.Chamber(
                name=name,
                channels=tuple(channels),
                radius=lowering.number(f"{path}.chamber", chamber, "radius"),
                area=lowering.number(f"{path}.chamber", chamber, "area"),
                value=lowering.programme(f"actuators.{name}.pressure", pressure, actuator.meaning("pressure")),
            )
        )
    return lowered
