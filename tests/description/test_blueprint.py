"""The blueprint keeps to docs/blueprint.md."""

import dataclasses
import json
from typing import get_args

import numpy as np
import pytest

from blueprints import plain_blueprint
from pliant.blueprint import PROGRAMMES, ParameterInfo, programme_info, programme_words
from pliant.description import STRAINS, Robot, json_schema, parse
from pliant.description.language._programmes import Tension
from pliant.description.language.grammar import Quantity
from pliant.description.lowering._info import marks_of
from pliant.library import load, names


def references(node):
    if isinstance(node, dict):
        for item in node.values():
            yield from references(item)
    elif isinstance(node, list):
        for item in node:
            yield from references(item)
    elif isinstance(node, str) and node.startswith("@"):
        yield node[1:]


@pytest.mark.parametrize("name", names())
def test_structure_is_json_and_refers_to_the_parameters(name):
    structure, parameters = plain_blueprint(load(name))
    assert json.loads(json.dumps(structure, allow_nan=False)) == structure
    assert set(references(structure)) == set(parameters)
    for value in parameters.values():
        assert isinstance(value, np.ndarray) and value.dtype == np.float64 and np.isfinite(value).all()


def rod(**fields) -> Robot:
    fields = {"length": 1, "section": {"circle": {"radius": 0.1}}, "material": "m", **fields}
    return Robot("robot").material("m", young=1, poisson=0, density=1).rod("rod", **fields)


def link(robot: Robot, name: str = "rod"):
    return next(item for item in plain_blueprint(robot)[0]["links"] if item["name"] == name)


def test_laws_of_materials():
    materials = {
        "a": {}, "b": {"law": "hooke"}, "c": {"law": "neo-hookean"}, "d": {"law": {"gent": {"stretch_limit": 9.8}}}
    }  # fmt: skip
    robot = rod()
    for name, law in materials.items():
        robot = robot.material(name, young=1, poisson=0.5, density=1, **law)
    structure, parameters = plain_blueprint(robot.with_value("materials.d.law.gent.stretch_limit", 4))
    assert [own["law"] for own in structure["materials"]] == ["hooke", "hooke", "neo-hookean", "gent", "hooke"]
    path = "materials.d.law.gent.stretch_limit"
    assert [own["stretch_limit"] for own in structure["materials"]] == [None, None, None, f"@{path}", None]
    assert parameters[path] == 4 and not any("law" in other for other in parameters if other != path)


def test_defaults():
    structure, parameters = plain_blueprint(rod())
    assert structure["gravity"] == {"kind": "constant", "value": "@gravity"}
    assert parameters["gravity"].tolist() == [0, 0, -9.81]
    assert parameters["materials.m.viscosity"] == 0
    only = structure["links"][0]
    assert only["parent"] == {"link": None, "at": None, "offset": {"move": None, "rotate": []}}
    springs = dict.fromkeys(("stiffness", "damping", "rest", "power", "ratio", "acts"))
    assert only["joint"] == {"kind": "fixed", "axes": [], "pitch": None, **springs}
    assert only["allow"] == list(STRAINS)
    assert only["damping_power"] is None and only["update"] is None
    assert structure["springs"] == [] and structure["meshes"] == []
    assert only["model"] == {
        "kind": "gvs",
        "options": {
            "basis": dict.fromkeys(STRAINS, "legendre"),
            "order": dict.fromkeys(STRAINS, 3),
            "pieces": 1,
            "quadrature": None,
        },
    }
    assert [float(parameters[f"links.rod.reference.{strain}"]) for strain in STRAINS] == [0, 0, 0, 0, 0, 1]
    assert only["section"] == {
        "kind": "circle",
        "radius": "@links.rod.section.circle.radius",
        "torsion": "saint-venant",
        "shear_factor": "@links.rod.section.shear_factor",
        "rotary_inertia": True,
        "holes": None,
    }


def test_models():
    assert link(rod(model="pcs"))["model"] == {"kind": "pcs", "options": {"pieces": 4, "quadrature": None}}
    assert link(rod(model={"pcs": {"pieces": 6, "quadrature": 5}}))["model"]["options"]["pieces"] == 6
    robot = rod(allow=["stretch", "bend_x", "twist"], model={"gvs": {"order": {"stretch": 1}}})
    model = link(robot)["model"]["options"]
    assert model["order"] == {"bend_x": 3, "twist": 3, "stretch": 1}
    assert list(model["order"]) == ["bend_x", "twist", "stretch"]


@pytest.mark.parametrize(
    ("section", "numbers"),
    [
        ({"circle": {"radius": ["12 mm", "6 mm"]}}, {"circle.radius": [0.012, 0.006]}),
        ({"annulus": {"inner": 1, "outer": [2, 3]}}, {"annulus.inner": 1, "annulus.outer": [2, 3]}),
        ({"rectangle": {"width": 1, "height": 2}, "torsion": "polar"}, {"rectangle.width": 1, "rectangle.height": 2}),
        ({"ellipse": {"semi_x": 1, "semi_y": 2}, "shear_factor": 0.9}, {"ellipse.semi_x": 1, "shear_factor": 0.9}),
    ],
)
def test_sections(section, numbers):
    robot = rod(section=section)
    _, parameters = robot.blueprint()
    assert link(robot)["section"]["kind"] == next(iter(section))
    for key, value in numbers.items():
        assert parameters[f"links.rod.section.{key}"].tolist() == value


def test_given_section():
    robot = rod(section={"given": {"stiffness": [1] * 6, "mass": 1, "rotary": [0, 0, 1]}}, material=None)
    structure, parameters = plain_blueprint(robot)
    assert structure["links"][0]["material"] is None
    assert set(structure["links"][0]["section"]) == {"kind", "stiffness", "mass", "rotary", "damping", "radius"}
    assert parameters["links.rod.section.given.damping"].tolist() == [0] * 6
    assert parameters["links.rod.section.given.radius"] == 1 / 50


def test_parents_come_first_wherever_they_stand():
    robot = (
        Robot("robot")
        .rigid("c", mass=1, inertia=[1, 1, 1], parent="b")
        .rigid("b", mass=1, inertia=[1, 1, 1, 0, 0, 0], parent={"link": "a", "at": 0.25})
        .material("m", young=1, poisson=0, density=1)
        .rod("a", length=1, section={"circle": {"radius": 0.1}}, material="m")
        .rigid("d", mass=1, inertia=[1, 1, 1], parent="a")
    )
    links = plain_blueprint(robot)[0]["links"]
    assert [item["name"] for item in links] == ["a", "b", "c", "d"]
    assert [item["parent"]["at"] for item in links] == [None, 0.25, None, 1.0]
    assert links[1]["inertia"] == "@links.b.inertia"


def test_joints_and_rotations():
    robot = rod(
        parent={
            "offset": {
                "move": [1, 0, 0],
                "rotate": [{"y": 1}, {"axis": [1, 1, 0], "angle": 2}, {"quaternion": [1, 0, 0, 0]}],
            }
        },
        joint={"revolute": {"axis": [0, 1, 1], "stiffness": 2}},
    ).initial("rod", angle="180 deg", strain_rate={"bend_x": 1}, stretch=0.1)
    structure, parameters = plain_blueprint(robot)
    only = structure["links"][0]
    path = "@links.rod.parent.offset"
    assert only["parent"]["offset"] == {
        "move": f"{path}.move",
        "rotate": [
            {"kind": "turn", "axis": "y", "angle": f"{path}.rotate.0.y"},
            {"kind": "turn", "axis": f"{path}.rotate.1.axis", "angle": f"{path}.rotate.1.angle"},
            {"kind": "quaternion", "quaternion": f"{path}.rotate.2.quaternion"},
        ],
    }
    assert only["joint"] == {
        "kind": "revolute",
        "axes": ["@links.rod.joint.revolute.axis"],
        "pitch": None,
        "stiffness": "@links.rod.joint.revolute.stiffness",
        "damping": None,
        "rest": None,
        "power": None,
        "ratio": None,
        "acts": None,
    }
    assert structure["initial"] == [
        {
            "link": "rod",
            "strain": {"stretch": "@initial.rod.stretch"},
            "strain_rate": {"bend_x": "@initial.rod.strain_rate.bend_x"},
            "angle": "@initial.rod.angle",
            "rate": None,
            "displacement": None,
            "speed": None,
            "rotation": [],
            "position": None,
            "angular_velocity": None,
            "velocity": None,
        }
    ]
    assert parameters["initial.rod.angle"] == pytest.approx(np.pi)


@pytest.mark.parametrize(
    ("programme", "keys"),
    [
        ({"constant": [1, 2, 3]}, {"value"}),
        ({"step": {"to": [1, 2, 3]}}, {"at", "to", "from"}),
        ({"ramp": {"to": [1, 2, 3], "over": "1 s", "from": [1, 1, 1]}}, {"start", "over", "to", "from"}),
        ({"ease": {"to": [1, 2, 3], "over": "1 s", "start": "1 s"}}, {"start", "over", "to", "from"}),
        ({"sine": {"amplitude": [1, 2, 3], "frequency": "2 Hz"}}, {"amplitude", "frequency", "phase", "offset"}),
        ({"triangle": {"rise": 1, "fall": 2, "peak": [1, 2, 3]}}, {"start", "rise", "fall", "peak"}),
        ({"pulse": {"width": "20 ms", "value": ["1 mN", 0, 0]}}, {"start", "width", "value"}),
        ({"table": {"times": "[0, 5, 10] ms", "values": [[0, 0, 0], ["1 N", 0, 0], [0, 0, 0]]}}, {"times", "values"}),
    ],
)
def test_programmes(programme, keys):
    structure, parameters = plain_blueprint(rod().load("push", where="rod", force=programme))
    kind = next(iter(programme))
    force = structure["loads"][0]["force"]
    assert force["kind"] == kind and set(force) == {"kind", *keys}
    prefix = "loads.push.force" + (f".{kind}" if kind != "constant" else "")
    for key in keys:
        assert force[key] == ("@" + prefix if kind == "constant" else f"@{prefix}.{key}")
    assert {key for key in parameters if key.startswith("loads.push.force")} == {
        item[1:] for item in list(force.values())[1:]
    }


def test_gravity_may_be_a_programme_and_loads_spread():
    robot = rod().with_gravity({"ramp": {"over": 1, "to": [0, 0, "-9.81 m/s^2"]}})
    robot = robot.load("wind", along={"link": "rod", "from": 0.25}, moment="[0, 0, 2] N*m/m")
    structure, parameters = plain_blueprint(robot)
    assert structure["gravity"]["to"] == "@gravity.ramp.to"
    wind = structure["loads"][0]
    assert wind["where"] is None and wind["along"] == {"link": "rod", "from": 0.25, "to": 1.0}
    assert parameters["loads.wind.moment"].tolist() == [0, 0, 2]
    assert parameters["loads.wind.force"].tolist() == [0, 0, 0]


def test_analyses():
    text = """
robot: a
links: [{name: a, kind: rigid, mass: 1, inertia: [1, 1, 1], joint: spherical}]
initial: {a: {rotation: {x: 1 deg}, angular_velocity: [1, 0, 0]}}
analyses:
  - statics
  - modes
  - simulate: {until: 2 s}
  - simulate: {until: 2 s, stepper: rk4, step: 1 ms, save_every: 10 ms}
  - simulate: {until: 2 s, stepper: newmark}
"""
    structure, parameters = plain_blueprint(parse(text))
    assert structure["analyses"][0] == {"kind": "statics", "steps": None, "drop": [], "times": None}
    assert structure["analyses"][1] == {"kind": "modes", "count": 6, "about": "statics"}
    assert structure["analyses"][2] == {
        "kind": "simulate",
        "until": 2.0,
        "from": "initial",
        "drop": [],
        "stepper": "tsit5",
        "step": None,
        "longest_step": None,
        "adapt": "error",
        "spectral_radius": 0.8,
        "save_every": 0.01,
        "rtol": 1e-6,
        "atol": 1e-9,
        "energy": False,
        "accuracy": 0.01,
    }
    assert structure["analyses"][3]["step"] == 0.001
    assert structure["analyses"][4]["step"] == 0.01
    assert "initial.a.rotation.x" in parameters


def test_programmes_are_written_as_they_are_defined():
    """The words, the defaults and the quantities of the language are those of the blueprint."""
    quantities = {
        "time": [Quantity("time")], "times": [Quantity("time")], "duration": [Quantity("time", above=0)],
        "frequency": [Quantity("frequency", above=0)], "angle": [Quantity("angle")],
        "value": [Quantity("tension", least=0)], "values": [Quantity("tension", least=0)],
    }  # fmt: skip
    for word, kind in PROGRAMMES.items():
        if word == "constant":
            continue
        written = next(part for part in get_args(Tension.model_fields[word].annotation) if part is not type(None))
        numbers = programme_info(word, ParameterInfo((), "N", "a tension"))
        for field in dataclasses.fields(kind):
            info, told = written.model_fields[field.name], field.metadata
            assert info.is_required() == (told["default"] is None), (word, field.name)
            # A value that is left out is zero, in the shape of the others.
            assert info.is_required() or (info.default or 0.0) == told["default"] == 0.0
            marks = [mark for mark in marks_of(info) if isinstance(mark, Quantity)]
            assert marks == quantities[told["quantity"]], (word, field.name)
            (mark,), number = marks, numbers[field.name.removesuffix("_")]
            legal = (mark.unit, mark.above, mark.least) if mark.kind != "tension" else ("N", None, None)
            low = (number.low if number.low_open else None, None if number.low_open or number.low < 0 else number.low)
            assert (number.unit, *low) == legal, (word, field.name)
        assert list(written.model_fields) == [field.name for field in dataclasses.fields(kind)]
        assert list(programme_words(word)) == list(written.fields())
    assert Tension.words() == list(PROGRAMMES)


def test_the_schema_for_editors_says_what_numbers_are():
    material, tendon = (json_schema()["$defs"][name]["properties"] for name in ("Material", "TendonActuator"))
    assert material["young"]["description"].startswith("Young's modulus: a modulus greater than 0")
    assert tendon["friction"]["description"].startswith("Coefficient of friction along the route")
