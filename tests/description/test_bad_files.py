"""Every kind of bad robot file, and the exact words with which it is refused."""

from pathlib import Path

import pytest

from pliant.description import Robot, RobotFileError, load, loads

BROKEN = Path(__file__).parent / "broken"

# File (without .yaml) -> what follows the file's name in each line of the error.
EXPECTED = {
    "actuator_without_kind": [
        ':19: actuators.motor: incomplete; expected an actuator, with one of: "tendon", "chamber", "joint"',
        ':20: actuators.mixed: got chamber and joint; expected an actuator, with one of: "tendon", "chamber", "joint"',
        ':21: actuators.free: incomplete; expected a "motion" or a "force"',
    ],
    "angular_frequency": [
        ':19: loads.push.force.sine.frequency: got "2 rad/s"; the unit is an angle per time; expected a '
        'frequency in cycles per second greater than 0, e.g. "2 Hz"',
    ],
    "at_on_rigid": [
        ':19: loads.push.where.at: got 1; expected "at" only on a rod; on the rigid link "base" use "offset"',
    ],
    "chamber_fields": [
        ':19: actuators.both.chamber: got ["radius", "area"]; expected either a "radius" or an "area", not both',
        ':20: actuators.none.chamber: incomplete; expected a "radius" or an "area"',
        ':21: actuators.two.chamber: got ["centre", "around"]; expected either a "centre" or "around", not both',
        ':22: actuators.backwards.chamber: got {"from": 0.5, "to": 0.2}; expected "from" less than "to"',
        ':23: actuators.still.chamber: got {"from": 0.5, "to": 0.5}; expected "from" less than "to"',
        ':24: actuators.rigid.chamber.link: got "base"; expected a rod of this robot: finger ("base" is a rigid link)',
        ':25: actuators.closed.pressure: missing; expected a pressure, e.g. "20 kPa", or a programme',
        ':26: actuators.many: got "2 pressures"; expected one pressure',
        ':27: actuators.pattern: got "2 pressures"; expected one pressure, or 3 (one for each angle)',
    ],
    "chamber_outside": [
        ':19: actuators.pad.chamber: the chamber "pad" reaches 8 mm from the axis at 1 of the rod '
        '"finger"; expected it inside the section, which ends at 6 mm there',
        ':20: actuators.pairs.chamber: the chamber "pairs-1" reaches 11 mm from the axis at 0.5 of the '
        'rod "finger"; expected it inside the section, which ends at 9 mm there',
        ':21: actuators.oblique.chamber: the chamber "oblique" reaches 13.0902 mm from the axis at 0 of '
        'the rod "finger"; expected it inside the section, which ends at 12 mm there',
    ],
    "chamber_outside_ellipse": [
        ':19: actuators.pad.chamber: the chamber "pad" reaches 14.3049 mm from the axis at 0 of the rod '
        '"finger"; expected it inside the section, which ends at 10.8587 mm there',
    ],
    "chamber_outside_rectangle": [
        ':19: actuators.pad.chamber: the chamber "pad" reaches 7 mm from the axis along y at 0 of the '
        'rod "finger"; expected it inside the section, which ends at 6 mm there',
    ],
    "constraint_fields": [
        ':19: constraints.none: incomplete; expected "fix" (directions that are tied) or a "joint"',
        ':20: constraints.both: got ["fix", "joint"]; expected either "fix" or a "joint", not both',
        ':21: constraints.word.fix: got "rw"; expected a list of directions out of: x, y, z, rx, ry, rz',
        ':22: constraints.framed.frame: got "world"; expected "frame" only beside "fix": the axes of a '
        "joint are those of both places",
        ':23: constraints.three.between: got ["finger", "world", "base"]; expected a list of two places',
        ':24: constraints.free.joint: got "free"; expected a joint: fixed, revolute, prismatic, helical, '
        "cylindrical, universal, planar, spherical",
        ":25: constraints.sprung.joint.revolute.stiffness: unknown field; expected one of: axis",
        ':26: constraints.lost.between.0.link: got "fingr"; did you mean "finger"? expected a link of '
        "this robot: world, base, finger",
        ':26: constraints.lost.between.1.at: got 0.5; expected "at" only on a rod; on the rigid link '
        '"base" use "offset"',
    ],
    "constraint_on_one_link": [
        ':19: constraints.loop.between: both places of "loop" are on the link "finger"; expected places '
        "on two different links",
        ':20: constraints.ground.between: both places of "ground" stand in the world; expected places on '
        "two different links",
    ],
    "cyclic_parent": [
        ":7: links.base.parent: base hangs on finger hangs on base; expected parents that lead to the world",
    ],
    "divisions": [
        ':13: links.finger.length: got "120 mm"; expected no "length" beside "divisions", whose lengths add up to it',
        ':19: links.finger.divisions.2.lenght: unknown field; did you mean "length"? expected one of: '
        "length, section, material, allow, reference, model",
        ':20: links.finger.divisions.3.material: got "rubber"; expected a material of this robot: ecoflex',
    ],
    "divisions_at_odds": [
        ':13: links.finger.divisions.2.model.gvs.order.bend_x: got "bend_x"; expected a strain allowed: stretch',
        ':17: links.finger.model.gvs.order.bend_x: got "bend_x"; expected a strain allowed: stretch',
        ':17: links.finger.model.gvs.order.twist: got "twist"; expected a strain allowed: stretch',
        ':19: frames.finger.name: got "finger"; expected another name: the tip of the rod of this name, '
        "which has divisions, is a frame already",
        ':21: loads.wind.along.link: got "base"; expected a rod of this robot: finger ("base" is a rigid link)',
        ":23: initial.finger.twist: the rod on a fixed joint has no such coordinate; expected one of: "
        "stretch, strain_rate",
    ],
    "divisions_incomplete": [
        ":14: links.finger.section: it tapers, and divisions 1, 2 have it from the rod; expected a "
        "section in each of them",
        ":17: links.a.divisions.1.section: missing; expected a section here or one for the whole rod",
        ':17: links.a.divisions.2: incomplete; expected a "material" (only a section of kind given does without)',
        ":18: links.b.divisions: got []; expected a list of one or more divisions of the rod",
    ],
    "drive_on_fixed_joint": [
        ':9: links.base.joint.drive: got "motion"; expected no "drive" on a fixed joint',
        ':19: actuators.motor.joint: got "finger"; expected a link whose joint moves: "finger" is fixed to its parent',
    ],
    "drops_unknown_load": [
        ':24: analyses.simulate.drop: got "pusch"; did you mean "push"? expected a load of this robot: push',
    ],
    "duplicate_actuators": [
        ':20: actuators.pair-2.name: got "pair-2"; expected a name used once among the actuators (the '
        'other is one of the pattern "pair")',
        ':22: actuators.flexor.name: got "flexor"; expected a name used once among the actuators',
        ':23: actuators.base.name: got "base"; expected a name used once among the actuators (the other '
        'is "base" whose joint has a "drive")',
        ':26: constraints.clamp.name: got "clamp"; expected a name used once among the constraints',
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
    "holes_outside": [
        ":14: links.finger.section.holes: hole 1 reaches 7 mm from the axis; expected it inside the "
        "section, which ends at 6 mm at the tip",
        ":17: links.a.section.holes: hole 1 begins 4 mm from the axis; expected it in the wall of the "
        "annulus, which begins at 5 mm",
        ":18: links.b.section.holes: hole 3 reaches 11 mm from the axis along x; expected it inside the "
        "section, which ends at 10 mm at the base",
        ":19: links.c.section.holes: holes 1 and 2 are 3 mm apart and overlap; expected at least 4 mm, "
        "the sum of their radii",
        ':20: links.d.section.holes: got "2 radii"; expected one radius, or 3 (one for each hole)',
        ':21: links.e.section.holes: incomplete; expected "around" (centres on a circle) or "at" (a list of [x, y])',
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
    "joint_numbers": [
        ':9: links.base.joint.helical.pitch: got 0; expected a pitch, the length per turn, other than 0, e.g. "5 mm"',
        ":17: links.a.joint.cylindrical.stiffness: got 5; expected a list of 2 numbers, each at least 0 "
        "(angle in N*m/rad, displacement in N/m)",
        ':18: links.b.joint.universal: got ["x", [2.0, 0.0, 0.0]]; expected two axes that are not parallel',
        ":19: links.c.joint.planar: got [0, 0, 1]; expected one of: x, y, z",
        ':20: links.d.joint.prismatic.stiffness: got "5 N*m/rad"; "N*m/rad" does not convert to N/m; '
        'expected a linear stiffness at least 0, e.g. "200 N/m"',
        ":21: links.e.joint.spherical.damping.2: got -3; expected a rotational damping at least 0, e.g. "
        '"0.01 N*m*s/rad"',
        ":22: links.f.joint.free.rest: got [1, 2, 3]; expected a list of 6 numbers (angular_x in rad, "
        "angular_y in rad, angular_z in rad, linear_x in m, linear_y in m, linear_z in m)",
        ":23: links.g.joint.helical.axis: missing; expected x, y, z, or a direction of 3 numbers that are not all 0",
        ':23: links.g.joint.helical.pitch: missing; expected a pitch, the length per turn, other than 0, e.g. "5 mm"',
        ':24: links.h.joint.universal.axes: got "x"; expected a list of two axes, e.g. [x, y]',
    ],
    "load_on_unknown_link": [
        ':19: loads.push.where.link: got "thumb"; expected a link or frame of this robot: base, finger, pulp',
    ],
    "malformed": [
        ":8: not readable as YAML: expected ',' or ']', but got '}'",
    ],
    "missing_field": [
        ':9: links.finger.length: missing; expected a length greater than 0, e.g. "50 mm"',
    ],
    "missing_parent": [
        ':11: links.finger.parent.link: got "bass"; did you mean "base"? expected a link or frame of '
        "this robot: world, base, finger, pulp",
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
    "overdriven_by_drive": [
        ':19: actuators.base: "base" gives a motion to the displacement of the joint of "base", which '
        'has a motion by its own "drive" already; expected one motion, or only forces, for each '
        'coordinate (leave out the "drive" of the joint of "base")',
    ],
    "overdriven_coordinate": [
        ':22: actuators.both: "both" gives a force to the angle of the joint of "base", which has a '
        'motion by "turn" already; expected one motion, or only forces, for each coordinate',
    ],
    "overdriven_joint": [
        ':20: actuators.push: "push" gives a force to the displacement of the joint of "base", which has '
        'a motion by "motor" already; expected one motion, or only forces, for each coordinate',
        ':21: actuators.again: "again" gives a motion to the displacement of the joint of "base", which '
        'has a motion by "motor" already; expected one motion, or only forces, for each coordinate',
    ],
    "part_of_a_rotation": [
        ':18: actuators.tilt.coordinate: got "angular_x"; expected no "coordinate": the motion of a spherical joint is '
        "prescribed as a whole, by 3 numbers",
    ],
    "places_on_frames": [
        ":5: links.base.parent: base hangs on tool hangs on camera hangs on base; expected parents that lead to the "
        "world",
        ':6: links.finger.parent: got "toool"; did you mean "tool"? expected a link or frame of this robot: world, '
        "base, finger, tool, camera, this, that, floor, pulp",
        ":10: frames.this.link: this hangs on that hangs on this; expected parents that lead to the world",
        ':15: loads.push.where.at: got 0.5; expected "at" only on a rod; on the frame "pulp" use "offset"',
        ':16: loads.ground.where: got "floor"; expected a place on a link: the frame "floor" stands in the world',
        ':17: loads.wind.along.link: got "pulp"; expected a rod of this robot: finger',
        ':19: constraints.clamp.between: both places of "clamp" are on the link "finger"; expected places on two '
        "different links",
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
    "shared_names": [
        ':11: constraints.flexor.name: got "flexor"; expected a name used once among the actuators and constraints '
        "(the other is an actuator)",
        ':13: constraints.pair-2.name: got "pair-2"; expected a name used once among the actuators and constraints '
        '(the other is one of the pattern "pair")',
        ':14: constraints.base.name: got "base"; expected a name used once among the actuators and constraints '
        '(the other is "base" whose joint has a "drive")',
    ],
    "statics_times": [
        ":18: analyses.0.statics.times: item 3 (1 s) is not later than item 2 (1 s); expected a list of "
        "one or more times, each later than the one before",
        ":19: analyses.1.statics.times: got []; expected a list of one or more times, each later than the one before",
        ':20: analyses.2.statics: got ["steps", "times"]; expected either "steps" (one equilibrium) or '
        '"times" (one at each), not both',
    ],
    "table_not_increasing": [
        ":19: loads.push.force.table.times: item 3 (0.5 s) is not later than item 2 (1 s); expected a "
        "list of two or more times, each later than the one before",
    ],
    "tag": [
        ':12: links.finger.length: got the tag "tag:yaml.org,2002:python/object/apply:os.getcwd"; '
        "expected plain data without tags",
    ],
    "tendon_drives": [
        ':19: actuators.none: incomplete; expected a "tension" or a "length"',
        ':20: actuators.both: got ["tension", "length"]; expected either a "tension" or a "length", not both',
        ':21: actuators.pushes.tension: got "-3 N"; expected a tension at least 0, e.g. "3 N"',
        ":22: actuators.swings.tension: it falls to -1 N; expected a tension that stays at least 0: a "
        'tendon cannot push (give the programme a "from" or an "offset")',
        ":23: actuators.vanishes.length: it falls to 0 m; expected a length that stays greater than 0 "
        '(give the programme a "from" or an "offset")',
        ':24: actuators.stiff.stiffness: got 2000.0; expected no "stiffness" beside a "tension", only '
        'beside a "length"',
        ":25: actuators.rough.friction: got -0.1; expected a friction coefficient at least 0, e.g. 0.2",
        ':26: actuators.weight.tension: got "3 kg"; "kg" does not convert to N; expected a tension at '
        'least 0, e.g. "3 N"',
    ],
    "tendon_leaves_rod": [
        ":19: actuators.flexor.tendon.route.0.to: got 1.2; expected a fraction of the rod's length from "
        "0 to 1, e.g. 0.5",
        ":20: actuators.extensor.tendon.route.from: got -0.1; expected a fraction of the rod's length "
        "from 0 to 1, e.g. 0.5",
    ],
    "tendon_on_unknown_links": [
        ':19: actuators.flexor.tendon.links: got "fingr"; did you mean "finger"? expected a rod of this robot: finger',
        ':20: actuators.extensor.tendon.route.0.link: got "base"; expected a rod of this robot: finger '
        '("base" is a rigid link)',
        ':20: actuators.extensor.tendon.route.1.link: got "palm"; expected a link of this robot: world, base, finger',
        ':20: actuators.extensor.tendon.route.2.at: got 0.5; expected "at" only on a rod; on the rigid '
        'link "base" use "offset"',
    ],
    "tendon_without_length": [
        ":19: actuators.flexor.tendon: incomplete; expected two places, or one run along a rod: a tendon has a length",
        ':20: actuators.extensor.tendon: incomplete; expected a "link" (the rod that the tendon '
        'follows), or a list of places as its "route"',
        ':21: actuators.rotator.tendon: got "finger"; expected no "link" beside a route of several '
        "items, each of which names its own",
        ":22: actuators.empty.tendon.route: missing; expected how the tendon runs along its rod, e.g. "
        "{y: 8 mm}, or a list of places and of runs along rods",
        ':23: actuators.still.tendon.route: got {"from": 0.5, "to": 0.5}; expected "from" and "to" to differ',
    ],
    "two_sections": [
        ':13: links.finger.section: got ["circle", "ellipse"]; expected only one of: circle, annulus, '
        "rectangle, ellipse, given",
    ],
    "unknown_field": [
        ':12: links.finger.lenght: unknown field; did you mean "length"? expected one of: name, parent, '
        "joint, kind, length, section, material, allow, reference, model, divisions",
    ],
    "unknown_joint": [
        ':19: actuators.motor.joint: got "bass"; did you mean "base"? expected a link of this robot: base, finger',
        ':20: actuators.motor-2.joint: got ["base"]; expected the name of a link: letters, digits, "_" '
        'and "-", starting with a letter, and no dot',
    ],
    "unknown_material": [
        ':14: links.finger.material: got "ecoflx"; did you mean "ecoflex"? expected a material of this robot: ecoflex',
    ],
    "unknown_model": [
        ':15: links.finger.model: got "gsv"; did you mean "gvs"? expected a rod model: gvs, pcs',
    ],
    "unknown_programme": [
        ':19: loads.push.force: got "stepp"; did you mean "step"? expected a list of 3 numbers, or a '
        "programme: constant, step, ramp, ease, sine, triangle, pulse, table",
    ],
    "unknown_section": [
        ':20: initials: unknown field; did you mean "initial"? expected one of: robot, gravity, '
        "materials, links, urdf, frames, loads, actuators, constraints, initial, analyses",
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
    "wrong_number_in_initial": [
        ":18: initial.base.displacement: the rigid link on a universal joint has no such coordinate; "
        "expected one of: angle, rate",
        ':18: initial.base.angle: got "10 deg"; expected two numbers for a universal joint',
    ],
    "wrong_number_of_values": [
        ':19: actuators.motor.motion.0: got "1 mm"; "mm" does not convert to rad; expected an angle, e.g. "90 deg"',
        ':20: actuators.screw.motion.step.to: got ["1 mm", "10 deg", 3]; expected a list of 2 numbers '
        "(displacement in m, angle in rad)",
        ':21: actuators.push.force: got "2 N*m"; "N*m" does not convert to N; expected a force, e.g. "0.2 N"',
        ':22: actuators.slide.coordinate: got "displacemnt"; did you mean "displacement"? expected a '
        'coordinate of the cylindrical joint of "base": angle, displacement',
        ':23: actuators.all.force: got "2 N"; expected a list of 2 numbers (angle in N*m, displacement '
        "in N), or a programme: constant, step, ramp, ease, sine, triangle, pulse, table",
        ':25: initial.base.displacement: got [1, 2, 3]; expected a length, e.g. "50 mm", or two of them '
        "for a planar joint",
        ":25: initial.base.angle: got [1, 2]; expected one number for a cylindrical joint",
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
