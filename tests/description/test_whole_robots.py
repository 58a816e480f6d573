"""Whole robots: joints of every kind, rods in divisions, actuators, constraints, and their blueprints."""

import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from test_blueprint import link, references
from test_robot import conforms

from blueprints import plain_blueprint
from pliant.blueprint import Blueprint, from_json
from pliant.description import Robot, RobotFileError, json_schema, load, parse

FILES = sorted((Path(__file__).parent / "whole").glob("*.yaml"))
ROBOTS = {file.stem: load(file) for file in FILES}
SPRINGS = ("stiffness", "damping", "rest", "power", "ratio", "acts")


def blueprint(name: str):
    return plain_blueprint(ROBOTS[name])


def named(items, name: str):
    return next(item for item in items if item["name"] == name)


def refusal(robot: Robot) -> str:
    with pytest.raises(RobotFileError) as caught:
        _ = robot.description
    return str(caught.value)


@pytest.mark.parametrize("name", ROBOTS)
def test_structure_is_json_and_refers_to_the_parameters(name):
    structure, parameters = blueprint(name)
    assert json.loads(json.dumps(structure, allow_nan=False)) == structure
    for path, info in from_json(Blueprint, structure).parameters.items():
        # Two blanks are where it should say what the number is.
        assert info.allows(parameters[path]) and not f" {info.meaning}".count("  "), path
    assert set(references(structure)) == set(parameters)
    assert all(value.dtype == np.float64 and np.isfinite(value).all() for value in parameters.values())


@pytest.mark.parametrize("name", ROBOTS)
def test_round_trip_and_schema(name):
    robot = ROBOTS[name]
    assert parse(robot.to_yaml()) == robot
    assert hash(parse(robot.to_yaml())) == hash(robot)
    assert conforms(robot._tree.data, json_schema(), json_schema())


@pytest.mark.parametrize("name", ROBOTS)
def test_every_parameter_can_be_set_by_its_path(name):
    robot, (_, parameters) = ROBOTS[name], blueprint(name)
    for key, value in parameters.items():
        changed = robot.with_value(key, value) if ".channels." not in key else None
        if changed is None or key.endswith(".holes.centre"):
            continue
        _, others = changed.blueprint()
        assert others.keys() == parameters.keys(), key
        assert all(np.array_equal(others[other], parameters[other]) for other in parameters), key


def test_numbers_that_follow_from_a_pattern_are_changed_there():
    robot = ROBOTS["module"]
    with pytest.raises(RobotFileError, match=r"change actuators\.pairs\.chamber\.around instead"):
        robot.with_value("actuators.pairs-1.channels.0.x", 0.0)
    wider = robot.with_value("actuators.pairs.chamber.around.radius", "9 mm")
    assert wider.blueprint()[1]["actuators.pairs-1.channels.0.x"] == pytest.approx(-0.009 * math.sin(math.radians(20)))


def hand_in_python() -> Robot:
    return (
        Robot("hand")
        .material("ecoflex", young=120e3, poisson=0.5, density=1070, viscosity=300)
        .material("abs", young="2 GPa", poisson=0.35, density=1050)
        .rigid(
            "carriage", material="abs", shape={"box": [0.04, 0.04, 0.02]}, joint={"prismatic": "x", "drive": "motion"}
        )
        .rod(
            "finger",
            parent={"link": "carriage", "offset": {"rotate": {"y": "90 deg"}}},
            joint={"revolute": {"axis": "y", "stiffness": 0.5}},
            section={"circle": {"radius": 0.012}},
            material="ecoflex",
            allow=["bend_x", "bend_y", "twist", "stretch"],
            divisions=[
                {"length": 0.02, "allow": [], "material": "abs"},
                {"length": 0.08, "reference": {"bend_y": [0, 2]}},
                {"length": 0.02, "section": {"circle": {"radius": [0.012, 0.006]}}, "model": "pcs"},
            ],
        )
        .rigid("nail", mass=0.005, shape={"sphere": {"radius": 0.004}}, parent="finger", joint="universal")
        .rod(
            "thumb",
            parent={"link": "finger", "at": 0.5},
            length=0.05,
            section={"ellipse": {"semi_x": 0.006, "semi_y": 0.004}},
            material="ecoflex",
            joint={"spherical": {}},
        )
        .frame("pulp", link="finger", at=0.9, offset={"move": [0, 0.006, 0]})
        .load("wind", along={"link": "finger", "from": 0.5}, force=[1, 0, 0])
        .load("push", where={"link": "finger", "at": 0}, force={"ease": {"over": 1, "to": [0, 1, 0]}})
        .tendon("flexor", link="finger", y=[0.008, 0.004], tension={"ramp": {"to": 3, "over": 1}}, friction=0.1)
        .tendon(
            "extensor",
            route=[
                "carriage",
                {"link": "carriage", "move": [0, 0.001, 0]},
                {"link": "finger", "from": 1, "to": 0.1, "y": -0.008},
                {"link": "finger", "at": 0},
                {"link": "thumb", "x": 0.002, "helix": {"radius": [0.002, 0.001], "turns": "2 turns"}},
                {"link": "nail", "offset": {"move": [0, 0, 0.001]}},
                "world",
            ],
            length={"ramp": {"from": 0.3, "to": 0.25, "over": 1}},
            stiffness=2000,
        )
        .chamber("pad", link="finger", centre={"y": [-0.006, -0.005]}, radius=0.002, from_=0.1, to=0.9, pressure=0)
        .drive("wrist", joint="finger", force={"sine": {"amplitude": 1e-3, "frequency": 2}})
        .drive("twist", joint="thumb", coordinate="angular_z", force="1 mN*m")
        .drive(
            "nod",
            joint="nail",
            coordinate="angle_2",
            motion={"table": {"times": [0, 1], "values": [0, "10 deg"]}},
        )
        .constraint(
            "clamp",
            between=[{"link": "nail", "offset": {"move": [1e-3, 0, 0]}}, "world"],
            fix=["rx", "x", "z"],
            frame="world",
        )
        .constraint(
            "loop",
            between=["thumb", {"link": "nail", "offset": {"rotate": {"x": "30 deg"}}}],
            joint={"revolute": [0, 1, 1]},
        )
        .initial("finger", bend_y=2, angle="10 deg")
        .initial("carriage", displacement="1 mm", speed=0.1)
        .initial("nail", angle=["10 deg", "5 deg"], rate=[1, 2])
        .analysis("statics", times=[0, 0.5, 1])
    )


def test_file_and_python_are_the_same_robot():
    assert hand_in_python() == ROBOTS["hand"]


def body(joint) -> Robot:
    return Robot("robot").rigid("body", mass=1, inertia=[1, 1, 1], joint=joint)


@pytest.mark.parametrize(
    ("joint", "kind", "axes", "numbers"),
    [
        ({"prismatic": "y"}, "prismatic", ["y"], {}),
        ({"prismatic": {"axis": "y", "stiffness": "1 kN/m", "rest": "1 mm"}}, "prismatic", ["y"], {"stiffness": 1000}),
        ({"helical": {"axis": "x", "pitch": "-5 mm"}}, "helical", ["x"], {"pitch": -0.005}),
        ({"cylindrical": {"axis": "z", "damping": [1, "2 N*s/m"]}}, "cylindrical", ["z"], {"damping": [1, 2]}),
        ("universal", "universal", ["x", "y"], {}),
        ({"universal": ["z", "y"]}, "universal", ["z", "y"], {}),
        ({"universal": {"stiffness": 2, "rest": "[90, 0] deg"}}, "universal", ["x", "y"], {"rest": [math.pi / 2, 0]}),
        ("planar", "planar", ["z"], {}),
        ({"planar": "x"}, "planar", ["x"], {}),
        ({"planar": {"rest": ["1 mm", 0, "180 deg"]}}, "planar", ["z"], {"rest": [0.001, 0, math.pi]}),
        ({"spherical": {"damping": 3}}, "spherical", [], {"damping": 3}),
        ({"free": {"stiffness": [1, 2, 3, "4 N/m", 5, 6]}}, "free", [], {"stiffness": [1, 2, 3, 4, 5, 6]}),
    ],
)
def test_joints(joint, kind, axes, numbers):
    structure, parameters = plain_blueprint(body(joint))
    lowered = structure["links"][0]["joint"]
    assert set(lowered) == {"kind", "axes", "pitch", *SPRINGS}
    assert lowered["kind"] == kind and lowered["axes"] == axes
    for name, value in numbers.items():
        assert lowered[name] == f"@links.body.joint.{kind}.{name}"
        assert np.allclose(parameters[lowered[name][1:]], value, rtol=1e-15)
    given = joint[kind] if isinstance(joint, dict) and isinstance(joint[kind], dict) else {}
    assert all(lowered[name] is None for name in ("pitch", *SPRINGS) if name not in given)


def test_directions_of_a_universal_joint_are_parameters():
    structure, parameters = blueprint("joints")
    assert named(structure["links"], "d")["joint"]["axes"] == ["x", "@links.d.joint.universal.axes.1"]
    assert parameters["links.d.joint.universal.axes.1"].tolist() == [0, 1, 1]


def test_divisions_are_links_on_each_others_tips():
    structure, parameters = blueprint("hand")
    names = [item["name"] for item in structure["links"]]
    assert names == ["carriage", "finger/1", "finger/2", "finger/3", "nail", "thumb"]
    first, second, third = structure["links"][1:4]
    assert first["parent"]["link"] == "carriage" and first["joint"]["kind"] == "revolute"
    for below, above in ((first, second), (second, third)):
        assert above["parent"] == {"link": below["name"], "at": 1.0, "offset": {"move": None, "rotate": []}}
        assert above["joint"]["kind"] == "fixed"
    assert [item["length"] for item in (first, second, third)] == [
        f"@links.finger.divisions.{number}.length" for number in (1, 2, 3)
    ]
    assert first["allow"] == [] and first["model"]["options"]["order"] == {}
    assert [item["material"] for item in (first, second, third)] == ["abs", "ecoflex", "ecoflex"]
    assert first["section"]["radius"] == second["section"]["radius"] == "@links.finger.section.circle.radius"
    assert third["section"]["radius"] == "@links.finger.divisions.3.section.circle.radius"
    assert second["reference"]["bend_y"] == "@links.finger.divisions.2.reference.bend_y"
    assert third["reference"]["bend_y"] == "@links.finger.reference.bend_y"
    assert third["model"]["kind"] == "pcs" and second["model"]["kind"] == "gvs"
    assert parameters["links.finger.divisions.2.length"] == 0.08


def test_places_on_a_divided_rod():
    structure, _ = blueprint("hand")
    assert named(structure["frames"], "finger")["where"]["link"] == "finger/3"
    assert named(structure["frames"], "finger")["where"]["at"] == 1.0
    pulp = named(structure["frames"], "pulp")["where"]
    assert pulp["link"] == "finger/3" and pulp["at"] == pytest.approx((0.9 * 120 - 100) / 20)
    assert named(structure["links"], "nail")["parent"]["link"] == "finger/3"
    thumb = named(structure["links"], "thumb")["parent"]
    assert thumb["link"] == "finger/2" and thumb["at"] == pytest.approx(0.5)
    push = named(structure["loads"], "push")["where"]
    assert (push["link"], push["at"]) == ("finger/1", 0.0)


@pytest.mark.parametrize("lengths", [[20, 80, 20], [1, 1, 1], [0.1, 0.2, 0.7], [3, 7, 11]])
def test_a_boundary_is_the_tip_of_the_earlier_division(lengths):
    robot = Robot("robot").material("m", young=1, poisson=0, density=1)
    divisions = [{"length": f"{length} mm"} for length in lengths]
    robot = robot.rod("rod", divisions=divisions, section={"circle": {"radius": 1e-4}}, material="m")
    total = sum(lengths)
    places = {"begin": 0, "one": lengths[0] / total, "two": (lengths[0] + lengths[1]) / total, "end": 1}
    for name, at in places.items():
        robot = robot.frame(name, link="rod", at=at)
    frames = [frame["where"] for frame in plain_blueprint(robot)[0]["frames"][:4]]
    assert [(frame["link"], frame["at"]) for frame in frames] == [
        ("rod/1", 0.0),
        ("rod/1", 1.0),
        ("rod/2", 1.0),
        ("rod/3", 1.0),
    ]


def test_a_load_along_a_divided_rod_is_one_for_each_division():
    structure, _ = blueprint("hand")
    wind = [load for load in structure["loads"] if load["name"] == "wind"]
    assert [load["along"]["link"] for load in wind] == ["finger/2", "finger/3"]
    assert (wind[0]["along"]["from"], wind[0]["along"]["to"]) == (pytest.approx(0.5), 1.0)
    assert (wind[1]["along"]["from"], wind[1]["along"]["to"]) == (0.0, 1.0)
    assert wind[0]["force"] == wind[1]["force"]


def test_initial_strains_go_to_the_divisions_that_allow_them():
    structure, _ = blueprint("hand")
    finger = [item for item in structure["initial"] if item["link"].startswith("finger/")]
    assert [item["strain"] for item in finger] == [{}, *[{"bend_y": "@initial.finger.bend_y"}] * 2]
    assert [item["angle"] for item in finger] == ["@initial.finger.angle", None, None]
    carriage = next(item for item in structure["initial"] if item["link"] == "carriage")
    assert carriage["displacement"] == "@initial.carriage.displacement"


def test_runs_follow_the_divisions_in_the_direction_of_the_tendon():
    structure, _ = blueprint("hand")
    flexor = named(structure["actuators"], "flexor")
    assert [item["along"]["link"] for item in flexor["route"]] == ["finger/1", "finger/2", "finger/3"]
    assert flexor["drive"] == "tension" and flexor["friction"] == "@actuators.flexor.friction"
    spans = [item["span"] for item in flexor["route"]]
    assert np.allclose(spans, [[0, 1 / 6], [1 / 6, 5 / 6], [5 / 6, 1]])
    assert {item["y"] for item in flexor["route"]} == {"@actuators.flexor.tendon.route.y"}
    extensor = named(structure["actuators"], "extensor")
    assert [item["kind"] for item in extensor["route"]] == [
        *["point"] * 2,
        *["run"] * 3,
        "point",
        "run",
        *["point"] * 2,
    ]
    back = extensor["route"][2:5]
    assert [item["along"]["link"] for item in back] == ["finger/3", "finger/2", "finger/1"]
    assert [item["along"]["from"] for item in back] == [1.0, 1.0, 1.0]
    assert [item["along"]["to"] for item in back] == [0.0, 0.0, pytest.approx(0.6)]
    assert back[0]["span"][0] == 0.0 and back[2]["span"][1] == 1.0
    assert all(one["span"][1] == two["span"][0] for one, two in pairwise(back))
    assert extensor["route"][1]["point"]["offset"]["move"] == "@actuators.extensor.tendon.route.1.move"
    assert extensor["route"][-1]["point"]["link"] is None
    assert extensor["route"][6]["helix"]["turns"] == "@actuators.extensor.tendon.route.4.helix.turns"
    assert extensor["value"]["kind"] == "ramp" and extensor["stiffness"] == "@actuators.extensor.stiffness"


def test_a_pattern_is_one_actuator_for_each_angle():
    structure, parameters = blueprint("module")
    pairs = [item for item in structure["actuators"] if item["name"].startswith("pairs")]
    assert [item["name"] for item in pairs] == ["pairs-1", "pairs-2", "pairs-3"]
    assert {item["radius"] for item in pairs} == {"@actuators.pairs.chamber.radius"}
    for item, angle in zip(pairs, (90, -30, 210), strict=True):
        centres = [[parameters[channel[axis][1:]] for axis in ("x", "y")] for channel in item["channels"]]
        wanted = [
            [0.0085 * math.cos(math.radians(angle + side)), 0.0085 * math.sin(math.radians(angle + side))]
            for side in (20, -20)
        ]
        assert np.allclose(centres, wanted, atol=1e-15)
        assert all(channel["along"] == {"link": "module", "from": 0.0, "to": 1.0} for channel in item["channels"])
    assert [item["value"]["kind"] for item in pairs] == ["constant", "ramp", "constant"]
    assert parameters["actuators.pairs-2.pressure.ramp.to"] == 1e5
    cores = [item for item in structure["actuators"] if item["name"].startswith("cores")]
    assert [item["value"]["value"] for item in cores] == ["@actuators.cores-1.pressure", "@actuators.cores-2.pressure"]
    assert cores[0]["radius"] is None and parameters["actuators.cores.chamber.area"] == pytest.approx(3e-6)


def test_one_pressure_of_a_pattern_can_be_changed():
    robot = ROBOTS["module"].with_value("actuators.cores-2.pressure", "5 kPa")
    _, parameters = robot.blueprint()
    assert parameters["actuators.cores-1.pressure"] == 2000 and parameters["actuators.cores-2.pressure"] == 5000
    _, parameters = ROBOTS["module"].with_value("actuators.pairs-2.pressure.ramp.to", 7).blueprint()
    assert parameters["actuators.pairs-2.pressure.ramp.to"] == 7


def test_holes():
    structure, parameters = blueprint("module")
    holes = link(ROBOTS["module"], "module")["section"]["holes"]
    assert parameters[holes["radius"][1:]].tolist() == [0.0025] * 6
    centres = parameters[holes["centre"][1:]]
    assert centres.shape == (6, 2) and np.allclose(np.linalg.norm(centres, axis=1), 0.0085)
    # The holes are where the chambers are.
    channels = [channel for item in structure["actuators"][:3] for channel in item["channels"]]
    assert np.allclose(centres, [[parameters[channel[axis][1:]] for axis in ("x", "y")] for channel in channels])
    plate = link(ROBOTS["module"], "plate")["section"]["holes"]
    assert parameters[plate["radius"][1:]].tolist() == [0.002, 0.001]
    assert plate["centre"] == "@links.plate.section.holes.at"


def test_driven_joints():
    structure, parameters = blueprint("joints")
    actuators = {item["name"]: item for item in structure["actuators"]}
    assert actuators["both"] == {
        "name": "both",
        "kind": "joint",
        "link": "h",
        "coordinates": [0, 1],
        "drive": "motion",
        "value": {
            "kind": "step",
            "at": "@actuators.both.motion.step.at",
            "to": "@actuators.both.motion.step.to",
            "from": "@actuators.both.motion.step.from",
        },
    }
    assert parameters["actuators.both.motion.step.to"].tolist() == [math.pi / 2, 0.005]
    assert parameters["actuators.both.motion.step.from"].tolist() == [0, 0]
    assert actuators["lift"]["coordinates"] == [5, 0] and actuators["lift"]["drive"] == "force"
    assert actuators["slide"]["coordinates"] == [1] and parameters["actuators.slide.motion"].shape == ()
    assert named(blueprint("hand")[0]["actuators"], "wrist")["link"] == "finger/1"


def test_the_drive_of_a_joint_is_an_actuator():
    structure, parameters = blueprint("joints")
    actuators = {item["name"]: item for item in structure["actuators"]}
    assert actuators["c"]["coordinates"] == [0, 1] and parameters["actuators.c.force"].tolist() == [0, 0]
    assert actuators["j"]["drive"] == "motion" and parameters["actuators.j.motion"].tolist() == [0, 0, 0]
    robot = ROBOTS["hand"].with_value("actuators.carriage.motion", {"ramp": {"to": "10 mm", "over": 1}})
    structure, parameters = plain_blueprint(robot)
    assert named(structure["actuators"], "carriage")["value"]["kind"] == "ramp"
    assert parameters["actuators.carriage.motion.ramp.to"] == 0.01


def test_constraints():
    structure, parameters = blueprint("hand")
    clamp, loop = structure["constraints"]
    assert clamp["fix"] == ["x", "z", "rx"] and clamp["frame"] == "world" and clamp["joint"] is None
    assert clamp["between"][0]["offset"]["move"] == "@constraints.clamp.between.0.offset.move"
    assert clamp["between"][1]["link"] is None
    assert loop["joint"] == {"kind": "revolute", "axes": ["@constraints.loop.joint.revolute.axis"], "pitch": None}
    assert loop["fix"] is None and loop["frame"] == "first"
    assert loop["between"][0] == {"link": "thumb", "at": 1.0, "offset": {"move": None, "rotate": []}}
    nut = named(blueprint("joints")[0]["constraints"], "nut")
    assert nut["joint"] == {"kind": "helical", "axes": ["z"], "pitch": "@constraints.nut.joint.helical.pitch"}
    assert parameters["constraints.clamp.between.0.offset.move"].tolist() == [0.001, 0, 0]


@pytest.mark.parametrize(
    ("programme", "numbers"),
    [
        (5, {"": 5}),
        ("5 kN", {"": 5000}),
        ({"constant": "5 N"}, {"": 5}),
        ({"step": {"to": 5}}, {"step.to": 5, "step.from": 0, "step.at": 0}),
        (
            {"ease": {"to": 5, "over": "1 s", "from": 1}},
            {"ease.to": 5, "ease.from": 1, "ease.over": 1, "ease.start": 0},
        ),
        ({"sine": {"amplitude": 2, "offset": 3, "frequency": 1}}, {"sine.amplitude": 2, "sine.offset": 3}),
        ({"triangle": {"rise": 1, "fall": 1, "peak": 2}}, {"triangle.peak": 2}),
        ({"pulse": {"width": 1, "value": 2}}, {"pulse.value": 2}),
        ({"table": {"times": [0, 1], "values": "[1, 2] mN"}}, {"table.values": [0.001, 0.002], "table.times": [0, 1]}),
    ],
)
def test_programmes_of_one_number(programme, numbers):
    robot = Robot("robot").material("m", young=1, poisson=0, density=1)
    robot = robot.rod("rod", length=1, section={"circle": {"radius": 0.1}}, material="m")
    _, parameters = robot.tendon("pull", link="rod", tension=programme).blueprint()
    for key, value in numbers.items():
        path = f"actuators.pull.tension.{key}".rstrip(".")
        assert parameters[path].tolist() == value


def test_turns_are_counted_not_measured():
    robot = Robot("robot").material("m", young=1, poisson=0, density=1)
    robot = robot.rod("rod", length=1, section={"circle": {"radius": 0.1}}, material="m")
    for turns in (2, "2 turns", "720 deg"):
        helix = {"radius": "1 mm", "turns": turns}
        _, parameters = robot.tendon("pull", link="rod", helix=helix, tension=1).blueprint()
        assert parameters["actuators.pull.tendon.route.helix.turns"] == pytest.approx(2)


@pytest.mark.parametrize(
    ("section", "centre", "radius", "inside"),
    [
        ({"circle": {"radius": 1}}, (0.6, 0.0), 0.4, True),
        ({"circle": {"radius": [2, 1]}}, (0.6, 0.0), 0.41, False),
        ({"annulus": {"inner": 0.9, "outer": 1}}, (0.0, 0.0), 0.5, True),
        ({"annulus": {"inner": 0.5, "outer": 1}}, (0.0, 0.8), 0.3, False),
        ({"rectangle": {"width": 4, "height": 2}}, (1.5, 0.5), 0.5, True),
        ({"rectangle": {"width": 4, "height": 2}}, (1.6, 0.0), 0.5, False),
        ({"rectangle": {"width": 4, "height": 2}}, (0.0, -0.6), 0.5, False),
        ({"ellipse": {"semi_x": 4, "semi_y": 2}}, (2.0, 0.0), 1.63, True),
        ({"ellipse": {"semi_x": 4, "semi_y": 2}}, (2.0, 0.0), 1.64, False),
        ({"ellipse": {"semi_x": 1, "semi_y": 1}}, (0.3, 0.4), 0.5, True),
    ],
)
def test_chambers_lie_inside_the_outline(section, centre, radius, inside):
    robot = Robot("robot").material("m", young=1, poisson=0, density=1)
    robot = robot.rod("rod", length=1, section=section, material="m")
    robot = robot.chamber("pad", link="rod", centre=dict(zip("xy", centre, strict=True)), radius=radius, pressure=0)
    if inside:
        assert robot.description
    else:
        assert 'the chamber "pad" reaches' in refusal(robot)


def test_a_section_given_by_numbers_has_no_outline():
    robot = Robot("robot").rod(
        "rod", length=1, section={"given": {"stiffness": [1] * 6, "mass": 1, "rotary": [0, 0, 1]}}
    )
    assert robot.chamber("pad", link="rod", radius=5, pressure=0).description


def test_a_division_may_have_a_given_section():
    given = {"given": {"stiffness": [1] * 6, "mass": 1, "rotary": [0, 0, 1]}}
    robot = Robot("robot").material("m", young=1, poisson=0, density=1)
    robot = robot.rod(
        "rod",
        material="m",
        section={"circle": {"radius": 0.01}},
        divisions=[{"length": 1}, {"length": 2, "section": given}],
    )
    first, second = plain_blueprint(robot)[0]["links"]
    assert first["material"] == "m" and second["material"] is None
    assert robot.blueprint()[1]["links.rod.divisions.2.section.given.radius"] == 2 / 50


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("links.finger.divisions.2.length", "90 mm"),
        ("links.finger.divisions.2.allow", []),
        ("links.carriage.joint.prismatic.stiffness", "3 N/m"),
        ("links.thumb.joint.spherical.stiffness", 3),
        ("links.nail.joint.universal.axes", ["x", "z"]),
        ("actuators.flexor.tendon.link", "thumb"),
        ("actuators.flexor.tension.ramp.to", "5 N"),
        ("actuators.extensor.tendon.route.0.offset.move", [1, 0, 0]),
        ("actuators.extensor.tendon.route.4.helix.phase", "10 deg"),
        ("actuators.pad.chamber.radius", "1 mm"),
        ("constraints.clamp.between.1.offset.move", [0, 0, "1 mm"]),
        ("constraints.loop.joint.revolute.axis", "x"),
        ("analyses.statics.times", [0, 2]),
    ],
)
def test_paths(key, value):
    changed = ROBOTS["hand"].with_value(key, value)
    assert changed.description and changed != ROBOTS["hand"]


@pytest.mark.parametrize("key", ["links.finger.divisions.0.length", "links.finger.divisions.4.length"])
def test_divisions_count_from_one(key):
    with pytest.raises(RobotFileError, match="expected one of: 1, 2, 3"):
        ROBOTS["hand"].with_value(key, 1)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("links.finger.length", 1),
        ("links.carriage.joint", {"prismatic": "x", "drive": "speed"}),
        ("links.finger.divisions", []),
        ("actuators.flexor.tension", [1, 2]),
        ("actuators.flexor.tendon.route", "finger"),
        ("actuators.pad.chamber.angles", [1]),
        ("actuators.wrist.coordinate", 3),
        ("constraints.clamp.fix", ["rw"]),
        ("constraints.clamp.between", ["nail"]),
        ("constraints.loop.joint", "free"),
        ("analyses.statics.times", []),
    ],
)
def test_the_json_schema_refuses_what_the_language_refuses(key, value):
    robot = ROBOTS["hand"].with_value(key, value)
    assert not conforms(robot._tree.data, json_schema(), json_schema())
    assert refusal(robot)
