"""Whether springs fit the places they name."""

from typing import Any

from pliant.description.checks._checks import Checks
from pliant.description.language import WORLD, Where
from pliant.description.language.grammar import Finding, is_list


def check_springs(checks: Checks) -> None:
    for index, item in checks.items("springs"):
        places = item.get("between")
        for number, place in enumerate(places if is_list(places) else ()):
            checks.place(place, ("springs", index, "between", number), world=True)
    frames = {frame.name: frame for _, frame in checks.valid_items("frames") if frame.name in checks.frames}
    for index, spring in checks.valid_items("springs"):
        first, second = (_body(checks, place, frames) for place in spring.between)
        if first is not None and first == second:
            where = "stand in the world" if first[0] == WORLD else f'are on the same part of "{first[0]}"'
            message = f'both places of "{spring.name}" {where}; expected places that move against each other'
            checks.findings.append(Finding(("springs", index, "between"), first[0], message))


def _body(checks: Checks, place: Where, frames: dict[str, Any]) -> tuple[Any, ...] | None:
    """What a place moves with: a link or the world, the fraction of a rod, the node of a mesh."""
    passed: list[str] = []
    while place.link in frames and place.link not in passed:
        passed.append(place.link)
        place = frames[place.link]
    if place.link in passed or place.link in checks.frames:
        return None
    return place.link, (1.0 if place.at is None else place.at), place.node
