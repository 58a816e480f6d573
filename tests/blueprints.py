"""Blueprints as the tests read them."""

from typing import Any

from pliant import Robot
from pliant.blueprint import to_json


def plain_blueprint(robot: Robot) -> tuple[dict[str, Any], dict[str, Any]]:
    """The blueprint as JSON, and the values of its parameters."""
    blueprint, parameters = robot.blueprint()
    return to_json(blueprint), parameters
