"""Plain data to a Description, with every mistake found in one go."""

from collections.abc import Callable
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from pliant.blueprint import HERTZ, LINEAR
from pliant.description.checks._references import check_references
from pliant.description.language import (
    DIRECTIONS,
    VELOCITIES,
    Acceleration,
    Analysis,
    AxialSpring,
    BeamSpring,
    ChamberActuator,
    Constraint,
    CoordinateTie,
    Description,
    DistributedLoad,
    DividedRod,
    Frame,
    HertzContact,
    Initial,
    JointDrive,
    LinearContact,
    Material,
    Mesh,
    Nodes,
    PointLoad,
    Rigid,
    Rod,
    Skin,
    SkinContact,
    SolidSurface,
    StressActuator,
    TendonActuator,
    constraint_on,
    coordinate_of,
    joint_drive,
    tie_of,
)
from pliant.description.language.grammar import (
    Finding,
    Location,
    NameOf,
    Part,
    Tree,
    Word,
    is_list,
    is_mapping,
    nearest,
    one_of,
    show,
    written,
)

_KINDS: dict[str, type[Part]] = {"rod": Rod, "rigid": Rigid}
_ITEM = {
    "links": "a link",
    "frames": "a frame",
    "loads": "a load",
    "actuators": "an actuator",
    "constraints": "a constraint",
    "springs": "a spring",
    "surfaces": "a surface",
    "contacts": "a contact",
    "meshes": "a mesh",
    "analyses": "an analysis",
}


def validate(tree: Tree) -> tuple[Description | None, list[Finding]]:
    """The description, or None and what is wrong.

    Every item is checked by itself, so that one wrong item hides neither the others nor the checks between items.
    """
    if tree.findings and tree.data is None:
        return None, tree.findings
    data, findings = tree.data, list(tree.findings)
    fields = Description.fields()
    if not is_mapping(data):
        return None, [
            *findings,
            Finding((), data, f"got {show(data)}; expected a robot, with the fields {one_of(fields)}"),
        ]
    for key in data:
        if key not in fields:
            message = f"unknown field; {nearest(key, fields)}expected one of: {one_of(fields)}"
            findings.append(Finding((key,), data[key], message))
    if data.get("urdf") is not None:
        message = (
            'expected "urdf" only in a robot file, whose folder tells where the URDF file is; '
            "in Python begin with Robot.from_urdf(path)"
        )
        return None, [*findings, Finding(("urdf",), data["urdf"], f"got {show(data['urdf'])}; {message}")]
    sections = _Sections(data, findings)
    valid = sections.read()
    if is_list(data.get("links")) or is_list(data.get("meshes")):
        check_references(valid, data, findings)
    # What could not be read is not also wrong in meaning.
    unread = {finding.location for finding in tree.findings}
    findings = [item for item in findings if item in tree.findings or item.location not in unread]
    if findings:
        return None, findings
    # Every part has been checked by itself; a second check of the whole would only take time.
    return Description.model_construct(**{key: value for key, value in valid.items() if data.get(key) is not None}), []


class _Sections:
    def __init__(self, data: Any, findings: list[Finding]):
        self.data = data
        self.findings = findings

    def read(self) -> dict[str, Any]:
        """What is valid: for lists, pairs of index and item are kept apart until all is known to be right."""
        if self.data.get("robot") is None:
            self.findings.append(Finding(("robot",), None, "missing; expected the robot's name"))
        links = self._listed("links", _link_class)
        joints = {link.name: link.joint.word for link in links if link is not None}
        valid: dict[str, Any] = {
            "robot": self._one(("robot",), NameOf("the robot's name").check),
            "gravity": self._one(("gravity",), Acceleration.model_validate),
            "materials": self._named("materials", "material", lambda name: Material),
            "links": links,
            "meshes": self._listed("meshes", lambda item: Mesh),
            "frames": self._listed("frames", lambda item: Frame),
            "loads": self._listed("loads", _load_class),
            "actuators": self._listed("actuators", lambda item: _actuator_class(item, joints)),
            "constraints": self._listed("constraints", lambda item: _constraint_class(item, joints)),
            "springs": self._listed("springs", _spring_class),
            "surfaces": self._listed("surfaces", _surface_class),
            "contacts": self._listed("contacts", lambda item: _contact_class(item, self._skins())),
            "initial": self._named("initial", "link", lambda name: Initial),
            "analyses": self._listed("analyses", lambda item: Analysis),
        }
        if not self.data.get("links") and not self.data.get("meshes"):
            self.findings.append(Finding(("links",), None, "missing; expected a list of at least one link"))
        return valid

    def _one(self, location: Location, check: Callable[[Any], Any]) -> Any:
        """The value checked; None where it is absent or wrong."""
        value = self.data
        for key in location:
            value = value[key] if not is_mapping(value) or key in value else None
        if value is None and len(location) == 1:
            return None
        try:
            return check(value)
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                place = written((*location, *detail["loc"]), self.data)
                self.findings.append(Finding(place, detail["input"], detail["msg"]))
        except PydanticCustomError as error:
            self.findings.append(Finding(location, value, error.message()))
        return None

    def _listed(self, section: str, choose: Callable[[Any], type[Part]]) -> tuple[Any, ...]:
        items = self.data.get(section)
        if items is None:
            return ()
        if not is_list(items):
            message = f"got {show(items)}; expected a list, each item {_ITEM[section]}"
            self.findings.append(Finding((section,), items, message))
            return ()

        def check(item: Any) -> Any:
            return choose(item).model_validate(item)

        return tuple(self._one((section, index), check) for index in range(len(items)))

    def _skins(self) -> list[str]:
        """Names of surfaces that are skins of rods, as they are written."""
        items = self.data.get("surfaces")
        found = [item for item in (items if is_list(items) else ()) if is_mapping(item) and "along" in item]
        return [item["name"] for item in found if isinstance(item.get("name"), str)]

    def _named(self, section: str, thing: str, choose: Callable[[str], type[Part]]) -> dict[str, Any]:
        items = self.data.get(section)
        if items is None:
            return {}
        if not is_mapping(items):
            message = f"got {show(items)}; expected the name of each {thing} with its fields"
            self.findings.append(Finding((section,), items, message))
            return {}
        valid = {}
        for name in items:
            try:
                NameOf("a name").check(name)
            except PydanticCustomError as error:
                self.findings.append(Finding((section, name), name, error.message()))
            valid[name] = self._one((section, name), choose(name).model_validate)
        return valid


def _link_class(item: Any) -> type[Part]:
    if not is_mapping(item):
        return Rod
    kind = item.get("kind")
    if isinstance(kind, str) and kind in _KINDS:
        return DividedRod if kind == "rod" and item.get("divisions") is not None else _KINDS[kind]
    try:
        Word(tuple(_KINDS)).check(kind)
    except PydanticCustomError as error:
        text = error.message() if kind is not None else "missing; expected one of: rod, rigid"
        raise ValidationError.from_exception_data(
            "Link", [{"type": PydanticCustomError("wrong", "{text}", {"text": text}), "loc": ("kind",), "input": kind}]
        ) from None
    return Rod


def _load_class(item: Any) -> type[Part]:
    if not is_mapping(item):
        return PointLoad
    if ("where" in item) == ("along" in item):
        problem = "got both" if "where" in item else "incomplete"
        text = f'{problem}; expected "where" (a load at a place) or "along" (a load spread along a rod)'
        raise PydanticCustomError("wrong", "{text}", {"text": text})
    return PointLoad if "where" in item else DistributedLoad


def _actuator_class(item: Any, joints: dict[str, str]) -> type[Part]:
    """The part for an actuator; that for a driven joint knows how many values the joint takes, and their units."""
    kinds: dict[str, type[Part]] = {
        "tendon": TendonActuator,
        "chamber": ChamberActuator,
        "internal": StressActuator,
        "joint": JointDrive,
    }
    given = [kind for kind in kinds if is_mapping(item) and kind in item]
    if len(given) != 1:
        problem = f"got {' and '.join(given)}" if given else "incomplete" if is_mapping(item) else f"got {show(item)}"
        words = one_of(f'"{kind}"' for kind in kinds)
        text = f"{problem}; expected an actuator, with one of: {words}"
        raise PydanticCustomError("wrong", "{text}", {"text": text})
    if given[0] != "joint":
        return kinds[given[0]]
    names = VELOCITIES.get(joints.get(item["joint"], "") if isinstance(item["joint"], str) else "", ())
    chosen = item.get("coordinate")
    chosen = [chosen] if isinstance(chosen, str) else chosen
    if is_list(chosen):
        names = tuple(name for name in chosen if name in names)
        if len(names) != len(chosen):
            return JointDrive
    return joint_drive(names) if names else JointDrive


def _constraint_class(item: Any, joints: dict[str, str]) -> type[Part]:
    """The part for a constraint, which knows how many values its directions take, and their units."""
    if not is_mapping(item):
        return Constraint
    if "tie" in item:
        ends = item["tie"] if is_list(item["tie"]) else ()
        names = [name for name in (coordinate_of(end, joints) for end in ends) if name is not None]
        return tie_of(*names) if len(names) == 2 else CoordinateTie
    fixed = item.get("fix")
    fixed = [fixed] if isinstance(fixed, str) else fixed
    known = is_list(fixed) and bool(fixed) and all(isinstance(name, str) and name in DIRECTIONS for name in fixed)
    # The values stand in the order of the directions, which is checked where there are several.
    return constraint_on(tuple(sorted(set(fixed), key=DIRECTIONS.index))) if known else Constraint


def _spring_class(item: Any) -> type[Part]:
    given = [word for word in ("axial", "beam") if is_mapping(item) and word in item]
    if len(given) != 1:
        problem = "got both" if given else "incomplete" if is_mapping(item) else f"got {show(item)}"
        text = f'{problem}; expected a spring, with "axial" (along a line) or "beam" (six components)'
        raise PydanticCustomError("wrong", "{text}", {"text": text})
    return AxialSpring if given == ["axial"] else BeamSpring


def _surface_class(item: Any) -> type[Part]:
    if not is_mapping(item):
        return SolidSurface
    forms: dict[str, type[Part]] = {"where": SolidSurface, "along": Skin, "nodes": Nodes}
    given = [word for word in forms if word in item]
    if len(given) != 1:
        problem = "incomplete" if not given else "got both" if len(given) == 2 else "got all three"
        text = f'{problem}; expected "where" (a shape at a place), "along" (the skin of a rod) or "nodes" (of a mesh)'
        raise PydanticCustomError("wrong", "{text}", {"text": text})
    return forms[given[0]]


def _contact_class(item: Any, skins: list[str]) -> type[Part]:
    """The part for a contact, which knows the unit of its stiffness: at points a force that grows like the penetration
    where a stiffness is given, and else Hertz's."""
    if not is_mapping(item):
        return LinearContact
    between = item.get("between")
    if "within" in item or (is_list(between) and any(name in skins for name in between)):
        return SkinContact
    exponent = item.get("exponent", LINEAR if item.get("stiffness") is not None else HERTZ)
    return HertzContact if str(exponent).strip() == str(HERTZ) else LinearContact
