"""A URDF file in the words of a robot file: a rigid link for each link with mass, a frame for each without."""

import re
from typing import Any

import numpy as np

from pliant.blueprint import is_name
from pliant.description.formats.urdf._urdf_document import JOINTS, Document, floats
from pliant.description.language import AXES, WORLD
from pliant.description.language.grammar import Location, Tree, show

_SOLIDS = {"box": {"size": 3}, "sphere": {"radius": 1}, "cylinder": {"radius": 1, "length": 1}}
_DECIMALS = 15  # of lengths in metres and of quaternions: sin(pi) reads 0
_SAME_PLACE = 1e-6  # metres and radians: a shape this near the centre of mass is drawn there


def urdf_tree(document: Document, drive: str | None, prefix: str = "") -> Tree:
    """The robot with its root in the world, and the lines of its parts in the URDF file.

    What no robot may have is left to the check of the robot; here is refused what its words cannot say.
    """
    names = _names(document, prefix)
    links: list[dict[str, Any]] = []
    frames: list[dict[str, Any]] = []
    lines: dict[Location, int] = {}
    for link, element in document.links:
        joint, joint_element = document.joints.get(link.name, (None, element))
        name = names[link.name]
        place = {"link": WORLD} if joint is None else {"link": names[joint.parent], **_offset(joint.origin)}
        if _has_mass(link):
            lines["links", len(links)] = element.sourceline
            lines["links", len(links), "joint"] = joint_element.sourceline
            moves = _joint(document, joint, joint_element, drive)
            links.append({"name": name, "kind": "rigid", "parent": place, "joint": moves, **_body(link, element)})
            continue
        if joint is not None and joint.type != "fixed":
            message = (
                f"the joint {show(joint.name)} ({joint.type}) moves the link {show(link.name)}, which has no mass; "
                "expected a link with mass and inertia: give it an <inertial>, or make the joint fixed"
            )
            document.wrong(element, link.name, message)
        # A root called world is where the robot stands, which has a name already.
        if name != WORLD:
            lines["frames", len(frames)] = element.sourceline
            frames.append({"name": name, **place})
    if not links:
        document.wrong(document.root, None, "no link has mass; expected at least one link with an <inertial>")
    document.refuse()
    name = _legal(document.root.get("name"))
    return Tree({"robot": name, "links": links, **({"frames": frames} if frames else {})}, lines)


def _names(document: Document, prefix: str) -> dict[str, str]:
    """Our name of each link; two that become one are refused."""
    names: dict[str, str] = {}
    for link, element in document.links:
        name = _legal(prefix + link.name)
        if name in names.values():
            message = f"it would be called {show(name)}, as another link is; expected another name"
            document.wrong(element, link.name, message)
        elif name == WORLD and (link.name in document.joints or _has_mass(link)):
            message = 'got "world"; expected another name, or a prefix: "world" is what everything stands in'
            document.wrong(element, name, message)
        names[link.name] = name
    return names


def _legal(name: str) -> str:
    """The name with every character that our names may not have as "_"."""
    name = re.sub(r"[^\w-]|-(?!\w)|^-", "_", name.strip())
    return name if is_name(name) else f"_{name}"


def _has_mass(link: Any) -> bool:
    inertial = link.inertial
    return inertial is not None and (inertial.mass != 0 or bool(np.any(inertial.inertia)))


def _joint(document: Document, joint: Any, element: Any, drive: str | None) -> Any:
    kind = "fixed" if joint is None else JOINTS[joint.type]
    if kind == "fixed":
        return kind
    numbers: dict[str, Any] = {}
    if kind != "free":
        axis = joint.axis.tolist()
        letters = [letter for letter, unit in zip(AXES, np.eye(3).tolist(), strict=True) if axis == unit]
        numbers["axis"] = letters[0] if letters else axis
    damping = float(joint.dynamics.damping or 0) if joint.dynamics else 0.0
    if damping and kind in ("free", "planar"):
        message = f"got a damping of {damping:g}; expected no damping on a {joint.type} joint"
        document.wrong(element, damping, message)
    elif damping:
        numbers["damping"] = damping
    return {kind: numbers, **({"drive": drive} if drive else {})}


def _body(link: Any, element: Any) -> dict[str, Any]:
    """Mass, centre, inertia in link axes, and a shape where the link is drawn as one about its centre."""
    inertial = link.inertial
    origin = np.eye(4) if inertial.origin is None else inertial.origin
    turned, tensor = origin[:3, :3], inertial.inertia
    if "rotate" in _offset(origin).get("offset", {}):
        tensor = turned @ tensor @ turned.T
    inertia = [float(tensor[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    centre = _numbers(origin[:3, 3])
    return {
        "mass": float(inertial.mass),
        **({"centre": centre} if any(centre) else {}),
        "inertia": inertia if any(inertia[3:]) else inertia[:3],
        **_shape(element, centre),
    }


def _shape(element: Any, centre: list[float]) -> dict[str, Any]:
    """The only visual as our `shape`, which is drawn about the centre of mass in link axes: only if it stands there."""
    visuals, solids = element.findall("visual"), element.findall("visual/geometry/*")
    if len(visuals) != 1 or len(solids) != 1 or solids[0].tag not in _SOLIDS:
        return {}
    solid, origin = solids[0], visuals[0].find("origin")
    where = {} if origin is None else origin.attrib
    move, turn = (floats(where.get(name, "0 0 0"), 3) for name in ("xyz", "rpy"))
    sizes = {name: floats(solid.get(name), count) for name, count in _SOLIDS[solid.tag].items()}
    if move is None or turn is None or not all(size and min(size) > 0 for size in sizes.values()):
        return {}
    if not np.allclose([*move, *turn], [*centre, 0, 0, 0], rtol=0, atol=_SAME_PLACE):
        return {}
    numbers = {name: size[0] for name, size in sizes.items() if size}
    return {"shape": {solid.tag: sizes["size"] if solid.tag == "box" else numbers}}


def _offset(pose: Any) -> dict[str, Any]:
    """The field `offset` for a pose; nothing where the pose is none."""
    if pose is None:
        return {}
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(pose[:3, :3]).as_quat(canonical=True)
    move, quaternion = _numbers(pose[:3, 3]), _numbers([w, x, y, z])
    offset: dict[str, Any] = {"move": move} if any(move) else {}
    if any(quaternion[1:]):
        offset["rotate"] = {"quaternion": quaternion}
    return {"offset": offset} if offset else {}


def _numbers(values: Any) -> list[float]:
    return [float(value) + 0.0 for value in np.round(values, _DECIMALS)]  # + 0.0 makes -0.0 read 0.0
