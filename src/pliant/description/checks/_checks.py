"""What the checks between the parts of a robot have in common: its data as written, and how a mistake is noted."""

from collections.abc import Collection, Iterator
from itertools import chain
from typing import Any

from pliant.description.language import WORLD
from pliant.description.language.grammar import Finding, Location, is_list, is_mapping, nearest, one_of, show

_MOST_HINTS = 100


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
        self.meshes: dict[str, Any] = {
            item["name"]: mesh
            for (_, item), mesh in zip(self.items("meshes"), self._beside("meshes"), strict=True)
            if isinstance(item.get("name"), str) and item["name"] not in (WORLD, *self.kinds)
        }
        taken = {WORLD, *self.kinds, *self.meshes}
        self.frames: dict[str, Any] = {
            item["name"]: item.get("link")
            for _, item in self.items("frames")
            if isinstance(item.get("name"), str) and item["name"] not in taken
        }
        self._ends: dict[str, Any] = {}  # the links that frames are on, as far as they were asked for
        self.hyperelastic = {name: own.law.word for name, own in valid["materials"].items() if own and own.hyperelastic}
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

    def _beside(self, section: str) -> Iterator[Any]:
        """For each of `items` its valid part, or None."""
        return (self.valid[section][index] for index, _ in self.items(section))

    def wrong(self, location: Location, value: Any, expected: str, hint: str = "") -> None:
        self.findings.append(Finding(location, value, f"got {show(value)}; {hint}expected {expected}"))

    def known(self, name: Any, location: Location, thing: str, *known: Collection[str]) -> bool:
        """Whether a name is among the known ones; what is no name at all has been reported with the item."""
        if not isinstance(name, str) or any(name in names for names in known):
            return isinstance(name, str)
        every = [*chain(*known)]
        words = f"{thing} of this robot: {one_of(every)}" if every else f"{thing}, but the robot has none"
        # To look for the nearest name takes time, which nobody wants to spend on a hundred mistakes.
        self.wrong(location, name, words, nearest(name, every) if len(self.findings) < _MOST_HINTS else "")
        return False

    def place(self, place: Any, location: Location, world: bool) -> None:
        # The short form `parent: base` has no field to point at.
        link = place.get("link", WORLD if world else None) if is_mapping(place) else place
        own = (*location, "link") if is_mapping(place) else location
        things = ["a link", *(["mesh"] if self.meshes else []), *(["frame"] if self.frames else [])]
        known = ((WORLD,) if world else (), self.kinds, self.meshes, self.frames)
        if not self.known(link, own, " or ".join(things), *known):
            return
        if self.node(place, location, link):
            return
        if not world and self.link_of(link) == WORLD:
            self.wrong(own, link, f'a place on a link: the frame "{link}" stands in the world')
        at = place.get("at") if is_mapping(place) else None
        if at is not None and self.kinds.get(link) != "rod":
            kind = "rigid link" if link in self.kinds else "frame"
            body = "the world" if link == WORLD else f'the {kind} "{link}"'
            self.wrong((*location, "at"), at, f'"at" only on a rod; on {body} use "offset"')

    def node(self, place: Any, location: Location, link: str) -> bool:
        """Whether `link` is a mesh; a place on a mesh is one of its nodes that move."""
        node = place.get("node") if is_mapping(place) else None
        if link not in self.meshes:
            if node is not None:
                self.wrong((*location, "node"), node, f'"node" only on a mesh, which "{link}" is not')
            return False
        if is_mapping(place) and place.get("at") is not None:
            self.wrong((*location, "at"), place["at"], f'"at" only on a rod; on the mesh "{link}" use "node"')
        elif node is None:
            self.wrong(location, place, f'a "node" of the mesh, e.g. {{link: {link}, node: 1}}')
        mesh = self.meshes[link]
        if mesh is None or not isinstance(node, int) or isinstance(node, bool) or node < 1:
            return True
        count = len(mesh.net.nodes)
        if node > count:
            self.wrong((*location, "node"), node, f'a node of the mesh "{link}", from 1 to {count}')
        elif node in mesh.fixed:
            self.wrong(
                (*location, "node"), node, f'a node of the mesh "{link}" that is not fixed, or a place in the world'
            )
        return True

    def link_of(self, name: Any) -> Any:
        """The link, or the world, that a place of this name is on; None where frames lead in a circle."""
        passed: dict[str, None] = {}
        while isinstance(name, str) and name in self.frames and name not in passed and name not in self._ends:
            passed[name] = None
            name = self.frames[name]
        if isinstance(name, str):
            name = self._ends.get(name, None if name in passed else name)
        self._ends |= dict.fromkeys(passed, name)
        return name

    def rod(self, name: Any, location: Location) -> bool:
        """Whether `name` is the name of a rod; what is no name at all has been reported with the item."""
        if isinstance(name, str) and name in self.kinds and name not in self.rods:
            rods = f"a rod of this robot: {one_of(self.rods)}" if self.rods else "a rod, but the robot has none"
            self.wrong(location, name, f"{rods} ({show(name)} is a rigid link)")
            return False
        return self.known(name, location, "a rod", self.rods)
