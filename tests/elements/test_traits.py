"""What elements say of themselves, so that nobody outside asks for their class."""

import numpy as np
import pytest

import pliant
from pliant.elements import JOINTS
from user_rods import LogarithmicRod

MUSCLES = {"muscles": {"radius": 0.02, "stiffness": 300.0, "mass": 0.8}}
ARC = ["bend_x", "bend_y", "stretch"]
PLANE = ["bend_y", "shear_x", "stretch"]
# Model: units of the forces on its first and last velocity, whether it moves poses, an inertia of its own, limits.
RODS = {
    "gvs": ("N m^2", "N m", False, False, False),
    "pcs": ("N m^2", "N m", False, False, False),
    "rom": ("N m", "N m", True, False, False),
    "srl": ("N m", "N", False, False, False),
    "ebr": ("N m", "N", False, False, False),
    "eba": ("N m", "N", True, False, False),
    "cog": ("N", "N", False, True, True),
    "integral": ("N", "N", False, False, True),
    "log-stretch": ("N m", "N m", False, False, False),
}


def _element(model):
    word = next(iter(model)) if isinstance(model, dict) else model
    arc = word in ("cog", "integral")
    fields = {"section": MUSCLES, "allow": ARC} if arc else {"section": {"circle": {"radius": 0.01}}, "material": "m"}
    robot = pliant.Robot("rod").material("m", young=1e6, poisson=0.4, density=1000.0)
    robot = robot.rod("rod", length=0.3, model=model, **({"allow": PLANE} | fields))
    model = pliant.compile(robot, rods=[LogarithmicRod])
    assert model.structure.moves_poses == model.structure.groups[0].element.moves_poses
    return model.structure.groups[0].element


@pytest.mark.parametrize("word", RODS)
def test_rods(word):
    element = _element({word: {"terms": 2}} if word == "log-stretch" else word)
    first, last, moves_poses, own_inertia, limits = RODS[word]
    units = element.force_units()
    assert len(units) == element.nv and (units[0], units[-1]) == (first, last)
    assert element.is_rod and element.moves_poses == moves_poses
    assert (element.has_own_inertia, element.has_limits) == (own_inertia, limits)
    assert element.drawn_edges == ()


def test_nodes_of_a_net_are_tied_to_their_neighbours():
    assert _element({"eba": {"pieces": 3}}).tied_segments.tolist() == [[0, 1], [1, 2]]
    nodes = [[0, 0, 0], [0.1, 0, 0], [0.1, 0.1, 0], [0, 0.1, 0]]
    edges = [[1, 2], [2, 3], [3, 4], [4, 1]]
    robot = pliant.Robot("net").mesh("net", mass=0.1, nodes=nodes, edges=edges, fixed=[2], axial={"stiffness": 1.0})
    (group,) = pliant.compile(robot).structure.groups
    # The node that never moves is no segment: the others are the segments 0, 1 and 2.
    assert group.element.tied_segments.tolist() == [[1, 2], [2, 0]]
    assert np.array(group.element.drawn_edges).tolist() == [[0, 1], [1, 2], [2, 3], [3, 0]]
    assert set(group.element.force_units()) == {"N"} and not group.element.is_rod and group.rod is None


def test_joints():
    units = {kind: joint.force_units() for kind, joint in JOINTS.items()}
    assert units["cylindrical"] == ("N m", "N") and units["planar"] == ("N", "N", "N m")
    assert units["free"] == ("N m",) * 3 + ("N",) * 3
    for joint in JOINTS.values():
        assert not (joint.is_rod or joint.moves_poses or joint.has_limits) and joint.tied_segments.shape == (0, 2)
