"""The robots as files, and all of their analyses done once."""

from pathlib import Path

import pytest
from cli_helpers import HOOK, TINY, invoke_json


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


@pytest.fixture
def hook(tmp_path) -> Path:
    path = tmp_path / "hook.yaml"
    path.write_text(HOOK, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def hooked(tmp_path_factory):
    """The folder and the JSON document of `pliant run hook.yaml`."""
    folder = tmp_path_factory.mktemp("hook")
    (folder / "hook.yaml").write_text(HOOK, encoding="utf-8")
    out = folder / "runs" / "all"
    return out, invoke_json("run", folder / "hook.yaml", "--out", out)
