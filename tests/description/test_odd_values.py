"""Whatever stands anywhere in a robot file, the answer is a robot or a RobotFileError in plain words."""

import copy
import math
from pathlib import Path

import pytest

from pliant.description import RobotFileError
from pliant.description._robot import Robot
from pliant.description.language.grammar._findings import Tree
from pliant.description.language.grammar._yaml import read_yaml
from pliant.library import path

ODD = [None, True, "", "x", "world", "1 parsec", 0, -1, 2.5, 10**400, math.nan, [], {}, [1, 2, 3], [[]], {"a": 1}]
LEAKS = ("Input should", "validation error", "pydantic", "tuple", "Traceback", "union")


def places(node, above=()):
    yield above
    if isinstance(node, (dict, list)):
        for key, item in node.items() if isinstance(node, dict) else enumerate(node):
            yield from places(item, (*above, key))


def replaced(data, place, value):
    data = copy.deepcopy(data)
    node = data
    for key in place[:-1]:
        node = node[key]
    node[place[-1]] = value
    return data


WHOLE = Path(__file__).parent / "whole"
# What the whole robots have beyond those of the library.
FEWER = [None, "x", "1 parsec", -1, math.nan, [], {}, [1, 2, 3]]
BEYOND = {"actuators", "constraints", "divisions", "holes", "joint"}
FEWEST = [None, "1 parsec", [], {"a": 1}]
SPRUNG = {"springs", "meshes", "follow", "control", "through", "tie"}


@pytest.mark.parametrize("name", ["silicone-arm", "flying-spaghetti", "pendulum-rod", "hand", "module", "sprung"])
def test_odd_values(name):
    whole = (WHOLE / f"{name}.yaml").is_file()
    tree = read_yaml((WHOLE / f"{name}.yaml" if whole else path(name)).read_text())
    beyond, odd = (SPRUNG, FEWEST) if name == "sprung" else (BEYOND, FEWER)
    for place in places(tree.data):
        if whole and not beyond & set(place):
            continue
        for value in odd if whole else ODD:
            data = replaced(tree.data, place, value) if place else value
            robot = Robot._of(Tree(data, tree.lines), "robot.yaml")
            try:
                robot.blueprint()
            except RobotFileError as error:
                text = str(error)
                assert error.problems and all(text.count(leak) == 0 for leak in LEAKS), (place, value, text)
