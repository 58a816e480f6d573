"""Where and with what a run was made."""

import datetime
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

from harness import environments
from harness.child import BENCHMARKS

_PACKAGES = ("pliant", "jax", "jaxlib", "equinox", "numpy", "scipy")


def describe(peers: list[str]) -> dict[str, Any]:
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "commit": _commit(),
        "versions": {name: _version(name) for name in _PACKAGES}
        | {peer: environments.version(peer) for peer in peers if environments.python_of(peer)},
        "load_average": os.getloadavg()[0],
    }


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _commit() -> str | None:
    """The commit measured, with a plus where the sources differ from it."""

    def git(*words: str) -> str | None:
        try:
            done = subprocess.run(["git", *words], cwd=BENCHMARKS, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    commit = git("rev-parse", "--short", "HEAD")
    return commit and commit + ("+" if git("status", "--porcelain", "--", "../src") else "")
