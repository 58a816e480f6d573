"""What the checks between the parts of a robot have in common: its data as written, and how a mistake is noted."""

from collections.abc import Iterable, Iterator
from typing import Any

from pliant.description._findings import Finding, Location
from pliant.description._places import WORLD
from pliant.description._problems import nearest, one_of, show
from pliant.description._types import is_list, is_mapping


class Checks:
    """`valid` holds the valid items of each section, with None in place of the others.

    The data is read as it was written, so that an item with a mistake of its own is checked against the others too;
    what is no name or place at all has been reported with the item.
    """

    def __init__(self, valid: dict[str, Any], data: Any, findings: list[Finding]):
        self.data = data
        self.findings = findings
        self.valid = valid
        self.links: dict[str, Any] = {link.name: link for link in valid["links"] if link is not None}
        self.kinds: dict[str, Any] = {
            item["name"]: item.get("kind") for _, item in self.items("links") if isinstance(item.get("name"), str)
        }
        self.frames: dict[str, Any] = {
            item["name"]: item.get("link")
            for _, item in self.items("frames")
            if isinstance(item.get("name"), str) and item["name"] not in (WORLD, *self.kinds)
        }
        self.rods = [name for name, kind in self.kinds.items() if kind == "rod"]

    def items(self, section: str) -> Iterator[tuple[int, Any]]:
        """The items of a list that are sets of fields, with their indices."""
        items = self.data.get(section)
        for index, item in enumerate(items if is_list(items) else ()):
            if is_mapping(item):
                yield index, item

    def valid_items(self, section: str) -> Iterator[tuple[int, Any]]:
        for index, item in enumerate(self.valid[section]):
            if item is not None:
                yield index, item

    def wrong(self, location: Location, value: Any, expected: str, hint: str = "") -> None:
        self.findings.append(Finding(location, value, f"got {show(value)}; {hint}expected {expected}"))

    def known(self, name: Any, location: Location, thing: str, known: Iterable[str]) -> bool:
        known = list(known)
        if not isinstance(name, str) or name in known:
            return isinstance(name, str)
        words = f"{thing} of this robot: {one_of(known)}" if known else f"{thing}, but the robot has none"
        self.wrong(location, name, words, nearest(name, known))
        return False

    def place(self, place: Any, location: Location, world: bool) -> None:
        # The short form `parent: base` has no field to point at.
        link = place.get("link", WORLD if world else None) if is_mapping(place) else place
        known = [*([WORLD] if world else []), *self.kinds, *self.frames]
        own = (*location, "link") if is_mapping(place) else location
        if not self.known(link, own, "a link or frame" if self.frames else "a link", known):
            return
        if not world and self.link_of(link) == WORLD:
            self.wrong(own, link, f'a place on a link: the frame "{link}" stands in the world')
        at = place.get("at") if is_mapping(place) else None
        if at is not None and self.kinds.get(link) != "rod":
            kind = "rigid link" if link in self.kinds else "frame"
            body = "the world" if link == WORLD else f'the {kind} "{link}"'
            self.wrong((*location, "at"), at, f'"at" only on a rod; on {body} use "offset"')

    def link_of(self, name: Any) -> Any:
        """The link, or the world, that a place of this name is on; None where frames lead in a circle."""
        passed: list[Any] = []
        while isinstance(name, str) and name in self.frames and name not in passed:
            passed.append(name)
            name = self.frames[name]
        return None if name in passed else name

    def rod(self, name: Any, location: Location) -> bool:
        """Whether `name` is the name of a rod; what is no name at all has been reported with the item."""
        if isinstance(name, str) and name in self.kinds and name not in self.rods:
            rods = f"a rod of this robot: {one_of(self.rods)}" if self.rods else "a rod, but the robot has none"
            self.wrong(location, name, f"{rods} ({show(name)} is a rigid link)")
            return False
        return self.known(name, location, "a rod", self.rods)
