"""Who hangs on whom in a system of the TMT language: the main kinematic chain, meshes, the ends of joints and loads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pliant.description.formats.cad import WireNet
from pliant.description.formats.tmt._tmt_geometry import Offset
from pliant.description.formats.tmt._tmt_items import Item, Notes
from pliant.description.formats.tmt._tmt_tree import Struct
from pliant.description.language import WORLD
from pliant.description.language.grammar import one_of

MESH = "mesh"
_AT_AN_END = 1e-9  # of a rod's length, what rounding may leave


@dataclass(frozen=True)
class End:
    """The ground (body 0), an element of a body, or a place (in metres) along a rod."""

    body: int = 0
    element: int = 0
    along: float | None = None


class Plan:
    """The bodies, joints and loads of a system, and which joint holds which body."""

    def __init__(self, system: Struct, values: Mapping[str, float], net: WireNet | None, notes: Notes) -> None:
        self.notes = notes
        self.net = net
        self.system = Item(system, values, notes)
        self.bodies, self.joints, self.loads = (self.system.items(name) for name in ("body", "joint", "exload"))
        # An item that was only looked at is not there.
        self.loads = [load for load in self.loads if any(load.set_fields())]
        # The bodies of a CAD file stand after all others, numbered as a second edge reaches their nodes.
        self.imported = () if net is None else net.meeting_order()
        self.lengths: dict[int, float] = {}  # of ROM rods, by body
        self.counts: dict[int, int] = {}  # of elements, by body
        self.holder: dict[int, int] = {}  # index of the joint of the main chain, by body
        for index, joint in enumerate(self.joints):
            body = self._number(joint, "second")
            if 1 <= body <= len(self.bodies) and body not in self.holder:
                self.holder[body] = index
                self._measure(joint, body)
        for number, item in enumerate(self.bodies, start=1):
            if number not in self.holder:
                message = f"no joint holds it; expected a joint with second = {number}"
                notes.refuse(item.path(), None, message)
        if not self.bodies and net is None:
            notes.refuse("body", None, "missing; expected at least one body, or a mesh")

    def _number(self, item: Item, name: str) -> int:
        return int(item.value(name)[0])

    def _measure(self, joint: Item, body: int) -> None:
        """How many elements the body has, or how long its rod is."""
        _, *rest = joint.value("second")
        self.counts[body] = 1
        if joint.given("rom.order"):
            if len(rest) != 1 or rest[0] <= 0:
                joint.refuse("second", f"expected [{body}, length]: the length in metres of a ROM rod, greater than 0")
            self.lengths[body] = float(rest[0]) if rest and rest[0] > 0 else 1.0
            return
        if sorted(rest) not in ([], [*range(1, len(rest) + 1)]):
            joint.refuse(
                "second",
                f'expected the elements 1, 2, ... of the mesh, each once: [{body}, 1, 2, 3] or [{body}, "1:3"]; a '
                "length belongs to a joint with rom.order",
            )
            return
        self.counts[body] = max(len(rest), 1)

    def is_chain(self, index: int) -> bool:
        return self.holder.get(self._number(self.joints[index], "second")) == index

    @property
    def body_count(self) -> int:
        return len(self.bodies) + len(self.imported)

    def ends(self, item: Item, name: str) -> list[End]:
        """The places that a field such as `first` names, one for each element."""
        body, *rest = item.value(name)
        body = int(body)
        if body > self.body_count:
            there = f"bodies 1 to {self.body_count}" if self.body_count else "no bodies"
            item.refuse(name, f"there is no body {body}; expected 0 (the ground) or one of its {there}")
            return [End()]
        if body == 0:
            return [End()] * max(len(rest), 1)
        if body in self.lengths:
            length = self.lengths[body]
            if any(along > length * (1 + _AT_AN_END) for along in rest):
                item.refuse(name, f"expected a length along the rod of body {body}, from 0 to {length:g} m")
            return [End(body, 1, min(float(along), length)) for along in rest or [length]]
        count = self.counts.get(body, 1)
        if any(not float(element).is_integer() or element > count for element in rest):
            there = "it has one" if count == 1 else f"it has {count}"
            item.refuse(name, f"expected elements of body {body} ({there}); 0 is the ground")
            return [End(body, 1)]
        return [End(body, int(element)) if element else End() for element in rest or [1]]

    def pairs(self, joint: Item) -> list[tuple[End, End]]:
        """The two ends of every element of a joint."""
        first, second = self.ends(joint, "first"), self.ends(joint, "second")
        if len(first) != len(second) and 1 not in (len(first), len(second)):
            message = f"it names {len(first)} elements and second {len(second)}; expected as many, or one"
            joint.refuse("first", message)
        count = max(len(first), len(second))
        first, second = (ends * count if len(ends) == 1 else ends for ends in (first, second))
        return list(zip(first, second, strict=False))

    def name(self, end: End) -> str:
        """What the link of an end is called."""
        if end.body == 0:
            return WORLD
        if end.body > len(self.bodies):
            return MESH
        return f"body{end.body}" if self.counts.get(end.body, 1) == 1 else f"body{end.body}-{end.element}"

    def place(self, end: End, offset: Offset | None = None) -> dict[str, Any]:
        """A place of the robot language."""
        place: dict[str, Any] = {"link": self.name(end)}
        if end.body in self.lengths:
            along = end.along if end.along is not None else self.lengths[end.body]
            place["at"] = along / self.lengths[end.body]
        elif end.body > len(self.bodies):
            place["node"] = self.imported[end.body - len(self.bodies) - 1] + 1
        words = offset.words if offset is not None else {}
        return {**place, "offset": words} if words else place

    def reference(self, item: Item, ends: Mapping[str, End]) -> str | None:
        """Whose axes `refbody` means: world, or the key of one of `ends`; None where it is none of them."""
        wanted = self.ends(item, "refbody")
        if wanted[0].body == 0:
            return WORLD
        for key, end in ends.items():
            if end in wanted:
                return key
        own = one_of(f"body {end.body}" for end in ends.values() if end.body)
        item.refuse("refbody", f"expected a body that the item is on, at the same place ({own}), or none: the ground")
        return None


def elements(joint: Item, name: str, count: int, index: int) -> str:
    """What an element of a joint is called, with a name after it."""
    number = joint.path().removeprefix("joint(").removesuffix(")")
    own = f"joint{number}" if count == 1 else f"joint{number}-{index + 1}"
    return f"{own}-{name}" if name else own
