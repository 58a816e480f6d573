"""The tiny robot as a file, and all of its analyses done once."""

from pathlib import Path

import pytest
from cli_helpers import TINY, invoke_json


@pytest.fixture
def tiny(tmp_path) -> Path:
    path = tmp_path / "tiny.yaml"
    path.write_text(TINY, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The folder and the JSON document of `pliant run tiny.yaml`."""
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "tiny.yaml").write_text(TINY, encoding="utf-8")
    out = folder / "runs" / "all"
    return out, invoke_json("run", folder / "tiny.yaml", "--out", out)
