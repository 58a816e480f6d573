"""Every kind of bad robot file, and the exact words with which it is refused."""

from pathlib import Path

import pytest

from pliant.description import Robot, RobotFileError, load, loads

BROKEN = Path(__file__).parent / "broken"

# File (without .yaml) -> what follows the file's name in each line of the error.
EXPECTED = {
    "angular_frequency": [
        ':19: loads.push.force.sine.frequency: got "2 rad/s"; the unit is an angle per time; expected a '
        'frequency in cycles per second greater than 0, e.g. "2 Hz"',
    ],
    "at_on_rigid": [
        ':19: loads.push.where.at: got 1; expected "at" only on a rod; on the rigid link "base" use "offset"',
    ],
    "cyclic_parent": [
        ":7: links.base.parent: base hangs on finger hangs on base; expected parents that lead to the world",
    ],
    "drops_unknown_load": [
        ':24: analyses.simulate.drop: got "pusch"; did you mean "push"? expected a load of this robot: push',
    ],
    "duplicate_keys": [
        ":15: links.finger.length: stands twice (first on line 12); expected each field once",
    ],
    "duplicate_names": [
        ':9: links.base.name: got "base"; expected a name used once among the links',
    ],
    "empty": [
        ': the file is empty; expected a robot, e.g. "robot: finger" and "links:"',
    ],
    "fraction_outside": [
        ":17: frames.pulp.at: got 1.2; expected a fraction of the rod's length from 0 to 1, e.g. 0.5",
    ],
    "impossible_inertia": [
        ":8: links.base.inertia: got [0.0001, 0.0001, 0.0003]; expected an inertia that a body can have: "
        "no principal moment exceeds the sum of the others",
    ],
    "infinite": [
        ':19: loads.push.force.2: got Infinity; expected a force, e.g. "0.2 N"',
    ],
    "initial_without_coordinate": [
        ":21: initial.finger.stretch: the rod on a fixed joint has no such coordinate; expected one of: "
        "bend_x, bend_y, strain_rate",
        ":21: initial.finger.angle: the rod on a fixed joint has no such coordinate; expected one of: "
        "bend_x, bend_y, strain_rate",
    ],
    "load_on_unknown_link": [
        ':19: loads.push.where.link: got "thumb"; expected a link of this robot: base, finger',
    ],
    "malformed": [
        ":8: not readable as YAML: expected ',' or ']', but got '}'",
    ],
    "missing_field": [
        ':9: links.finger.length: missing; expected a length greater than 0, e.g. "50 mm"',
    ],
    "missing_parent": [
        ':11: links.finger.parent.link: got "bass"; did you mean "base"? expected a link of this robot: '
        "world, base, finger",
    ],
    "name_with_dot": [
        ':17: frames.0.name: got "finger.pulp"; expected a name: letters, digits, "_" and "-", starting '
        "with a letter, and no dot",
    ],
    "nan": [
        ':12: links.finger.length: got NaN; expected a length greater than 0, e.g. "50 mm"',
    ],
    "negative_length": [
        ':12: links.finger.length: got "-5 mm"; expected a length greater than 0, e.g. "50 mm"',
    ],
    "no_mass": [
        ':5: links.base: incomplete; expected a "mass", or a "shape" and a "material" that give it',
    ],
    "no_material": [
        ':9: links.finger: incomplete; expected a "material" (only a section of kind given does without)',
    ],
    "not_text": [
        ": this is not text in UTF-8; expected a robot file (YAML)",
    ],
    "order_of_rigid_strain": [
        ':15: links.finger.model.gvs.order.twist: got "twist"; expected a strain allowed: bend_x, bend_y',
    ],
    "poisson_too_large": [
        ":3: materials.ecoflex.poisson: got 0.51; expected a number greater than -1 and at most 0.5, e.g. 0.5",
    ],
    "poisson_too_small": [
        ":3: materials.ecoflex.poisson: got -1; expected a number greater than -1 and at most 0.5, e.g. 0.5",
    ],
    "rk4_without_step": [
        ':24: analyses.simulate: incomplete; expected a "step" for the stepper rk4, e.g. "10 us"',
    ],
    "several_mistakes": [
        ':3: materials.ecoflex.young: got -1; expected a modulus greater than 0, e.g. "205 kPa"',
        ':12: links.finger.length: got "0 mm"; expected a length greater than 0, e.g. "50 mm"',
        ':14: links.finger.material: got "rubber"; expected a material of this robot: ecoflex',
        ":17: frames.pulp.at: got 7; expected a fraction of the rod's length from 0 to 1, e.g. 0.5",
        ':24: analyses.simulate.untill: unknown field; did you mean "until"? expected one of: until, '
        "from, drop, stepper, step, save_every, rtol, atol, energy",
        ':24: analyses.simulate.drop: got "pull"; expected a load of this robot: push',
    ],
    "table_not_increasing": [
        ":19: loads.push.force.table.times: item 3 (0.5 s) is not later than item 2 (1 s); expected a "
        "list of two or more times, each later than the one before",
    ],
    "tag": [
        ':12: links.finger.length: got the tag "tag:yaml.org,2002:python/object/apply:os.getcwd"; '
        "expected plain data without tags",
    ],
    "two_sections": [
        ':13: links.finger.section: got ["circle", "ellipse"]; expected only one of: circle, annulus, '
        "rectangle, ellipse, given",
    ],
    "unknown_field": [
        ':12: links.finger.lenght: unknown field; did you mean "length"? expected one of: name, parent, '
        "joint, kind, length, section, material, allow, reference, model",
    ],
    "unknown_material": [
        ':14: links.finger.material: got "ecoflx"; did you mean "ecoflex"? expected a material of this robot: ecoflex',
    ],
    "unknown_model": [
        ':15: links.finger.model: got "gsv"; did you mean "gvs"? expected a rod model: gvs, pcs',
    ],
    "unknown_programme": [
        ':19: loads.push.force: got "stepp"; did you mean "step"? expected a list of 3 numbers, or a '
        "programme: constant, step, ramp, sine, triangle, pulse, table",
    ],
    "unknown_section": [
        ':20: initials: unknown field; did you mean "initial"? expected one of: robot, gravity, '
        "materials, links, frames, loads, initial, analyses",
    ],
    "unknown_strain": [
        ':15: links.finger.allow: got "bend_z"; did you mean "bend_y"? expected a list of strains out '
        "of: bend_x, bend_y, twist, shear_x, shear_y, stretch",
    ],
    "unknown_unit": [
        ':3: materials.ecoflex.young: got "120 kPascals"; "kPascals" is not a unit; expected a modulus '
        'greater than 0, e.g. "205 kPa"',
    ],
    "wrong_dimension": [
        ':12: links.finger.length: got "120 N"; "N" does not convert to m; expected a length greater '
        'than 0, e.g. "50 mm"',
    ],
    "wrong_type": [
        ':12: links.finger.length: got [1, 2]; expected a length greater than 0, e.g. "50 mm"',
    ],
    "zero_length": [
        ':12: links.finger.length: got 0; expected a length greater than 0, e.g. "50 mm"',
    ],
}


def refusal(build) -> RobotFileError:
    with pytest.raises(RobotFileError) as caught:
        build()
    return caught.value


def test_every_broken_file_has_its_message():
    assert sorted(EXPECTED) == sorted(file.stem for file in BROKEN.glob("*.yaml"))


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_message(name, monkeypatch):
    monkeypatch.chdir(BROKEN)
    error = refusal(lambda: load(f"{name}.yaml"))
    assert str(error).splitlines() == [f"{name}.yaml{line}" for line in EXPECTED[name]]


def test_a_problem_carries_its_parts():
    problem = refusal(lambda: load(BROKEN / "negative_length.yaml")).problems[0]
    assert problem.file == str(BROKEN / "negative_length.yaml")
    assert (problem.line, problem.path, problem.value) == (12, "links.finger.length", "-5 mm")


def test_missing_file_and_folder(tmp_path):
    absent = tmp_path / "absent.yaml"
    assert str(refusal(lambda: load(absent))) == f"{absent}: there is no such file; expected a robot file (YAML)"
    assert str(refusal(lambda: load(tmp_path))) == f"{tmp_path}: this is a folder; expected a robot file (YAML)"


def test_binary_with_zero_bytes(tmp_path):
    file = tmp_path / "robot.yaml"
    file.write_bytes(b"robot: a\0b\n")
    assert "not text in UTF-8" in str(refusal(lambda: load(file)))


@pytest.mark.parametrize(
    "text", ["", "---\n", "null\n", "[]", "3", "a: 1\n---\nb: 2", "a: &a [*a]", "? [1, 2]\n: 3", "<<: {robot: a}"]
)
def test_odd_texts_are_refused(text):
    assert refusal(lambda: loads(text)).problems


def test_aliases_cannot_fill_the_memory():
    rows = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    rows += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, 9)]
    assert "too many entries" in str(refusal(lambda: loads("\n".join(rows))))


@pytest.mark.parametrize("depth", [50, 300, 20_000])
def test_depth_cannot_exhaust_the_stack(depth):
    assert refusal(lambda: loads("links: " + "[" * depth + "]" * depth)).problems


def test_a_robot_built_in_python_is_named():
    robot = Robot("finger").rod("finger", length="-5 mm", section={"circle": {"radius": "1 mm"}}, material="rubber")
    assert str(refusal(lambda: robot.description)).splitlines() == [
        'finger: links.finger.length: got "-5 mm"; expected a length greater than 0, e.g. "50 mm"',
        'finger: links.finger.material: got "rubber"; expected a material, but the robot has none',
    ]


def test_a_material_given_twice_in_python():
    robot = Robot("finger").material("rubber", young=1, poisson=0, density=1)
    error = refusal(lambda: robot.material("rubber", young=2, poisson=0, density=1))
    assert str(error) == 'finger: materials.rubber: "rubber" stands twice; expected each name once'


def test_no_wording_of_the_schema_library_leaks():
    for name in EXPECTED:
        text = str(refusal(lambda name=name: load(BROKEN / f"{name}.yaml")))
        for word in ("Input should", "validation error", "pydantic", "input_type", "tuple", "dict"):
            assert word not in text
