"""The TMT language: every field of Tables 13 to 16, the checks, and the seed's simple example (Eqs. 49 to 60)."""

from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

import pliant
from pliant import tmt
from pliant.description.formats.tmt._tmt_fields import SYSTEM, Group

inf, nan = tmt.inf, tmt.nan
MASS, LENGTH, RADIUS, YOUNG, SHEAR = 0.03, 0.05, 0.01, 200e3, 70e3
AREA, SECOND = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4
INERTIA = MASS * (3 * RADIUS**2 + LENGTH**2) / 12
# Eqs. 34 and 40: shear, stretch and bending over the length.
STIFFNESS = np.array([SHEAR * AREA, YOUNG * AREA, YOUNG * SECOND]) / LENGTH
DAMPING = [0.3, 0.4, 2e-4]
ROTATIONS = {"srl": [2, inf], "ebr": [0, inf, 0], "eba": [0, 0, inf, 0]}


def simple(model: str) -> tmt.System:
    """The planar rod of one element, Eqs. 49 to 58."""
    system = tmt.System("simple")
    if model == "rom":
        system.body(1).m = MASS / LENGTH
        system.body(1).I = MASS * RADIUS**2 / (4 * LENGTH) * np.eye(3)
        system.joint(1).rom.order = 1
        system.joint(1).second = [1, LENGTH]
        system.joint(1).tr(1).trans = [inf, 0, inf]
        system.joint(1).tr(1).rot = [0, 0, inf, 0]
        system.joint(1).dof(2).init = LENGTH
        joint, scale = system.joint(1), LENGTH
    else:
        system.body(1).m = MASS
        system.body(1).I = INERTIA * np.eye(3)
        system.joint(1).second = 1
        system.joint(1).tr(1).trans = [0, 0, LENGTH]
        system.joint(1).tr(2).trans = [inf, 0, inf]
        system.joint(1).tr(2).rot = ROTATIONS[model]
        joint, scale = system.joint(2), 1.0
    if model in ("srl", "ebr"):
        for number, (stiffness, damping) in enumerate(zip(STIFFNESS, DAMPING, strict=True), start=1):
            system.joint(1).dof(number).spring.coeff = stiffness
            system.joint(1).dof(number).damp.visc = damping
    else:
        joint.second = joint.second if model == "rom" else 1
        shear, stretch, bend = scale * STIFFNESS
        joint.spring.coeff = [shear, shear, stretch, bend, bend, bend]
        if model == "eba":
            joint.spring.init = [0, 0, nan, 0, 0, 0]
        joint.damp.visc = [DAMPING[0], 0, DAMPING[1], 0, DAMPING[2], 0]
    return system


@pytest.mark.parametrize("model", ROTATIONS)
def test_simple_example_has_the_matrices_of_equations_18_and_40(model):
    compiled = pliant.compile(simple(model).robot())
    q = compiled.initial_state().q
    assert compiled.nv == 3
    assert np.allclose(pliant.mass_matrix(compiled, q), np.diag([MASS, MASS, INERTIA]), rtol=1e-12)
    assert np.allclose(pliant.stiffness_matrix(compiled, q), np.diag(STIFFNESS), rtol=1e-9, atol=1e-9)
    assert np.allclose(pliant.damping_matrix(compiled, q, jnp.zeros(3)), np.diag(DAMPING), rtol=1e-9, atol=1e-12)


def test_simple_example_as_a_rom_rod():
    """Eqs. 14 and 30 integrated: with x = s / L the pose is L (c1 x^2, x + c2 x^2), [1, d x]."""
    compiled = pliant.compile(simple("rom").robot())
    assert compiled.coordinate_names == (
        "body1.orientation_y[1]",
        "body1.position_x[1]",
        "body1.position_z[1]",
    )
    q = compiled.initial_state().q
    assert np.array_equal(q, np.zeros(3))
    mass = np.diag([MASS * RADIUS**2 / 3, MASS * LENGTH**2 / 5, MASS * LENGTH**2 / 5])
    assert np.allclose(pliant.mass_matrix(compiled, q), mass, rtol=1e-9)
    shear, stretch, bend = LENGTH * STIFFNESS
    stiffness = 4 / 3 * LENGTH * np.array([[shear, -shear, 0], [-shear, shear, 0], [0, 0, stretch]])
    stiffness[0, 0] += 4 * bend / LENGTH
    assert np.allclose(pliant.stiffness_matrix(compiled, q), stiffness, rtol=1e-9, atol=1e-12)


def hinge() -> tmt.System:
    """A body on a hinge about y."""
    system = tmt.System("hinge")
    system.body(1).m, system.body(1).I = 1.0, 0.1
    system.joint(1).second = 1
    system.joint(1).tr(1).rot = [2, inf]
    return system


def linked() -> tmt.System:
    """The same, with a linking joint from the ground to the body."""
    system = hinge()
    system.joint(2).second = 1
    system.joint(2).spring.coeff = 5.0
    return system


def rod() -> tmt.System:
    """A ROM rod."""
    system = tmt.System("rod")
    system.body(1).m, system.body(1).I = 0.5, 1e-5
    joint = system.joint(1)
    joint.second, joint.rom.order = [1, 0.2], 2
    joint.tr.trans, joint.tr.rot = [inf, inf, inf], [0, inf, inf, inf]
    joint.spring.coeff = [1, 2, 3, 4, 5, 6]
    return system


@pytest.fixture
def net(tmp_path):
    """Two crossing threads: a hub, four fixed ends."""
    path = tmp_path / "net.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nl 2 1\nl 1 3\nl 4 1\nl 1 5\n")

    def make() -> tmt.System:
        system = tmt.System("net")
        system.mesh.file_name = str(path)
        system.mesh.joint(1).tr.trans = [inf, inf, inf]
        system.mesh.joint(2).spring.coeff = 3.0
        return system

    return make


def read(system: tmt.System, path: str):
    """A value of the robot that a system becomes, by its path: `links.body1.mass`, `actuators.0.force`."""
    robot = system.robot()
    assert pliant.parse(robot.to_yaml()) == robot
    node = robot._tree.data
    for word in path.split("."):
        if isinstance(node, list):
            named = [item for item in node if isinstance(item, dict) and item.get("name") == word]
            node = named[0] if named else node[int(word)]
        else:
            node = node[word]
    return node


def put(system: tmt.System, path: str, value) -> None:
    """Set a field by its path: `joint(1).dof(2).init`."""
    node, (*groups, last) = system, path.split(".")
    for group in groups:
        word, _, number = group.rstrip(")").partition("(")
        node = getattr(node, word)(int(number)) if number else getattr(node, word)
    setattr(node, last, value)


# Every field of Tables 13 to 16 that is implemented: the system, what is set, where it shows in the robot, and as what.
IMPLEMENTED = {
    "par.modal": (hinge, {"par.modal": 1}, "analyses.0", {"modes": {}}),
    "par.equil": (hinge, {"par.equil": 2}, "analyses.0", {"statics": {}}),
    "par.dyn": (hinge, {"par.dyn": 1}, "analyses.0.simulate.from", "initial"),
    "par.nint": (rod, {"par.nint": 30}, "links.body1.model.rom.quadrature", 30),
    "par.sym": (hinge, {"par.sym": {"m": 2.0}, "body(1).m": "3 * m"}, "links.body1.mass", 6.0),
    "par.var": (hinge, {"par.sym": {"m": 2.0}, "body(1).m": "m", "par.var": [7.0]}, "links.body1.mass", 7.0),
    "world.g": (hinge, {"world.g": [0, 0, -3]}, "gravity", [0, 0, -3]),
    "body.m": (hinge, {"body(1).m": 2.0}, "links.body1.mass", 2.0),
    "body.I": (hinge, {"body(1).I": np.diag([1.0, 2.0, 2.5])}, "links.body1.inertia", [1.0, 2.0, 2.5]),
    "body.l.com": (hinge, {"body(1).l.com": [0, 0, 1]}, "links.body1.centre", [0, 0, 1]),
    "body.tip": (hinge, {"body(1).tip": [0, 0, 3]}, "frames.body1-tip.offset.move", [0, 0, 3]),
    "joint.rom.order": (rod, {"joint(1).rom.order": 3}, "links.body1.model.rom.order", 3),
    "joint.first": (
        hinge,
        {"body(2).m": 1.0, "joint(2).first": 1, "joint(2).second": 2},
        "links.body2.parent",
        {"link": "body1"},
    ),
    "joint.second": (hinge, {"joint(1).second": [1, "1:2"]}, "links.body1-2.mass", 1.0),
    "joint.tr.trans": (
        hinge,
        {"joint(1).tr(1).trans": [0, 2, inf]},
        "links.body1-dof1",
        {
            "name": "body1-dof1",
            "kind": "rigid",
            "parent": {"link": "world", "offset": {"move": [0, 2, 0]}},
            "mass": 0.0,
            "joint": {"prismatic": {"axis": "z"}},
        },
    ),
    "joint.tr.rot": (hinge, {"joint(1).tr(1).rot": [3, inf]}, "links.body1.joint", {"revolute": {"axis": "z"}}),
    "joint.tr2nd.trans": (
        linked,
        {"joint(2).tr2nd(1).trans": [1, 0, 0]},
        "springs.joint2.between.1.offset.move",
        [1, 0, 0],
    ),
    "joint.tr2nd.rot": (
        linked,
        {"joint(2).spring.coeff": [1.0] * 6, "joint(2).tr2nd(1).rot": [1, 0.5]},
        "springs.joint2.between.1.offset.rotate",
        [{"x": 0.5}],
    ),
    "joint.dof.equal2": (
        hinge,
        {
            "body(2).m": 1.0,
            "joint(2).second": 2,
            "joint(2).tr(1).rot": [2, inf],
            "joint(2).dof(1).equal2": [1, 1],
        },
        "constraints.joint2-dof1-equal.tie",
        [{"joint": "body2"}, {"joint": "body1"}],
    ),
    "joint.dof.init": (hinge, {"joint(1).dof(1).init": 0.4}, "initial.body1.angle", 0.4),
    "joint.dof.init_s": (
        rod,
        {"joint(1).dof(3).init": [0.12, 0.24], "joint(1).dof(3).init_s": [0.1, 0.2]},
        "initial.body1.stretch",
        pytest.approx(0.2),
    ),
    "joint.dof.spring.coeff": (
        hinge,
        {"joint(1).dof(1).spring.coeff": 3.0},
        "links.body1.joint.revolute.stiffness",
        3.0,
    ),
    "joint.dof.spring.init": (
        hinge,
        {"joint(1).dof(1).spring.coeff": 3.0, "joint(1).dof(1).spring.init": nan, "joint(1).dof(1).init": 0.2},
        "links.body1.joint.revolute.rest",
        0.2,
    ),
    "joint.dof.spring.compr": (
        hinge,
        {
            "joint(1).dof(1).spring.coeff": 3.0,
            "joint(1).dof(1).spring.init": 0.2,
            "joint(1).dof(1).spring.compr": 0.5,
        },
        "links.body1.joint.revolute.rest_ratio",
        0.5,
    ),
    "joint.dof.dir": (
        hinge,
        {"joint(1).dof(1).spring.coeff": 3.0, "joint(1).dof(1).dir": -1},
        "links.body1.joint.revolute.acts",
        "compression",
    ),
    "joint.dof.damp.visc": (
        hinge,
        {"joint(1).dof(1).damp.visc": 3.0},
        "links.body1.joint.revolute.damping",
        3.0,
    ),
    "joint.dof.damp.pow": (
        hinge,
        {"joint(1).dof(1).damp.visc": 3.0, "joint(1).dof(1).damp.pow": 2},
        "links.body1.joint.revolute.damping_power",
        2,
    ),
    "joint.dof.input": (
        hinge,
        {"joint(1).dof(1).input": 1.5},
        "actuators.joint1-dof1",
        {"name": "joint1-dof1", "joint": "body1", "force": 1.5},
    ),
    "joint.dir": (linked, {"joint(2).dir": 1}, "springs.joint2.axial.acts", "tension"),
    "joint.xaxis": (
        linked,
        {"joint(2).spring.coeff": [1.0] * 6, "joint(2).xaxis": [0, 1, 0]},
        "springs.joint2.between.0.offset.rotate",
        [{"z": pytest.approx(np.pi / 2)}],
    ),
    "joint.spring.coeff": (
        linked,
        {"joint(2).spring.coeff": [1, 2, 3, 4, 5, 6]},
        "springs.joint2.beam.stiffness",
        [4, 5, 6, 1, 2, 3],
    ),
    "joint.spring.init": (
        linked,
        {"joint(2).spring.coeff": [1.0] * 6, "joint(2).spring.init": [0, 0, nan, 0, 0.1, 0]},
        "springs.joint2.beam.rest",
        [0, 0.1, 0, 0, 0, "initial"],
    ),
    "joint.spring.compr": (
        linked,
        {"joint(2).spring.init": nan, "joint(2).spring.compr": 0.8},
        "springs.joint2.axial.rest_ratio",
        0.8,
    ),
    "joint.damp.visc": (linked, {"joint(2).damp.visc": 2.0}, "springs.joint2.axial.damping", 2.0),
    "joint.damp.pow": (
        linked,
        {"joint(2).damp.visc": 2.0, "joint(2).damp.pow": 2},
        "springs.joint2.axial.damping_power",
        2,
    ),
    "joint.input": (rod, {"joint(1).input": [0, 0, 1, 2, 3, 4]}, "actuators.joint1.stress", [2, 3, 4, 0, 0, 1]),
    "joint.refbody": (
        linked,
        {"joint(2).fixed": [1, 0, 0], "joint(2).refbody": 1},
        "constraints.joint2-fixed.frame",
        "second",
    ),
    "joint.fixed": (
        linked,
        {"joint(2).fixed": [0, 0, 1, 0, 1, 0]},
        "constraints.joint2-fixed.fix",
        ["z", "ry"],
    ),
    "joint.control": (
        linked,
        {"joint(2).fixed": [0, 0, 1, 0, 1, 0], "joint(2).control": [0, 0, 2, 0, 3, 0]},
        "constraints.joint2-fixed.control.acceleration",
        [2, 3],
    ),
    "exload.exbody": (
        hinge,
        {"exload(1).exbody": 1, "exload(1).ftau": [1, 2, 3]},
        "loads.exload1",
        {"name": "exload1", "where": {"link": "body1"}, "frame": "world", "force": [1, 2, 3]},
    ),
    "exload.refbody": (hinge, {"exload(1).exbody": 1, "exload(1).refbody": 1}, "loads.exload1.frame", "body"),
    "exload.tr.trans": (
        hinge,
        {"exload(1).exbody": 1, "exload(1).tr(1).trans": [0, 0, 1]},
        "loads.exload1.where.offset.move",
        [0, 0, 1],
    ),
    "exload.tr.rot": (
        hinge,
        {
            "exload(1).exbody": 1,
            "exload(1).tr(1).rot": [1, np.pi / 2],
            "exload(1).tr(2).trans": [0, 0, 1],
        },
        "loads.exload1.where.offset.move",
        pytest.approx([0, -1, 0], abs=1e-12),
    ),
    "exload.ftau": (
        hinge,
        {"exload(1).exbody": 1, "exload(1).ftau": [1, 2, 3, 4, 5, 6]},
        "loads.exload1.moment",
        [4, 5, 6],
    ),
    "mesh.file_name": ("net", {}, "meshes.mesh.fixed", [1, 3, 4, 5]),
    "mesh.tol": ("net", {"mesh.tol": 1e-2}, "meshes.mesh.edges", [[1, 2], [2, 3], [4, 2], [2, 5]]),
    "mesh.tr.trans": ("net", {"mesh.tr(1).trans": [0, 0, 2]}, "meshes.mesh.nodes.1", [0, 0, 2]),
    "mesh.tr.rot": ("net", {"mesh.tr(1).rot": [2, np.pi / 2]}, "meshes.mesh.nodes.0", pytest.approx([0, 0, -1])),
    "mesh.body.m": ("net", {"mesh.body.m": 0.2}, "meshes.mesh.mass", 0.2),
    "mesh.body.I": (
        "net",
        {
            "mesh.body.m": 0.2,
            "mesh.body.I": 0.3,
            "mesh.joint(1).tr(1).rot": [0, inf, inf, inf],
            "mesh.joint(2).spring.coeff": [1.0] * 6,
        },
        "meshes.mesh.inertia",
        [0.3, 0.3, 0.3],
    ),
    "mesh.joint.tr.trans": ("net", {}, "meshes.mesh.axial.rest", 0.0),
    "mesh.joint.tr.rot": (
        "net",
        {"mesh.joint(1).tr(1).rot": [inf, inf, inf, inf], "mesh.joint(2).spring.coeff": [1.0] * 6},
        "meshes.mesh.beam.axes",
        "node",
    ),
    "mesh.joint.spring.coeff": ("net", {}, "meshes.mesh.axial.stiffness", 3.0),
    "mesh.joint.spring.init": ("net", {"mesh.joint(2).spring.init": nan}, "meshes.mesh.axial.rest", "initial"),
    "mesh.joint.spring.compr": (
        "net",
        {"mesh.joint(2).spring.init": nan, "mesh.joint(2).spring.compr": 0.9},
        "meshes.mesh.axial.rest_ratio",
        0.9,
    ),
    "mesh.joint.damp.visc": ("net", {"mesh.joint(2).damp.visc": 0.1}, "meshes.mesh.axial.damping", 0.1),
    "mesh.joint.damp.pow": (
        "net",
        {"mesh.joint(2).damp.visc": 0.1, "mesh.joint(2).damp.pow": 2},
        "meshes.mesh.axial.damping_power",
        2,
    ),
    "mesh.joint.dir": ("net", {"mesh.joint(2).dir": 1}, "meshes.mesh.axial.acts", "tension"),
    "mesh.joint.xaxis": (
        "net",
        {
            "mesh.joint(1).tr(1).rot": [0, inf, inf, inf],
            "mesh.joint(2).spring.coeff": [1.0] * 6,
            "mesh.joint(2).spring.init": nan,
            "mesh.joint(2).xaxis": [0, 0, 1],
        },
        "meshes.mesh.beam.x_axis",
        [0, 0, 1],
    ),
}
# Fields that are known and refused, with what the reader is told.
REFUSED = {
    "par.anim": ("par.anim", 1, 'refused; leave it out: "pliant run --out"'),
    "par.mov": ("par.mov", 1, 'refused; leave it out: "pliant run --out"'),
    "par.derive": ("par.derive", 1, "refused; leave it out: pliant.compile derives the equations"),
    "par.fun": ("par.fun", 3, "refused; leave it out: functions are compiled as they are needed"),
    "par.mex": ("par.mex", 1, "refused; leave it out: functions are compiled to native code"),
    "par.init": ("par.init", 50, "refused; Table 13 prints init for nint; write par.nint"),
    "mesh.body.l.com": ("mesh.body.l.com", [0, 0, 1], "expected 0: the mass of a node is where the node is"),
    "mesh.body.tip": ("mesh.body.tip", [0, 0, 1], "expected 0: the mass of a node is where the node is"),
    "mesh.joint.input": ("mesh.joint(2).input", 1.0, "the edges of a CAD file have no inputs"),
    "mesh.joint.rom.order": ("mesh.joint(2).rom.order", 2, "expected only spring, damp, dir and xaxis"),
    "mesh.joint.first": ("mesh.joint(2).first", 1, "expected only spring, damp, dir and xaxis"),
    "mesh.joint.second": ("mesh.joint(2).second", 1, "expected only spring, damp, dir and xaxis"),
    "mesh.joint.refbody": ("mesh.joint(2).refbody", 0, "expected only spring, damp, dir and xaxis"),
    "mesh.joint.fixed": ("mesh.joint(2).fixed", 1, "expected only spring, damp, dir and xaxis"),
    "mesh.joint.control": ("mesh.joint(2).control", 1.0, "expected only spring, damp, dir and xaxis"),
    **{
        f"mesh.joint.tr2nd.{name}": (f"mesh.joint(2).tr2nd(1).{name}", value, "expected only spring, damp, dir")
        for name, value in (("trans", [0, 0, 1]), ("rot", [1, 1]))
    },
    **{
        f"mesh.joint.dof.{name}": (f"mesh.joint(1).dof(1).{name}", value, "a node of a CAD file is where the file has")
        for name, value in (
            ("equal2", [1, 1]),
            ("init", 1.0),
            ("init_s", 1.0),
            ("spring.coeff", 1.0),
            ("spring.init", 1.0),
            ("spring.compr", 0.5),
            ("damp.visc", 1.0),
            ("damp.pow", 2),
            ("input", 1.0),
            ("dir", 1),
        )
    },
}


def all_fields(group=SYSTEM, prefix=""):
    for name, member in group.members.items():
        yield from all_fields(member, f"{prefix}{name}.") if isinstance(member, Group) else [f"{prefix}{name}"]


def test_every_field_is_implemented_or_refused_by_name():
    assert sorted(all_fields()) == sorted([*IMPLEMENTED, *REFUSED])


@pytest.mark.parametrize("field", IMPLEMENTED)
def test_implemented_field(field, net):
    base, values, path, expected = IMPLEMENTED[field]
    system = net() if base == "net" else base()
    for place, value in values.items():
        put(system, place, value)
    assert read(system, path) == expected


@pytest.mark.parametrize("field", REFUSED)
def test_refused_field(field, net):
    path, value, words = REFUSED[field]
    system = net()
    with pytest.raises(pliant.RobotFileError) as caught:
        put(system, path, value)
        system.robot()
    written = path.partition("(1)")[0] if "tr2nd" in path else path
    told = [problem for problem in caught.value.problems if problem.path == written]
    assert len(told) == 1 and words in told[0].message


# What is wrong, and the whole of what is told.
MISUSE = [
    (
        hinge,
        {"body(1).mass": 1},
        "hinge: body(1).mass: unknown field; expected one of: m, I, l, tip",
    ),
    (
        hinge,
        {"joint(1).tr(1).trans": [0, 0]},
        "hinge: joint(1).tr(1).trans: got [0, 0]; expected a list of 3 numbers, each a length in metres or "
        "inf (a degree of freedom)",
    ),
    (
        hinge,
        {"joint(1).tr(1).rot": [4, inf]},
        "hinge: joint(1).tr(1).rot: got [4, Infinity]; expected [axis, angle] with the axis 1, 2 or 3, three "
        "numbers (the bending vector), or four: a quaternion [0, x, y, z] or [angle, x, y, z] about an axis; "
        "inf is a degree of freedom",
    ),
    (
        hinge,
        {"joint(1).tr(1).rot": [1, 0, inf, 0]},
        "hinge: joint(1).tr(1).rot: an angle and an axis cannot have freedoms; expected a quaternion: 0 or inf first",
    ),
    (
        hinge,
        {"joint(1).tr(1).rot": [0, 0.5, inf, 0]},
        "hinge: joint(1).tr(1).rot: expected 0 beside inf; a fixed rotation stands in a tr of its own",
    ),
    (
        hinge,
        {"joint(1).dof(2).init": 1.0},
        "hinge: joint(1).dof(2): there is no such degree of freedom; it has 1 (inf in tr)",
    ),
    (
        hinge,
        {"joint(1).dof(1).dir": 2},
        "hinge: joint(1).dof(1).dir: got 2; expected a direction: a number, or such a row for each element of a mesh",
    ),
    (
        hinge,
        {"joint(1).dof(1).damp.pow": 2},
        "hinge: joint(1).dof(1).damp.pow: it shapes nothing; expected damp.visc beside it",
    ),
    (
        hinge,
        {"joint(1).dof(1).init": [1.0, 2.0]},
        "hinge: joint(1).dof(1).init: got 2 rows; expected one row, or one for each element: the joint has one element",
    ),
    (
        hinge,
        {"joint(1).spring.coeff": 1.0},
        "hinge: joint(1).spring.coeff: the joint is in the main kinematic chain: it is the first with body 1 "
        "as second; expected dof(i).spring.coeff, or a joint of its own between the two bodies",
    ),
    (
        hinge,
        {"joint(1).first": 3},
        "hinge: joint(1).first: there is no body 3; expected 0 (the ground) or one of its bodies 1 to 1",
    ),
    (
        hinge,
        {"joint(1).second": [1, 0.5]},
        "hinge: joint(1).second: expected the elements 1, 2, ... of the mesh, each once: [1, 1, 2, 3] or [1, "
        '"1:3"]; a length belongs to a joint with rom.order',
    ),
    (
        hinge,
        {"body(2).m": 1.0},
        "hinge: body(2): no joint holds it; expected a joint with second = 2",
    ),
    (
        hinge,
        {"body(1).I": np.diag([0.1, 0.1, 5.0])},
        "hinge: body(1).I: got [0.1, 0.1, 5.0]; expected an inertia that a body can have: no principal moment"
        " exceeds the sum of the others",
    ),
    (
        hinge,
        {"body(1).m": "2 * k"},
        'hinge: body(1).m: got "2 * k"; "k" is no symbol of par.sym (there are none)',
    ),
    (
        hinge,
        {"joint(1).tr(1).rot": [0, 0, inf, 0], "joint(1).dof(1).spring.coeff": 1.0},
        "hinge: joint(1).dof(1).spring.coeff: the degree of freedom is a component of a quaternion, not an "
        "angle; expected rot = [axis, inf] or [inf, inf, inf], or a linking joint with six columns",
    ),
    (
        hinge,
        {"joint(1).dof(1).equal2": [1, 1]},
        "hinge: joint(1).dof(1).equal2: expected another degree of freedom of the main chain, [joint, dof] or"
        " [joint, element, dof], and both of them slides or turns about one axis",
    ),
    (
        linked,
        {"joint(2).tr(1).trans": [0, inf, 0]},
        "hinge: joint(2).tr(1).trans: got inf; expected numbers: only joints of the main kinematic chain have freedoms",
    ),
    (
        linked,
        {"joint(2).dof(1).init": 1.0},
        "hinge: joint(2).dof(1): the joint holds no body (an earlier one has it as second); expected dof only"
        " where inf is in tr",
    ),
    (
        linked,
        {"joint(2).dir": [0, 0, 1]},
        "hinge: joint(2).dir: expected one number: a spring with one column acts along the line between its ends",
    ),
    (
        linked,
        {"joint(2).control": 1.0},
        "hinge: joint(2).control: it shapes nothing; expected fixed beside it",
    ),
    (
        linked,
        {"joint(2).spring.coeff": [1, 2]},
        "hinge: joint(2).spring.coeff: got 2 rows; expected one row, or one for each element: the joint has "
        "one element",
    ),
    (
        linked,
        {"joint(2).spring.coeff": None},
        "hinge: joint(2): it does nothing; expected spring.coeff, damp.visc, input or fixed, or a body that it holds",
    ),
    (
        linked,
        {"joint(2).fixed": 1, "body(2).m": 1, "joint(3).second": 2, "joint(2).refbody": 2},
        "hinge: joint(2).refbody: expected a body that the item is on, at the same place (body 1), or none: the ground",
    ),
    (
        rod,
        {"joint(1).dir": 1},
        "rod: joint(1).dir: expected no dir in a ROM joint: a rod resists on both sides",
    ),
    (
        rod,
        {"joint(1).spring.init": nan},
        "rod: joint(1).spring.init: expected numbers: nan is not for a ROM joint",
    ),
    (
        rod,
        {"joint(1).second": [1, 0]},
        "rod: joint(1).second: expected [1, length]: the length in metres of a ROM rod, greater than 0",
    ),
    (
        rod,
        {"joint(1).tr(1).trans": [inf, 0, inf]},
        'rod: joint(1).tr: got ["bend_x", "bend_y", "twist", "shear_x", "stretch"]; expected all six strains,'
        " or one of: [bend_y, shear_x, stretch], [bend_x, shear_y, stretch], [twist, stretch], [stretch]; the"
        " model rom moves whole poses and cannot make single strains rigid (gvs, pcs, srl and ebr can)",
    ),
    (
        rod,
        {"joint(1).spring.coeff": [1, 2, 3, 4, 5, 0]},
        "rod: joint(1).spring.coeff: got 0.0; expected a number greater than 0: the rod is allowed twist",
    ),
    (
        rod,
        {"joint(1).dof(1).init": [0.05, 0.0]},
        "rod: joint(1).dof: the values of init lie on no rod with the same strains all along; expected a "
        "straight or stretched rod, or an arc, with its quaternion where it is bent",
    ),
    (
        rod,
        {"exload(1).exbody": [1, 0.3]},
        "rod: exload(1).exbody: expected a length along the rod of body 1, from 0 to 0.2 m",
    ),
    (
        rod,
        {"exload(1).ftau": [1, 0, 0]},
        "rod: exload(1).exbody: missing; expected the number of the body that the load acts on",
    ),
]


@pytest.mark.parametrize(("base", "values", "message"), MISUSE, ids=[f"{next(reversed(v))}" for _, v, _ in MISUSE])
def test_misuse_is_told_by_the_path_of_the_field(base, values, message):
    system = base()
    with pytest.raises(pliant.RobotFileError) as caught:
        for path, value in values.items():
            put(system, path, value)
        system.robot()
    assert str(caught.value) == message


def test_items_are_counted_from_one():
    with pytest.raises(pliant.RobotFileError, match=r"body\(0\): got 0; expected a number from 1"):
        tmt.System("x").body(0)
    with pytest.raises(AttributeError, match="unknown field"):
        _ = tmt.System("x").bodies


def test_empty_values_leave_the_default():
    system = hinge()
    system.joint(1).dof(1).init, system.mesh, system.exload = [], [], None
    assert system.joint(1).dof(1).init == 0.0
    assert "meshes" not in system.robot()._tree.data


@pytest.mark.parametrize(
    ("rot", "init", "expected"),
    [
        ([inf, inf, inf], [0.1, 0.2, 0.0], {"axis": [0.1, 0.2, 0.0], "angle": pytest.approx(np.hypot(0.1, 0.2))}),
        ([0, inf, inf, inf], [0.6, 0.0, 0.0], {"quaternion": [pytest.approx(0.8), 0.6, 0.0, 0.0]}),
        ([inf, inf, inf, inf], [2.0, 0.5, 0.0, 0.0], {"quaternion": [2.0, 0.5, 0.0, 0.0]}),
    ],
)
def test_rotations_at_the_start(rot, init, expected):
    system = hinge()
    system.joint(1).tr(1).rot = rot
    for number, value in enumerate(init, start=1):
        system.joint(1).dof(number).init = value
    assert read(system, "links.body1.joint") == "spherical"
    assert read(system, "initial.body1.rotation") == expected
    system.joint(1).tr(1).trans = [inf, inf, inf]
    assert read(system, "links.body1.joint") == "free"


def test_bending_without_twist_is_held_by_a_constraint():
    system = hinge()
    system.joint(1).tr(1).rot = [inf, inf, 0]
    system.joint(1).dof(2).spring.coeff = 3.0
    assert read(system, "links.body1.joint") == {"spherical": {"stiffness": [0.0, 3.0, 0.0]}}
    assert read(system, "constraints.0.fix") == ["rz"]


def test_fixed_directions_hold_what_is_there_at_the_start():
    system = linked()
    system.body(1).l.com = [0, 0, -1]
    system.joint(1).dof(1).init = 0.5
    system.joint(2).tr2nd(1).trans = [0, 0, -1]
    system.joint(2).fixed = [0, 0, 1]
    assert read(system, "constraints.joint2-fixed.follow") == pytest.approx(-np.cos(0.5))
    system.joint(2).fixed = [0, 0, 0, 0, 1, 0]
    turned = read(system, "constraints.joint2-fixed.between.1.offset.rotate.0.quaternion")
    assert turned == pytest.approx([np.cos(0.25), 0, -np.sin(0.25), 0])


def test_rows_are_those_of_the_elements():
    system = hinge()
    system.joint(1).first, system.joint(1).second = [1, 0, 1, 2], [1, 1, 2, 3]
    system.body(1).m = [1.0, 2.0, 3.0]
    system.joint(1).dof(1).init = [0.1, 0.2, 0.3]
    assert [read(system, f"links.body1-{number}.mass") for number in (1, 2, 3)] == [1.0, 2.0, 3.0]
    assert read(system, "links.body1-3.parent") == {"link": "body1-2"}
    assert read(system, "initial.body1-3.angle") == 0.3


def test_symbols_follow_their_values():
    mass, length = tmt.sym("mass", 0.4), tmt.sym("length", 0.2)
    system = hinge()
    system.body(1).m = mass / 2
    system.body(1).l.com = [0, 0, -length / 2]
    assert system.symbols() == {"mass": 0.4, "length": 0.2}
    assert system.paths("mass") == ("links.body1.mass",)
    assert system.paths("length") == ("links.body1.centre", "frames.body1-tip.offset.move")
    assert system.parameters(mass=3.0)["links.body1.mass"] == 1.5
    model = pliant.compile(system.robot())
    assert model.with_parameters(system.parameters(mass=3.0)).structure == model.structure
    with pytest.raises(KeyError, match='did you mean "mass"'):
        system.robot(mas=1.0)
    with pytest.raises(TypeError, match="no plain number"):
        float(mass)


YAML = """robot: swing
par: {sym: [l, m], var: [0.3, 0.2], equil: 1}
world: {g: [0, 0, -9.81]}
body: {m: m, l: {com: [0, 0, -l/2]}}
joint:
  - second: 1
    tr: [{trans: [0, 0, 1]}, {rot: [2, inf]}]
    dof: {init: .1, spring: {coeff: 2, init: nan}}
exload:
  - {exbody: 1, ftau: [1, 0, 0], tr: {trans: [0, 0, -l]}}
"""


def test_yaml_is_the_same_tree(tmp_path):
    path = tmp_path / "swing.tmt.yaml"
    path.write_text(YAML)
    system = tmt.System("swing")
    system.par.equil, system.world.g = 1, [0, 0, -9.81]
    system.body(1).m, system.body(1).l.com = 0.2, [0, 0, -0.15]
    system.joint(1).second = 1
    system.joint(1).tr(1).trans, system.joint(1).tr(2).rot = [0, 0, 1], [2, inf]
    system.joint(1).dof.init, system.joint(1).dof.spring.coeff, system.joint(1).dof.spring.init = 0.1, 2, nan
    system.exload(1).exbody, system.exload(1).ftau, system.exload(1).tr.trans = 1, [1, 0, 0], [0, 0, -0.3]
    assert tmt.load(path).robot() == system.robot()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("coeff: 2", "coef: 2", 'swing.tmt.yaml:8: joint(1).dof(1).spring.coef: unknown field; did you mean "coeff"?'),
        ("second: 1", "second: 2", "swing.tmt.yaml:4: body(1): no joint holds it"),
        ("-l/2", "1/(l - l)", 'body(1).l.com: got [0, 0, "1/(l - l)"]; it has no value with l = 0.3 (float division'),
        ("{m: m,", "{m: (l - 1)**0.5,", 'body(1).m: got "(l - 1)**0.5"; it has no value with l = 0.3'),
        ("ftau: [1, 0, 0]", "ftau: {ramp: {to: [1/(m-m), 0, 0], over: 1}}", "it has no value with m = 0.2"),
        ("trans: [0, 0, -l]", "trans: [0, 0, k]", 'swing.tmt.yaml:10: exload(1).tr(1).trans: got "k"; "k" is no symb'),
        ("m: m,", "m: -1,", "swing.tmt.yaml:4: body(1).m: got -1; expected a mass"),
        ("world:", "wrld:", 'swing.tmt.yaml:3: wrld: unknown field; did you mean "world"?'),
        ("robot: swing", "- 1", "swing.tmt.yaml:"),
    ],
)
def test_mistakes_in_files_have_lines(tmp_path, old, new, message):
    path = tmp_path / "swing.tmt.yaml"
    path.write_text(YAML.replace(old, new))
    with pytest.raises(pliant.RobotFileError) as caught:
        tmt.load(path).robot()
    assert message in str(caught.value)


def test_files_stay_below_the_folder(tmp_path):
    path = tmp_path / "net.tmt.yaml"
    path.write_text("mesh: {file_name: ../net.obj}\n")
    with pytest.raises(pliant.RobotFileError, match=r"mesh.file_name: expected the path of a CAD file below"):
        tmt.load(path).robot()


def test_bodies_of_a_mesh_come_after_the_others(net):
    system = net()
    system.body(1).m = 1.0
    system.joint(1).second = 1
    system.joint(1).tr.trans = [0, 0, inf]
    system.joint(2).first, system.joint(2).second, system.joint(2).spring.coeff = 1, 2, 7.0
    system.exload(1).exbody, system.exload(1).ftau = 2, [0, 0, -1]
    assert read(system, "springs.joint2.between") == [{"link": "body1"}, {"link": "mesh", "node": 2}]
    assert read(system, "loads.exload1.where") == {"link": "mesh", "node": 2}


EXAMPLES = Path(__file__).parents[2] / "examples" / "tmt"


@pytest.mark.long
def test_rods_of_tables_3_and_4_bend_alike():
    tips = {}
    for name in ("srl", "ebr", "eba"):
        model = pliant.compile(tmt.load(EXAMPLES / f"stiff-flop-{name}.tmt.yaml").robot())
        assert model.nv == 24
        tips[name] = pliant.equilibrium(model).position("body2-tip")
    assert np.allclose(tips["ebr"], tips["srl"], atol=2e-8) and np.allclose(tips["eba"], tips["srl"], atol=2e-8)


@pytest.mark.long
def test_rom_rod_of_table_3_bends_as_far_as_a_beam_does():
    model = pliant.compile(tmt.load(EXAMPLES / "stiff-flop-rom.tmt.yaml").robot(load=1e-3))
    upright = pliant.compile(tmt.load(EXAMPLES / "stiff-flop-rom.tmt.yaml").robot(load=0.0))
    moved = pliant.equilibrium(model).position("body2-tip") - pliant.equilibrium(upright).position("body2-tip")
    bend, shear, length, arm, force = 205e3 * 1.8e-8, 68e3 * 4.27e-4, 0.05, 0.0145, 1e-3
    angle = force * (length**2 / 2 + arm * length) / bend
    beam = force * (length**3 / 3 + arm * length**2 / 2) / bend + arm * angle + force * length / shear
    # The weight of what stands on the rod bends it further.
    assert beam < moved[0] < 1.15 * beam


@pytest.mark.long
def test_sleeve_of_table_9_takes_a_few_steps():
    system = tmt.load(EXAMPLES / "sleeve.tmt.yaml")
    model = pliant.compile(system.robot(uc=-2.0))
    motion = pliant.simulate(model, 5e-3, stepper="newmark", step=1e-3, save_every=1e-3)
    # The centre of the pendulum, 0.135 m from the hinge, is to gain 2 m/s^2 against x; it starts at sin(85 deg).
    x = -0.135 * np.sin(np.asarray(motion.q)[:, 0])
    assert np.allclose(x - x[0], -2.0 * np.asarray(motion.time) ** 2 / 2, atol=1e-7)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ([1, 0], "expected the elements 1, 2, ... of the mesh, each once"),
        (2, "no joint holds it; expected a joint with second = 1"),
    ],
)
def test_a_body_that_nothing_holds_is_refused(second, message):
    """Its elements were counted where it has none: KeyError."""
    system = tmt.System("loose")
    for number in (1, 2):
        system.body(number).m = 1.0
    system.joint(1).second = second
    system.joint(1).tr(1).trans = [inf, 0, 0]
    system.joint(2).first = [1, 1]
    system.joint(2).second = 2
    with pytest.raises(pliant.RobotFileError) as refusal:
        system.robot()
    assert message in str(refusal.value)
