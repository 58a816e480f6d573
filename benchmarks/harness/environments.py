"""Environments of the peers: one per peer, below benchmarks/.peers/ (not in the repository)."""

import shutil
import subprocess
import sys
from pathlib import Path

from harness.child import BENCHMARKS

# The releases the peers' scripts are written for.
PEERS = {
    "soromox": "soromox==0.5.*",
    "pyelastica": "pyelastica==1.0.*",
    "exudyn": "exudyn==1.13.*",
    "mujoco": "mujoco==4.0.*",
}


def folder(peer: str) -> Path:
    return BENCHMARKS / ".peers" / peer


def python_of(peer: str) -> Path | None:
    """The peer's Python, or None where its environment does not exist."""
    python = folder(peer) / "bin" / "python"
    return python if python.exists() and (folder(peer) / "ready").exists() else None


def set_up(peer: str) -> None:
    """Make the environment afresh; a failed installation leaves none behind that looks usable."""
    shutil.rmtree(folder(peer), ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder(peer))], check=True)
    subprocess.run([str(folder(peer) / "bin" / "python"), "-m", "pip", "install", PEERS[peer]], check=True)
    (folder(peer) / "ready").write_text(PEERS[peer] + "\n", encoding="utf-8")


def version(peer: str) -> str | None:
    python = python_of(peer)
    if python is None:
        return None
    code = f"from importlib.metadata import version; print(version({peer!r}))"
    return subprocess.run([str(python), "-c", code], check=True, capture_output=True, text=True).stdout.strip()
