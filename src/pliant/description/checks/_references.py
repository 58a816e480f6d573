"""What one part of a robot says of another: names, parents, places, coordinates."""

from typing import Any

from pliant.description.checks._check_constraints import check_constraints
from pliant.description.checks._check_contacts import check_contacts
from pliant.description.checks._check_meshes import check_meshes
from pliant.description.checks._check_springs import check_springs
from pliant.description.checks._checks import Checks
from pliant.description.checks._driven import check_actuators
from pliant.description.checks._outline import hole_problem
from pliant.description.language import (
    ARCS,
    WORLD,
    AnyRod,
    DividedRod,
    Initial,
    Piece,
    Reference,
    Rod,
    Section,
    StrainRates,
    allow_problem,
)
from pliant.description.language.grammar import (
    STRAINS,
    Finding,
    Location,
    is_list,
    is_mapping,
    one_of,
    show,
    split_list,
)

_COORDINATES: dict[str, tuple[str, ...]] = {
    "fixed": (),
    "revolute": ("angle", "rate"),
    "prismatic": ("displacement", "speed"),
    "helical": ("angle", "rate"),
    "cylindrical": ("angle", "displacement", "rate", "speed"),
    "universal": ("angle", "rate"),
    "planar": ("displacement", "angle", "speed", "rate"),
    "spherical": ("rotation", "angular_velocity"),
    "free": ("rotation", "position", "angular_velocity", "velocity"),
}
_LONGEST_CYCLE = 10  # links that are named
_DEEPEST_FRAME = 100  # frames that stand on one another
# The coordinates of which a joint has two.
_PAIRS = {"universal": ("angle", "rate"), "planar": ("displacement", "speed")}


def check_references(valid: dict[str, Any], data: Any, findings: list[Finding]) -> None:
    """Add what is wrong between parts; `valid` holds the valid items, with None in place of the others."""
    checks = _References(valid, data, findings)
    checks.check()
    check_actuators(checks)
    check_constraints(checks)
    check_springs(checks)
    check_contacts(checks)
    check_meshes(checks)


class _References(Checks):
    def check(self) -> None:
        for section in ("links", "meshes", "frames", "loads", "constraints", "springs", "surfaces", "contacts"):
            self._check_names(section)
        self._check_links()
        self._check_cycles()
        self._check_frames()
        self._check_loads()
        initial = self.data.get("initial")
        for name, values in initial.items() if is_mapping(initial) else ():
            self._check_initial(name, values)
        loads = [item["name"] for _, item in self.items("loads") if isinstance(item.get("name"), str)]
        for index, analysis in self.items("analyses"):
            for kind, settings in analysis.items():
                dropped = settings.get("drop") if is_mapping(settings) else None
                dropped = [dropped] if isinstance(dropped, str) else dropped
                for load in dropped or () if is_list(dropped) else ():
                    self.known(load, ("analyses", index, kind, "drop"), "a load", loads)

    def _check_names(self, section: str) -> None:
        seen: set[str] = set()
        for index, item in self.items(section):
            name = item.get("name")
            if not isinstance(name, str):
                continue
            if section == "links" and name == WORLD:
                self.wrong((section, index, "name"), name, 'another name: "world" is what everything stands in')
            if name in seen:
                self.wrong((section, index, "name"), name, f"a name used once among the {section}")
            seen.add(name)

    def _check_links(self) -> None:
        materials = self.data.get("materials")
        materials = list(materials) if is_mapping(materials) else []
        for index, item in self.items("links"):
            self.known(item.get("material"), ("links", index, "material"), "a material", materials)
            self.place(item.get("parent"), ("links", index, "parent"), world=True)
            divisions = item.get("divisions")
            for number, division in enumerate(divisions if is_list(divisions) else ()):
                if is_mapping(division):
                    place = ("links", index, "divisions", number, "material")
                    self.known(division.get("material"), place, "a material", materials)
        carrying = self._carrying()
        for index, link in self.valid_items("links"):
            if isinstance(link, Rod | DividedRod):
                self._check_rod(link, ("links", index))
            elif link.mass == 0 and link.joint.word != "fixed" and link.name not in carrying:
                expected = "a mass greater than 0, or links with mass on it: nothing holds back what its joint moves"
                self.wrong(("links", index, "mass"), link.mass, expected)

    def _carrying(self) -> set[str]:
        """The links on which a link with mass hangs, directly or by others; a link with a mistake counts as one."""
        parents: dict[str, Any] = {}
        for _, item in self.items("links"):
            parent = item.get("parent")
            parents[str(item.get("name"))] = self.link_of(parent.get("link") if is_mapping(parent) else parent)
        carrying: set[str] = set()
        for own, (_, item) in zip(self._beside("links"), self.items("links"), strict=True):
            if own is not None and getattr(own, "mass", None) == 0:
                continue
            name = parents.get(str(item.get("name")))
            while isinstance(name, str) and name not in carrying:
                carrying.add(name)
                name = parents.get(name)
        return carrying

    def _check_rod(self, rod: AnyRod, place: Location) -> None:
        allowed = [strain for strain in STRAINS if any(strain in piece.allow for piece in rod.pieces)]
        self._check_order(rod.model, allowed, place)
        self._check_holes(rod.section, place)
        if isinstance(rod, Rod):
            self._check_allow(rod.pieces[0], place)
            self._check_stiffness(rod.pieces[0], place)
            self._check_rotary(rod.pieces[0], place)
            self._check_arc(rod.pieces[0], place)
            self._check_update(rod.pieces[0], place)
            return
        for index, (division, piece) in enumerate(zip(rod.divisions, rod.pieces, strict=True)):
            own = (*place, "divisions", index)
            self._check_holes(division.section, own)
            if division.model is not None:
                self._check_order(division.model, list(piece.allow), own)
            self._check_allow(piece, place if division.allow is None and division.model is None else own)
            self._check_stiffness(piece, place if division.section is None else own)
            self._check_rotary(piece, place if division.section is None else own)
            self._check_arc(piece, place if division.model is None else own)
            self._check_update(piece, place if division.update is None else own)

    def _check_holes(self, section: Section | None, place: Location) -> None:
        problem = "" if section is None else hole_problem(section)
        if problem:
            self.findings.append(Finding((*place, "section", "holes"), None, problem))

    def _check_order(self, model: Any, allowed: list[str], place: Location) -> None:
        order = model.gvs.order if model.gvs else None
        for strain in order if isinstance(order, dict) else ():
            if strain not in allowed:
                self.wrong((*place, "model", "gvs", "order", strain), strain, f"a strain allowed: {one_of(allowed)}")

    def _check_allow(self, piece: Piece, place: Location) -> None:
        expected = allow_problem(piece.model, piece.allow, piece.section.muscles is not None)
        if expected:
            self.wrong((*place, "allow"), list(piece.allow), expected)

    def _check_arc(self, piece: Piece, place: Location) -> None:
        """A section of an arm is the same all along, and straight when nothing acts on it."""
        stroke = None if piece.section.muscles is None else piece.section.muscles.stroke
        at = (*place, "section", "muscles", "stroke")
        if piece.model.word not in ARCS:
            if stroke is not None:
                self.wrong(at, list(stroke), f"none: only the models {' and '.join(ARCS)} have stops")
            return
        if stroke is not None and not (
            stroke[0] <= 0.0 <= stroke[1] and stroke[0] < stroke[1] and -stroke[0] < piece.length
        ):
            self.wrong(at, list(stroke), "a shortest change between minus the length and 0, and a longest above it")
        if piece.section.tapers():
            self.wrong((*place, "section"), None, f"one size: the model {piece.model.word} does not taper")
        bent = [name for name, value in piece.reference if value != Reference.model_fields[name].default]
        for name in bent:
            value = getattr(piece.reference, name)
            straight = f"a straight rod: the model {piece.model.word} has no other"
            self.wrong((*place, "reference", name), value, straight)

    def _check_rotary(self, piece: Piece, place: Location) -> None:
        """In a polynomial pose sections turn by themselves: without inertia of their own they would have no mass."""
        if piece.model.rom is None:
            return
        expected = "the model rom turns sections by themselves"
        if piece.section.muscles is not None:
            return
        if piece.section.given is None:
            if not piece.section.rotary_inertia and {"bend_x", "bend_y"} & set(piece.allow):
                self.wrong((*place, "section", "rotary_inertia"), False, f"true: {expected}")
            return
        for index, rotary in enumerate(piece.section.given.rotary):
            if STRAINS[index] in piece.allow and rotary <= 0:
                where = (*place, "section", "given", "rotary", index)
                self.wrong(where, rotary, f"a number greater than 0: {expected}")

    def _check_update(self, piece: Piece, place: Location) -> None:
        law = self.hyperelastic.get(piece.material or "")
        if piece.update is not None and law is not None:
            expected = f'no "update" beside the material {show(piece.material)}, whose law ({law}) follows the stretch'
            self.wrong((*place, "update"), piece.update, expected)

    def _check_stiffness(self, piece: Piece, place: Location) -> None:
        stiffnesses = piece.section.given.stiffness if piece.section.given else ()
        for index, stiffness in enumerate(stiffnesses):
            if STRAINS[index] in piece.allow and stiffness <= 0:
                where = (*place, "section", "given", "stiffness", index)
                self.wrong(where, stiffness, f"a number greater than 0: the rod is allowed {STRAINS[index]}")

    def _check_frames(self) -> None:
        divided = [name for name, link in self.links.items() if isinstance(link, DividedRod)]
        for index, frame in self.items("frames"):
            self.place(frame, ("frames", index), world=True)
            if frame.get("name") in divided:
                expected = "another name: the tip of the rod of this name, which has divisions, is a frame already"
                self.wrong(("frames", index, "name"), frame["name"], expected)

        self._check_depth()

    def _check_depth(self) -> None:
        """Every place on a frame carries the offsets of all frames that lead there."""
        depth: dict[str, int] = {}
        for index, frame in self.items("frames"):
            passed: dict[str, None] = {}
            name: Any = frame.get("name")
            while isinstance(name, str) and name in self.frames and name not in depth and name not in passed:
                passed[name] = None
                name = self.frames[name]
            below = depth.get(name, 0) if isinstance(name, str) else 0
            depth |= {own: below + count for count, own in enumerate(reversed(passed), start=1)}
            if passed and below + len(passed) > _DEEPEST_FRAME:
                expected = f"a frame with at most {_DEEPEST_FRAME} frames between it and its link"
                self.wrong(("frames", index, "link"), frame.get("link"), expected)
                return

    def _check_loads(self) -> None:
        for index, load in self.items("loads"):
            self.place(load.get("where"), ("loads", index, "where"), world=False)
            along = load.get("along")
            if is_mapping(along):
                self.rod(along.get("link"), ("loads", index, "along", "link"))

    def _check_cycles(self) -> None:
        parents: dict[str, Any] = dict(self.frames)
        for _, item in self.items("links"):
            parent = item.get("parent")
            parents.setdefault(str(item.get("name")), parent.get("link") if is_mapping(parent) else parent)
        items = [(("links", index, "parent"), item) for index, item in self.items("links")]
        items += [(("frames", index, "link"), item) for index, item in self.items("frames")]
        settled: set[str] = set()
        for place, item in items:
            chain: dict[str, None] = {}  # a set that keeps the order
            name = str(item.get("name"))
            while name in parents and name not in settled and name not in chain:
                chain[name] = None
                name = str(parents[name])
            if name in chain:
                passed = list(chain)
                cycle = [*passed[passed.index(name) :], name]
                if len(cycle) > _LONGEST_CYCLE:
                    cycle = [*cycle[: _LONGEST_CYCLE - 1], "...", name]
                message = f"{' hangs on '.join(cycle)}; expected parents that lead to the world"
                self.findings.append(Finding(place, parents[name], message))
            settled.update(chain)

    def _check_initial(self, name: str, values: Any) -> None:
        self.known(name, ("initial", name), "a link", self.kinds)
        link = self.links.get(name)
        if link is None or not is_mapping(values):
            return
        is_rod = isinstance(link, Rod | DividedRod)
        pieces = link.pieces if is_rod else ()
        strains = [strain for strain in STRAINS if any(strain in piece.allow for piece in pieces)]
        joint = link.joint.word
        legal = [*strains, *(["strain_rate"] if strains else []), *_COORDINATES[joint]]
        places: list[tuple[str, ...]] = [(field,) for field in values if field in Initial.fields()]
        if strains and is_mapping(values.get("strain_rate")):
            places += [("strain_rate", strain) for strain in values["strain_rate"] if strain in StrainRates.fields()]
        for place in places:
            if place[-1] not in legal:
                options = f"expected one of: {one_of(legal)}" if legal else "it has none"
                what = "rod" if is_rod else "rigid link"
                message = f"the {what} on a {joint} joint has no such coordinate; {options}"
                self.findings.append(Finding(("initial", name, *place), place[-1], message))
        for field in ("angle", "rate", "displacement", "speed"):
            value = split_list(values.get(field))
            two = field in _PAIRS.get(joint, ())
            # A list of another length has been reported with the item.
            readable = value is not None and (not is_list(value) or len(value) == 2)
            if readable and field in legal and is_list(value) != two:
                count = "two numbers" if two else "one number"
                self.wrong(("initial", name, field), values[field], f"{count} for a {joint} joint")
