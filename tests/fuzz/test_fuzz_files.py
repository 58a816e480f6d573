"""A small run of the fuzzer: whatever is spoiled, the answer is a sentence. And the fuzzer finds what it shall find."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

_SMALL = """
import sys
from pathlib import Path
from random import Random
from fuzz import files, targets

made = targets.Targets(Path(sys.argv[1]))
tried = [files.try_case(made, 11, index) for index in range(200)]
assert not [finding for _, finding in tried if finding], next(finding.what for _, finding in tried if finding)
assert len({kind for kind, _ in tried}) > 9
kind, case = made.case(7, 3)
assert made.case(7, 3)[0] == kind and made.case(7, 3)[1].shown == case.shown, "the same case of the same seed"

def raises(*arguments, **words):
    raise KeyError("nobody expects this")

targets.load_result = raises
case = made.result(Random(1))
made.case = lambda seed, index: ("result", case)
kind, finding = files.try_case(made, 1, 0)
assert kind == "result" and "nobody expects this" in finding.what
made.case = lambda seed, index: ("none", targets.Case("", lambda: targets._check_words("1 validation error")))
assert "Leak" in files.try_case(made, 1, 0)[1].what
files.LONGEST = -1.0
made.case = lambda seed, index: ("none", targets.Case("", lambda: None))
assert "answered after" in files.try_case(made, 1, 0)[1].what
"""
_HANGS = """
import time

def work(seed, indices, folder, told):
    told.send("ready")
    for index in indices:
        told.send(index)
        if index == 1:
            time.sleep(60.0)
        while index == 2:
            pass
        if index == 3:
            raise SystemExit(3)
        told.send(("something", None))
    told.send(None)
"""
_WATCHES = """
from fuzz import files
import hanging

files._work, files.LONGEST, files._POLL = hanging.work, 0.2, 0.05
tried, findings = files.run(1, 5, 1)
assert tried == {"something": 2, "hang": 3}, tried
assert [(finding.index, finding.kind) for finding in findings] == [(1, "hang"), (2, "hang"), (3, "hang")]
assert all("no answer within 0.2 s" in finding.what for finding in findings[:2])
assert "the process ended, code 3" in findings[2].what
"""


def _python(*words: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    return subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_a_small_run_finds_nothing_and_what_is_wrong_is_found(tmp_path):
    done = _python("-c", _SMALL, str(tmp_path))
    assert done.returncode == 0, done.stderr[-5000:]


def test_the_fuzzer_ends_what_does_not_answer(tmp_path, monkeypatch):
    (tmp_path / "hanging.py").write_text(_HANGS)
    monkeypatch.syspath_prepend(tmp_path)
    done = _python("-c", _WATCHES)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.long
def test_a_longer_run_finds_nothing():
    done = _python("-m", "fuzz.files", "--count", "3000", "--seed", "12")
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert "3000 cases of seed 12" in done.stdout and done.stdout.endswith("0 findings\n")
