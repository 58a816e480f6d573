"""A URDF file as a document: read strictly, its mistakes told with their lines, its meaning left to yourdfpy."""

import io
import math
import os
from collections import Counter
from copy import deepcopy
from typing import Any

from pliant.description.language.grammar import LARGEST_FILE, Problem, RobotFileError, one_of, show

JOINTS = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "planar": "planar",
    "floating": "free",
}
# Numbers that matter, by element: attribute -> how many.
_NUMBERS = {
    "origin": {"xyz": 3, "rpy": 3},
    "axis": {"xyz": 3},
    "mass": {"value": 1},
    "inertia": {"ixx": 1, "iyy": 1, "izz": 1, "ixy": 1, "ixz": 1, "iyz": 1},
    "dynamics": {"damping": 1},
}
# yourdfpy takes a mass left out for 0 and a moment of inertia for 1.
_ONCE = ("inertial",)  # of a link
_REQUIRED = {("mass", "value"), ("inertia", "ixx"), ("inertia", "iyy"), ("inertia", "izz")}
# Not modelled, or read from the document itself: yourdfpy need not understand them.
_IGNORED = ("visual", "collision", "material", "limit", "calibration", "safety_controller")


class Document:
    """The links of a URDF file and, by child, its joints: each as yourdfpy reads it and as an XML element.

    `wrong` notes a mistake, `refuse` raises what was noted; what is wrong with the document is raised at once.
    """

    def __init__(self, path: str | os.PathLike[str]):
        self.file = os.fspath(path)
        self.problems: list[Problem] = []
        self.root = self._root(path)
        self._check_kind(self.root)
        self.refuse()
        self._check_elements(self.root)
        self.refuse()
        robot = _meaning(self.root)
        self.links = list(zip(robot.links, self.root.findall("link"), strict=True))
        joints = zip(robot.joints, self.root.findall("joint"), strict=True)
        self.joints = {joint.child: (joint, element) for joint, element in joints}

    def wrong(self, element: Any, value: Any, message: str) -> None:
        self.problems.append(Problem(self.file, element.sourceline, _path(element), value, message))

    def refuse(self) -> None:
        if self.problems:
            raise RobotFileError(sorted(self.problems, key=lambda problem: problem.line or 0))

    def _root(self, path: str | os.PathLike[str]) -> Any:
        try:
            import yourdfpy  # noqa: F401 (reported here, with the file that needs it)
            from lxml import etree
        except ImportError:
            message = 'URDF files are read with yourdfpy, which is not installed: pip install "pliant[urdf]"'
            raise RobotFileError([Problem(self.file, None, "", None, message)]) from None
        # yourdfpy mends broken XML silently and keeps no lines, so the text is read here first.
        parser = etree.XMLParser(remove_comments=True, remove_pis=True, resolve_entities=False, no_network=True)
        try:
            with open(path, "rb") as file:
                text = file.read(LARGEST_FILE + 1)
            if len(text) > LARGEST_FILE:
                raise ValueError(f"it is larger than {LARGEST_FILE // 1_000_000} MB")
            return etree.fromstring(text, parser)
        except etree.XMLSyntaxError as error:
            line, message = error.lineno or None, f"not readable as XML: {error.msg}"
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            line, message = None, f"cannot be read ({reason}); expected a URDF file"
        raise RobotFileError([Problem(self.file, line, "", None, message)])

    def _check_kind(self, root: Any) -> None:
        if root.getroottree().docinfo.doctype:
            self.wrong(root, None, "got a DOCTYPE; expected a URDF file without one")
        elif root.tag != "robot":
            self.wrong(root, root.tag, f"got <{root.tag}>; expected a URDF file, whose outermost element is <robot>")
        elif any("xacro" in str(item.tag) for item in root.iter()):
            self.wrong(root, None, "got xacro macros; expected a plain URDF file: run xacro on it first")
        elif not root.get("name"):
            self.wrong(root, None, 'missing; expected the robot\'s name, <robot name="...">')

    def _check_elements(self, root: Any) -> None:
        for element in (*root.findall("link"), *root.findall("joint")):
            if not element.get("name"):
                self.wrong(element, None, f'missing; expected a name, <{element.tag} name="...">')
        for inertial in root.iterfind("link/inertial"):
            for tag in ("mass", "inertia"):
                if inertial.find(tag) is None:
                    self.wrong(inertial, None, f"incomplete; expected its {tag}, <{tag} .../>")
        for owner, tags in (("link", _ONCE), ("link/inertial", _NUMBERS), ("joint", (*_NUMBERS, "parent", "child"))):
            for element in root.iterfind(owner):
                for tag, count in Counter(item.tag for item in element).items():
                    if tag in tags and count > 1:
                        self.wrong(element, count, f"got {count} elements <{tag}>; expected one")
        for element in (*root.iterfind("link/inertial/*"), *root.iterfind("joint/*")):
            for attribute, count in _NUMBERS.get(element.tag, {}).items():
                self._check_numbers(element, attribute, count)
        links = [link.get("name") for link in root.findall("link")]
        moved = self._check_joints(root, links)
        roots = [name for name in dict.fromkeys(links) if name not in moved]
        if len(roots) != 1 and not self.problems:
            self.wrong(root, roots, f"got {one_of(roots) or 'none'}; expected one link that is no joint's child")

    def _check_numbers(self, element: Any, attribute: str, count: int) -> None:
        text = element.get(attribute)
        if text is None and (element.tag, attribute) not in _REQUIRED:
            return
        if floats(text, count) is None:
            numbers = "a number" if count == 1 else f"{count} numbers"
            self.wrong(element, text, f"{attribute}: got {show(text)}; expected {numbers}")

    def _check_joints(self, root: Any, links: list[str]) -> set[str]:
        """The names of the links that are children of joints."""
        moved: dict[str, str] = {}
        for joint in root.findall("joint"):
            kind, mimic = joint.get("type"), joint.find("mimic")
            if kind not in JOINTS:
                self.wrong(joint, kind, f"got the type {show(kind)}; expected one of: {one_of(JOINTS)}")
            if mimic is not None:
                message = "mimic joints are not modelled; expected a joint of its own: take <mimic> out and drive it"
                self.wrong(mimic, mimic.get("joint"), message)
            for end in ("parent", "child"):
                name = joint.find(end).get("link") if joint.find(end) is not None else None
                if name not in links:
                    self.wrong(joint, name, f'got {show(name)}; expected a link of the file in <{end} link="..."/>')
                elif end == "child" and name in moved:
                    message = f"{show(name)} is the child of joint {show(moved[name])} too; expected a tree, "
                    self.wrong(joint, name, f"{message}its loops closed by constraints in the robot file")
                elif end == "child":
                    moved[name] = joint.get("name", "")
        return set(moved)


def floats(text: str | None, count: int) -> list[float] | None:
    """The finite numbers in the text, or None if they are not `count`."""
    try:
        numbers = [float(word) for word in (text or "").split()]
    except ValueError:
        return None
    return numbers if len(numbers) == count and all(math.isfinite(number) for number in numbers) else None


def _meaning(root: Any) -> Any:
    """yourdfpy's robot."""
    import yourdfpy
    from lxml import etree

    root = deepcopy(root)
    etree.strip_elements(root, *_IGNORED, with_tail=False)
    source = io.BytesIO(etree.tostring(root, encoding="utf-8"))  # ASCII would spoil names of elements
    return yourdfpy.URDF.load(source, build_scene_graph=False, load_meshes=False).robot


def _path(element: Any) -> str:
    """`joint.elbow.mimic`: elements from the outside in, named ones with their names."""
    words: list[str] = []
    while element is not None and element.tag != "robot":
        name = element.get("name")
        words = [element.tag, *([name] if name else []), *words]
        element = element.getparent()
    return ".".join(words)
