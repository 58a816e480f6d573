"""library, new, check, schema: no solver, and nothing written when the input is bad."""

import json

import pytest
from cli_helpers import TINY, invoke, invoke_json

from pliant import library
from pliant.description import load


def test_library_lists_every_robot():
    assert [entry["name"] for entry in invoke_json("library")] == library.names()
    shown = invoke("library").stdout
    assert all(name in shown for name in library.names())


def test_new_copies_with_its_comments(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "my-arm.yaml" in invoke("new", "my-arm", "--from", "pendulum-rod").stdout
    robot = load("my-arm.yaml")
    assert robot.name == "my-arm"
    assert robot.with_value("robot", "pendulum-rod") == library.load("pendulum-rod")
    assert (tmp_path / "my-arm.yaml").read_text().startswith("#")


def test_new_brings_the_files_that_the_robot_reads(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    invoke("new", "mine", "--from", "ur-tentacle")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.yaml", "ur-like.urdf"]
    assert load("mine.yaml").name == "mine"


def test_new_never_overwrites(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text("mine")
    assert "exists" in invoke("new", "a", code=2).stderr
    assert (tmp_path / "a.yaml").read_text() == "mine"


@pytest.mark.parametrize("arguments", [("my.arm",), ("../a",), ("a b",), ("a", "--from", "silicon-arm")])
def test_new_with_a_bad_name_writes_nothing(tmp_path, monkeypatch, arguments):
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    assert "expected" in invoke("new", *arguments, code=2).stderr
    assert [path.name for path in tmp_path.rglob("*")] == ["inner"]


def test_check_counts(tiny):
    document = invoke_json("check", tiny)
    assert document["robot"] == "tiny"
    assert document["degrees_of_freedom"] == 1
    assert document["links"] == [
        {"name": "rod", "kind": "rod", "parent": "world", "joint": "fixed", "model": "pcs", "degrees_of_freedom": 1}
    ]
    assert document["analyses"] == ["modes", "statics", "simulate"]
    shown = invoke("check", tiny).stdout
    assert "1 degrees of freedom" in shown and "loads: push" in shown


def test_check_knows_library_robots_and_changes():
    document = invoke_json("check", "pendulum-rod", "--set", "links.rod.model={pcs: {pieces: 3}}")
    assert [link["degrees_of_freedom"] for link in document["links"]] == [1, 18]
    document = invoke_json("check", "pendulum-rod", "--set", "links.rod.allow=[bend_y]", "--set", "links.rod.model=pcs")
    assert [link["degrees_of_freedom"] for link in document["links"]] == [1, 4]


def test_check_lists_meshes_and_springs(tmp_path):
    path = tmp_path / "flag.yaml"
    path.write_text(
        "robot: flag\n"
        "links: [{name: ball, kind: rigid, mass: 1, inertia: [1, 1, 1], joint: free}]\n"
        "meshes: [{name: cloth, grid: {size: [1, 1], nodes: [3, 2]}, axial: {stiffness: 1}, mass: 1, fixed: 1-2}]\n"
        "springs: [{name: thread, between: [ball, {link: cloth, node: 3}], axial: {stiffness: 1}}]\n"
    )
    document = invoke_json("check", str(path))
    counts = {"nodes": 6, "edges": 7, "fixed": 2, "degrees_of_freedom": 12}
    assert document["meshes"] == [{"name": "cloth", "kind": "axial", **counts}]
    assert document["springs"] == [{"name": "thread", "kind": "axial", "between": ["ball", "cloth"]}]
    assert document["degrees_of_freedom"] == 18
    shown = invoke("check", str(path)).stdout
    assert "cloth  axial      6      7" in shown and "thread" in shown


def test_a_bad_file_is_explained_by_line(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(TINY.replace("100 mm", "-5 mm").replace("bend_y", "bend_q"), encoding="utf-8")
    result = invoke("check", path, code=2)
    assert result.stdout == ""
    assert f"{path}:8: links.rod.length" in result.stderr and f"{path}:11: links.rod.allow" in result.stderr


@pytest.mark.parametrize("command", [("check",), ("run", "--out", "out")])
def test_a_word_that_is_no_rod_model_is_explained_by_line(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "bad.yaml"
    path.write_text(TINY.replace("pcs:", "psc:"), encoding="utf-8")
    line = 1 + TINY.splitlines().index("    model: {pcs: {pieces: 1}}")
    expected = 'got "psc"; did you mean "pcs"? expected a rod model: gvs, pcs, rom, srl, ebr, eba, cog, integral'
    result = invoke(command[0], path, *command[1:], code=2)
    assert f"{path}:{line}: links.rod.model: {expected}" in result.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["bad.yaml"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("check", "no-such-robot"), "one of: catheter, cross-tool-planar"),
        (("check", "silicone-arm", "--set", "materials.silicone.young=3 mm"), "does not convert to Pa"),
        (("check", "silicone-arm", "--set", "materials.silicon.young=3"), 'did you mean "silicone"'),
        (("check", "silicone-arm", "--set", "nonsense"), "expected PATH=VALUE"),
        (("check", "silicone-arm", "--set", "gravity=[0, 0"), "not readable"),
        (("check", "/"), "folder"),
        (("check",), "Missing argument"),
        (("chekc", "silicone-arm"), "No such command"),
        (("check", "[bold]x"), "[bold]x: there is no such file"),
    ],
)
def test_bad_input_ends_with_2(arguments, words):
    result = invoke(*arguments, code=2)
    assert words in " ".join(result.stderr.replace("│", " ").split())
    assert result.stdout == ""


def test_schema_is_json():
    assert json.loads(invoke("schema").stdout)["title"] == "Pliant robot"
