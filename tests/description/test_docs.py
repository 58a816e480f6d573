"""The examples of docs/robot-files.md are robots, and the page names every field."""

import re
from pathlib import Path

import pytest

from blueprints import plain_blueprint
from pliant.description import json_schema, parse

PAGE = Path(__file__).parents[2] / "docs" / "robot-files.md"
EXAMPLES = re.findall(r"```yaml\n(robot:.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_load(text):
    structure, parameters = plain_blueprint(parse(text))
    assert structure["links"] and parameters


def test_every_field_is_on_the_page():
    page = PAGE.read_text(encoding="utf-8")

    def fields(node):
        if isinstance(node, dict):
            yield from node.get("properties", {})
            for item in node.values():
                yield from fields(item)
        elif isinstance(node, list):
            for item in node:
                yield from fields(item)

    missing = {field for field in fields(json_schema()) if not re.search(rf"\b{field}\b", page)}
    assert not missing
