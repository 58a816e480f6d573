"""Joints of the main kinematic chain: bodies on chains of joints with one freedom or one rotation each."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from pliant.description.formats.tmt._tmt_document import ACTS, Document
from pliant.description.formats.tmt._tmt_geometry import Freedom, Offset, freedoms, rotation_vector, unit_quaternion
from pliant.description.formats.tmt._tmt_items import Item
from pliant.description.formats.tmt._tmt_plan import End, Plan, elements
from pliant.description.language import AXES, VELOCITIES

_LAW = ("spring.coeff", "spring.init", "spring.compr", "damp.visc", "damp.pow", "dir", "input")
_NOT_HERE = ("spring.coeff", "spring.init", "spring.compr", "damp.visc", "damp.pow", "input", "dir", "xaxis")
_LINKING = ("tr2nd", "refbody", "fixed", "control")
# The words of the robot language for what is parallel to a degree of freedom.
_WORDS = {
    "stiffness": "spring.coeff",
    "rest": "spring.init",
    "rest_ratio": "spring.compr",
    "damping": "damp.visc",
    "damping_power": "damp.pow",
    "acts": "dir",
}
_NEEDS = {
    "spring.init": ("spring.coeff",),
    "spring.compr": ("spring.init",),
    "damp.pow": ("damp.visc",),
    "dir": ("spring.coeff", "damp.visc"),
}
_COORDINATES = {"slide": ("displacement",), "turn": ("angle",)}


class Chain:
    """Lowers the joints that hold bodies. `states` leads from (joint, element, dof), all counted from 1, to the link
    and the field of `initial` that it became."""

    def __init__(self, plan: Plan, document: Document) -> None:
        self.plan = plan
        self.document = document
        self.states: dict[tuple[int, int, int], tuple[str, str]] = {}

    def lower(self, index: int) -> None:
        joint = self.plan.joints[index]
        body = int(joint.value("second")[0])
        self._check(joint, body)
        found, rest = freedoms(joint.items("tr"))
        dofs = joint.items("dof")
        count = sum(len(freedom.dofs) + (freedom.scalar is not None) for freedom in found)
        for number, dof in enumerate(dofs, start=1):
            if number > count:
                there = f"it has {count}" if count else "it has none"
                joint.notes.refuse(dof.path(), None, f"there is no such degree of freedom; {there} (inf in tr)")
        found = _joined(found, dofs)
        pairs = self.plan.pairs(joint)
        for element, (first, second) in enumerate(pairs):
            if second.body != body:  # an element that is the ground: refused where elements are counted
                continue
            self._element(joint, found, rest, element, len(pairs), first, second)

    def _check(self, joint: Item, body: int) -> None:
        for name in joint.given(*_NOT_HERE):
            joint.refuse(
                name,
                f"the joint is in the main kinematic chain: it is the first with body {body} as second; expected "
                f"dof(i).{name}, or a joint of its own between the two bodies",
            )
        for name in joint.set_fields():
            if name in _LINKING:
                joint.refuse(
                    name,
                    f"the joint is in the main kinematic chain: it is the first with body {body} as second; expected "
                    f'"{name}" only in a linking joint',
                )

    def _element(
        self, joint: Item, found: list[Freedom], rest: Offset, element: int, count: int, first: End, second: End
    ) -> None:
        body = self.plan.name(second)
        parent, before = self.plan.place(first), Offset()
        for number, freedom in enumerate(found):
            last = number == len(found) - 1 and not rest.words
            link = body if last else f"{body}-dof{freedom.dofs[-1]}"
            place = {**parent, "offset": freedom.before.words} if freedom.before.words else parent
            item: dict[str, Any] = {"name": link, "kind": "rigid", "parent": place}
            item |= self._mass(second) if last else {"mass": 0.0}
            words, origin = self._joint(joint, freedom, element, count)
            item["joint"] = words
            self.document.add("links", item, joint.path(), {**origin, **(self._origins(second) if last else {})})
            self._start(joint, freedom, element, count, link)
            self._drive(joint, freedom, element, count, link)
            if freedom.kind == "bend":
                self._untwist(joint, freedom, place, element, count, link)
            parent, before = {"link": link}, Offset()
        if not found or rest.words:
            before = rest
            place = {**parent, "offset": before.words} if before.words else parent
            item = {"name": body, "kind": "rigid", "parent": place, **self._mass(second)}
            self.document.add("links", item, joint.path(), self._origins(second))
        self._tip(second)

    def _mass(self, end: End) -> dict[str, Any]:
        body, count = self.plan.bodies[end.body - 1], self.plan.counts.get(end.body, 1)
        at = end.element - 1
        matrix = body.inertias(count)[at]
        mixed = [matrix[0, 1], matrix[0, 2], matrix[1, 2]]
        own = {"mass": body.rows("m", count, 1)[at], "centre": body.rows("l.com", count, 3)[at]}
        return {**own, "inertia": [*np.diag(matrix).tolist(), *(mixed if any(mixed) else [])]}

    def _origins(self, end: End) -> dict[str, str]:
        body = self.plan.bodies[end.body - 1]
        return {"mass": body.path("m"), "inertia": body.path("I"), "centre": body.path("l.com")}

    def _tip(self, end: End) -> None:
        """The tip of a body that has an extent, as a frame of the results; twice the centre of mass by default."""
        body, count = self.plan.bodies[end.body - 1], self.plan.counts.get(end.body, 1)
        centre = body.rows("l.com", count, 3)[end.element - 1]
        tip = body.rows("tip", count, 3)[end.element - 1] or [2.0 * value for value in centre]
        if any(tip):
            frame = {"name": f"{self.plan.name(end)}-tip", "link": self.plan.name(end), "offset": {"move": tip}}
            self.document.add("frames", frame, body.path("tip"))

    def _joint(self, joint: Item, freedom: Freedom, element: int, count: int) -> tuple[dict[str, Any], dict[str, str]]:
        """The joint in the words of the robot language, and where its numbers stand."""
        word = {"slide": "prismatic", "turn": "revolute", "bend": "spherical", "ball": "spherical", "free": "free"}
        kind = word[freedom.kind]
        own: dict[str, Any] = {"axis": AXES[freedom.axes[0]]} if freedom.kind in ("slide", "turn") else {}
        dofs = joint.items("dof")
        self._check_quaternion(freedom, dofs)
        held = [(place, number) for place, number in self._velocities(freedom) if number <= len(dofs)]
        origin: dict[str, str] = {}
        size = len(VELOCITIES[kind])
        for name, field in _WORDS.items():
            if not any(dofs[number - 1].given(field) for _, number in held):
                continue
            values = [_default(field)] * size
            for place, number in held:
                dof = dofs[number - 1]
                self._check_law(dof, field)
                values[place] = dof.rows(field, count, 1)[element]
                origin[f"joint.{kind}.{name}"] = dof.path(field)
                if field == "spring.init" and math.isnan(values[place]):
                    values[place] = self._initial_value(joint, dof, number, element, count)
                elif field == "dir":
                    values[place] = ACTS[int(values[place])]
            own[name] = values[0] if size == 1 else values
        return ({kind: own} if own else kind), origin  # type: ignore[return-value]

    def _velocities(self, freedom: Freedom) -> list[tuple[int, int]]:
        """Index of the joint's velocity and number of the degree of freedom, for those that may have springs."""
        if freedom.kind == "free" or freedom.measure in ("unit", "scaled"):
            return []
        places = freedom.axes if freedom.kind in ("bend", "ball") else (0,)
        return list(zip(places, freedom.dofs, strict=True))

    def _check_quaternion(self, freedom: Freedom, dofs: list[Item]) -> None:
        if freedom.measure not in ("unit", "scaled"):
            return
        numbers = [*freedom.dofs[-len(freedom.axes) :], *([freedom.scalar] if freedom.scalar else [])]
        for number in numbers:
            for name in dofs[number - 1].given(*_LAW, "equal2") if number <= len(dofs) else ():
                dofs[number - 1].refuse(
                    name,
                    "the degree of freedom is a component of a quaternion, not an angle; expected rot = [axis, inf] or "
                    "[inf, inf, inf], or a linking joint with six columns",
                )

    def _check_law(self, dof: Item, field: str) -> None:
        needed = _NEEDS.get(field, ())
        if dof.given(field) and needed and not dof.given(*needed):
            dof.refuse(field, f"it shapes nothing; expected {' or '.join(needed)} beside it")

    def _initial_value(self, joint: Item, dof: Item, number: int, element: int, count: int) -> float:
        """What a degree of freedom is at the start: its own value, or that of the one it equals."""
        target = self._equal(joint, number, element, count)
        if target is None:
            return dof.rows("init", count, 1)[element]
        other, place, own = target
        items = self.plan.joints[other - 1].items("dof")
        return items[own - 1].rows("init", len(self.plan.pairs(self.plan.joints[other - 1])), 1)[place - 1]

    def _equal(self, joint: Item, number: int, element: int, count: int) -> tuple[int, int, int] | None:
        """The joint, element and degree of freedom that one equals."""
        dofs = joint.items("dof")
        if number > len(dofs) or not dofs[number - 1].given("equal2"):
            return None
        dof = dofs[number - 1]
        row = [int(value) for value in dof.rows("equal2", count, dof.width("equal2"))[element]]
        target = (row[0], element + 1, row[1]) if len(row) == 2 else (row[0], row[1], row[2])
        known = target[0] <= len(self.plan.joints) and self.plan.is_chain(target[0] - 1)
        if not known or target[2] > len(self.plan.joints[target[0] - 1].items("dof")):
            # A freedom of which nothing is said starts at 0; whether it exists is checked with the ties.
            return None
        return target

    def _start(self, joint: Item, freedom: Freedom, element: int, count: int, link: str) -> None:
        dofs = joint.items("dof")
        index = self.plan.joints.index(joint) + 1

        def value(number: int | None) -> float | None:
            if number is None or number > len(dofs):
                return None
            if dofs[number - 1].given("init_s"):
                dofs[number - 1].refuse("init_s", "expected it only in a joint with rom.order")
            given = dofs[number - 1].given("init", "equal2")
            return self._initial_value(joint, dofs[number - 1], number, element, count) if given else None

        slides = freedom.dofs[:3] if freedom.kind == "free" else freedom.dofs if freedom.kind == "slide" else ()
        turns = freedom.dofs[len(slides) :]
        start: dict[str, Any] = {}
        if freedom.kind in _COORDINATES and freedom.measure in ("angle", "vector"):
            (word,) = _COORDINATES[freedom.kind]
            self.states[index, element + 1, freedom.dofs[0]] = (link, word)
            start = {word: value(freedom.dofs[0])}
        elif slides:
            start = {"position": [value(number) or 0.0 for number in slides]}
        if turns and "angle" not in start:
            vector = [0.0, 0.0, 0.0]
            for axis, number in zip(freedom.axes, turns, strict=True):
                vector[axis] = value(number) or 0.0
            start |= self._rotation(joint, freedom, vector, value(freedom.scalar))
        self.document.start(link, {word: held for word, held in start.items() if _says(held)}, joint.path("dof"))

    def _rotation(self, joint: Item, freedom: Freedom, vector: list[float], scalar: float | None) -> dict[str, Any]:
        """A rotation at the start, as an angle where the joint is a hinge."""
        if not any(vector):
            return {}
        axis = freedom.axes[0]
        if freedom.measure == "vector":
            return {"rotation": rotation_vector(vector)}
        # The scalar part of a quaternion of which nothing is said is 1.
        quaternion = unit_quaternion(vector) if freedom.measure == "unit" else [scalar or 1.0, *vector]
        if quaternion is None:
            joint.notes.refuse(joint.path("dof"), vector, "expected a vector part of a quaternion of at most 1")
            return {}
        if freedom.kind == "turn":
            return {"angle": 2.0 * math.atan2(quaternion[1 + axis], quaternion[0])}
        return {"rotation": {"quaternion": quaternion}}

    def _drive(self, joint: Item, freedom: Freedom, element: int, count: int, link: str) -> None:
        dofs = joint.items("dof")
        for place, number in self._velocities(freedom):
            if number > len(dofs) or not dofs[number - 1].given("input"):
                continue
            dof = dofs[number - 1]
            if any(dof.rows("dir", count, 1)):
                dof.refuse("dir", "expected 0 beside an input: an actuator acts on both sides")
            drive = {"name": elements(joint, f"dof{number}", count, element), "joint": link}
            if freedom.kind in ("bend", "ball"):
                drive["coordinate"] = VELOCITIES["spherical"][place]
            self.document.add("actuators", {**drive, "force": dof.rows("input", count, 1)[element]}, dof.path("input"))

    def _untwist(
        self, joint: Item, freedom: Freedom, place: dict[str, Any], element: int, count: int, link: str
    ) -> None:
        """Two free components of a rotation: the third component of the rotation vector stays zero."""
        (held,) = {0, 1, 2} - set(freedom.axes)
        name = elements(joint, f"dof{freedom.dofs[0]}-untwisted", count, element)
        item = {"name": name, "between": [place, {"link": link}], "fix": [f"r{AXES[held]}"], "frame": "first"}
        self.document.add("constraints", item, joint.path("tr"))

    def ties(self) -> None:
        """Degrees of freedom that equal others."""
        for index, joint in enumerate(self.plan.joints):
            if not self.plan.is_chain(index) or joint.given("rom.order"):
                continue
            count = len(self.plan.pairs(joint))
            for number, dof in enumerate(joint.items("dof"), start=1):
                if dof.given("equal2"):
                    self._tie(joint, dof, (index + 1, number), count)

    def _tie(self, joint: Item, dof: Item, key: tuple[int, int], count: int) -> None:
        rows = dof.rows("equal2", count, dof.width("equal2"))
        for element, row in enumerate(rows):
            numbers = [int(value) for value in row]
            target = (numbers[0], element + 1, numbers[1]) if len(row) == 2 else (numbers[0], numbers[1], numbers[2])
            own = (key[0], element + 1, key[1])
            if own not in self.states or target not in self.states or own == target:
                message = (
                    "expected another degree of freedom of the main chain, [joint, dof] or [joint, element, dof], and "
                    "both of them slides or turns about one axis"
                )
                dof.refuse("equal2", message)
                return
            tie = [{"joint": self.states[own][0]}, {"joint": self.states[target][0]}]
            name = elements(joint, f"dof{key[1]}-equal", count, element)
            self.document.add("constraints", {"name": name, "tie": tie}, dof.path("equal2"))


def _joined(found: list[Freedom], dofs: list[Item]) -> list[Freedom]:
    """Three slides and a ball straight after them are a free joint, unless something acts on single freedoms."""
    joined: list[Freedom] = []
    for freedom in found:
        slides = joined[-3:]
        plain = freedom.kind == "ball" and not freedom.before.words
        plain = plain and [own.kind for own in slides] == ["slide"] * 3 and [own.axes[0] for own in slides] == [0, 1, 2]
        plain = plain and not any(own.before.words for own in slides[1:])
        numbers = [number for own in (*slides, freedom) for number in own.dofs]
        if plain and not any(dofs[number - 1].given(*_LAW, "equal2") for number in numbers if number <= len(dofs)):
            free = replace(freedom, kind="free", before=slides[0].before, dofs=tuple(numbers))
            joined = [*joined[:-3], free]
        else:
            joined.append(freedom)
    return joined


def _default(field: str) -> Any:
    return {"spring.compr": 1.0, "damp.pow": 1.0, "dir": "both"}.get(field, 0.0)


def _says(value: Any) -> bool:
    return value is not None and bool(np.any(value) if isinstance(value, list) else value)
