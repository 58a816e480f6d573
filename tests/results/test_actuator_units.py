"""Units of actuators: one row for every effort that results hold."""

import jax
import pytest

import pliant
from pliant.dynamics import names, travel
from pliant.results import readable

ROBOT = """\
robot: all-drives
materials:
  rubber: {young: 1 MPa, poisson: 0.5, density: 1000}
links:
  - {name: cart, kind: rigid, mass: 1, inertia: [1, 1, 1], joint: {prismatic: x, drive: motion}}
  - {name: rod, kind: rod, parent: cart, length: 0.1, section: {circle: {radius: 10 mm}}, material: rubber, model: {pcs: {pieces: 1}}}
  - {name: screw, kind: rigid, mass: 1, inertia: [1, 1, 1], joint: {helical: {axis: z, pitch: 5 mm}}}
  - {name: kite, kind: rigid, mass: 1, inertia: [1, 1, 1], joint: free}
actuators:
  - {name: flexor, tendon: {link: rod, route: {x: 3 mm}}, tension: 1 N}
  - {name: pads, chamber: {link: rod, radius: 2 mm, around: {radius: 5 mm, angles: [0, 180 deg]}}, pressure: 1 kPa}
  - {name: nut, joint: screw, force: 1 N*m}
  - {name: lift, joint: kite, coordinate: [linear_z, angular_x], force: [1 N, 2 N*m]}
"""  # noqa: E501


def test_every_effort_has_its_units():
    model = pliant.compile(pliant.parse(ROBOT))
    units = {name: (effort, travel) for name, effort, travel in names(model).actuators}
    assert units == {
        "flexor": ("N", "m"),
        "pads-1": ("Pa", "m^3"),
        "pads-2": ("Pa", "m^3"),
        "cart": ("N", "m"),
        "nut": ("N m", "rad"),
        "lift.linear_z": ("N", "m"),
        "lift.angular_x": ("N m", "rad"),
    }
    assert set(units) == set(jax.eval_shape(travel, model, model.neutral()))


@pytest.mark.parametrize(("value", "unit", "shown"), [(2e4, "Pa", "20 kPa"), (0.05, "m", "50 mm"), (3.0, "N", "3 N")])
def test_readable_units(value, unit, shown):
    name, factor = readable(unit)
    assert f"{factor * value:g} {name}" == shown
