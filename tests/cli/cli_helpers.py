"""Robots small enough to solve at once, and the command line run in this process."""

import json

from typer.testing import CliRunner

from pliant.cli import app

TINY = """\
robot: tiny
materials:
  rubber: {young: 1 MPa, poisson: 0.5, density: 1000, viscosity: 100 Pa*s}
links:
  - name: rod
    kind: rod
    parent: {link: world, offset: {rotate: {y: 90 deg}}}
    length: 100 mm
    section: {circle: {radius: 5 mm}}
    material: rubber
    allow: [bend_y]
    model: {pcs: {pieces: 1}}
frames:
  - {name: tip, link: rod, at: 1}
loads:
  - {name: push, where: {link: rod, at: 1}, force: [0, 0, -10 mN]}
analyses:
  - {modes: {count: 1}}
  - {statics: {steps: 2}}
  - simulate: {from: statics, drop: [push], until: 0.2 s, stepper: newmark, step: 2 ms, save_every: 2 ms, energy: true}
"""

# A finger in two divisions, bent by a tendon, its tip pinned to a lever: a tendon with friction and a closed loop.
HOOK = """\
robot: hook
materials:
  rubber: {young: 1 MPa, poisson: 0.5, density: 1000, viscosity: 100 Pa*s}
links:
  - name: finger
    kind: rod
    section: {circle: {radius: 5 mm}}
    material: rubber
    allow: [bend_y]
    model: {pcs: {pieces: 1, quadrature: 2}}
    divisions:
      - {length: 40 mm}
      - {length: 60 mm, section: {circle: {radius: [5 mm, 4 mm]}}}
  - name: lever
    kind: rigid
    mass: 5 g
    shape: {box: [50 mm, 4 mm, 4 mm]}
    centre: [-25 mm, 0, 0]
    parent: {link: world, offset: {move: [50 mm, 0, 100 mm]}}
    joint: {revolute: {axis: y, stiffness: 1 mN*m/rad}}
actuators:
  - {name: flexor, tendon: {link: finger, route: {x: 3 mm}}, tension: {ramp: {to: 1 N, over: 1 s}}, friction: 0.1}
constraints:
  - {name: pin, between: [finger, {link: lever, offset: {move: [-50 mm, 0, 0]}}], fix: [x, z], frame: world}
analyses:
  - {statics: {times: [0, 0.5 s, 1 s]}}
"""

# Nothing holds it: no equilibrium exists.
BALL = """\
robot: ball
links:
  - {name: ball, kind: rigid, mass: 1 kg, shape: {sphere: {radius: 5 cm}}, joint: free}
"""


def invoke(*arguments: object, code: int = 0):
    """The result of a command; its exit code must be `code`, and only the runner's own SystemExit may end it."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


def invoke_json(*arguments: object, code: int = 0):
    return json.loads(invoke(*arguments, "--json", code=code).stdout)
