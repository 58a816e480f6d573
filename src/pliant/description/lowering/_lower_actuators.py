"""Actuators lowered."""

from pliant.description.language import (
    VELOCITIES,
    Actuator,
    ChamberActuator,
    Link,
    Offsets,
    Point,
    Run,
    StressActuator,
    TendonActuator,
    stretches,
)
from pliant.description.lowering._lowering import Lowering, Structure


def lower_actuator(lowering: Lowering, actuator: Actuator, links: dict[str, Link]) -> list[Structure]:
    """The actuators of the blueprint that one of the file stands for: several for a pattern of chambers."""
    if isinstance(actuator, TendonActuator):
        return [_tendon(lowering, actuator)]
    if isinstance(actuator, ChamberActuator):
        return _chambers(lowering, actuator)
    if isinstance(actuator, StressActuator):
        return [_stress(lowering, actuator)]
    names = VELOCITIES[links[actuator.joint].joint.word]
    value = lowering.value(f"actuators.{actuator.name}.{actuator.drive}", getattr(actuator, actuator.drive))
    chosen = [names.index(name) for name in actuator.coordinate or names]
    return [_joint(lowering, actuator.name, actuator.joint, chosen, actuator.drive, value)]


def lower_drive(lowering: Lowering, link: Link) -> list[Structure]:
    """`joint: {prismatic: x, drive: motion}` is an actuator of the link's name that holds every coordinate at 0."""
    drive, size = link.joint.drive, len(VELOCITIES[link.joint.word])
    if drive is None:
        return []
    value = lowering.constant(f"actuators.{link.name}.{drive}", 0.0 if size == 1 else [0.0] * size)
    return [_joint(lowering, link.name, link.name, list(range(size)), drive, value)]


def _joint(lowering: Lowering, name: str, link: str, coordinates: list[int], drive: str, value: Structure) -> Structure:
    own = lowering.joint_link(link)
    return {"name": name, "kind": "joint", "link": own, "coordinates": coordinates, "drive": drive, "value": value}


def _stress(lowering: Lowering, actuator: StressActuator) -> Structure:
    run = actuator.internal
    parts = stretches(lowering.rods[run.link], run.from_, run.to)
    return {
        "name": actuator.name,
        "kind": "stress",
        "along": [{"link": part.piece.name, "from": part.begin, "to": part.end} for part in parts],
        "drive": "stress",
        "value": lowering.value(f"actuators.{actuator.name}.stress", actuator.stress),
    }


def _tendon(lowering: Lowering, actuator: TendonActuator) -> Structure:
    path = f"actuators.{actuator.name}"
    route = actuator.tendon.route
    if isinstance(route, Offsets):
        items = _run(lowering, f"{path}.tendon.route", str(actuator.tendon.link), route)
    else:
        items = [
            lowered
            for index, item in enumerate(route)
            for lowered in _item(lowering, f"{path}.tendon.route.{index}", item)
        ]
    drive = "length" if actuator.tension is None else "tension"
    return {
        "name": actuator.name,
        "kind": "tendon",
        "route": items,
        "drive": drive,
        "value": lowering.value(f"{path}.{drive}", getattr(actuator, drive)),
        "friction": lowering.number(f"{path}.friction", actuator.friction),
        "stiffness": lowering.number(f"{path}.stiffness", actuator.stiffness),
    }


def _item(lowering: Lowering, path: str, item: Run | Point) -> list[Structure]:
    if isinstance(item, Run):
        return _run(lowering, path, item.link, item)
    where = lowering.where(path, item)
    if item.move is not None:
        where["offset"]["move"] = lowering.number(f"{path}.move", item.move)
    return [{"point": where}]


def _run(lowering: Lowering, path: str, link: str, run: Offsets) -> list[Structure]:
    numbers: Structure = {
        "x": lowering.number(f"{path}.x", run.x),
        "y": lowering.number(f"{path}.y", run.y),
        "helix": None if run.helix is None else lowering.numbers(f"{path}.helix", run.helix),
    }
    return _along(lowering, link, run.from_, run.to, numbers)


def _along(lowering: Lowering, link: str, begin: float, end: float, numbers: Structure) -> list[Structure]:
    return [
        {
            "along": {"link": part.piece.name, "from": part.begin, "to": part.end},
            "span": list(part.span),
            **numbers,
        }
        for part in stretches(lowering.rods[link], begin, end)
    ]


def _chambers(lowering: Lowering, actuator: ChamberActuator) -> list[Structure]:
    chamber, path = actuator.chamber, f"actuators.{actuator.name}"
    pressures = actuator.pressure * (1 if len(actuator.pressure) > 1 else len(actuator.names))
    lowered = []
    for name, pressure, group in zip(actuator.names, pressures, chamber.channels(), strict=True):
        channels: list[Structure] = []
        for index, (x, y) in enumerate(group):
            # The centres of a pattern stand in the file only by way of its radius and angles.
            where = f"{path}.chamber.centre" if chamber.around is None else f"actuators.{name}.channels.{index}"
            numbers = {"x": lowering.number(f"{where}.x", x), "y": lowering.number(f"{where}.y", y), "helix": None}
            channels += _along(lowering, chamber.link, chamber.from_, chamber.to, numbers)
        lowered.append(
            {
                "name": name,
                "kind": "chamber",
                "channels": channels,
                "radius": lowering.number(f"{path}.chamber.radius", chamber.radius),
                "area": lowering.number(f"{path}.chamber.area", chamber.area),
                "drive": "pressure",
                "value": lowering.value(f"actuators.{name}.pressure", pressure),
            }
        )
    return lowered
