"""The system's compiler as processes that end with the build they belong to."""

import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path

from pliant.native._errors import CompilerError

_LINES = 20  # of what a compiler says that go into a message


class Compilers:
    """Calls of the compiler for one build, from several threads. stop: ends those that run, and refuses others, so that
    a user who interrupts a build does not wait for it."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[str]] = set()
        self._stopped = False
        self._lock = threading.Lock()

    def call(self, command: Sequence[str], folder: Path) -> None:
        """Run one; a CompilerError says how it failed. folder: where the source is."""
        with self._lock:
            if self._stopped:
                return
            # A group of its own: the compiler starts processes too.
            process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
            )
            self._running.add(process)
        with process:
            _, said = process.communicate()
        with self._lock:
            self._running.discard(process)
        if process.returncode and not self._stopped:
            lines = "\n".join(said.splitlines()[:_LINES])
            raise CompilerError(
                f"{' '.join(command)}\nended with {process.returncode}:\n{lines}\nThe source is in {folder}"
            )

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            for process in self._running:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGTERM)
