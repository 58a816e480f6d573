"""Works that are killed at random moments and done again end in the same bits. `make fuzz-faults` tries more."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _faults(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fuzz.faults", *map(str, words)]
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


@pytest.mark.long
@pytest.mark.parametrize("kind", ["checkpoint", "native", "cache"])
def test_killed_and_done_again_it_ends_in_the_same_bits(kind):
    done = _faults("--count", 20, "--seed", 7, "--only", kind)
    assert done.returncode == 0 and "0 faults" in done.stdout, done.stdout + done.stderr


_BLIND = """
import os

import pliant._jax
from fuzz import faults, killed

do = killed.do


def blind(kind, folder):
    # As JAX alone is: it warns of entries that are cut short, and never replaces them. A kill seldom hits the middle
    # of a write: what was killed finds its entries cut.
    pliant._jax._drop_torn = lambda folder: None
    for entry in folder.glob("*-cache"):
        os.truncate(entry, entry.stat().st_size // 2)
    do(kind, folder)


def main():
    killed.do = blind
    return faults.main(["--count", "6", "--seed", "7", "--only", "cache"])
"""


@pytest.mark.long
def test_faults_are_found(tmp_path):
    (tmp_path / "blind.py").write_text(_BLIND)
    path = os.pathsep.join(filter(None, (str(ROOT), str(tmp_path), os.environ.get("PYTHONPATH", ""))))
    command = [sys.executable, "-c", "import sys, blind; sys.exit(blind.main())"]
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "done again it ended with 1" in done.stdout, done.stdout + done.stderr
