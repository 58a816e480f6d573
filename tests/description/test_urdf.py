"""URDF files: the same robot as Pinocchio reads, frames for links without mass, and plain refusals."""

import re
import sys
from pathlib import Path

import numpy as np
import pinocchio
import pytest

from blueprints import plain_blueprint
from pliant.description import Robot, RobotFileError, companions, load, parse
from pliant.description.formats.urdf._urdf import read_urdf

ROOT = Path(__file__).parents[2]
ARM = ROOT / "src/pliant/library/robots/ur-like.urdf"
INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def turn(axis, angle):
    """Rodrigues' formula."""
    x, y, z = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def matrix(rotation, move):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation, move
    return pose


def rotation_of(rotate):
    """Quaternions and rotations about a letter in radians, as a matrix."""
    total = np.eye(3)
    for part in rotate if isinstance(rotate, list) else [rotate]:
        if "quaternion" in part:
            w, *xyz = part["quaternion"]
            angle = 2 * np.arctan2(np.linalg.norm(xyz), w)
            total = total @ (turn(xyz, angle) if np.any(xyz) else np.eye(3))
        else:
            ((letter, angle),) = part.items()
            total = total @ turn(np.eye(3)["xyz".index(letter)], angle)
    return total


def pose_of(place, poses):
    """The world pose of a place written as plain data."""
    offset = place.get("offset", {})
    rotation = rotation_of(offset["rotate"]) if "rotate" in offset else np.eye(3)
    return poses[place["link"]] @ matrix(rotation, offset.get("move", np.zeros(3)))


def joint_pose(joint, value):
    if joint == "fixed":
        return np.eye(4)
    ((kind, numbers),) = ((word, inner) for word, inner in joint.items() if word != "drive")
    axis = numbers["axis"]
    axis = np.eye(3)["xyz".index(axis)] if isinstance(axis, str) else np.asarray(axis)
    if kind == "revolute":
        return matrix(turn(axis, value), np.zeros(3))
    assert kind == "prismatic"
    return matrix(np.eye(3), value * axis / np.linalg.norm(axis))


def walk(data, values):
    """World poses of links and frames; `values` are joint coordinates by link."""
    poses = {"world": np.eye(4)}
    waiting = [*data["links"], *data.get("frames", [])]
    while waiting:
        item = waiting.pop(0)
        place = item.get("parent", item)
        if place["link"] not in poses:
            waiting.append(item)
            continue
        moved = joint_pose(item.get("joint", "fixed"), values.get(item["name"], 0.0))
        poses[item["name"]] = pose_of(place, poses) @ moved
    return poses


def mass_centre_inertia(links, poses):
    """Total mass, centre of mass, and inertia about it in world axes."""
    mass = sum(link["mass"] for link in links)
    centres = {link["name"]: (poses[link["name"]] @ [*link.get("centre", [0.0] * 3), 1.0])[:3] for link in links}
    centre = sum(link["mass"] * centres[link["name"]] for link in links) / mass
    total = np.zeros((3, 3))
    for link in links:
        xx, yy, zz, xy, xz, yz = (*link["inertia"], 0.0, 0.0, 0.0)[:6]
        rotation, arm = poses[link["name"]][:3, :3], centres[link["name"]] - centre
        total += rotation @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ rotation.T
        total += link["mass"] * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return mass, centre, total


def assert_as_pinocchio(file, robot, generator):
    model = pinocchio.buildModelFromUrdf(str(file))
    data = model.createData()
    child = {
        name: re.search(rf'<joint name="{name}".*?<child link="(.*?)"', file.read_text(), re.DOTALL)[1]
        for name in model.names
        if name != "universe"
    }
    velocity = generator.uniform(-2, 2, model.nv)
    q = pinocchio.integrate(model, pinocchio.neutral(model), velocity)
    values = {link: velocity[model.joints[model.getJointId(name)].idx_v] for name, link in child.items()}
    pinocchio.ccrba(model, data, q, velocity)
    pinocchio.framesForwardKinematics(model, data, q)
    poses = walk(robot, values)
    bodies = [frame.name for frame in model.frames if frame.type == pinocchio.FrameType.BODY]
    assert set(bodies) == poses.keys() - {"world"}
    for name in bodies:
        expected = data.oMf[model.getFrameId(name, pinocchio.FrameType.BODY)].homogeneous
        np.testing.assert_allclose(poses[name], expected, atol=1e-12)
    mass, centre, inertia = mass_centre_inertia(robot["links"], poses)
    assert mass == pytest.approx(pinocchio.computeTotalMass(model), rel=1e-14)
    np.testing.assert_allclose(centre, pinocchio.centerOfMass(model, data, q), atol=1e-12)
    np.testing.assert_allclose(inertia, data.Ig.inertia, atol=1e-11)


def triple(values):
    return " ".join(map(repr, values.tolist()))


def random_urdf(generator, count=12):
    """A tree of bodies with turned inertias, massless fixed links among them; all hang on the first joint."""
    lines = ['<robot name="random">', '<link name="root"/>']
    for index in range(count):
        kind = "revolute" if index == 0 else generator.choice(["revolute", "continuous", "prismatic", "fixed"])
        x, y, z = generator.uniform(0.1, 1, 3)  # moments of a cloud of points obey the triangle inequality
        inertia = f'<inertia ixx="{y + z}" iyy="{x + z}" izz="{x + y}" ixy="0" ixz="0" iyz="0"/>'
        origin = f'<origin xyz="{triple(generator.normal(size=3))}" rpy="{triple(generator.uniform(-3, 3, 3))}"/>'
        inertial = f'<inertial>{origin}<mass value="{generator.uniform(0.5, 2)}"/>{inertia}</inertial>'
        empty = kind == "fixed" and generator.random() < 0.7
        lines.append(f'<link name="l{index}">{"" if empty else inertial}</link>')
        parent = f"l{generator.integers(index)}" if index else "root"
        axis = triple(np.eye(3)[index % 3] if index % 2 else generator.normal(size=3))
        if kind == "prismatic":  # pinocchio takes the length of the axis for a gear ratio
            direction = generator.normal(size=3)
            axis = triple(direction / np.linalg.norm(direction))
        origin = f'<origin xyz="{triple(generator.normal(size=3))}" rpy="{triple(generator.uniform(-3, 3, 3))}"/>'
        limit = '<limit effort="1" velocity="1" lower="-1" upper="1"/>'
        ends = f'<parent link="{parent}"/><child link="l{index}"/>'
        lines.append(f'<joint name="j{index}" type="{kind}">{ends}{origin}<axis xyz="{axis}"/>{limit}</joint>')
    return "\n".join([*lines, "</robot>"])


@pytest.mark.parametrize("seed", range(8))
def test_random_trees_are_as_pinocchio_reads_them(tmp_path, seed):
    generator = np.random.default_rng(seed)
    file = tmp_path / "random.urdf"
    file.write_text(random_urdf(generator))
    assert_as_pinocchio(file, read_urdf(file).data, generator)


def test_library_arm_is_as_pinocchio_reads_it():
    robot = read_urdf(ARM).data
    for seed in range(5):
        assert_as_pinocchio(ARM, robot, np.random.default_rng(seed))


def test_library_arm_has_the_kinematics_of_the_data_sheet():
    a, d = [0, -0.425, -0.39225, 0, 0, 0], [0.089159, 0, 0, 0.10915, 0.09465, 0.0823]
    alpha = np.pi / 2 * np.array([1, 0, 0, 1, -1, 0])
    robot = read_urdf(ARM).data
    theta = np.random.default_rng(0).uniform(-3, 3, 6)
    poses = walk(robot, {link["name"]: angle for link, angle in zip(robot["links"], theta, strict=True)})
    expected = np.eye(4)
    for index in range(6):
        expected = expected @ matrix(turn([0, 0, 1], theta[index]), [0, 0, d[index]])
        expected = expected @ matrix(turn([1, 0, 0], alpha[index]), [a[index], 0, 0])
    np.testing.assert_allclose(poses["tool0"], expected, atol=1e-12)


def test_library_arm_has_inertias_of_its_cylinders_and_is_drawn():
    for link in read_urdf(ARM).data["links"]:
        radius, length = link["shape"]["cylinder"]["radius"], link["shape"]["cylinder"]["length"]
        across = link["mass"] * (3 * radius**2 + length**2) / 12
        np.testing.assert_allclose(link["inertia"], [across, across, link["mass"] * radius**2 / 2], rtol=1e-5)


def test_library_arm_is_a_robot():
    robot = Robot.from_urdf(ARM)
    assert robot.name == "ur-like" and Robot.from_urdf(ARM, name="mine").name == "mine"
    assert [link.joint.word for link in robot.description.links] == ["revolute"] * 6
    assert parse(robot.to_yaml()) == robot


def urdf(tmp_path, body, name="arm"):
    file = tmp_path / "arm.urdf"
    file.write_text(f'<robot name="{name}">\n{body}\n</robot>')
    return file


def link(name, inside=INERTIAL):
    return f'<link name="{name}">{inside}</link>'


def joint(kind, parent="a", child="b", inside="", name="j"):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def test_massless_links_become_frames(tmp_path):
    origin = '<origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/>'
    chain = [
        *(link("base", ""), link("mid", ""), link("body"), link("flange", ""), link("tool", "")),
        joint("fixed", "base", "mid", origin, "j1"),
        joint("revolute", "mid", "body", '<origin xyz="1 0 0"/><axis xyz="0 0 1"/>', "j2"),
        joint("fixed", "body", "flange", origin, "j3"),
        joint("fixed", "flange", "tool", origin, "j4"),
    ]
    robot = read_urdf(urdf(tmp_path, "\n".join(chain)), drive="motion", prefix="left_").data
    assert [frame["name"] for frame in robot["frames"]] == ["left_base", "left_mid", "left_flange", "left_tool"]
    assert [frame["link"] for frame in robot["frames"]] == ["world", "left_base", "left_body", "left_flange"]
    (body,) = robot["links"]
    assert body["joint"] == {"revolute": {"axis": "z"}, "drive": "motion"}
    assert body["parent"] == {"link": "left_mid", "offset": {"move": [1, 0, 0]}}
    assert robot["frames"][-1]["offset"]["move"] == [0, 0, 1]
    half = np.sqrt(0.5)
    np.testing.assert_allclose(robot["frames"][-1]["offset"]["rotate"]["quaternion"], [half, 0, 0, half], atol=1e-15)


def test_joints_are_read_in_our_words(tmp_path):
    def read(kind, inside="", drive=None):
        file = urdf(tmp_path, "\n".join([link("a"), link("b"), joint(kind, inside=inside)]))
        return read_urdf(file, drive=drive).data["links"][1]["joint"]

    damped = '<axis xyz="0 1 0"/><dynamics damping="0.1" friction="3"/>'
    assert read("fixed", drive="motion") == "fixed"
    assert read("revolute") == {"revolute": {"axis": "x"}}
    assert read("continuous", damped, "force") == {"revolute": {"axis": "y", "damping": 0.1}, "drive": "force"}
    assert read("prismatic", '<axis xyz="0 0 -1"/>') == {"prismatic": {"axis": [0, 0, -1]}}
    assert read("planar", '<axis xyz="0 0 1"/>', "motion") == {"planar": {"axis": "z"}, "drive": "motion"}
    assert read("floating") == {"free": {}}


def test_a_massless_root_called_world_is_the_world(tmp_path):
    file = urdf(tmp_path, "\n".join([link("world", ""), link("b"), joint("floating", "world", "b")]))
    robot = read_urdf(file).data
    assert "frames" not in robot and robot["links"][0]["parent"] == {"link": "world"}
    robot = read_urdf(file, prefix="left_").data
    assert robot["frames"] == [{"name": "left_world", "link": "world"}]


def test_inertia_is_turned_into_link_axes(tmp_path):
    inertial = (
        '<inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><mass value="2"/>'
        '<inertia ixx="1" iyy="2" izz="2.5" ixy="0" ixz="0" iyz="0.25"/></inertial>'
    )
    (body,) = read_urdf(urdf(tmp_path, link("a", inertial))).data["links"]
    assert body["mass"] == 2 and body["centre"] == [1, 2, 3]
    np.testing.assert_allclose(body["inertia"], [2, 1, 2.5, 0, -0.25, 0], atol=1e-15)


def test_names_are_made_legal(tmp_path):
    file = urdf(
        tmp_path, "\n".join([link("left arm/1."), link("2nd-", ""), joint("fixed", "left arm/1.", "2nd-")]), "my arm"
    )
    robot = read_urdf(file).data
    assert robot["robot"] == "my_arm"
    assert robot["links"][0]["name"] == "left_arm_1_" and robot["frames"][0]["name"] == "_2nd_"


@pytest.mark.parametrize(
    ("visual", "shape"),
    [
        ('<visual><geometry><box size="1 2 3"/></geometry></visual>', {"box": [1, 2, 3]}),
        ('<visual><origin xyz="0 0 0"/><geometry><sphere radius="1"/></geometry></visual>', {"sphere": {"radius": 1}}),
        ('<visual><origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry></visual>', None),
        ('<visual><origin rpy="0 1 0"/><geometry><box size="1 2 3"/></geometry></visual>', None),
        ('<visual><geometry><box size="1 2 3"/></geometry></visual>' * 2, None),
        ('<visual><geometry><mesh filename="package://nowhere/a.stl"/></geometry></visual>', None),
        ('<visual><geometry><capsule radius="1" length="2"/></geometry></visual>', None),
        ('<visual><geometry><box size="1 two 3"/></geometry></visual>', None),
        ('<visual><origin xyz="here"/><geometry><box size="1 2 3"/></geometry></visual>', None),
        ("<visual/><collision/>", None),
    ],
)
def test_a_solid_about_the_centre_is_drawn_and_nothing_else(tmp_path, visual, shape):
    (body,) = read_urdf(urdf(tmp_path, link("a", INERTIAL + visual))).data["links"]
    assert body.get("shape") == shape


def bad_inertia(xx, yy, zz, mass="1"):
    return f'<inertial><mass value="{mass}"/><inertia ixx="{xx}" iyy="{yy}" izz="{zz}"/></inertial>'


# What stands in the file, and what follows the file's name in each line of the error.
BROKEN = {
    "a massless link that moves": (
        [link("a"), link("b", ""), joint("revolute")],
        [
            ':3: link.b: the joint "j" (revolute) moves the link "b", which has no mass; expected a link with mass and '
            "inertia: give it an <inertial>, or make the joint fixed"
        ],
    ),
    "mimic": (
        [link("a"), link("b"), joint("revolute", inside='<mimic joint="k"/>')],
        [
            ":4: joint.j.mimic: mimic joints are not modelled; expected a joint of its own: take <mimic> out and "
            "drive it"
        ],
    ),
    "planar": (
        [link("a"), link("b"), joint("planar", inside='<axis xyz="0 1 1"/>')],
        [":4: links.b.joint.planar.axis: got [0.0, 1.0, 1.0]; expected one of: x, y, z"],
    ),
    "zero axis": (
        [link("a"), link("b"), joint("revolute", inside='<axis xyz="0 0 0"/>')],
        [
            ":4: links.b.joint.revolute.axis: got [0.0, 0.0, 0.0]; expected x, y, z, or a direction of 3 numbers that "
            "are not all 0"
        ],
    ),
    "joint type": (
        [link("a"), link("b"), joint("ball")],
        [':4: joint.j: got the type "ball"; expected one of: fixed, revolute, continuous, prismatic, planar, floating'],
    ),
    "negative damping": (
        [link("a"), link("b"), joint("revolute", inside='<dynamics damping="-1"/>')],
        [
            ":4: links.b.joint.revolute.damping: got -1.0; expected a rotational damping at least 0, e.g. "
            '"0.01 N*m*s/rad"'
        ],
    ),
    "damping of several coordinates": (
        [link("a"), link("b"), joint("floating", inside='<dynamics damping="1"/>')],
        [":4: joint.j: got a damping of 1; expected no damping on a floating joint"],
    ),
    "impossible inertias": (
        [
            *(link("a", bad_inertia(1, 1, 3)), link("b", bad_inertia(0, 0, 0)), link("c", bad_inertia(1, 1, 1, 0))),
            *(joint("fixed"), joint("fixed", "b", "c", name="k")),
        ],
        [
            ":2: links.a.inertia: got [1.0, 1.0, 3.0]; expected an inertia that a body can have: no principal moment "
            "exceeds the sum of the others",
            ":3: links.b.inertia: got [0.0, 0.0, 0.0]; expected an inertia whose three principal moments are greater "
            "than 0",
            ':4: links.c.mass: got 0.0; expected a mass greater than 0, e.g. "5 g"',
        ],
    ),
    "incomplete inertials": (
        [
            *(link("a", "<inertial/>"), link("b", '<inertial><mass value="1"/><inertia ixx="1" iyy="x"/></inertial>')),
            joint("fixed"),
        ],
        [
            ":2: link.a.inertial: incomplete; expected its mass, <mass .../>",
            ":2: link.a.inertial: incomplete; expected its inertia, <inertia .../>",
            ':3: link.b.inertial.inertia: iyy: got "x"; expected a number',
            ":3: link.b.inertial.inertia: izz: got nothing; expected a number",
        ],
    ),
    "no mass at all": ([link("a", "")], [":1: no link has mass; expected at least one link with an <inertial>"]),
    "numbers": (
        [link("a"), link("b"), joint("fixed", inside='<origin xyz="0 0" rpy="0 0 nan"/>')],
        [
            ':4: joint.j.origin: xyz: got "0 0"; expected 3 numbers',
            ':4: joint.j.origin: rpy: got "0 0 nan"; expected 3 numbers',
        ],
    ),
    "names that become one": (
        [link("a b"), link("a.b"), joint("fixed", "a b", "a.b")],
        [':3: link.a.b: it would be called "a_b", as another link is; expected another name'],
    ),
    "a name twice": (
        [link("a"), link("a")],
        [':3: link.a: it would be called "a", as another link is; expected another name'],
    ),
    "world": (
        [link("world")],
        [':2: link.world: got "world"; expected another name, or a prefix: "world" is what everything stands in'],
    ),
    "names": (
        [link("a"), "<link/>", joint("fixed", "a", "z")],
        [
            ':3: link: missing; expected a name, <link name="...">',
            ':4: joint.j: got "z"; expected a link of the file in <child link="..."/>',
        ],
    ),
    "two roots": ([link("a"), link("b")], [":1: got a, b; expected one link that is no joint's child"]),
    "a loop": (
        [link("a"), link("b"), link("c"), joint("fixed"), joint("fixed", "c", "b", name="k")],
        [
            ':6: joint.k: "b" is the child of joint "j" too; expected a tree, its loops closed by constraints in the '
            "robot file"
        ],
    ),
    "a circle": (
        [link("a"), link("b"), link("c"), joint("fixed", "b", "c"), joint("fixed", "c", "b", name="k")],
        [":3: links.b.parent: b hangs on c hangs on b; expected parents that lead to the world"],
    ),
    "xacro": (
        ['<x:xacro.property xmlns:x="http://www.ros.org/wiki/xacro" name="r"/>', link("a")],
        [":1: got xacro macros; expected a plain URDF file: run xacro on it first"],
    ),
    "not XML": (
        ["<link>"],
        [":3: not readable as XML: Opening and ending tag mismatch: link line 2 and robot, line 3, column 9"],
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_refusals(tmp_path, case):
    body, expected = BROKEN[case]
    file = urdf(tmp_path, "\n".join(body))
    with pytest.raises(RobotFileError) as refusal:
        read_urdf(file)
    assert str(refusal.value).splitlines() == [f"{file}{line}" for line in expected]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<sdf/>", "got <sdf>; expected a URDF file, whose outermost element is <robot>"),
        ("<robot/>", 'missing; expected the robot\'s name, <robot name="...">'),
        ('<!DOCTYPE robot [<!ENTITY a "b">]>\n<robot name="&a;"/>', "got a DOCTYPE"),
        ("", "not readable as XML"),
    ],
)
def test_other_documents_are_refused(tmp_path, text, words):
    file = tmp_path / "other.urdf"
    file.write_text(text)
    with pytest.raises(RobotFileError, match=re.escape(words)):
        read_urdf(file)


def test_bad_options_are_refused():
    with pytest.raises(RobotFileError, match='drive: got "speed"; expected one of: motion, force'):
        Robot.from_urdf(ARM, drive="speed")
    with pytest.raises(RobotFileError, match='robot: got "my arm"; expected the robot'):
        Robot.from_urdf(ARM, name="my arm")
    with pytest.raises(RobotFileError, match="No such file"):
        Robot.from_urdf("nowhere.urdf")


def test_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "yourdfpy", None)
    with pytest.raises(RobotFileError, match=re.escape('pip install "pliant[urdf]"')):
        Robot.from_urdf(ARM)


def test_a_robot_goes_on_in_python():
    robot = (
        Robot.from_urdf(ARM, name="mine", drive="force")
        .material("silicone", young="200 kPa", poisson=0.5, density=1070)
        .rod("tip", parent="tool0", length=0.2, section={"circle": {"radius": 0.01}}, material="silicone")
    )
    structure, parameters = plain_blueprint(robot)
    tip = structure["links"][-1]["parent"]
    assert tip["link"] == "wrist_3" and [item["move"] for item in tip["before"]] == ["@frames.tool0.offset.move"]
    np.testing.assert_array_equal(parameters["frames.tool0.offset.move"], [0, 0, 0.0823])
    driven = [actuator["name"] for actuator in structure["actuators"]]
    assert driven == [link.name for link in robot.description.links[:6]]


FILE = """robot: arm-with-a-rod
urdf: {file: parts/arm.urdf, parent: {link: cart, offset: {move: [0, 0, 10 cm]}}}
materials:
  silicone: {young: 200 kPa, poisson: 0.5, density: 1070}
links:
  - {name: cart, kind: rigid, mass: 10 kg, shape: {box: [1, 1, 1]}}
  - name: rod
    kind: rod
    parent: {link: tool0, offset: {move: [0, 0, 10 mm], rotate: {y: 90 deg}}}
    length: 200 mm
    section: {circle: {radius: 10 mm}}
    material: silicone
frames:
  - {name: camera, link: tool0, offset: {move: [50 mm, 0, 0]}}
loads:
  - {name: push, where: camera, force: [1 N, 0, 0]}
"""


def in_folder(folder, text=FILE, arm=None):
    """A robot file beside `parts/arm.urdf`."""
    (folder / "parts").mkdir(exist_ok=True)
    (folder / "parts" / "arm.urdf").write_bytes((arm or ARM).read_bytes())
    file = folder / "robot.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_robot_file_takes_a_urdf_file_in(tmp_path):
    file = in_folder(tmp_path)
    robot = load(file)
    assert [link.name for link in robot.description.links][:3] == ["cart", "rod", "shoulder"]
    assert [frame.name for frame in robot.description.frames] == ["camera", "base_link", "tool0"]
    assert parse(FILE, folder=tmp_path) == robot == parse(robot.to_yaml())
    structure, parameters = plain_blueprint(robot)
    assert [link["name"] for link in structure["links"]][:2] == ["cart", "shoulder"]
    base = next(frame for frame in structure["frames"] if frame["name"] == "base_link")
    assert base["where"]["link"] == "cart"
    np.testing.assert_array_equal(parameters["frames.base_link.offset.move"], [0, 0, 0.1])
    assert structure["loads"][0]["where"]["link"] == "wrist_3"
    assert companions(file) == [tmp_path / "parts" / "arm.urdf"]


def test_values_of_the_urdf_file_have_paths(tmp_path):
    robot = load(in_folder(tmp_path)).with_value("links.forearm.mass", "3 kg")
    _, parameters = robot.with_value("frames.tool0.offset.move", [0, 0, 1]).blueprint()
    assert parameters["links.forearm.mass"] == 3 and parameters["frames.tool0.offset.move"][2] == 1


def refused(call):
    with pytest.raises(RobotFileError) as refusal:
        call()
    return str(refusal.value).splitlines()


def test_lines_stay_those_of_the_robot_file(tmp_path):
    file = in_folder(tmp_path, FILE.replace("200 mm", "-200 mm").replace("link: cart", "link: card"))
    first, second = refused(lambda: load(file))
    assert first.startswith(f'{file}:2: frames.base_link.link: got "card"; did you mean "cart"?')
    assert second.startswith(f"{file}:10: links.rod.length: got")


def test_mistakes_in_the_urdf_file_have_its_lines(tmp_path):
    arm = urdf(tmp_path, link("a", bad_inertia(1, 1, 3)))
    (line,) = refused(lambda: load(in_folder(tmp_path, arm=arm)))
    assert line.startswith(f"{tmp_path / 'parts' / 'arm.urdf'}:2: links.a.inertia: got [1.0, 1.0, 3.0]")


def test_several_urdf_files(tmp_path):
    text = """robot: two
urdf:
  - {file: parts/arm.urdf, prefix: left_}
  - {file: parts/arm.urdf, prefix: right_, parent: left_tool0, drive: motion}
"""
    robot = load(in_folder(tmp_path, text))
    links = robot.description.links
    assert len(links) == 12 and links[0].name == "left_shoulder" and links[6].name == "right_shoulder"
    assert links[7].parent.link == "right_shoulder" and links[7].joint.drive == "motion"
    assert [(frame.name, frame.link) for frame in robot.description.frames] == [
        ("left_base_link", "world"),
        ("left_tool0", "left_wrist_3"),
        ("right_base_link", "left_tool0"),
        ("right_tool0", "right_wrist_3"),
    ]


def test_a_root_called_world_is_what_the_robot_stands_on(tmp_path):
    origin = '<origin xyz="0 0 1"/>'
    arm = urdf(tmp_path, "\n".join([link("world", ""), link("b"), joint("revolute", "world", "b", origin)]))
    text = """robot: two
urdf: {file: parts/arm.urdf, parent: PARENT}
links: [{name: cart, kind: rigid, mass: 1, inertia: [1, 1, 1]}]
"""
    body = load(in_folder(tmp_path, text.replace("PARENT", "cart"), arm)).description.links[1]
    assert body.parent.link == "cart" and body.parent.offset.move == (0, 0, 1)
    (line,) = refused(lambda: load(in_folder(tmp_path, text.replace("PARENT", "{offset: {move: [1, 0, 0]}}"), arm)))
    expected = '"world" is a link of parts/arm.urdf; expected a "prefix" too, or the name of a link alone'
    assert line.endswith(f":2: urdf.parent: {expected}")


@pytest.mark.parametrize("file", ["../arm.urdf", "/arm.urdf", "C:/arm.urdf", "parts\\..\\..\\arm.urdf", "3", "''"])
def test_paths_stay_below_the_folder(tmp_path, file):
    with pytest.raises(RobotFileError, match=r"robot.yaml:2: urdf.file: got .* below the folder of this file"):
        load(in_folder(tmp_path, f"robot: arm\nurdf: {{file: {file}}}\n"))


def test_links_in_the_file_system_do_not_lead_out(tmp_path):
    folder = tmp_path / "robot"
    folder.mkdir()
    (folder / "arm.urdf").symlink_to(ARM)
    with pytest.raises(RobotFileError, match="which leads outside"):
        parse("robot: arm\nurdf: {file: arm.urdf}\n", folder=folder)


def test_what_stands_in_urdf_is_checked(tmp_path):
    with pytest.raises(RobotFileError, match=r'robot.yaml:2: urdf.file: got "leg.urdf"; there is no such file'):
        load(in_folder(tmp_path, "robot: arm\nurdf: {file: leg.urdf}\n"))
    text = "robot: arm\nurdf:\n  - {fil: a.urdf}\n  - {file: a.urdf, drive: on}\n"
    lines = refused(lambda: load(in_folder(tmp_path, text)))
    assert [line.partition("robot.yaml:")[2] for line in lines] == [
        '3: urdf.0.fil: unknown field; did you mean "file"? expected one of: file, drive, parent, prefix',
        '4: urdf.1.drive: got "on"; expected one of: motion, force',
    ]


def test_urdf_needs_a_folder():
    words = (
        "only in a robot file, whose folder tells where the URDF file is; in Python begin with Robot.from_urdf(path)"
    )
    with pytest.raises(RobotFileError, match=re.escape(words)):
        parse(FILE)
    with pytest.raises(RobotFileError, match=re.escape(words)):
        _ = Robot.from_urdf(ARM).with_value("urdf.drive", "motion").description


def test_the_example_of_the_page_is_a_robot(tmp_path):
    page = (ROOT / "docs" / "urdf.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```yaml\n(robot:.*?)```", page, re.DOTALL)
    (tmp_path / "ur-like.urdf").write_bytes(ARM.read_bytes())
    description = parse(text, folder=tmp_path).description
    assert description.links[0].parent.link == "tool0" and description.links[1].joint.drive == "motion"


def test_what_stands_twice_is_refused(tmp_path):
    """Which of two masses is meant nobody can tell; yourdfpy took the first, silently."""
    text = ARM.read_text(encoding="utf-8")
    (tmp_path / "arm.urdf").write_text(text.replace('<mass value="3.7"/>', '<mass value="3.7"/><mass value="4"/>'))
    (line,) = refused(lambda: Robot.from_urdf(tmp_path / "arm.urdf"))
    assert line.endswith("link.shoulder.inertial: got 2 elements <mass>; expected one")


def test_an_element_with_a_foreign_name_is_passed_over(tmp_path):
    """Its name, escaped as ASCII has it, made yourdfpy lose what stood behind it."""
    text = ARM.read_text(encoding="utf-8").replace('<mass value="3.7"/>', '<é/><mass value="3.7"/>')
    (tmp_path / "arm.urdf").write_text(text, encoding="utf-8")
    assert len(Robot.from_urdf(tmp_path / "arm.urdf").description.links) == len(Robot.from_urdf(ARM).description.links)
