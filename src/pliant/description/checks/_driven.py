"""Whether actuators fit the links they name."""

from collections.abc import Iterator
from typing import Any

from pliant.description.checks._checks import Checks
from pliant.description.checks._outline import Overrun, overrun
from pliant.description.language import (
    FOLLOWS,
    VELOCITIES,
    ChamberActuator,
    DividedRod,
    JointDrive,
    Piece,
    Rod,
    ends,
    stretches,
)
from pliant.description.language.grammar import Finding, Location, is_list, is_mapping, nearest, one_of


def check_actuators(checks: Checks) -> None:
    for index, item in checks.items("actuators"):
        place: Location = ("actuators", index)
        tendon, chamber = item.get("tendon"), item.get("chamber")
        if is_mapping(tendon):
            _check_tendon(checks, tendon, (*place, "tendon"))
        if is_mapping(chamber):
            checks.rod(chamber.get("link"), (*place, "chamber", "link"))
        if is_mapping(item.get("internal")):
            checks.rod(item["internal"].get("link"), (*place, "internal", "link"))
        if "joint" in item:
            _check_joint(checks, item, place)
    for index, actuator in checks.valid_items("actuators"):
        if isinstance(actuator, ChamberActuator):
            _check_chamber(checks, actuator, ("actuators", index, "chamber"))
    for index, link in checks.valid_items("links"):
        if link.joint.drive is not None and link.joint.word == "fixed":
            checks.wrong(("links", index, "joint", "drive"), link.joint.drive, 'no "drive" on a fixed joint')
    _check_names(checks, _check_overdriven(checks))


def _check_tendon(checks: Checks, tendon: Any, place: Location) -> None:
    for word in ("link", "links"):
        if word in tendon:
            checks.rod(tendon[word], (*place, word))
    route = tendon.get("route")
    for index, item in enumerate(route if is_list(route) else ()):
        own = (*place, "route", index)
        if is_mapping(item) and any(word in item for word in FOLLOWS):
            checks.rod(item.get("link"), (*own, "link"))
        else:
            checks.place(item, own, world=True)


def _check_joint(checks: Checks, item: Any, place: Location) -> None:
    link = item["joint"]
    if not checks.known(link, (*place, "joint"), "a link", checks.kinds) or link not in checks.links:
        return
    word = checks.links[link].joint.word
    names = VELOCITIES[word]
    if not names:
        expected = f'a link whose joint moves: "{link}" is fixed to its parent'
        checks.wrong((*place, "joint"), link, expected)
        return
    chosen = item.get("coordinate")
    for name in [chosen] if isinstance(chosen, str) else chosen if is_list(chosen) else ():
        if isinstance(name, str) and name not in names:
            expected = f'a coordinate of the {word} joint of "{link}": {one_of(names)}'
            checks.wrong((*place, "coordinate"), name, expected, nearest(name, names))
    if "motion" in item and chosen is not None and word in ("spherical", "free"):
        # Single components of a rotation vector are no coordinates: what holds one of them also pushes the others.
        expected = f'no "coordinate": the motion of a {word} joint is prescribed as a whole, by {len(names)} numbers'
        checks.wrong((*place, "coordinate"), chosen, expected)


def _drives(checks: Checks) -> Iterator[tuple[Location, str, str, str, tuple[str, ...]]]:
    """Place, name, link, drive and coordinates of all that drives a joint; those of the links first."""
    for index, link in checks.valid_items("links"):
        if link.joint.drive is not None:
            names = VELOCITIES[link.joint.word]
            yield ("links", index, "joint", "drive"), link.name, link.name, link.joint.drive, names
    for index, actuator in checks.valid_items("actuators"):
        if isinstance(actuator, JointDrive) and actuator.joint in checks.links:
            names = VELOCITIES[checks.links[actuator.joint].joint.word]
            chosen = actuator.coordinate or names
            yield ("actuators", index), actuator.name, actuator.joint, actuator.drive, chosen


def prescribed(checks: Checks, link: str) -> set[str]:
    """The coordinates of the joint of a link that follow a motion."""
    return {name for _, _, own, drive, names in _drives(checks) if own == link and drive == "motion" for name in names}


def _check_overdriven(checks: Checks) -> set[Location]:
    """A coordinate takes one motion, or any number of forces. The places where it is otherwise."""
    first: dict[tuple[str, str], tuple[str, str, Location]] = {}
    overdriven: set[Location] = set()
    for place, name, link, drive, coordinates in _drives(checks):
        for coordinate in coordinates:
            earlier = first.setdefault((link, coordinate), (name, drive, place))
            if earlier[2] == place or drive == earlier[1] == "force" or place in overdriven:
                continue
            overdriven.add(place)
            by, cure = f'"{earlier[0]}"', ""
            if earlier[2][0] == "links":
                by, cure = 'its own "drive"', f' (leave out the "drive" of the joint of "{link}")'
            message = (
                f'"{name}" gives a {drive} to the {coordinate} of the joint of "{link}", which has a {earlier[1]} by '
                f"{by} already; expected one motion, or only forces, for each coordinate{cure}"
            )
            checks.findings.append(Finding(place, name, message))
    return overdriven


def _check_names(checks: Checks, overdriven: set[Location]) -> None:
    """Actuators, constraints and springs have names of their own: results tell by them what each pulls with."""
    taken = {
        link.name: f'"{link.name}" whose joint has a "drive"' for link in checks.links.values() if link.joint.drive
    }
    for index, item in checks.items("actuators"):
        actuator, name, place = checks.valid["actuators"][index], item.get("name"), ("actuators", index)
        # A pattern of chambers stands for several actuators, each with a name of its own.
        names = actuator.names if isinstance(actuator, ChamberActuator) else [name]
        for own in names:
            if not isinstance(own, str):
                continue
            if own in taken and place not in overdriven:
                other = taken[own]
                expected = f"a name used once among the actuators (the other is {other})" if other else ""
                checks.wrong((*place, "name"), own, expected or "a name used once among the actuators")
            taken[own] = "" if own == name else f'one of the pattern "{name}"'
    for section, others in (("constraints", "actuators and"), ("springs", "actuators, constraints and")):
        these: dict[str, str] = {}
        for index, item in checks.items(section):
            name = item.get("name")
            if isinstance(name, str) and name in taken:
                other = taken[name] or "an actuator"
                expected = f"a name used once among the {others} {section} (the other is {other})"
                checks.wrong((section, index, "name"), name, expected)
            if isinstance(name, str):
                these[name] = f"a {section.removesuffix('s')}"
        taken |= these


def _check_chamber(checks: Checks, actuator: ChamberActuator, place: Location) -> None:
    chamber, rod = actuator.chamber, checks.links.get(actuator.chamber.link)
    if not isinstance(rod, Rod | DividedRod):
        return
    channels = [
        (name, centre) for name, group in zip(actuator.names, chamber.channels(), strict=True) for centre in group
    ]
    for name, (x, y) in channels:
        found = _outside(rod.pieces, chamber.from_, chamber.to, (ends(x), ends(y)), chamber.round_radius)
        if found is not None:
            at, excess = found
            message = (
                f'the chamber "{name}" reaches {excess.reach} {excess.direction} at {at:g} of the rod '
                f'"{rod.name}"; expected it inside the section, which ends at {excess.limit} there'
            )
            checks.findings.append(Finding(place, name, message))
            return


def _outside(
    pieces: tuple[Piece, ...],
    begin: float,
    end: float,
    centre: tuple[tuple[float, float], tuple[float, float]],
    radius: float,
) -> tuple[float, Overrun] | None:
    """Where a channel first leaves the section, among the ends of its run in each division, and how far."""
    for part in stretches(pieces, begin, end):
        for fraction, along in ((part.begin, part.span[0]), (part.end, part.span[1])):
            x, y = (first + (last - first) * along for first, last in centre)
            excess = overrun(part.piece.section, fraction, (x, y), radius)
            if excess is not None:
                return begin + (end - begin) * along, excess
    return None
