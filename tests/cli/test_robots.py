"""Options that override the analyses of a file."""

import pytest
from cli_helpers import TINY

from blueprints import plain_blueprint
from pliant.cli._robots import DEFAULT_UNTIL, find_robot, with_settings
from pliant.description import RobotFileError, parse, parse_value

BARE = TINY.partition("analyses:")[0]


def settings_of(robot, kind):
    return [a for a in plain_blueprint(robot)[0]["analyses"] if a["kind"] == kind]


def test_given_options_replace_those_of_the_file():
    robot = with_settings(
        parse(TINY), "simulate", {"until": "1 s", "stepper": "tsit5", "from": "initial", "step": None}
    )
    (settings,) = settings_of(robot, "simulate")
    assert settings["until"] == 1.0
    assert settings["stepper"] == "tsit5"
    assert settings["from"] == "initial"
    assert settings["step"] == 0.002
    assert settings["drop"] == ["push"]


def test_files_of_the_tmt_language_are_robots(tmp_path):
    path = tmp_path / "hinge.tmt.yaml"
    path.write_text("body: {m: 2}\njoint: {second: 1, tr: {rot: [2, inf]}}\n")
    robot = find_robot(str(path), ["links.body1.mass=3"])
    assert robot.name == "hinge" and robot.description.links[0].mass == 3.0
    path.write_text("body: {mm: 2}")
    with pytest.raises(RobotFileError, match=r'hinge.tmt.yaml:1: body\(1\).mm: unknown field; did you mean "m"'):
        find_robot(str(path))


def test_a_word_can_get_settings():
    robot = with_settings(parse(BARE + "analyses: [statics, modes]"), "modes", {"count": 3})
    assert settings_of(robot, "modes")[0]["count"] == 3


@pytest.mark.parametrize(
    ("kind", "expected"), [("statics", {"steps": None}), ("modes", {"count": 6}), ("simulate", {"until": 1.0})]
)
def test_a_file_without_analyses_gets_defaults(kind, expected):
    assert DEFAULT_UNTIL == "1 s"
    (settings,) = settings_of(with_settings(parse(BARE), kind, {}), kind)
    assert {name: settings[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("statics", {"drop": ["pull"]}),
        ("statics", {"steps": 0}),
        ("simulate", {"until": "1 mm"}),
        ("modes", {"count": -1}),
    ],
)
def test_bad_settings_are_refused(kind, settings):
    with pytest.raises(RobotFileError, match=f"analyses.{kind}"):
        with_settings(parse(TINY), kind, settings)


def test_values_are_read_as_in_a_file():
    assert parse_value("150 kPa") == "150 kPa"
    assert parse_value("0.5") == 0.5
    assert parse_value("[0, 0, 1 N]") == [0, 0, "1 N"]
    assert parse_value("{pcs: {pieces: 2}}") == {"pcs": {"pieces": 2}}
