"""Springs, meshes, and the constraints that follow, control and tie: words, blueprint, and the same words in Python."""

import numpy as np
import pytest
from test_robot import conforms
from test_whole_robots import blueprint, named, refusal

from blueprints import plain_blueprint
from pliant.description import Robot, RobotFileError, companions, json_schema, load, parse

WIRE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 2 1 0\nl 1 2\nl 2 3\nl 3 4\n"
HUNG = """
robot: hung
meshes:
  - {name: sleeve, file: parts/sleeve.obj, axial: {stiffness: 5 N/m}, mass: 1 g}
"""


def body(name: str = "body", joint="free") -> Robot:
    return Robot("robot").rigid(name, mass=1, inertia=[1, 1, 1], joint=joint)


def net(**fields) -> Robot:
    fields = {"grid": {"size": [2, 1], "nodes": [3, 2]}, "axial": {"stiffness": 1}, "mass": 1, **fields}
    return Robot("robot").mesh("net", **{key: value for key, value in fields.items() if value is not None})


def mesh(robot: Robot):
    structure, parameters = plain_blueprint(robot)
    return structure["meshes"][0], parameters


def test_axial_spring():
    thread = named(blueprint("sprung")[0]["springs"], "thread")
    path = "@springs.thread.axial"
    assert thread == {
        "name": "thread",
        "kind": "axial",
        "between": [
            {"link": "left", "at": None, "offset": {"move": None, "rotate": []}},
            {"link": "cloth", "at": None, "node": 1, "offset": {"move": None, "rotate": []}},
        ],
        "stiffness": f"{path}.stiffness",
        "damping": f"{path}.damping",
        "power": f"{path}.damping_power",
        "ratio": f"{path}.rest_ratio",
        "rest": f"{path}.rest",
        "rest_initial": [False],
        "acts": [1],
        "middle": False,
        "input": None,
    }
    strut = named(blueprint("sprung")[0]["springs"], "strut")
    assert strut["rest_initial"] == [True] and strut["input"]["kind"] == "ramp"


def test_beam_spring():
    structure, parameters = blueprint("sprung")
    floor, bush = (named(structure["springs"], name) for name in ("floor", "bush"))
    assert floor["rest_initial"] == [True] * 5 + [False] and floor["acts"] == [0] * 5 + [-1] and floor["middle"]
    assert parameters["springs.floor.beam.stiffness"].tolist() == [0, 0, 0, 0, 0, 2000]
    assert parameters["springs.floor.beam.rest"].tolist() == [0, 0, 0, 0, 0, 0.05]
    assert parameters["springs.floor.beam.damping_power"].tolist() == [1] * 6
    assert parameters["springs.floor.force"].tolist() == [0, 0, 0, 0, 0, 2]
    assert bush["input"]["to"] == "@springs.bush.force.ramp.to" and not bush["middle"]
    assert parameters["springs.bush.beam.stiffness"].tolist() == [1, 2, 3, 4, 5, 6]
    assert parameters["springs.bush.force.ramp.to"].tolist() == [1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("rest", [None, "initial", {"z": "initial"}, {}])
def test_rest_is_initial_unless_given(rest):
    beam = {"stiffness": {"z": 1}} | ({} if rest is None else {"rest": rest})
    spring = plain_blueprint(body().spring("s", between=["world", "body"], beam=beam))[0]["springs"][0]
    assert spring["rest_initial"] == [True] * 6


def test_a_grid_runs_row_by_row_from_the_origin():
    lowered, parameters = mesh(net())
    nodes = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0]]
    assert parameters["meshes.net.nodes"].tolist() == nodes
    assert sorted(map(tuple, lowered["edges"])) == [(0, 1), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (4, 5)]
    assert lowered["inertia"] is None and lowered["fixed"] == [] and lowered["where"]["link"] is None
    assert lowered["edge"] == {
        "kind": "axial",
        "stiffness": "@meshes.net.axial.stiffness",
        "damping": "@meshes.net.axial.damping",
        "power": "@meshes.net.axial.damping_power",
        "ratio": "@meshes.net.axial.rest_ratio",
        "acts": [0],
        "middle": False,
        "axes": "edge",
        "xaxis": None,
        "section": None,
        "material": None,
        "rest": None,
    }


@pytest.mark.parametrize(
    ("shape", "nodes", "edges"),
    [
        ({"grid": {"size": [1, 1], "nodes": [2, 2]}}, 4, 4),
        ({"grid": {"size": [1, 1], "nodes": [4, 3], "diagonals": True}}, 12, 9 + 8 + 12),
        ({"block": {"size": [1, 1, 1], "nodes": [2, 2, 2]}}, 8, 12),
        ({"block": {"size": [1, 1, 1], "nodes": [2, 2, 2], "diagonals": True}}, 8, 24),
        ({"block": {"size": [1, 2, 3], "nodes": [4, 3, 2]}}, 24, 3 * 6 + 4 * 4 + 12),
    ],
)
def test_regular_nets(shape, nodes, edges):
    lowered, parameters = mesh(net(**{"grid": None, **shape}))
    assert parameters["meshes.net.nodes"].shape == (nodes, 3) and len(lowered["edges"]) == edges
    assert len({frozenset(edge) for edge in lowered["edges"]}) == edges
    lengths = np.linalg.norm(np.diff(parameters["meshes.net.nodes"][lowered["edges"]], axis=1), axis=-1)
    size, counts = (np.array(next(iter(shape.values()))[key]) for key in ("size", "nodes"))
    assert lengths.max() <= np.linalg.norm(size / (counts - 1)) * (1 + 1e-12)


def test_the_nodes_of_a_grid_may_be_moved():
    robot = net()
    nodes = robot.blueprint()[1]["meshes.net.nodes"] + [0, 0, 1]
    lowered, parameters = mesh(robot.with_value("meshes.net.nodes", nodes))
    assert np.array_equal(parameters["meshes.net.nodes"], nodes) and len(lowered["edges"]) == 7
    moved = robot.with_value("meshes.net.nodes", nodes).with_value("meshes.net.nodes.6.2", "5 mm")
    assert moved.blueprint()[1]["meshes.net.nodes"][5].tolist() == [2, 1, 0.005]


def test_mass_and_inertia():
    assert mesh(net(mass={"total": "36 g"}))[1]["meshes.net.mass"] == pytest.approx(0.006)
    assert mesh(net(mass="2 g"))[1]["meshes.net.mass"] == 0.002
    assert mesh(net(mass=[1, 2, 3, 4, 5, 6]))[1]["meshes.net.mass"].tolist() == [1, 2, 3, 4, 5, 6]
    beam = {"axial": None, "beam": {"stiffness": {"z": 1}}}
    assert mesh(net(**beam))[1]["meshes.net.inertia"] == pytest.approx([1 / 12] * 3)
    each = mesh(net(mass=[1, 2, 3, 4, 5, 6], **beam))[1]["meshes.net.inertia"]
    assert each.shape == (6, 3) and each[:, 0] == pytest.approx(np.arange(1, 7) / 12)
    assert mesh(net(inertia=2, **beam))[1]["meshes.net.inertia"].tolist() == [2, 2, 2]


def test_beam_edges():
    structure, parameters = blueprint("sprung")
    tissue, truss = (named(structure["meshes"], name)["edge"] for name in ("tissue", "truss"))
    assert tissue["stiffness"] is None and tissue["damping"] is None and tissue["material"] == "jersey"
    assert tissue["section"]["kind"] == "circle" and tissue["axes"] == "edge" and tissue["middle"]
    assert parameters["meshes.tissue.beam.x_axis"].tolist() == [1, 1, 1]
    assert truss["axes"] == "node" and not truss["middle"] and truss["xaxis"] is None and truss["section"] is None
    assert parameters["meshes.truss.beam.stiffness"].tolist() == [3, 0, 0, 1000, 0, 2000]
    assert parameters["meshes.truss.beam.damping"].tolist() == [[1, 1, 1, 2, 2, 2], [0, 0, 0, 0, 0, 3]]
    assert parameters["meshes.truss.beam.rest"].tolist() == [0, 0, 0, 0, 0, 0.09]
    assert named(structure["meshes"], "truss")["edges"] == [[0, 1], [2, 1]]
    only = mesh(net(axial=None, beam={"damping": {"z": 1}, "x_axis": "z"}))
    assert only[1]["meshes.net.beam.stiffness"].tolist() == [0] * 6
    assert only[1]["meshes.net.beam.x_axis"].tolist() == [0, 0, 1]


@pytest.mark.parametrize("fixed", [[1, 2, 3], "1-3", ["1-2", 3], [3, "1 - 2", 2]])
def test_fixed_nodes_and_ranges(fixed):
    assert mesh(net(fixed=fixed))[0]["fixed"] == [0, 1, 2]


def test_nodes_are_places():
    structure, _ = blueprint("sprung")
    where = {"link": "cloth", "at": None, "node": 5, "offset": {"move": None, "rotate": []}}
    assert structure["frames"][0]["where"] == where
    offset = {"move": None, "rotate": []}
    route = named(structure["actuators"], "pull")["route"]
    assert route[2]["point"] == {"link": "cloth", "at": None, "node": 5, "before": [offset], "offset": offset}
    assert "node" not in structure["links"][1]["parent"]


def test_following_and_controlled_constraints():
    structure, parameters = blueprint("sprung")
    lead, lift = structure["constraints"][:2]
    assert lead["fix"] == ["x", "rz"] and lead["through"] == ["pull", "push"]
    assert parameters["constraints.lead.follow.table.values"][1].tolist() == [0.01, np.radians(5)]
    assert lead["control"] == {
        "acceleration": {"kind": "constant", "value": "@constraints.lead.control.acceleration"},
        "proportional": "@constraints.lead.control.proportional",
        "derivative": "@constraints.lead.control.derivative",
        "integral": "@constraints.lead.control.integral",
    }
    assert parameters["constraints.lead.control.acceleration"].tolist() == [1, 0]
    assert lift["control"] is None and lift["through"] is None and lift["follow"]["to"].endswith(".ramp.to")


def test_tied_coordinates():
    structure, parameters = blueprint("sprung")
    twins, screw = structure["constraints"][2:]
    ends = [{"link": "left", "coordinate": 0}, {"link": "right", "coordinate": 0}]
    assert twins == {"kind": "coupling", "name": "twins", "tie": ends, "ratio": "@constraints.twins.ratio"}
    assert screw["tie"] == [{"link": "tail/1", "coordinate": 0}, {"link": "right", "coordinate": 1}]
    assert parameters["constraints.screw.ratio"] == 20


def test_joints_and_rods():
    structure, parameters = blueprint("sprung")
    links = {link["name"]: link for link in structure["links"]}
    assert links["base"]["joint"]["power"] == "@links.base.joint.prismatic.damping_power"
    assert links["base"]["joint"]["ratio"] == "@links.base.joint.prismatic.rest_ratio"
    assert links["base"]["joint"]["acts"] == [1]
    assert links["right"]["joint"]["acts"] == [0, -1]
    assert parameters["links.right.joint.cylindrical.damping_power"].tolist() == [1, 2]
    assert links["ball"]["joint"]["acts"] == [0] * 6
    assert links["arm"]["update"] == "mean-stretch" and links["arm"]["damping_power"] == "@links.arm.damping_power"
    assert links["tail/1"]["damping_power"] == "@links.tail.damping_power" and links["tail/1"]["update"] is None
    assert links["tail/2"]["damping_power"] == "@links.tail.divisions.2.damping_power"


def test_file_and_python_are_the_same_robot():
    thread = {"stiffness": "100 N/m", "acts": "tension"}
    built = (
        body("ball")
        .rigid("arm", mass=1, inertia=[1, 1, 1], joint={"revolute": "y"})
        .rigid("leg", mass=1, inertia=[1, 1, 1], joint={"revolute": "y"})
        .rod(
            "tail", section={"given": {"stiffness": [1] * 6, "mass": 1, "rotary": [1, 1, 1]}}, length=1, damping_power=2
        )
        .mesh("net", where="world", grid={"size": [2, 1], "nodes": [3, 2]}, axial=thread, mass={"total": 1}, fixed=[1])
        .spring(
            "tight",
            between=["ball", {"link": "net", "node": 2}],
            axial=thread,
            force={"sine": {"amplitude": 1, "frequency": 1}},
        )
        .constraint("lead", between=["world", "ball"], fix="z", follow="1 mm", control={"proportional": 1})
        .constraint("twins", tie=["arm", "leg"], ratio=2)
    )
    assert parse(built.to_yaml()) == built
    assert conforms(built._tree.data, json_schema(), json_schema())
    assert repr(built) == "Robot('robot', 4 links, 1 meshes)"


def test_a_mesh_alone_is_a_robot():
    robot = net()
    assert plain_blueprint(robot)[0]["links"] == []
    assert conforms(robot._tree.data, json_schema(), json_schema())
    assert not conforms({"robot": "a", "springs": []}, json_schema(), json_schema())


def test_edges_of_a_large_mesh_are_read_quickly():
    assert len(mesh(net(grid={"size": [1, 1], "nodes": [60, 60]}, fixed="1-60"))[0]["fixed"]) == 60
    assert "at most 1000000 nodes" in refusal(net(grid={"size": [1, 1], "nodes": [5000, 5000]}))


@pytest.fixture
def sleeve(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "sleeve.obj").write_text(WIRE)
    (tmp_path / "hung.yaml").write_text(HUNG)
    return tmp_path


def test_a_mesh_from_a_file(sleeve):
    robot = load(sleeve / "hung.yaml")
    lowered, parameters = mesh(robot)
    assert lowered["edges"] == [[0, 1], [1, 2], [2, 3]] and lowered["fixed"] == [0, 3]
    assert parameters["meshes.sleeve.nodes"].tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [2, 1, 0]]
    assert parse(robot.to_yaml()) == robot
    assert companions(sleeve / "hung.yaml") == [sleeve / "parts" / "sleeve.obj"]
    built = Robot("hung").mesh("sleeve", file=sleeve / "parts" / "sleeve.obj", axial={"stiffness": 5}, mass="1 g")
    assert built == robot
    scaled = {"path": str(sleeve / "parts" / "sleeve.obj"), "scale": 2}
    built = Robot("hung").mesh("sleeve", file=scaled, axial={"stiffness": 5}, mass="1 g", fixed=[1])
    assert mesh(built)[1]["meshes.sleeve.nodes"].max() == 4 and mesh(built)[0]["fixed"] == [0]


def test_files_that_cannot_be(sleeve):
    with pytest.raises(RobotFileError, match=r"meshes.sleeve.file.scale: got 0; expected a number greater than 0"):
        Robot("hung").mesh("sleeve", file={"path": "sleeve.obj", "scale": 0}, axial={"stiffness": 5}, mass="1 g")
    (sleeve / "parts" / "sleeve.obj").unlink()
    with pytest.raises(
        RobotFileError, match=r'hung.yaml:4: meshes.sleeve.file: got "parts/sleeve.obj"; there is no such'
    ):
        load(sleeve / "hung.yaml")
    with pytest.raises(RobotFileError, match=r"in Python use Robot.mesh\(file=...\)"):
        parse(HUNG)
