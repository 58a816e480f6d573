"""Frames as places: what names a frame is on the frame's link, with the frame's own offsets before its own."""

import numpy as np
import pytest

from blueprints import plain_blueprint
from pliant.description import Robot, parse

NOTHING = {"move": None, "rotate": []}
TEXT = """robot: robot
materials:
  m: {young: 1 MPa, poisson: 0.5, density: 1000}
links:
  - {name: camera, kind: rigid, mass: 1, inertia: [1, 1, 1], parent: {link: eye, offset: {rotate: {x: 90 deg}}}}
  - {name: rod, kind: rod, length: 1, section: {circle: {radius: 0.1}}, material: m, parent: tool}
  - {name: arm, kind: rigid, mass: 1, inertia: [1, 1, 1], joint: {revolute: z}}
frames:
  - {name: eye, link: tool, offset: {move: [0, 0, 3]}}
  - {name: tool, link: arm, offset: {move: [1, 2, 3], rotate: {y: 90 deg}}}
  - {name: middle, link: rod, at: 0.5}
  - {name: floor, link: world, offset: {move: [0, 0, -1]}}
loads:
  - {name: push, where: middle, force: [1, 0, 0]}
actuators:
  - {name: cable, tendon: {route: [floor, {link: tool, move: [4, 5, 6]}, {link: rod, x: 0}]}, tension: 1}
constraints:
  - {name: tie, between: [{link: middle, offset: {move: [1, 0, 0]}}, floor], fix: x}
"""
TOOL = {
    "move": "@frames.tool.offset.move",
    "rotate": [{"kind": "turn", "axis": "y", "angle": "@frames.tool.offset.rotate.y"}],
}
FLOOR = {"move": "@frames.floor.offset.move", "rotate": []}


def named(items, name):
    return next(item for item in items if item["name"] == name)


def test_offsets_of_frames_come_before():
    structure, _ = plain_blueprint(parse(TEXT))
    links, frames = structure["links"], structure["frames"]
    assert named(frames, "tool")["where"] == {"link": "arm", "at": None, "offset": TOOL}
    eye = {"move": "@frames.eye.offset.move", "rotate": []}
    assert named(frames, "eye")["where"] == {"link": "arm", "at": None, "before": [TOOL], "offset": eye}
    assert named(links, "rod")["parent"] == {"link": "arm", "at": None, "before": [TOOL], "offset": NOTHING}
    turned = {"move": None, "rotate": [{"kind": "turn", "axis": "x", "angle": "@links.camera.parent.offset.rotate.x"}]}
    assert named(links, "camera")["parent"] == {"link": "arm", "at": None, "before": [TOOL, eye], "offset": turned}


def test_every_place_may_be_a_frame():
    structure, parameters = plain_blueprint(parse(TEXT))
    middle = {"link": "rod", "at": 0.5, "before": [NOTHING]}
    assert structure["loads"][0]["where"] == {**middle, "offset": NOTHING}
    first, second = structure["constraints"][0]["between"]
    assert first == {**middle, "offset": {"move": "@constraints.tie.between.0.offset.move", "rotate": []}}
    assert second == {"link": None, "at": None, "before": [FLOOR], "offset": NOTHING}
    floor, tool, _ = structure["actuators"][0]["route"]
    assert floor == {"kind": "point", "point": second}
    own = {"move": "@actuators.cable.tendon.route.1.move", "rotate": []}
    assert tool == {"kind": "point", "point": {"link": "arm", "at": None, "before": [TOOL], "offset": own}}
    np.testing.assert_array_equal(parameters["frames.tool.offset.move"], [1, 2, 3])


def test_parents_come_first_through_frames():
    structure, _ = plain_blueprint(parse(TEXT))
    assert [link["name"] for link in structure["links"]] == ["arm", "camera", "rod"]


def test_a_frame_on_a_divided_rod_is_on_the_division():
    rod = {"section": {"circle": {"radius": 1}}, "material": "m", "divisions": [{"length": 1}, {"length": 1}]}
    robot = (
        Robot("robot")
        .material("m", young=1, poisson=0, density=1)
        .rod("rod", **rod)
        .frame("knee", link="rod", at=0.25)
        .rigid("pad", mass=1, inertia=[1, 1, 1], parent="knee")
    )
    pad = named(plain_blueprint(robot)[0]["links"], "pad")
    assert pad["parent"] == {"link": "rod/1", "at": 0.5, "before": [NOTHING], "offset": NOTHING}


def test_the_name_of_a_link_means_the_link():
    body = {"mass": 1, "inertia": [1, 1, 1]}
    robot = Robot("robot").rigid("arm", **body).rigid("hand", **body, parent="arm").rigid("foot", **body)
    robot = robot.frame("arm", link="hand", offset={"move": [1, 0, 0]}).frame("world", link="hand")
    structure, _ = plain_blueprint(robot)
    assert named(structure["links"], "hand")["parent"] == {"link": "arm", "at": None, "offset": NOTHING}
    assert named(structure["links"], "foot")["parent"]["link"] is None


@pytest.mark.parametrize("path", ["frames.tool.offset.move", "loads.push.where.offset.move"])
def test_offsets_are_changed_by_their_paths(path):
    _, parameters = parse(TEXT).with_value(path, [7, 8, 9]).blueprint()
    np.testing.assert_array_equal(parameters[path], [7, 8, 9])
