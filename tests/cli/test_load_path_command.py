"""Load paths and flutter on the command line: a strut that buckles, and a pendulum under a force that follows it."""

import pytest
from cli_helpers import invoke, invoke_json

from pliant import load_result

STRUT = """\
robot: strut
gravity: [0, 0, 0]
links:
  - {name: bar, kind: rigid, mass: 1, inertia: [1 g*mm^2, 1 g*mm^2, 1 g*mm^2], centre: [0, 0, 1],
     joint: {revolute: {axis: y, stiffness: 2}}}
frames:
  - {name: top, link: bar, offset: {move: [0, 0, 1]}}
loads:
  - {name: weight, where: top, force: [0, 0, -1]}
analyses:
  - {statics: {steps: 2}}
  - {statics: {path: {to: 3, branch: 1}}}
"""


@pytest.fixture
def strut(tmp_path):
    path = tmp_path / "strut.yaml"
    path.write_text(STRUT, encoding="utf-8")
    return path


def test_a_path_is_followed_told_and_drawn(strut, tmp_path):
    out = tmp_path / "out"
    document = invoke_json("statics", strut, "--path", "2.5", "--branch", "-1", "--out", out)
    assert document["kind"] == "LoadPath" and document["last_factor"] == 2.5
    (mark,) = document["marks"]
    assert mark["kind"] == "bifurcation" and mark["factor"] == pytest.approx(2.0)
    assert document["stable"] is True and document["stability"] == "stable"
    assert str(out / "statics" / "load-path.png") in document["files"]
    path = load_result(out / "statics.nc")
    assert path.marks()[0][0] == mark["point"] and float(path.q[-1, 0]) < 0.0


def test_a_path_in_words(strut):
    shown = invoke("statics", strut, "--path", "2.5").stdout
    assert "bifurcation" in shown and "at the load factor 2.5" in shown and "unstable" in shown


def test_a_path_of_the_file_is_run_with_the_rest(strut, tmp_path):
    analyses = invoke_json("run", strut, "--out", tmp_path / "all")["analyses"]
    assert [analysis["kind"] for analysis in analyses] == ["Equilibrium", "LoadPath"]
    assert analyses[0]["stability"] == "stable" and analyses[1]["marks"][0]["kind"] == "bifurcation"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--branch", "1"), "--branch belongs to --path"),
        (("--path", "0"), "other than 0"),
        (("--path", "2", "--steps", "3"), '"path" without "steps"'),
    ],
)
def test_what_does_not_fit_is_refused(strut, arguments, told):
    done = invoke("statics", strut, *arguments, code=2)
    assert told in done.stderr


def test_modes_say_flutter(tmp_path):
    bar = "inertia: [1 g*mm^2, 1 g*mm^2, 1 g*mm^2], centre: [0, 0, 1], joint: {revolute: {axis: y, stiffness: 1}}"
    file = tmp_path / "ziegler.yaml"
    file.write_text(
        "robot: ziegler\ngravity: [0, 0, 0]\nlinks:\n"
        f"  - {{name: lower, kind: rigid, mass: 2, {bar}}}\n"
        f"  - {{name: upper, kind: rigid, mass: 1, parent: {{link: lower, offset: {{move: [0, 0, 1]}}}}, {bar}}}\n"
        "loads:\n"
        "  - {name: push, where: {link: upper, offset: {move: [0, 0, 1]}}, force: [0, 0, -2.5], frame: body}\n",
        encoding="utf-8",
    )
    document = invoke_json("modes", file)
    assert document["stable"] is False and document["stability"] == "flutters"
    assert document["start"]["stability"] == "flutters"
    assert max(real for real, _ in document["eigenvalues_per_s"]) > 0.1
    shown = invoke("modes", file).stdout
    assert "flutters" in shown and "grows by" in shown
