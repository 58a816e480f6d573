"""URDF in: the rigid links of a URDF file in the words of a robot file, and frames that stand for its empty links."""

import io
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter, ValidationError

from pliant.description._findings import Finding, Location, Tree, problems_from, written
from pliant.description._links import Inertia
from pliant.description._part import Part
from pliant.description._places import AXES, WORLD, Offset, Parent, Rotation
from pliant.description._problems import Problem, RobotFileError, one_of, show
from pliant.description._types import NAME_PATTERN, Checked, NameOf, Word, is_list, is_mapping, wrong

Matrix = NDArray[np.float64]
_JOINTS = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "planar": "planar",
    "floating": "free",
}
# Numbers that matter, by element: attribute -> how many. yourdfpy takes a missing moment of inertia for 1.
_NUMBERS = {
    "origin": {"xyz": 3, "rpy": 3},
    "axis": {"xyz": 3},
    "mass": {"value": 1},
    "inertia": {"ixx": 1, "iyy": 1, "izz": 1, "ixy": 1, "ixz": 1, "iyz": 1},
    "dynamics": {"damping": 1},
    "box": {"size": 3},
    "sphere": {"radius": 1},
    "cylinder": {"radius": 1, "length": 1},
}
_REQUIRED = {("mass", "value"), ("inertia", "ixx"), ("inertia", "iyy"), ("inertia", "izz")}
_SOLIDS = ("box", "sphere", "cylinder")
# Not modelled: taken out before the file is read, so that nothing in them can be in the way.
_IGNORED = ("collision", "limit", "calibration", "safety_controller", "transmission", "gazebo", "material", "sensor")
_DECIMALS = 15  # of lengths in metres and of quaternions: sin(pi) reads 0
_SAME_PLACE = 1e-6  # metres and radians: a shape this near the centre of mass is drawn there


class Mount(Part):
    """How the robot of a URDF file is put into another."""

    called = "how a URDF file is used"
    drive: Annotated[str, Word(("motion", "force"))] | None = None
    parent: Parent = Field(default_factory=Parent)
    prefix: Annotated[str, NameOf("the beginning of a name")] = ""


class _FileBelow(Checked):
    """The path of a file below the folder of the robot file."""

    @property
    def expected(self) -> str:
        return 'the path of a URDF file below the folder of this file, without "..", e.g. arm.urdf'

    def check(self, value: Any) -> str:
        if not isinstance(value, str) or not value or "\0" in value:
            raise wrong(value, self.expected)
        rooted = PurePosixPath(value).is_absolute() or PureWindowsPath(value).anchor
        if rooted or ".." in PureWindowsPath(value).parts:
            raise wrong(value, self.expected)
        return value

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string"}


class UrdfFile(Mount):
    """The field `urdf` of a robot file, or an item of it."""

    called = "a URDF file"
    file: Annotated[str, _FileBelow()]


@dataclass(frozen=True)
class UrdfRobot:
    """Plain data in the words of a robot file; a parent stands before its children."""

    name: str
    links: list[dict[str, Any]]
    frames: list[dict[str, Any]]


def read_urdf(path: str | os.PathLike[str], *, drive: Any = None, parent: Any = None, prefix: str = "") -> UrdfRobot:
    """The robot in a URDF file; a RobotFileError lists everything that is wrong with it.

    `drive` ("motion" or "force") is put beside every joint that moves, `parent` is the place on which the root stands,
    `prefix` begins every name.
    """
    shown = os.fspath(path)
    options = {"drive": drive, "parent": parent, "prefix": prefix}
    tree = Tree({name: value for name, value in options.items() if value})
    return _read(Path(path), shown, _checked(Mount, (), tree, shown))


def robot_from_urdf(path: str | os.PathLike[str], *, name: str | None = None, drive: Any = None) -> dict[str, Any]:
    """A URDF file as the data of a robot file; the robot is called `name`, or as in the URDF file."""
    robot = read_urdf(path, drive=drive)
    return {"robot": name or robot.name, "links": robot.links, **({"frames": robot.frames} if robot.frames else {})}


def expand_urdf(tree: Tree, folder: str | os.PathLike[str] | None, source: str) -> Tree:
    """The robot file without its field `urdf`: links and frames of the URDF files stand before the file's own.

    `folder` is where the robot file lies, None for text that came from no file; `source` is what errors call it.
    """
    if not is_mapping(tree.data) or tree.data.get("urdf") is None:
        return tree
    data = dict(tree.data)
    items = data.pop("urdf")
    places: list[Location] = [("urdf", index) for index in range(len(items))] if is_list(items) else [("urdf",)]
    added: dict[str, list[Any]] = {"links": [], "frames": []}
    lines: dict[Location, int] = {}
    for place in places:
        options = _checked(UrdfFile, place, tree, source)
        path = _below(folder, options.file, place, tree, source)
        robot = _read(path, str(path), options)
        for section, parts in (("links", robot.links), ("frames", robot.frames)):
            # What turns out wrong with these parts, such as a parent that is not there, was written in `urdf`.
            for index in range(len(added[section]), len(added[section]) + len(parts)):
                if place in tree.lines:
                    lines[section, index] = tree.lines[place]
            added[section] += parts
    for section, parts in added.items():
        own = data.get(section)
        if parts and (own is None or is_list(own)):
            data[section] = [*parts, *(own or [])]

    def shifted(location: Location) -> Location:
        if len(location) > 1 and location[0] in added and isinstance(location[1], int):
            return (location[0], location[1] + len(added[str(location[0])]), *location[2:])
        return location

    lines |= {shifted(location): line for location, line in tree.lines.items()}
    findings = [replace(finding, location=shifted(finding.location)) for finding in tree.findings]
    return Tree(data, lines, findings)


def _checked(part: type[Any], place: Location, tree: Tree, source: str) -> Any:
    """The valid part at `place` of the data; otherwise a RobotFileError with its lines."""
    value = tree.data
    for key in place:
        value = value[key]
    try:
        return part.model_validate(value)
    except ValidationError as error:
        details = error.errors(include_url=False)
        findings = [Finding(written((*place, *item["loc"]), tree.data), item["input"], item["msg"]) for item in details]
        raise RobotFileError(problems_from(findings, tree, source)) from None


def _below(folder: Any, file: str, place: Location, tree: Tree, source: str) -> Path:
    """The URDF file, which must lie below the folder even when links lead elsewhere."""
    if folder is None:
        message = f"got {show(file)}; expected a robot read from a file: paths are relative to the file's folder"
    else:
        path = Path(folder) / file
        if not path.is_file():
            message = f"got {show(file)}; there is no such file; expected a URDF file below the folder of this file"
        elif not path.resolve().is_relative_to(Path(folder).resolve()):
            message = f"got {show(file)}, which leads outside; expected a URDF file below the folder of this file"
        else:
            return path
    raise RobotFileError(problems_from([Finding((*place, "file"), file, message)], tree, source))


def _read(path: Path, shown: str, mount: Mount) -> UrdfRobot:
    try:
        raw = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        problem = Problem(shown, None, "", None, f"cannot be read ({reason}); expected a URDF file")
        raise RobotFileError([problem]) from None
    return _Reader(shown, mount).robot(raw)


class _Anchor(NamedTuple):
    """A pose as a place of the robot file: a link (or the world), a fraction where that is a rod, an offset."""

    link: str
    at: float | None
    pose: Matrix

    def place(self) -> dict[str, Any]:
        offset: dict[str, Any] = {}
        move, quaternion = _numbers(self.pose[:3, 3]), _quaternion(self.pose[:3, :3])
        if any(move):
            offset["move"] = move
        if quaternion != [1.0, 0.0, 0.0, 0.0]:
            offset["rotate"] = {"quaternion": quaternion}
        at = {} if self.at is None else {"at": self.at}
        return {"link": self.link, **at, **({"offset": offset} if offset else {})}


class _Reader:
    """Reads one file; `problems` gathers what is wrong with it."""

    def __init__(self, file: str, mount: Mount):
        self.file = file
        self.mount = mount
        self.problems: list[Problem] = []

    def robot(self, raw: bytes) -> UrdfRobot:
        root, robot = self._parsed(raw)
        self.elements = {(item.tag, item.get("name")): item for item in root}
        self.joints = {joint.child: joint for joint in robot.joints}
        self.names = self._names(robot)
        links, frames = [], []
        place = self.mount.parent
        anchors = {None: _Anchor(place.link, place.at, _matrix(place.offset))}
        for link in self._parents_first(robot):
            joint = self.joints.get(link.name)
            anchor = anchors[joint.parent if joint else None]
            if joint is not None and joint.origin is not None:
                anchor = anchor._replace(pose=anchor.pose @ joint.origin)
            if self._has_mass(link):
                hung = {"parent": anchor.place(), "joint": self._joint(joint)}
                links.append({"name": self.names[link.name], "kind": "rigid", **hung, **self._body(link)})
                anchor = _Anchor(self.names[link.name], None, np.eye(4))
            else:
                self._check_fixed(link, joint)
                # A root called world is where the robot stands, which has a name already.
                if joint is not None or self.names[link.name] != WORLD:
                    frames.append({"name": self.names[link.name], **anchor.place()})
            anchors[link.name] = anchor
        if not links:
            self._wrong(root, None, "no link has mass; expected at least one link with an <inertial>")
        self._refuse()
        return UrdfRobot(_legal(robot.name), links, frames)

    def _wrong(self, element: Any, value: Any, message: str) -> None:
        self.problems.append(Problem(self.file, element.sourceline, _path(element), value, message))

    def _refuse(self) -> None:
        if self.problems:
            raise RobotFileError(sorted(self.problems, key=lambda problem: problem.line or 0))

    def _parsed(self, raw: bytes) -> tuple[Any, Any]:
        """The XML (for lines and what only it says) and yourdfpy's reading of it."""
        try:
            import yourdfpy
            from lxml import etree
        except ImportError as error:
            raise ImportError('URDF files are read with yourdfpy: pip install "pliant[urdf]"') from error
        # yourdfpy mends broken XML silently and keeps no lines, so the text is read here first.
        parser = etree.XMLParser(remove_comments=True, remove_pis=True, resolve_entities=False, no_network=True)
        try:
            root = etree.fromstring(raw, parser)
        except etree.XMLSyntaxError as error:
            problem = Problem(self.file, error.lineno or None, "", None, f"not readable as XML: {error.msg}")
            raise RobotFileError([problem]) from None
        self._check_document(root)
        self._refuse()
        etree.strip_elements(root, *_IGNORED, with_tail=False)
        self._drop_undrawable(root)
        self._check_elements(root)
        self._refuse()
        source = io.BytesIO(etree.tostring(root))
        return root, yourdfpy.URDF.load(source, build_scene_graph=False, load_meshes=False, mesh_dir="").robot

    def _check_document(self, root: Any) -> None:
        if root.getroottree().docinfo.doctype:
            self._wrong(root, None, "got a DOCTYPE; expected a URDF file without one")
        elif root.tag != "robot":
            self._wrong(root, root.tag, f"got <{root.tag}>; expected a URDF file, whose outermost element is <robot>")
        elif any("xacro" in str(item.tag) for item in root.iter()):
            self._wrong(root, None, "got xacro macros; expected a plain URDF file: run xacro on it first")
        elif not root.get("name"):
            self._wrong(root, None, 'missing; expected the robot\'s name, <robot name="...">')

    def _drop_undrawable(self, root: Any) -> None:
        """Leave one visual of a link, and only if it is a solid of a size; it is for drawing, so nothing is refused."""
        for link in root.findall("link"):
            visuals = link.findall("visual")
            solids = [item for visual in visuals for item in visual.iterfind("geometry/*")]
            good = len(visuals) == len(solids) == 1 and solids[0].tag in _SOLIDS
            for element in (*solids, *visuals[0].findall("origin")) if good else ():
                sizes = [_floats(element.get(name, "0 0 0"), count) for name, count in _NUMBERS[element.tag].items()]
                good &= all(size is not None and (min(size) > 0 or element.tag == "origin") for size in sizes)
            for visual in () if good else visuals:
                link.remove(visual)

    def _check_elements(self, root: Any) -> None:
        links = self._check_links(root)
        moved = self._check_joints(root, links)
        for element in (*root.iterfind("link//*"), *root.iterfind("joint//*")):
            for attribute, count in _NUMBERS.get(element.tag, {}).items():
                self._check_numbers(element, attribute, count)
        roots = sorted(links - moved)
        if links and len(roots) != 1 and not self.problems:
            found = f"got {one_of(roots)}" if roots else "got none, for the joints lead in a circle"
            self._wrong(root, roots, f"{found}; expected one link that is no joint's child")

    def _check_links(self, root: Any) -> set[str]:
        """The names of the links."""
        names: set[str] = set()
        for link in root.findall("link"):
            self._check_name(link)
            name, inertial = link.get("name", ""), link.find("inertial")
            if name in names:
                self._wrong(link, name, f"got {show(name)} again; expected a name used once")
            names.add(name)
            if inertial is not None and inertial.find("mass") is None:
                self._wrong(inertial, None, 'incomplete; expected a <mass value="..."/> in it')
        return names

    def _check_joints(self, root: Any, links: set[str]) -> set[str]:
        """The names of the links that are children of joints."""
        moved: dict[str, str] = {}
        for joint in root.findall("joint"):
            self._check_name(joint)
            kind, mimic = joint.get("type"), joint.find("mimic")
            if kind not in _JOINTS:
                self._wrong(joint, kind, f"got the type {show(kind)}; expected one of: {one_of(_JOINTS)}")
            if mimic is not None:
                message = "mimic joints are not modelled; expected a joint of its own: take <mimic> out and drive it"
                self._wrong(mimic, mimic.get("joint"), message)
            for end in ("parent", "child"):
                name = joint.find(end).get("link") if joint.find(end) is not None else None
                if name not in links:
                    self._wrong(joint, name, f'got {show(name)}; expected a link of the file in <{end} link="..."/>')
                elif end == "child" and name in moved:
                    message = f"{show(name)} is the child of joint {show(moved[name])} too; expected a tree, "
                    self._wrong(joint, name, f"{message}its loops closed by constraints in the robot file")
                elif end == "child":
                    moved[name] = joint.get("name", "")
        return set(moved)

    def _check_name(self, element: Any) -> None:
        if not element.get("name"):
            self._wrong(element, None, f'missing; expected a name, <{element.tag} name="...">')

    def _check_numbers(self, element: Any, attribute: str, count: int) -> None:
        text = element.get(attribute)
        if text is None and (element.tag, attribute) not in _REQUIRED:
            return
        if _floats(text, count) is None:
            numbers = "a number" if count == 1 else f"{count} numbers"
            self._wrong(element, text, f"{attribute}: got {show(text)}; expected {numbers}")

    def _names(self, robot: Any) -> dict[str, str]:
        """Our name of each link; two that become one are refused."""
        names: dict[str, str] = {}
        for link in robot.links:
            name = _legal(self.mount.prefix + link.name)
            element = self.elements["link", link.name]
            other = next((other for other, taken in names.items() if taken == name), None)
            if other is not None:
                message = f"it would be called {show(name)}, as {show(other)} is; expected another name"
                self._wrong(element, link.name, message)
            if name == WORLD and (link.name in self.joints or self._has_mass(link)):
                message = 'got "world"; expected another name, or a prefix: "world" is what everything stands in'
                self._wrong(element, name, message)
            names[link.name] = name
        return names

    def _parents_first(self, robot: Any) -> Iterable[Any]:
        children: dict[str | None, list[str]] = {}
        for link in robot.links:
            joint = self.joints.get(link.name)
            children.setdefault(joint.parent if joint else None, []).append(link.name)
        by_name = {link.name: link for link in robot.links}
        waiting, ordered = children.get(None, []), []
        while waiting:
            name = waiting.pop(0)
            ordered.append(by_name[name])
            waiting = children.get(name, []) + waiting
        if len(ordered) < len(robot.links):
            lost = sorted(by_name.keys() - {link.name for link in ordered})
            element = self.elements["link", lost[0]]
            self._wrong(element, lost[0], f"{one_of(lost)} hang on each other; expected joints that lead to the root")
        return ordered

    def _has_mass(self, link: Any) -> bool:
        inertial = link.inertial
        return inertial is not None and (inertial.mass != 0 or bool(np.any(inertial.inertia)))

    def _check_fixed(self, link: Any, joint: Any) -> None:
        if joint is not None and joint.type != "fixed":
            message = (
                f"the joint {show(joint.name)} ({joint.type}) moves the link {show(link.name)}, which has no mass; "
                "expected a link with mass and inertia: give it an <inertial>, or make the joint fixed"
            )
            self._wrong(self.elements["link", link.name], link.name, message)

    def _joint(self, joint: Any) -> Any:
        kind = _JOINTS[joint.type] if joint is not None else "fixed"
        if kind == "fixed":
            return kind
        element = self.elements["joint", joint.name]
        numbers: dict[str, Any] = {}
        if kind != "free":
            axis = joint.axis.tolist()
            numbers["axis"] = next((AXES[i] for i in range(3) if _along(axis, i)), axis)
            if not any(axis):
                self._wrong(element, axis, f"got the axis {show(axis)}; expected 3 numbers that are not all 0")
            elif kind == "planar" and numbers["axis"] not in AXES:
                message = "expected 1 0 0, 0 1 0 or 0 0 1: turn the joint's <origin> instead"
                self._wrong(element, axis, f"got the axis {show(axis)}; {message}")
        damping = float(joint.dynamics.damping or 0) if joint.dynamics else 0.0
        if damping < 0 or (damping and kind not in ("revolute", "prismatic")):
            expected = "a number of at least 0" if damping < 0 else f"no damping on a {joint.type} joint"
            self._wrong(element, damping, f"got a damping of {damping:g}; expected {expected}")
        if damping:
            numbers["damping"] = damping
        return {kind: numbers, **({"drive": self.mount.drive} if self.mount.drive else {})}

    def _body(self, link: Any) -> dict[str, Any]:
        """Mass, centre, inertia in link axes, and a shape where the link is drawn as one about its centre."""
        element, inertial = self.elements["link", link.name].find("inertial"), link.inertial
        origin = np.eye(4) if inertial.origin is None else inertial.origin
        if not inertial.mass > 0:
            cure = "a link without mass has no <inertial>"
            self._wrong(element, inertial.mass, f"got a mass of {inertial.mass:g}; expected one greater than 0; {cure}")
        if inertial.inertia is None:
            self._wrong(element, None, "incomplete; expected an <inertia .../> in it")
            return {}
        turned, tensor = origin[:3, :3], inertial.inertia
        if _quaternion(turned) != [1.0, 0.0, 0.0, 0.0]:
            tensor = turned @ tensor @ turned.T
        inertia = [float(tensor[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        try:
            TypeAdapter(Inertia).validate_python(inertia)
        except ValidationError as error:
            cure = "give the moments of a solid of its mass and size (a ball: 0.4 mass radius^2)"
            self._wrong(element.find("inertia"), inertia, f"{error.errors()[0]['msg']}; {cure}")
        centre = _numbers(origin[:3, 3])
        return {
            "mass": float(inertial.mass),
            **({"centre": centre} if any(centre) else {}),
            "inertia": inertia if any(inertia[3:]) else inertia[:3],
            **_shape(link, centre),
        }


def _shape(link: Any, centre: list[float]) -> dict[str, Any]:
    """The visual as our `shape`, which is drawn about the centre of mass in link axes: only if it stands there."""
    if not link.visuals:
        return {}
    visual = link.visuals[0]
    drawn = np.eye(4) if visual.origin is None else visual.origin
    expected = np.eye(4)
    expected[:3, 3] = centre
    if not np.allclose(drawn, expected, rtol=0, atol=_SAME_PLACE):
        return {}
    solid = visual.geometry
    if solid.box is not None:
        return {"shape": {"box": solid.box.size.tolist()}}
    if solid.sphere is not None:
        return {"shape": {"sphere": {"radius": solid.sphere.radius}}}
    return {"shape": {"cylinder": {"radius": solid.cylinder.radius, "length": solid.cylinder.length}}}


def _path(element: Any) -> str:
    """`joint.elbow.mimic`: elements from the outside in, named ones with their names."""
    words: list[str] = []
    while element is not None and element.tag != "robot":
        name = element.get("name")
        words = [element.tag, *([name] if name else []), *words]
        element = element.getparent()
    return ".".join(words)


def _legal(name: str) -> str:
    """The name with every character that our names may not have as "_"."""
    name = re.sub(r"[^\w-]|-(?!\w)|^-", "_", name.strip())
    return name if re.fullmatch(NAME_PATTERN, name) else f"_{name}"


def _floats(text: str | None, count: int) -> list[float] | None:
    """The finite numbers in the text, or None if they are not `count`."""
    try:
        numbers = [float(word) for word in (text or "").split()]
    except ValueError:
        return None
    return numbers if len(numbers) == count and all(math.isfinite(number) for number in numbers) else None


def _along(axis: list[float], index: int) -> bool:
    return axis[index] > 0 and not any(number for other, number in enumerate(axis) if other != index)


def _numbers(values: Any) -> list[float]:
    return [float(value) + 0.0 for value in np.round(values, _DECIMALS)]  # + 0.0 makes -0.0 read 0.0


def _quaternion(rotation: Matrix) -> list[float]:
    from scipy.spatial.transform import Rotation as Turn

    x, y, z, w = Turn.from_matrix(rotation).as_quat(canonical=True)
    return _numbers([w, x, y, z])


def resolve_frames(data: Any) -> Any:
    """Places that name a frame (`parent: tool0`) as places on the frame's link, with both offsets composed.

    Places are the parents of links, what frames stand on, where loads act, what constraints tie, and the points of
    tendons. A name that is also a link's means the link. What is wrong with a place is left for the check of the whole
    robot.
    """
    if not is_mapping(data):
        return data
    frames = {item["name"]: item for item in _items(data, "frames") if isinstance(item.get("name"), str)}
    links = {item.get("name") for item in _items(data, "links") if isinstance(item.get("name"), str)} | {WORLD}

    def on_link(place: Any, above: tuple[str, ...] = ()) -> Any:
        name = place.get("link") if is_mapping(place) else place
        if not isinstance(name, str) or name in links or name not in frames or name in above:
            return place
        short = {"link": name} if isinstance(place, str) else place
        frame = on_link(frames[name], (*above, name))
        if "at" in short or not isinstance(frame.get("link"), str):
            return place
        offset = _composed(frame.get("offset"), short.get("offset"))
        at = {"at": frame["at"]} if "at" in frame else {}
        return {**short, "link": frame["link"], **at, **({"offset": offset} if offset else {})}

    def point(item: Any) -> Any:
        if not is_mapping(item) or item.get("link") not in frames or not item.keys() <= {"link", "move", "offset"}:
            return on_link(item) if isinstance(item, str) else item
        offset = {"offset": {"move": item["move"]}} if "move" in item and "offset" not in item else {}
        return on_link({**{key: value for key, value in item.items() if not (offset and key == "move")}, **offset})

    def changed(section: str, item: Any) -> Any:
        if not is_mapping(item):
            return item
        if section == "frames":
            return on_link(item, (str(item.get("name")),))
        if section == "actuators":
            tendon = item.get("tendon")
            if not is_mapping(tendon) or not is_list(tendon.get("route")):
                return item
            return {**item, "tendon": {**tendon, "route": [point(one) for one in tendon["route"]]}}
        field = {"links": "parent", "loads": "where", "constraints": "between"}[section]
        place = item.get(field)
        return item if place is None else {**item, field: _each(on_link, place)}

    sections = ("links", "frames", "loads", "constraints", "actuators")
    return {
        **data,
        **{name: [changed(name, item) for item in data[name]] for name in sections if is_list(data.get(name))},
    }


def _each(change: Callable[[Any], Any], value: Any) -> Any:
    return [change(item) for item in value] if is_list(value) else change(value)


def _items(data: Any, section: str) -> Iterator[Any]:
    items = data.get(section)
    yield from (item for item in items if is_mapping(item)) if is_list(items) else ()


def _composed(outer: Any, inner: Any) -> Any:
    """The offset that is `outer`, then `inner`, both as written; rotations stay as they were written."""
    if not outer or not inner:
        return inner or outer
    try:
        first, second = Offset.model_validate(outer), Offset.model_validate(inner)
    except ValidationError:
        return inner
    rotations = [item for part in (outer, inner) for item in _listed(part.get("rotate"))]
    move = outer.get("move")
    if second.move is not None:
        matrix = _matrix(first)
        move = _numbers(matrix[:3, :3] @ np.array(second.move) + matrix[:3, 3])
    return {**({"move": move} if move is not None else {}), **({"rotate": rotations} if rotations else {})}


def _listed(value: Any) -> list[Any]:
    return list(value) if is_list(value) else [] if value is None else [value]


def _matrix(offset: Offset) -> Matrix:
    """First the move, then the rotations."""
    pose = np.eye(4)
    if offset.move is not None:
        pose[:3, 3] = offset.move
    for rotation in offset.rotate:
        pose[:3, :3] = pose[:3, :3] @ _turn(rotation)
    return pose


def _turn(rotation: Rotation) -> Matrix:
    from scipy.spatial.transform import Rotation as Turn

    if rotation.quaternion is not None:
        return Turn.from_quat(np.roll(rotation.quaternion, -1)).as_matrix()
    letter = next((name for name in AXES if getattr(rotation, name) is not None), None)
    axis, angle = (rotation.axis, rotation.angle) if letter is None else (letter, getattr(rotation, letter))
    direction = np.eye(3)[AXES.index(axis)] if isinstance(axis, str) else np.asarray(axis, dtype=float)
    return Turn.from_rotvec(angle * direction / np.linalg.norm(direction)).as_matrix()
