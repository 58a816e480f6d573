"""Every kind of bad robot file, and the exact words with which it is refused."""

from pathlib import Path

import pytest

from pliant.description import Robot, RobotFileError, load, parse

BROKEN = Path(__file__).parent / "broken"

# File (without .yaml) -> what follows the file's name in each line of the error.
EXPECTED = {
    "actuator_without_kind": [
        ':19: actuators.motor: incomplete; expected an actuator, with one of: "tendon", "chamber", "internal", "joint"',
        ':20: actuators.mixed: got chamber and joint; expected an actuator, with one of: "tendon", "chamber", '
        '"internal", "joint"',
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
    "constraint_values": [
        ':14: constraints.hinge.follow: got ["follow", "joint"]; expected "follow" only beside "fix", whose '
        "directions it means",
        ':15: constraints.held.control: got ["control", "joint"]; expected "control" only beside "fix", whose'
        " directions it means",
        ':16: constraints.two.follow: got ["1 mm", "2 deg", 3]; expected values by name (x in m; rx in rad), '
        "or a list of all 2 in this order",
        ':17: constraints.unit.follow.ramp.to.1: got "2 mm"; "mm" does not convert to rad; expected an angle,'
        ' e.g. "90 deg"',
        ':18: constraints.named.follow.ramp.to: got "z"; expected values by name (x in m; rx in rad), or a '
        "list of all 2 in this order",
        ':19: constraints.order.fix: got ["z", "x"]; expected the directions in this order where values are '
        "given for them: x, z",
        ':20: constraints.gains.control.proportional: got "400 1/s"; "1/s" does not convert to 1/s^2; '
        'expected a gain at least 0, e.g. "400 1/s^2"',
        ':20: constraints.gains.control.derivative: got -1; expected a gain at least 0, e.g. "40 1/s"',
        ':20: constraints.gains.control.acceleration: got [1, 2]; expected an acceleration, e.g. "9.81 m/s^2"',
        ':21: constraints.empty.control: incomplete; expected a gain ("proportional", "derivative", '
        '"integral") or an "acceleration"',
        ':22: constraints.through.through: got "pulll"; did you mean "pull"? expected an actuator of this '
        "robot: base, cable, pull, turn",
        ':22: constraints.through.through: got "cable"; expected an actuator that pushes or pulls with a '
        'force or a pressure: "cable" has a length',
        ':22: constraints.through.through: got "turn"; expected an actuator that pushes or pulls with a force'
        ' or a pressure: "turn" has a motion',
        ':22: constraints.through.through: got ["pulll", "cable", "turn", "base"]; expected one actuator for '
        'each direction: "through" holds a direction',
        ':23: constraints.again.through: got "base"; expected an actuator that serves one constraint: "base" '
        'serves "through" already',
        ':23: constraints.again.through: got ["pull", "base"]; expected one actuator for each direction: '
        '"again" holds a direction',
        ':24: constraints.some.tie.1: got "nail"; expected a "coordinate" of the cylindrical joint of "nail":'
        " angle, displacement",
        ':25: constraints.ball.tie.1: got {"joint": "ball", "coordinate": "angular_x"}; expected a link whose'
        ' joint has coordinates to tie: "ball" has a free joint, which has no single coordinates',
        ':26: constraints.still.tie.0: got "finger"; expected a link whose joint has coordinates to tie: '
        '"finger" is fixed to its parent',
        ":27: constraints.word.ratio: got 0; expected a number other than 0, e.g. 0.5",
        ':27: constraints.word.tie.1.coordinate: got "angel"; did you mean "angle"? expected a "coordinate" '
        'of the cylindrical joint of "nail": angle, displacement',
        ':28: constraints.itself.tie: got [{"joint": "nail", "coordinate": "angle"}, {"joint": "nail", '
        '"coord...; expected two different coordinates',
        ":29: constraints.lost.fix: unknown field; expected one of: name, tie, ratio",
        ':29: constraints.lost.tie.0: got "bas"; did you mean "base"? expected a link of this robot: base, '
        "finger, nail, ball",
        ':29: constraints.lost.tie.1.joint: got "nails"; did you mean "nail"? expected a link of this robot: '
        "base, finger, nail, ball",
        ':30: constraints.three.tie: got ["base", "base", "base"]; expected a list of two coordinates of joints',
        ':31: constraints.ratio.ratio: got "2 rad/mm"; "rad/mm" does not convert to m/rad; expected a length '
        'per angle other than 0, e.g. "5 mm/rad"',
    ],
    "cyclic_parent": [
        ":7: links.base.parent: base hangs on finger hangs on base; expected parents that lead to the world",
    ],
    "divisions": [
        ':13: links.finger.length: got "120 mm"; expected no "length" beside "divisions", whose lengths add up to it',
        ':19: links.finger.divisions.2.lenght: unknown field; did you mean "length"? expected one of: '
        "length, section, material, allow, reference, model, damping_power, update",
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
        ':17: links.a.divisions.2: incomplete; expected a "material" (only a section of kind given or muscles does '
        "without)",
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
    "joint_springs": [
        ":5: links.a.joint.revolute.damping_power: got 0; expected a number greater than 0, e.g. 0.5",
        ":6: links.b.joint.revolute.rest_ratio: got 2; expected a number greater than 0 and at most 1, e.g. 0.5",
        ':6: links.b.joint.revolute.acts: got "pull"; expected one of: compression, tension, both',
        ':7: links.c.joint.revolute.damping_power: got 2.0; expected a "damping" beside "damping_power"',
        ':8: links.d.joint.revolute.rest_ratio: got 0.9; expected a "rest" beside "rest_ratio"',
        ':9: links.e.joint.planar.acts: got ["tension", "tension", "tension"]; expected a "stiffness" or a '
        '"damping" beside "acts"',
        ":10: links.f.joint.planar.damping_power: got [1, 2]; expected a number greater than 0, e.g. 0.5, or "
        "values by name (displacement_1, displacement_2, angle), or a list of all 3 in this order",
        ':10: links.f.joint.planar.acts: got "angel"; did you mean "angle"? expected one of: compression, '
        "tension, both, or values by name (displacement_1, displacement_2, angle), or a list of all 3 in this"
        " order",
        ":11: links.finger.damping_power: got -1; expected a number greater than 0, e.g. 0.5",
        ':11: links.finger.update: got "stretch"; did you mean "mean-stretch"? expected the word mean-stretch',
    ],
    "load_on_unknown_link": [
        ':19: loads.push.where.link: got "thumb"; expected a link or frame of this robot: base, finger, pulp',
    ],
    "malformed": [
        ":8: not readable as YAML: expected ',' or ']', but got '}'",
    ],
    "material_laws": [
        ':3: materials.a.law: got "mooney"; expected the law of a material: hooke, neo-hookean, gent',
        ":4: materials.b.poisson: got 0.45; expected 0.5: the law neo-hookean is that of an incompressible material",
        ":5: materials.c.law.gent.stretch_limit: got 1; expected a stretch greater than 1, e.g. 2.5",
        ":6: materials.d.law.gent.stretch_limit: missing; expected a stretch greater than 1, e.g. 2.5",
        ':7: materials.e.law.neo-hookean: got {"stretch_limit": 9}; expected nothing here, but found "stretch_limit"',
        ":8: materials.f.poisson: got 0.49; expected 0.5: the law gent is that of an incompressible material",
        ':11: links.rod.update: got "mean-stretch"; expected no "update" beside the material "g", whose law '
        "(neo-hookean) follows the stretch",
        ':13: meshes.net.beam.material: got "g"; expected a material of the law hooke: edges of a mesh have no '
        "other (this one has neo-hookean)",
    ],
    "meshes": [
        ':10: meshes.a: incomplete; expected "axial" (edges that are springs) or "beam" (edges that are beams)',
        ':11: meshes.b: incomplete; expected "nodes" and "edges", a "grid", a "block" or a "file"',
        ":12: meshes.c.edges: got []; expected a list of one or more edges, e.g. [[1, 2], [2, 3]]",
        ":13: meshes.d.edges.2: got [2, 2]; expected the numbers of two different nodes, e.g. [1, 2]",
        ":13: meshes.d.edges.3: got [1, 2, 3]; expected the numbers of two different nodes, e.g. [1, 2]",
        ":14: meshes.e.edges.2: got [2, 4]; expected nodes from 1 to 3",
        ":14: meshes.e.edges.3: got [2, 1]; expected each edge once, but it is edge 1 already",
        ":14: meshes.e.nodes: node 3 has no edge; expected every node at the end of an edge",
        ":15: meshes.f.nodes: the edge from node 1 to node 2 has no length; expected nodes in different places",
        ":16: meshes.g.grid.nodes.2: got 1; expected a number of nodes, a whole number from 2 to 10000",
        ':17: meshes.h: got ["edges", "grid"]; expected only one of: "edges" (with "nodes"), "grid", "block", "file"',
        ':18: meshes.i.axial.damping: got -1; expected a linear damping at least 0, e.g. "5 N*s/m"',
        ':18: meshes.i.mass: got "-1 g"; expected a mass greater than 0, e.g. "5 g"',
        ":19: meshes.j.axial.stiffness: got 2 values; expected one for all, or 4: one for each edge",
        ":19: meshes.j.axial.rest: got 3 values; expected one for all, or 4: one for each edge",
        ":19: meshes.j.mass: got 2 values; expected one for all, or 4: one for each node",
        ":19: meshes.j.fixed: got 5; expected nodes from 1 to 4",
        ':19: meshes.j.inertia: got [1.0, 1.0, 1.0]; expected no "inertia" beside "axial": the nodes are points',
        ':20: meshes.k.mass.total: got 0; expected a mass greater than 0, e.g. "5 g"',
        ":20: meshes.k.fixed: got 0; expected a list of the numbers of nodes, or ranges of them, e.g. [1, 5-8]",
        ":21: meshes.l.nodes: got 2 nodes; expected 4, as many as the grid has",
        ':22: meshes.m: got ["axial", "beam"]; expected either "axial" or "beam", not both',
        ':23: meshes.n.beam: incomplete; expected a "stiffness" or a "damping", or a "section" and a '
        '"material" that give them',
        ':24: meshes.o.beam: got ["stiffness", "section"]; expected either a "section" or "stiffness" and '
        '"damping", not both',
        ":25: meshes.p.beam.section: it tapers; expected a section that is the same all along an edge",
        ':26: meshes.q.beam: incomplete; expected a "material" beside the "section"',
        ':27: meshes.r.beam.material: got "rubber"; expected a material of this robot: ecoflex',
        ':28: meshes.s.beam.x_axis: got "z"; expected an "x_axis" only where the components are along the '
        'edge ("axes: edge")',
        ":29: meshes.t.beam.x_axis: the edge from node 1 to node 3 is parallel to it; expected a direction "
        "across all edges",
        ':30: meshes.u.mass: missing; expected the mass of a node, e.g. "5 g", a list of one for each node, '
        "or {total: 36 g}",
        ':31: meshes.v.file.path: got "../sleeve.iges"; expected the path of a CAD file below the folder of '
        'this file, without "..", e.g. sleeve.iges',
        ':32: meshes.w: got ["grid", "file"]; expected only one of: "edges" (with "nodes"), "grid", "block", "file"',
        ':33: meshes.base.name: got "base"; expected a name of its own: a link is called so',
        ':34: meshes.world.name: got "world"; expected a name of its own: the world is called so',
        ':35: meshes.b.name: got "b"; expected a name used once among the meshes',
        ':35: meshes.b.where: got {"link": "h", "node": 1}; expected a place in the world, or a frame there: the '
        "nodes of a mesh are free of any link",
        ":36: meshes.x.nodes: the nodes 3, 4 have no edge; expected every node at the end of an edge",
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
        ':9: links.finger: incomplete; expected a "material" (only a section of kind given or muscles does without)',
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
    "places_on_meshes": [
        ':9: links.sewn.parent: got {"link": "cloth", "node": 2}; expected a link, a frame on one, or the '
        "world: a link hangs on no mesh (tie it to a node by a constraint)",
        ':14: frames.corner.node: got 7; expected a node of the mesh "cloth", from 1 to 6',
        ':15: frames.middle.link: got "clot"; did you mean "cloth"? expected a link or mesh or frame of this '
        "robot: world, base, finger, nail, ball, sewn, cloth, shell, corner, middle, aside",
        ':16: frames.aside: got an "offset"; expected only forces on the node itself: the nodes of "cloth", '
        "whose edges are axial, are points",
        ':18: loads.a.where: got "cloth"; expected a "node" of the mesh, e.g. {link: cloth, node: 1}',
        ':19: loads.b.where.at: got 0.5; expected "at" only on a rod; on the mesh "cloth" use "node"',
        ':20: loads.c.where.node: got 2; expected "node" only on a mesh, which "finger" is not',
        ':21: loads.d.where.node: got 1; expected a node of the mesh "cloth" that is not fixed, or a place in'
        " the world",
        ':22: loads.e.where: got a "moment"; expected only forces on the node itself: the nodes of "cloth", '
        "whose edges are axial, are points",
        ":23: loads.f.where.node: got 0; expected the number of a node of a mesh, a whole number from 1 to 1000000",
        ':26: constraints.h.between.0: got "fix" of ["rx"]; expected only forces on the node itself: the '
        'nodes of "cloth", whose edges are axial, are points',
        ":27: constraints.i.between.0: got a fixed joint; expected only forces on the node itself: the nodes "
        'of "cloth", whose edges are axial, are points',
        ":27: constraints.i.between.1: got a fixed joint; expected only forces on the node itself: the nodes "
        'of "cloth", whose edges are axial, are points',
        ':28: constraints.j.between: both places of "j" are on node 2 of the mesh "shell"; expected places on'
        " two different links",
        ':30: springs.k.between.0: got a "beam"; expected only forces on the node itself: the nodes of '
        '"cloth", whose edges are axial, are points',
        ':32: initial.cloth: got "cloth"; expected a link of this robot: base, finger, nail, ball, sewn',
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
        "from, drop, stepper, step, longest_step, adapt, save_every, rtol, atol, spectral_radius, energy, "
        "accuracy",
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
    "contact_sides": [
        ':17: surfaces.sleeve.along.link: got "arm"; expected a rod whose sections have an outline: circle, '
        "annulus, ellipse, rectangle",
        ':19: surfaces.veil.nodes: got "nett"; did you mean "net"? expected a mesh of this robot: net',
        ':20: surfaces.bare.radius: missing; expected a length greater than 0, e.g. "50 mm"',
        ':24: contacts.edges.stiffness: incomplete; expected a "stiffness": the edges of "edges" are sharp',
        ":25: contacts.nested.between: got a hollow sphere and a hollow cylinder, of which neither has points that"
        ' touch; expected one of: skin, nodes, sphere, capsule, ellipsoid, cylinder, box, not "hollow"',
        ':26: contacts.driven.between: both sides of "driven" stand in the world or move as they are prescribed; '
        "expected one that forces can move",
        ':27: contacts.both.between: both sides of "both" stand in the world or move as they are prescribed; '
        "expected one that forces can move",
        ":28: contacts.rods.between: got nodes and a skin; expected a surface for the nodes: they touch nothing else",
        ':29: contacts.twice.between: both sides of "twice" are on "blade" at 0.5 of its length; expected sides '
        "that move against each other",
        ':30: contacts.few.samples: "samples" only of a capsule, cylinder, ellipsoid, box: a sphere has the points'
        " that it has",
        ":31: contacts.flat.samples: got 1; expected how fine the points of a shape are, a whole number from 2 to 24",
        ':32: contacts.plain.samples: "samples" only of a capsule, cylinder, ellipsoid, box: a sphere has the '
        "points that it has",
        ':33: contacts.self.within: got "skin"; expected rods whose sections are circles: other rods touch '
        "surfaces only",
        ':34: contacts.slow.friction: got 0.001; expected no "rolling" beside "creep": it has a memory, as '
        "friction that holds",
        ":35: contacts.back.friction.coefficient: got -0.2; expected a friction coefficient at least 0, e.g. 0.2",
        ':35: contacts.back.friction.spin: got "-1 mm"; expected a length at least 0, e.g. "50 mm"',
    ],
    "contacts": [
        ":13: surfaces.none: incomplete; expected one of: plane, sphere, cylinder, capsule, torus, box, ellipsoid, "
        "mesh, heightfield",
        ':14: surfaces.two: got ["plane", "sphere"]; expected only one of: plane, sphere, cylinder, capsule, torus, '
        "box, ellipsoid, mesh, heightfield",
        ':15: surfaces.both: got both; expected "where" (a shape at a place), "along" (the skin of a rod) or '
        '"nodes" (of a mesh)',
        ':17: surfaces.stiff.along.link: got "base"; expected a rod of this robot: finger, blade '
        '("base" is a rigid link)',
        ':18: surfaces.blade.name: got "blade"; expected another name: a link has it, and its shape is '
        "a surface of that name",
        ':18: surfaces.blade.where: got "wrld"; did you mean "world"? expected a link of this robot: '
        "world, base, ball, crate, finger, blade",
        ':19: surfaces.floor.box.1: got -1; expected a length greater than 0, e.g. "50 mm"',
        ':19: surfaces.floor.name: got "floor"; expected a name used once among the surfaces',
        ':19: surfaces.floor.where.at: got 0.5; expected "at" only on a rod; on the world use "offset"',
        ':21: contacts.lost.between.0: got "flor"; did you mean "floor"? expected a surface, or a rigid '
        "link with a shape, of this robot: floor, wall, skin, none, two, both, edge, stiff, blade, "
        "ball, crate",
        ':21: contacts.lost.between.1: got "base"; expected a "shape" on that rigid link, to touch with',
        ':22: contacts.still.between: both sides of "still" stand in the world; expected sides that '
        "move against each other",
        ':23: contacts.rough.damping: got "fast"; expected a damping per rate of penetration at least '
        '0, e.g. "0.5 s/m"',
        ":23: contacts.rough.friction: got -0.1; expected a friction coefficient at least 0, e.g. 0.2",
        ":23: contacts.rough.exponent: got 2; expected the exponent 1 (a linear force) or 1.5 (Hertz)",
        ':23: contacts.rough.stiffness: got "1 N"; "N" does not convert to N/m; expected a linear '
        'stiffness greater than 0, e.g. "200 N/m"',
        ':24: contacts.rigid.stiffness: incomplete; expected a "stiffness": both sides of "rigid" are rigid',
        ':25: contacts.sharp.stiffness: incomplete; expected a "stiffness": the corners of "sharp" are sharp',
        ':26: contacts.soft.stiffness: incomplete; expected a "stiffness", or the exponent 1.5 for that '
        "of the materials",
        ":27: contacts.smooth.exponent: unknown field; expected one of: name, between, damping, "
        "restitution, friction, slip_damping, within, stiffness, smoothing",
        ':28: contacts.smooth.name: got "smooth"; expected a name used once among the contacts',
        ':29: contacts.three.between: got ["skin", "floor", "ball"]; expected a list of two names of '
        "surfaces or of rigid links",
        ':30: contacts.9: got "loose"; expected a contact: name, between, damping, restitution, friction, '
        "slip_damping, samples, exponent, stiffness, smoothing",
        ':31: contacts.knot.between.0: got "finger"; expected a surface along that rod, to touch with',
    ],
    "springs": [
        ':10: springs.none: incomplete; expected a spring, with "axial" (along a line) or "beam" (six components)',
        ':11: springs.both: got both; expected a spring, with "axial" (along a line) or "beam" (six components)',
        ':12: springs.idle: incomplete; expected a "stiffness" or a "damping" in "axial", or a "force"',
        ':13: springs.lost.between.0: got "fingr"; did you mean "finger"? expected a link of this robot: '
        "world, base, finger, nail, ball",
        ':13: springs.lost.between.1.node: got 3; expected "node" only on a mesh, which "base" is not',
        ':14: springs.soft.axial.stiffness: got "-1 N/m"; expected a linear stiffness at least 0, e.g. "200 N/m"',
        ':14: springs.soft.axial.damping: got -2; expected a linear damping at least 0, e.g. "5 N*s/m"',
        ":14: springs.soft.axial.damping_power: got 0; expected a number greater than 0, e.g. 0.5",
        ':14: springs.soft.axial.rest: got "start"; expected a length at least 0, e.g. "50 mm", or the word initial',
        ":14: springs.soft.axial.rest_ratio: got 1.5; expected a number greater than 0 and at most 1, e.g. 0.5",
        ':14: springs.soft.axial.acts: got "pull"; expected one of: compression, tension, both',
        ':15: springs.bush.beam.stiffness: got "w"; expected values of at least 0 by name (rx, ry, rz in '
        "N*m/rad; x, y, z in N/m), or a list of all 6 in this order",
        ':15: springs.bush.beam.damping.rx: got "1 N*s/m"; "N*s/m" does not convert to N*m*s/rad; expected a '
        'rotational damping at least 0, e.g. "0.01 N*m*s/rad"',
        ':15: springs.bush.beam.damping.z: got -1; expected a linear damping at least 0, e.g. "5 N*s/m"',
        ":15: springs.bush.beam.rest: got [1, 2]; expected the word initial, or values by name (rx, ry, rz in"
        " rad; x, y, z in m), or a list of all 6 in this order",
        ":15: springs.bush.beam.rest_ratio: got 0; expected a number greater than 0 and at most 1, e.g. 0.5",
        ':15: springs.bush.beam.acts.z: got "push"; expected one of: compression, tension, both',
        ':16: springs.unit.axial.stiffness: got "1 N"; "N" does not convert to N/m; expected a linear '
        'stiffness at least 0, e.g. "200 N/m"',
        ':16: springs.unit.force: got "1 m"; "m" does not convert to N; expected a force along the spring, '
        'e.g. "0.2 N"',
        ":17: springs.many.beam.stiffness: got 5; expected values of at least 0 by name (rx, ry, rz in "
        "N*m/rad; x, y, z in N/m), or a list of all 6 in this order",
        ":17: springs.many.force: got [1, 2, 3]; expected values by name (rx, ry, rz in N*m; x, y, z in N), "
        "or a list of all 6 in this order",
        ':18: springs.still.between: both places of "still" are on the same part of "base"; expected places '
        "that move against each other",
        ':19: springs.same.between: both places of "same" are on the same part of "finger"; expected places '
        "that move against each other",
        ':20: springs.ground.between: both places of "ground" stand in the world; expected places that move '
        "against each other",
        ':21: springs.base.name: got "base"; expected a name used once among the actuators, constraints and '
        'springs (the other is "base" whose joint has a "drive")',
        ':22: springs.bush.between: got ["finger", "world", "base"]; expected a list of two places',
        ':22: springs.bush.name: got "bush"; expected a name used once among the springs',
        ':23: springs.13: got "thread"; expected a spring, with "axial" (along a line) or "beam" (six components)',
    ],
    "single_strains_of_poses": [
        ':11: links.finger.allow: got ["bend_y", "stretch"]; expected all six strains, or one of: [bend_y, shear_x, '
        "stretch], [bend_x, shear_y, stretch], [twist, stretch], [stretch]; the model rom moves whole poses and cannot "
        "make single strains rigid (gvs, pcs, srl and ebr can)",
        ':17: links.thumb.divisions.2.allow: got ["twist"]; expected all six strains, or one of: [bend_y, shear_x, '
        "stretch], [bend_x, shear_y, stretch], [twist, stretch], [stretch]; the model eba moves whole poses and cannot "
        "make single strains rigid (gvs, pcs, srl and ebr can)",
        ":23: links.wrist.model.rom.order: got 6; expected a polynomial order, a whole number from 1 to 5",
        ':23: links.wrist.model.rom.orientation: got "units"; did you mean "unit"? expected one of: scaled, unit',
        ':23: links.wrist.model.rom.nodes: unknown field; did you mean "order"? expected one of: order, orientation, '
        "quadrature",
        ":29: links.palm.model.srl.pieces: got 0; expected a number of pieces, a whole number from 1 to 1000",
        ':29: links.palm.model.srl.nodes: got "ends"; did you mean "end"? expected one of: middle, end, start',
        ":33: links.heel.section.rotary_inertia: got false; expected true: the model rom turns sections by themselves",
        ":39: links.cuff.section.given.rotary.1: got 0.0; expected a number greater than 0: the model rom turns "
        "sections by themselves",
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
        "rectangle, ellipse, given, muscles",
    ],
    "unknown_field": [
        ':12: links.finger.lenght: unknown field; did you mean "length"? expected one of: name, parent, '
        "joint, kind, length, section, material, allow, reference, model, damping_power, update, divisions",
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
        ':15: links.finger.model: got "gsv"; did you mean "gvs"? expected a rod model: gvs, pcs, rom, srl, ebr, '
        "eba, cog, integral",
    ],
    "unknown_programme": [
        ':19: loads.push.force: got "stepp"; did you mean "step"? expected a list of 3 numbers, or a '
        "programme: constant, step, ramp, ease, sine, triangle, pulse, table",
    ],
    "unknown_section": [
        ':20: initials: unknown field; did you mean "initial"? expected one of: robot, gravity, '
        "materials, links, urdf, meshes, frames, loads, actuators, constraints, springs, surfaces, contacts, "
        "initial, analyses",
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
    # The word of a rod model is refused when the robot is used: Python may bring the model.
    error = refusal(lambda: load(f"{name}.yaml").blueprint())
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
    assert refusal(lambda: parse(text)).problems


def test_aliases_cannot_fill_the_memory():
    rows = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    rows += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, 9)]
    assert "too many entries" in str(refusal(lambda: parse("\n".join(rows))))


@pytest.mark.parametrize("depth", [50, 300, 20_000])
def test_depth_cannot_exhaust_the_stack(depth):
    assert refusal(lambda: parse("links: " + "[" * depth + "]" * depth)).problems


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
        text = str(refusal(lambda name=name: load(BROKEN / f"{name}.yaml").blueprint()))
        for word in ("Input should", "validation error", "pydantic", "input_type", "tuple", "dict"):
            assert word not in text
