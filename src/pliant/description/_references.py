"""What one part of a robot says of another: names, parents, places, coordinates."""

from collections.abc import Iterable, Iterator
from typing import Any

from pliant.description._findings import Finding, Location
from pliant.description._links import Rod
from pliant.description._places import WORLD
from pliant.description._problems import nearest, one_of, show
from pliant.description._schema import Initial, StrainRates
from pliant.description._types import STRAINS, is_list, is_mapping

_COORDINATES = {
    "fixed": (),
    "revolute": ("angle", "rate"),
    "spherical": ("rotation", "angular_velocity"),
    "free": ("rotation", "position", "angular_velocity", "velocity"),
}


def check_references(links: Iterable[Any], data: Any, findings: list[Finding]) -> None:
    """Add what is wrong between parts; `links` are the valid ones, with None in place of the others.

    The data is read as it was written, so that an item with a mistake of its own is checked against the others too;
    what is no name or place at all has been reported with the item.
    """
    _References(links, data, findings).check()


class _References:
    def __init__(self, links: Iterable[Any], data: Any, findings: list[Finding]):
        self.data = data
        self.findings = findings
        self.links = list(links)
        self.kinds: dict[str, Any] = {
            item["name"]: item.get("kind") for _, item in self._items("links") if isinstance(item.get("name"), str)
        }

    def check(self) -> None:
        for section in ("links", "frames", "loads"):
            self._check_names(section)
        self._check_links()
        self._check_cycles()
        for index, frame in self._items("frames"):
            self._check_place(frame, ("frames", index), world=True)
        self._check_loads()
        initial = self.data.get("initial")
        for name, values in initial.items() if is_mapping(initial) else ():
            self._check_initial(name, values)
        loads = [item["name"] for _, item in self._items("loads") if isinstance(item.get("name"), str)]
        for index, analysis in self._items("analyses"):
            for kind, settings in analysis.items():
                dropped = settings.get("drop") if is_mapping(settings) else None
                dropped = [dropped] if isinstance(dropped, str) else dropped
                for load in dropped or () if is_list(dropped) else ():
                    self._check_known(load, ("analyses", index, kind, "drop"), "a load", loads)

    def _items(self, section: str) -> Iterator[tuple[int, Any]]:
        items = self.data.get(section)
        for index, item in enumerate(items if is_list(items) else ()):
            if is_mapping(item):
                yield index, item

    def _wrong(self, location: Location, value: Any, expected: str, hint: str = "") -> None:
        self.findings.append(Finding(location, value, f"got {show(value)}; {hint}expected {expected}"))

    def _check_known(self, name: Any, location: Location, thing: str, known: Iterable[str]) -> bool:
        known = list(known)
        if not isinstance(name, str) or name in known:
            return isinstance(name, str)
        words = f"{thing} of this robot: {one_of(known)}" if known else f"{thing}, but the robot has none"
        self._wrong(location, name, words, nearest(name, known))
        return False

    def _check_names(self, section: str) -> None:
        seen: set[str] = set()
        for index, item in self._items(section):
            name = item.get("name")
            if not isinstance(name, str):
                continue
            if section == "links" and name == WORLD:
                self._wrong((section, index, "name"), name, 'another name: "world" is what everything stands in')
            if name in seen:
                self._wrong((section, index, "name"), name, f"a name used once among the {section}")
            seen.add(name)

    def _check_links(self) -> None:
        materials = self.data.get("materials")
        materials = list(materials) if is_mapping(materials) else []
        for index, item in self._items("links"):
            self._check_known(item.get("material"), ("links", index, "material"), "a material", materials)
            self._check_place(item.get("parent"), ("links", index, "parent"), world=True)
        for index, link in enumerate(self.links):
            if isinstance(link, Rod):
                self._check_rod(link, ("links", index))

    def _check_rod(self, rod: Rod, place: Location) -> None:
        order = rod.model.gvs.order if rod.model.gvs else None
        for strain in order if isinstance(order, dict) else ():
            if strain not in rod.allow:
                self._wrong((*place, "model", "gvs", "order", strain), strain, f"a strain allowed: {one_of(rod.allow)}")
        stiffnesses = rod.section.given.stiffness if rod.section.given else ()
        for index, stiffness in enumerate(stiffnesses):
            if STRAINS[index] in rod.allow and stiffness <= 0:
                where = (*place, "section", "given", "stiffness", index)
                self._wrong(where, stiffness, f"a number greater than 0: the rod is allowed {STRAINS[index]}")

    def _check_loads(self) -> None:
        rods = [name for name, kind in self.kinds.items() if kind == "rod"]
        for index, load in self._items("loads"):
            self._check_place(load.get("where"), ("loads", index, "where"), world=False)
            along = load.get("along")
            if is_mapping(along):
                self._check_known(along.get("link"), ("loads", index, "along", "link"), "a rod", rods)

    def _check_place(self, place: Any, location: Location, world: bool) -> None:
        # The short form `parent: base` has no field to point at.
        link = place.get("link", WORLD if world else None) if is_mapping(place) else place
        known = [*([WORLD] if world else []), *self.kinds]
        if not self._check_known(link, (*location, "link") if is_mapping(place) else location, "a link", known):
            return
        at = place.get("at") if is_mapping(place) else None
        if at is not None and self.kinds.get(link) != "rod":
            body = "the world" if link == WORLD else f'the rigid link "{link}"'
            self._wrong((*location, "at"), at, f'"at" only on a rod; on {body} use "offset"')

    def _check_cycles(self) -> None:
        parents: dict[str, Any] = {}
        for _, item in self._items("links"):
            parent = item.get("parent")
            parents.setdefault(str(item.get("name")), parent.get("link") if is_mapping(parent) else parent)
        settled: set[str] = set()
        for index, item in self._items("links"):
            chain: list[str] = []
            name = str(item.get("name"))
            while name in parents and name not in settled and name not in chain:
                chain.append(name)
                name = str(parents[name])
            if name in chain:
                cycle = [*chain[chain.index(name) :], name]
                message = f"{' hangs on '.join(cycle)}; expected parents that lead to the world"
                self.findings.append(Finding(("links", index, "parent"), parents[name], message))
            settled.update(chain)

    def _check_initial(self, name: str, values: Any) -> None:
        self._check_known(name, ("initial", name), "a link", self.kinds)
        link = next((link for link in self.links if link is not None and link.name == name), None)
        if link is None or not is_mapping(values):
            return
        strains = link.allow if isinstance(link, Rod) else ()
        legal = [*strains, *(["strain_rate"] if strains else []), *_COORDINATES[link.joint.word]]
        places: list[tuple[str, ...]] = [(field,) for field in values if field in Initial.fields()]
        if strains and is_mapping(values.get("strain_rate")):
            places += [("strain_rate", strain) for strain in values["strain_rate"] if strain in StrainRates.fields()]
        for place in places:
            if place[-1] not in legal:
                what = "rod" if strains else "rigid link"
                options = f"expected one of: {one_of(legal)}" if legal else "it has none"
                message = f"the {what} on a {link.joint.word} joint has no such coordinate; {options}"
                self.findings.append(Finding(("initial", name, *place), place[-1], message))
