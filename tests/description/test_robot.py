"""The robot in Python: the same words as the file, immutable, compared by meaning."""

import numpy as np
import pytest

from blueprints import plain_blueprint
from pliant.description import Robot, RobotFileError, json_schema, parse
from pliant.library import companions, load, names, path, summary

TEXT = """
robot: finger
materials:
  ecoflex: {young: 120 kPa, poisson: 0.5, density: 1070}
links:
  - {name: base, kind: rigid, mass: 1 kg, shape: {box: [40 mm, 40 mm, 20 mm]}, joint: {revolute: y}}
  - name: finger
    kind: rod
    parent: {link: base, offset: {rotate: {y: 90 deg}}}
    length: 120 mm
    section: {circle: {radius: [12 mm, 6 mm]}}
    material: ecoflex
    allow: [bend_y, bend_x]
    model: {gvs: {order: {bend_x: 4}}}
frames:
  - {name: pulp, link: finger, at: 0.9, offset: {move: [0, 6 mm, 0]}}
loads:
  - {name: push, where: {link: finger}, force: {step: {at: 0.5 s, to: [0, 0.2, 0]}}, frame: body}
  - {name: wind, along: {link: finger, from: 0.5}, force: [1 N/m, 0, 0]}
initial:
  finger: {bend_y: 2 rad/m}
  base: {angle: 10 deg}
analyses:
  - statics
  - {simulate: {from: statics, drop: [push], until: 2 s}}
"""


def built() -> Robot:
    return (
        Robot("finger")
        .material("ecoflex", young=120e3, poisson=0.5, density=np.float64(1070))
        .rigid("base", mass="1000 g", shape={"box": np.array([0.04, 0.04, 0.02])}, joint={"revolute": {"axis": "y"}})
        .rod(
            "finger",
            parent={"link": "base", "offset": {"rotate": [{"y": np.pi / 2}]}},
            length="12 cm",
            section={"circle": {"radius": ("12 mm", "6 mm")}},
            material="ecoflex",
            allow=["bend_x", "bend_y"],
            model={"gvs": {"order": {"bend_x": 4}, "basis": "legendre"}},
        )
        .frame("pulp", link="finger", at=0.9, offset={"move": "[0, 6, 0] mm"})
        .load("push", where="finger", force={"step": {"at": "500 ms", "to": [0, 0.2, 0]}}, frame="body")
        .load("wind", along={"link": "finger", "from": 0.5}, force=[1, 0, 0])
        .initial("base", angle="10 deg")
        .initial("finger", bend_y="2 rad/m")
        .analysis("statics")
        .analysis("simulate", from_="statics", drop=["push"], until=2)
    )


def test_file_and_python_are_the_same_robot():
    assert parse(TEXT) == built()
    assert hash(parse(TEXT)) == hash(built())
    structure, parameters = plain_blueprint(parse(TEXT))
    other_structure, other_parameters = plain_blueprint(built())
    assert structure == other_structure
    assert parameters.keys() == other_parameters.keys()
    assert all(np.array_equal(parameters[key], other_parameters[key]) for key in parameters)


def test_one_different_number_is_another_robot():
    assert built().with_value("links.finger.length", "121 mm") != built()


def test_methods_leave_the_robot_as_it_was():
    first = built()
    before = first.to_yaml()
    first.with_gravity([0, 0, 0]).analysis("modes").with_value("links.finger.length", 1)
    assert first.to_yaml() == before
    radius = [0.01, 0.02]
    rod = Robot("a").rod("a", length=1, section={"circle": {"radius": radius}}, material="m")
    radius[0] = 5
    assert "[0.01, 0.02]" in rod.material("m", young=1, poisson=0, density=1).to_yaml()


@pytest.mark.parametrize("name", [*names()])
def test_library_robots_round_trip(name):
    robot = load(name)
    assert robot.name == name
    assert parse(robot.to_yaml()) == robot
    assert summary(name) and "Source" in summary(name)
    assert path(name).is_file()
    assert all(file.is_file() and file.parent == path(name).parent for file in companions(name))


def test_unknown_library_robot():
    with pytest.raises(RobotFileError, match="expected one of: catheter, cross-tool-planar"):
        load("silicon-arm")


@pytest.mark.parametrize("robot", [parse(TEXT), *(load(name) for name in names())], ids=lambda robot: robot.name)
def test_every_parameter_can_be_set_by_its_path(robot):
    _, parameters = robot.blueprint()
    for key, value in parameters.items():
        if ".channels." in key or key.endswith(".holes.centre"):
            continue  # these follow from a pattern
        if key.startswith("surfaces.tube.mesh."):
            continue  # and these from triangles
        same = robot.with_value(key, value)
        _, others = same.blueprint()
        assert others.keys() == parameters.keys(), key
        assert all(np.array_equal(others[other], parameters[other]) for other in parameters), key


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("links.finger.model", "pcs"),
        ("links.finger.model.pcs.pieces", 3),
        ("links.base.joint.revolute.stiffness", "1 N*m/rad"),
        ("loads.push.where.at", 0.5),
        ("analyses.simulate.until", "1 s"),
        ("analyses.statics.steps", 7),
        ("materials.ecoflex.viscosity", 5),
    ],
)
def test_short_forms_can_be_changed_from_within(key, value):
    robot = parse(TEXT).with_value("links.finger.model", "pcs").with_value("loads.push.where", "finger")
    changed = robot.with_value(key, value)
    assert changed.description
    assert key == "links.finger.model" or changed != robot


@pytest.mark.parametrize(
    "key", ["links.fingr.length", "materials.rubber.young", "links.finger.length.x", "links..x", ""]
)
def test_paths_that_lead_nowhere(key):
    with pytest.raises(RobotFileError, match="finger: "):
        _ = built().with_value(key, 1).description


def test_unknown_field_by_path():
    with pytest.raises(RobotFileError, match='did you mean "length"'):
        _ = built().with_value("links.finger.lengt", 1).description


def conforms(value, schema, root) -> bool:
    """A reader of the part of JSON Schema that the language uses."""
    if "$ref" in schema:
        target = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        if not conforms(value, target, root):
            return False
    if "anyOf" in schema and not any(conforms(value, option, root) for option in schema["anyOf"]):
        return False
    if "oneOf" in schema and sum(conforms(value, option, root) for option in schema["oneOf"]) != 1:
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if "const" in schema and value != schema["const"]:
        return False
    types = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "null": type(None)}
    kind = schema.get("type")
    if kind == "number":
        if not isinstance(value, (int, float)) or value < schema.get("minimum", value):
            return False
    elif kind and not isinstance(value, types[kind]):
        return False
    if isinstance(value, dict):
        properties, more = schema.get("properties", {}), schema.get("additionalProperties", True)
        for key, item in value.items():
            inner = properties.get(key, more)
            if inner is False or (isinstance(inner, dict) and not conforms(item, inner, root)):
                return False
        return all(key in value for key in schema.get("required", ()))
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return False
        return all(conforms(item, schema.get("items", {}), root) for item in value)
    return True


@pytest.mark.parametrize(
    "robot", [parse(TEXT), built(), *(load(name) for name in names())], ids=lambda robot: robot.name
)
def test_robots_conform_to_the_json_schema(robot):
    assert conforms(robot._tree.data, json_schema(), json_schema())


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("links.finger.lengt", 1),
        ("links.finger.length", [1, 2]),
        ("links.finger.model", "fem"),
        ("links.finger.allow", ["bend_z"]),
        ("gravity", [0, 0]),
        ("loads.push.force", {"stepp": {}}),
    ],
)
def test_the_json_schema_refuses_what_the_language_refuses(key, value):
    robot = built().with_value(key, value)
    assert not conforms(robot._tree.data, json_schema(), json_schema())
    with pytest.raises(RobotFileError):
        robot.blueprint()


@pytest.mark.parametrize(
    ("fields", "legal"),
    [
        ({}, False),
        ({"urdf": {"file": "arm.urdf", "drive": "motion", "prefix": "left_", "parent": "world"}}, True),
        ({"urdf": [{"file": "arm.urdf"}, {"file": "arm.urdf"}]}, True),
        ({"urdf": {"prefix": "left_"}}, False),
        ({"urdf": "arm.urdf"}, False),
    ],
)
def test_the_json_schema_wants_links_or_a_urdf_file(fields, legal):
    assert conforms({"robot": "arm", **fields}, json_schema(), json_schema()) == legal


def test_the_json_schema_describes_quantities_and_short_forms():
    definitions = json_schema()["$defs"]
    length = definitions["Rod"]["properties"]["length"]
    assert {option["type"] for option in length["anyOf"]} == {"number", "string"}
    assert "50 mm" in length["description"]
    assert {"enum": ["gvs", "pcs", "rom", "srl", "ebr", "eba", "cog", "integral"]} in definitions["Model"]["anyOf"]
    assert {"enum": ["fixed", "universal", "planar", "spherical", "free"]} in definitions["Joint"]["anyOf"]
