"""A saved model comes back as it was, or is refused in one sentence: what stands in it is checked like a robot file."""

import dataclasses
import json
import re
import subprocess
import zipfile

import numpy as np
import pytest

import pliant
from pliant import blueprint
from pliant._arrays import read_arrays, write_arrays
from pliant._files import seal
from pliant.model import ModelFileError, build
from pliant.native import compiler
from pliant.simulation import export_c
from robots import block, linkage

ATTACK = "x */ int attack(void) { return 1; } /* "


def _changed(path, change):
    """The file with its blueprint changed, and sealed as Pliant does it."""
    arrays = read_arrays(path)
    plain = json.loads(arrays["blueprint"].tobytes())
    plain = change(plain) or plain
    write_arrays(path, {**arrays, "blueprint": np.frombuffer(json.dumps(plain).encode(), np.uint8)})
    return path


def _refusal(path):
    with pytest.raises(ModelFileError) as refused:
        pliant.load_model(path)
    told = str(refused.value)
    assert told.startswith(f"{path}: ") and told.endswith("save it again") and "\n" not in told, told
    return told


def test_a_model_comes_back_as_it_was(tmp_path):
    for model in (block(), linkage()):
        loaded = pliant.load_model(model.save(tmp_path / model.name))
        assert loaded.structure == model.structure and loaded.structure.blueprint == model.structure.blueprint
        for path, value in model.parameters.items():
            np.testing.assert_array_equal(loaded.parameters[path], value)


@pytest.mark.parametrize("name", [ATTACK, "a\nb", "a\u2028b", "", "a" * 1000, "a b", "1", "a.b", "@gravity", '"', "\\"])
def test_names_that_no_robot_file_may_hold_are_refused(tmp_path, name):
    path = block().save(tmp_path / "block")

    def robot(plain):
        plain["robot"] = name

    def link(plain):
        plain["links"][0]["name"] = name

    def frame(plain):
        where = {"link": "block", "at": None, "offset": {"move": None, "rotate": []}}
        plain["frames"] = [{"name": name, "where": where}]

    for change in (robot, link, frame):
        told = _refusal(_changed(path, change))
        assert "expected a name" in told or "stands where a blueprint has a str" in told, told
        block().save(path)


def test_paths_meanings_and_counts_are_checked_too(tmp_path):
    path = block().save(tmp_path / "block")

    def in_path(plain):
        plain["parameters"][ATTACK] = plain["parameters"].pop("gravity")

    def in_meaning(plain):
        plain["parameters"]["gravity"]["meaning"] = "a\nb"

    def in_count(plain):
        plain["meshes"] = [{"fixed": [10**12]}]

    def in_type(plain):
        plain["links"] = {"block": 1}

    def in_part(plain):
        del plain["links"][0]["joint"]

    expected = ("got the field", "expected a name", "at most 10000000", "a dict stands where", "lacks joint")
    changes = (in_path, in_meaning, in_count, in_type, in_part)
    for change, words in zip(changes, expected, strict=True):
        assert words in _refusal(_changed(path, change))
        block().save(path)


def test_parts_that_do_not_fit_each_other_are_refused(tmp_path):
    path = block().save(tmp_path / "block")

    def own_parent(plain):
        plain["links"][0]["parent"]["link"] = "block"

    def twice(plain):
        plain["links"] *= 2

    def unknown_joint(plain):
        plain["links"][0]["joint"]["kind"] = "hinge"

    def unknown_link(plain):
        plain["loads"][0]["where"]["link"] = "brick"

    expected = ("before its parent 'block'", "stands twice", "do not fit each other", "do not fit each other")
    for change, words in zip((own_parent, twice, unknown_joint, unknown_link), expected, strict=True):
        assert words in _refusal(_changed(path, change))
        block().save(path)


def test_numbers_are_those_of_the_blueprint(tmp_path):
    path = block().save(tmp_path / "block")
    arrays = read_arrays(path)
    odd = {
        "missing": {name: array for name, array in arrays.items() if name != "@gravity"},
        "alone": {**arrays, "@links.block.age": np.asarray(1.0)},
        "shape": {**arrays, "@gravity": np.zeros(2)},
        "dtype": {**arrays, "@gravity": np.zeros(3, np.float32)},
        "range": {**arrays, "@links.block.mass": np.asarray(-1.0)},
        "nan": {**arrays, "@gravity": np.full(3, np.nan)},
        "text": {name: array for name, array in arrays.items() if name != "blueprint"},
        "no JSON": {**arrays, "blueprint": np.frombuffer(b"[" * 100_000, np.uint8)},
        "NaN": {**arrays, "blueprint": np.frombuffer(b'{"robot": NaN}', np.uint8)},
    }
    for name, spoiled in odd.items():
        write_arrays(path, spoiled)
        assert "expected a model" in _refusal(path), name


def test_a_damaged_file_is_told_in_one_sentence(tmp_path):
    path = block().save(tmp_path / "block")
    whole = path.read_bytes()
    for spoiled in (b"", whole[:100], whole[:-1], whole[:500] + b"\x00" + whole[501:], b"not a model at all" * 20):
        path.write_bytes(spoiled)
        told = _refusal(path)
        assert not {"pickle", "BadZipFile", "EOF"} & set(told.split()), told
    assert "there is no such file" in _refusal(tmp_path / "none.npz")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("blueprint.npy", b"cos\nsystem\n(S'true'\ntR.")
    seal(path)
    _refusal(path)


def test_no_name_leaves_its_comment_or_string_in_c(tmp_path):
    """A model that came from elsewhere than a file may hold any name: it goes on into comments and strings only."""
    tip = blueprint.Frame(f'tip", 0); {ATTACK}\n#error attack', blueprint.Place("block", None, blueprint.NO_OFFSET))
    plan = dataclasses.replace(block().structure.blueprint, robot=f"{ATTACK}\n#error attack ??/", frames=(tip,))
    model = pliant.Model(build(plan), block().parameters)
    files = export_c(model, ["forward_kinematics"], tmp_path, name="block").files
    for file in files:
        text = file.read_text()
        assert "attack" not in re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', "", text, flags=re.DOTALL), file
    sources = [str(file) for file in files if file.suffix == ".c" and "mex" not in file.name]
    flags = [
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-unused",
        "-Wno-unused-parameter",
        "-fsyntax-only",
        f"-I{tmp_path}",
    ]
    done = subprocess.run([compiler(), *flags, *sources], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
