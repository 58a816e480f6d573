"""Kills processes by SIGKILL at random moments, while they simulate with a checkpoint, build native code, or fill the
cache of JAX. The same work is then done again: it has to end well, without a warning, in the same bits as if nothing
had happened, and to leave nothing behind. Every moment follows from the seed and its number: after so many changes of
the files that the work writes, and a pause.

    python -m fuzz.faults --count 100 --seed 1
    python -m fuzz.faults --count 20 --only native
"""

import argparse
import bisect
import contextlib
import hashlib
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import NamedTuple

KINDS = ("checkpoint", "native", "cache")
_LOOK = 0.002  # s between looks at the files of a work
_LONGEST = 300.0  # s in which a work that nobody kills has to end


class Fault(NamedTuple):
    """A work that was killed, and what was wrong when it was done again."""

    kind: str
    index: int
    what: str


class Killer:
    """Works of one kind, killed and done again in a folder. Their processes come from one that has imported Pliant
    already, and has not started JAX."""

    def __init__(self, kind: str, folder: Path) -> None:
        os.environ.setdefault("PYTHONWARNINGS", "ignore::RuntimeWarning")  # JAX warns of forks, even before it starts
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["fuzz.killed"])
        self.kind, self._folder = kind, folder
        self._finish(self._new("first"))  # compiles what works share
        whole = self._new("whole")
        self._changes = _changes(self._start(whole), whole)
        self._expected = _digest(whole)
        self.ended: Counter[str] = Counter()

    def try_moment(self, seed: int, index: int) -> list[Fault]:
        """Kill the work at the moment of this number, do it again, and look."""
        from fuzz.killed import RESULT, left_over

        folder = self._new(str(index))
        process, random = self._start(folder), Random(f"{seed}, {self.kind}, {index}")
        # Counted in changes of its files, since how long a work takes depends on what else the machine does.
        moment = random.random() * self._changes[-1]
        passed = bisect.bisect(self._changes, moment)
        _changes(process, folder, most=passed)
        process.join(moment - (self._changes[passed - 1] if passed else 0.0))
        process.kill()
        process.join()
        left = sum(1 for path in folder.rglob("*") if path.is_file())
        self.ended["finished" if (folder / RESULT).exists() else "in the middle" if left else "before any file"] += 1
        wrong = []
        code = self._finish(folder)
        if code:
            wrong.append(f"done again it ended with {code}")
        elif _digest(folder) != self._expected:
            wrong.append("done again it gave other bits")
        wrong += [f"{name} was left" for name in left_over(self.kind, folder)]
        if not wrong:
            shutil.rmtree(folder)
        return [Fault(self.kind, index, what) for what in wrong]

    def _new(self, name: str) -> Path:
        folder = self._folder / self.kind / name
        folder.mkdir(parents=True)
        return folder

    def _start(self, folder: Path) -> multiprocessing.process.BaseProcess:
        from fuzz.killed import do

        process = self._context.Process(target=do, args=(self.kind, folder))
        process.start()
        return process

    def _finish(self, folder: Path) -> int | None:
        process = self._start(folder)
        process.join(_LONGEST)
        process.kill()
        process.join()
        return process.exitcode


def _changes(process: multiprocessing.process.BaseProcess, folder: Path, most: int = sys.maxsize) -> list[float]:
    """When files in a folder change [s], from now until a process ends, or until they have changed so often."""
    times: list[float] = []
    began, last = time.monotonic(), _state(folder)
    while len(times) < most and process.is_alive() and time.monotonic() - began < _LONGEST:
        time.sleep(_LOOK)
        now = _state(folder)
        if now != last:
            times.append(time.monotonic() - began)
        last = now
    return times


def _state(folder: Path) -> dict[str, tuple[int, int]]:
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                about = os.stat(path := os.path.join(place, name))
                found[path] = (about.st_mtime_ns, about.st_size)
    return found


def _digest(folder: Path) -> str:
    from fuzz.killed import RESULT

    try:
        return hashlib.sha256((folder / RESULT).read_bytes()).hexdigest()
    except OSError as error:
        return str(error)


def run(seed: int, count: int, kind: str) -> tuple[Killer, list[Fault]]:
    """Kill works of a kind at `count` moments."""
    folder = Path(tempfile.mkdtemp(prefix="pliant-faults-"))
    killer = Killer(kind, folder)
    faults = [fault for index in range(count) for fault in killer.try_moment(seed, index)]
    if not faults:
        shutil.rmtree(folder)
    return killer, faults


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.faults", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--count", type=int, default=100, help="moments of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=KINDS)
    given = parser.parse_args(words)
    found = []
    for kind in [given.only] if given.only else KINDS:
        began = time.monotonic()
        killer, faults = run(given.seed, given.count, kind)
        when = ", ".join(f"{number} {word}" for word, number in sorted(killer.ended.items()))
        spent = time.monotonic() - began
        print(f"{kind}: {given.count} moments in {spent:.0f} s ({when})", flush=True)
        for fault in faults:
            print(f"{kind}, moment {fault.index}: {fault.what}", flush=True)
        found += faults
    print(f"{len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
