"""One measurement in its own process: what it printed, how long it took, how much memory it needed."""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[1]
_TIMEOUT = 900.0  # s; a measurement that takes longer hangs


@dataclass(frozen=True)
class Checkout:
    """A copy of the repository whose benchmarks are run: this one, or an earlier commit with its own environment."""

    benchmarks: Path
    python: Path

    @classmethod
    def at(cls, path: str) -> "Checkout":
        """The checkout in a folder, with the environment that `make` has put into it."""
        folder = Path(path).resolve()
        python = folder / ".venv" / "bin" / "python"
        for needed in (folder / "benchmarks", python):
            if not needed.exists():
                raise argparse.ArgumentTypeError(
                    f"{needed} is missing; make the checkout with `git worktree add`, then `make .venv` in it"
                )
        return cls(folder / "benchmarks", python)


HERE = Checkout(BENCHMARKS, Path(sys.executable))


@dataclass(frozen=True)
class Outcome:
    code: int
    seconds: float
    peak_memory: float  # bytes
    output: str
    errors: str

    @property
    def complaint(self) -> str:
        """The last line of what it wrote to standard error."""
        lines = [line for line in self.errors.splitlines() if line.strip()]
        return lines[-1].strip() if lines else f"exit status {self.code}"


def empty_caches(folder: str) -> dict[str, str]:
    """What makes a process find nothing compiled, by JAX or by a C compiler, but what it left in this folder itself."""
    return {"JAX_COMPILATION_CACHE_DIR": folder, "PLIANT_CACHE": folder}


def run(
    command: Sequence[str],
    environment: Mapping[str, str] | None = None,
    timeout: float = _TIMEOUT,
    folder: Path = BENCHMARKS,
) -> Outcome:
    """Run a command from a folder benchmarks/ and wait for it. Peak memory is the largest resident set of the process,
    as the kernel hands it over when the process is reaped."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **(environment or {})}, stdout=output, stderr=errors
        )
        alarm = threading.Timer(timeout, process.kill)
        alarm.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            alarm.cancel()
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)  # reaped above; Popen must not wait for it again
        output.seek(0)
        errors.seek(0)
        return Outcome(process.returncode, seconds, usage.ru_maxrss * 1024.0, output.read(), errors.read())
