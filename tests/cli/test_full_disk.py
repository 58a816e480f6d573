"""A disk without room, a device that takes nothing, arguments nobody expects: a sentence and an exit code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jax
import pytest
from cli_helpers import TINY, invoke

import pliant
from little_room import little_room
from pliant.simulation import export_c
from robots import block

_PLIANT = [sys.executable, "-c", "from pliant.cli import main; main()"]
FULL = Path("/dev/full")

needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")


@needs_full
@pytest.mark.parametrize("words", [["check", "silicone-arm"], ["library", "--json"], ["--help"]])
def test_output_that_cannot_be_written(words):
    with FULL.open("w") as full:
        done = subprocess.run([*_PLIANT, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    told = "The output cannot be written (No space left on device); free some space, or send it elsewhere\n"
    assert done.stderr == told


@needs_full
def test_neither_output_nor_errors_can_be_written():
    with FULL.open("w") as full:
        for words in (["library"], ["new", "a.b"]):
            assert subprocess.run([*_PLIANT, *words], stdout=full, stderr=full, check=False).returncode == 2


@pytest.fixture
def own_programs(tmp_path):
    """The cache of compiled programs is elsewhere: one that a disk without room leaves cut short would stay so."""
    before = jax.config.jax_compilation_cache_dir
    pliant.configure(cache=tmp_path / "programs", flags=False)
    yield
    pliant.configure(cache=before, flags=False)


def test_a_full_disk_leaves_no_partial_results(tiny, tmp_path, own_programs):
    out = tmp_path / "out"
    invoke("statics", tiny)  # compiles
    with little_room(2000):
        told = invoke("statics", tiny, "--out", out, code=2).stderr
    assert told.startswith(f"{out}/statics.nc: cannot be written (") and told.count("\n") == 1, told
    assert [path for path in out.rglob("*") if path.is_file()] == []
    (tmp_path / "file").write_text("x")
    told = invoke("statics", tiny, "--out", tmp_path / "file" / "out", code=2).stderr
    assert "cannot be written (Not a directory)" in told


def test_a_full_disk_leaves_no_partial_c(tmp_path, own_programs):
    export_c(block(), ["forward_kinematics"], tmp_path / "first")
    with little_room(2000), pytest.raises(OSError, match=r"block\.c: cannot be written .*free some space"):
        export_c(block(), ["forward_kinematics"], tmp_path / "c")
    assert [path for path in (tmp_path / "c").rglob("*") if path.is_file()] == []


def test_set_obeys_the_limits_of_files(tiny):
    for value in ("links.arm=&a [*a]", "gravity=" + "[" * 3000, "gravity=!!python/object:os.system x"):
        told = invoke("check", tiny, "--set", value, code=2).stderr
        assert told.startswith(f"--set {value.partition('=')[0]}: "), told
    assert "there is nothing to go into" in invoke("check", tiny, "--set", f"{'.'.join('a' * 3000)}=1", code=2).stderr
    assert "--until: not readable as YAML" in invoke("simulate", tiny, "--until", "[", code=2).stderr


@pytest.mark.parametrize("name", ["a # ../../x", "a\nlinks: []", "../a", "", "a" * 300, "a b", "1a"])
def test_a_new_robot_needs_a_name(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    assert "expected a name" in " ".join(invoke("new", name, code=2).stderr.replace("│", " ").split())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe\x00", b"time_s,tip_x_m\n1,2\n", b"time_s\n1,2\n2,3\n", b"time_s,a\n0,1\n1,nan\n", b'a,"b\n1,2\n3', b""],
)
def test_recordings_that_are_none(tiny, tmp_path, content):
    (tmp_path / "tip.csv").write_bytes(content)
    words = ("identify", tiny, "--data", tmp_path / "tip.csv", "--parameter", "materials.rubber.young")
    # Long paths are broken across the lines of a box.
    assert "tip.csv" in "".join(invoke(*words, code=2).stderr.replace("│", "").split())


def test_an_earlier_run_that_is_none_is_told_before_the_run(tmp_path):
    path = tmp_path / "before.json"
    for content in (b"", b"{", b"[1, 2]", b"[{}]", b"\xff", json.dumps([{"case": "x"}]).encode()):
        path.write_bytes(content)
        invoke("validate", "--only", "elastica", "--against", path, code=2)


@pytest.mark.parametrize("words", ["--samples 1e300", "--samples nan", "--samples inf", "--seed 99999999999999999999"])
def test_numbers_beyond_any_use(words):
    invoke("cog-fit", *words.split(), code=2)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_in_which_nothing_may_be_made(tiny, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    told = invoke("statics", tiny, "--out", tmp_path / "locked" / "out", code=2).stderr
    assert "write to a folder in which you may make files" in told


def test_the_robot_of_these_tests_is_whole(tiny):
    assert tiny.read_text() == TINY
    invoke("check", tiny)
