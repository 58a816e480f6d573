"""The examples run, and stay short."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"
NUMBERED = sorted(FOLDER.glob("[0-9]*.py"))
TMT = sorted((FOLDER / "tmt").glob("*.py"))
OWN = sorted(FOLDER.glob("own_*.py"))
STUDIES = sorted(FOLDER.glob("study_*.py"))
EXAMPLES = [*NUMBERED, *TMT, *OWN, *STUDIES]
SHORT = ("01_first_arm", "04_user_force")  # the others compile more, and what they show is tested by itself


def test_examples_are_short():
    assert len(NUMBERED) >= 7 and len(TMT) >= 3
    for paths, most in ((NUMBERED, 30), (TMT, 40), (OWN, 120), (STUDIES, 100)):
        assert all(len(path.read_text(encoding="utf-8").splitlines()) < most for path in paths)


def _marks(path):
    # Each is a process of its own: nothing is shared, so they need not run in one worker.
    return [] if path.stem in SHORT else [pytest.mark.long]


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem, marks=_marks(path)) for path in EXAMPLES])
def test_example_runs(path, tmp_path):
    # In its own folder, so that the files it writes stay out of the repository.
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)], cwd=tmp_path, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout and not done.stderr
