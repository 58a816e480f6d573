"""Whether constraints fit the links, joints and actuators they name."""

from typing import Any

from pliant.description.checks._checks import Checks
from pliant.description.language import (
    DIRECTIONS,
    VELOCITIES,
    WORLD,
    ChamberActuator,
    Constraint,
    CoordinateTie,
    JointDrive,
    StressActuator,
    TendonActuator,
    coordinate_of,
)
from pliant.description.language.grammar import Finding, Location, is_list, is_mapping, nearest, one_of


def check_constraints(checks: Checks) -> None:
    for index, item in checks.items("constraints"):
        place: Location = ("constraints", index)
        places = item.get("between")
        for number, end in enumerate(places if is_list(places) else ()):
            checks.place(end, (*place, "between", number), world=True)
        if is_list(item.get("tie")):
            _check_tie(checks, item["tie"], (*place, "tie"))
        _check_order(checks, item, place)
    taken: dict[str, str] = {}
    for index, constraint in checks.valid_items("constraints"):
        if isinstance(constraint, CoordinateTie):
            continue
        _check_ends(checks, constraint, ("constraints", index, "between"))
        _check_through(checks, constraint, ("constraints", index, "through"), taken)


def _check_ends(checks: Checks, constraint: Constraint, place: Location) -> None:
    ends = [(checks.link_of(end.link), end.node) for end in constraint.between]
    first = ends[0][0]
    if ends[0] == ends[1] and first is not None:
        thing = f'node {ends[0][1]} of the mesh "{first}"' if first in checks.meshes else f'the link "{first}"'
        where = "stand in the world" if first == WORLD else f"are on {thing}"
        message = f'both places of "{constraint.name}" {where}; expected places on two different links'
        checks.findings.append(Finding(place, first, message))


def _check_order(checks: Checks, item: Any, place: Location) -> None:
    """Lists of values for the directions have the order of the directions, so these are written in it too."""
    fixed, control = item.get("fix"), item.get("control")
    valued = item.get("follow") is not None or (is_mapping(control) and control.get("acceleration") is not None)
    known = is_list(fixed) and all(isinstance(name, str) and name in DIRECTIONS for name in fixed)
    if not valued or not known:
        return
    ordered = sorted(fixed, key=DIRECTIONS.index)
    if list(fixed) != ordered:
        expected = f"the directions in this order where values are given for them: {one_of(ordered)}"
        checks.wrong((*place, "fix"), fixed, expected)


def _check_tie(checks: Checks, ends: Any, place: Location) -> None:
    joints = {name: link.joint.word for name, link in checks.links.items()}
    found = []
    for index, end in enumerate(ends):
        link = end.get("joint") if is_mapping(end) else end
        own: Location = (*place, index)
        if not checks.known(link, (*own, "joint") if is_mapping(end) else own, "a link", checks.kinds):
            continue
        name = coordinate_of(end, joints)
        found.append((link, name))
        if link not in joints:
            continue
        names, word = VELOCITIES[joints[link]], joints[link]
        if not names or word in ("spherical", "free"):
            why = "is fixed to its parent" if not names else f"has a {word} joint, which has no single coordinates"
            checks.wrong(own, end, f'a link whose joint has coordinates to tie: "{link}" {why}')
        elif name is None:
            chosen = end.get("coordinate") if is_mapping(end) else None
            expected = f'a "coordinate" of the {word} joint of "{link}": {one_of(names)}'
            checks.wrong((*own, "coordinate") if chosen else own, chosen or end, expected, nearest(chosen, names))
    if len(found) == 2 and found[0] == found[1] and found[0][1] is not None:
        checks.wrong(place, ends, "two different coordinates")


def _drives(checks: Checks) -> dict[str, str]:
    """The drive of every actuator by its name; those of the joints' own drives too."""
    drives = {link.name: link.joint.drive for link in checks.links.values() if link.joint.drive is not None}
    for _, actuator in checks.valid_items("actuators"):
        if isinstance(actuator, ChamberActuator):
            drives |= dict.fromkeys(actuator.names, "pressure")
        elif isinstance(actuator, JointDrive):
            drives[actuator.name] = actuator.drive
        elif isinstance(actuator, TendonActuator):
            drives[actuator.name] = "length" if actuator.tension is None else "tension"
        elif isinstance(actuator, StressActuator):
            drives[actuator.name] = "stress"
    return drives


def _check_through(checks: Checks, constraint: Constraint, place: Location, taken: dict[str, str]) -> None:
    drives = _drives(checks)
    written = [item.get("name") for _, item in checks.items("actuators")]
    for name in constraint.through or ():
        # An actuator with a mistake of its own is there all the same.
        if name not in drives and name in written:
            continue
        if not checks.known(name, place, "an actuator", drives):
            continue
        if drives[name] in ("motion", "length"):
            expected = f'an actuator that pushes or pulls with a force or a pressure: "{name}" has a {drives[name]}'
            checks.wrong(place, name, expected)
        elif name in taken:
            checks.wrong(
                place, name, f'an actuator that serves one constraint: "{name}" serves "{taken[name]}" already'
            )
        taken[name] = constraint.name
    held = constraint.fix if constraint.joint is None else range(6 - len(VELOCITIES[constraint.joint.word]))
    if constraint.through is not None and held is not None and len(constraint.through) != len(held):
        thing = "a direction" if len(held) == 1 else f"{len(held)} directions"
        expected = f'one actuator for each direction: "{constraint.name}" holds {thing}'
        checks.wrong(place, list(constraint.through), expected)
