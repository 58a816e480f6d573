"""A command that is interrupted while it runs, and how long it takes to answer."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

RUNNING = "times real time"  # what its progress says when everything is compiled and the second call has returned
COMMAND = "from pliant.cli import main; main()"
LONGEST = 2.0  # s: within which a robot of the library answers
MARGIN = 2.0  # times as long by the clock, on a machine that has a core to spare


def longest_by_the_clock() -> float:
    """Seconds that an answer may take by the clock: longer where other programs have the cores too."""
    return LONGEST * MARGIN * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class Answer(NamedTuple):
    """seconds: from the signal to the end of the process; computed: what it computed in that time [s], on all cores
    together, which does not depend on what else the machine does; code: with which it ended; said: all it printed."""

    seconds: float
    computed: float
    code: int
    said: str


def interrupted(arguments: Sequence[object], later: float = 0.0, patience: float = 900.0) -> Answer:
    """Run a Python process in a terminal, send it SIGINT `later` [s] after its progress says that it runs."""
    ours, theirs = pty.openpty()
    # Wide, so that the line of progress is not folded.
    environment = {**os.environ, "COLUMNS": "200", "TERM": "xterm"}
    command = [sys.executable, *map(str, arguments)]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    said, sent, limit = "", None, time.monotonic() + patience
    before = after = 0.0
    try:
        while time.monotonic() < limit:
            if select.select([ours], [], [], 0.02)[0]:
                try:
                    said += os.read(ours, 1 << 16).decode(errors="replace")
                except OSError:  # the other end is closed
                    break
            if sent is None and RUNNING in said:
                time.sleep(later)
                before = _computed(process.pid)
                process.send_signal(signal.SIGINT)
                sent = time.monotonic()
            if sent is not None:
                after = _computed(process.pid) or after
        code = process.wait(timeout=max(limit - time.monotonic(), 1.0))
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert sent is not None, f"it ended with {process.returncode} before it ran:\n{said[-3000:]}"
    return Answer(time.monotonic() - sent, after - before, code, said)


def _computed(process: int) -> float:
    """Seconds that a process has computed, or 0 where it has ended."""
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def simulating(robot: str | Path, *options: object) -> list[object]:
    """The command `pliant simulate`, of a motion that would take hours."""
    return ["-c", COMMAND, "simulate", robot, "--from", "initial", *options]
