"""Spoils whatever Pliant reads, again and again: robot files, values of `--set`, systems of the TMT language, saved
models, results, checkpoints, entries of the cache of native code, and the command line. Every case follows from the
seed and its number. An answer is right when it is a robot, or an error in plain words, within five seconds; anything
else is reported, and the exit code is 1.

    python -m fuzz.files --count 100000 --seed 1
    python -m fuzz.files --seed 1 --only 4711
"""

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter, deque
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, NamedTuple

LONGEST = 5.0  # s of computing that an answer may take
_PATIENCE = 12.0  # times as long by the clock: other programs run too
_START = 600.0  # s in which a process has to be ready
_POLL = 0.25  # s
_TOLD = 60.0  # s between lines of progress


class Finding(NamedTuple):
    """What went wrong in a case: an error that nobody expects, or no answer in time."""

    index: int
    kind: str
    what: str


def try_case(targets: Any, seed: int, index: int) -> tuple[str, Finding | None]:
    """The name of what was tried, and what went wrong with it."""
    kind, case = targets.case(seed, index)
    began = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            case.ask()
    except Exception:  # noqa: BLE001 - every one of them is a finding
        return kind, Finding(index, kind, traceback.format_exc())
    seconds = time.process_time() - began
    return kind, Finding(index, kind, f"answered after {seconds:.1f} s") if seconds > LONGEST else None


def _work(seed: int, indices: list[int], folder: Path, told: Connection) -> None:
    """A process: says which case it begins, and what came of it."""
    from fuzz.targets import Targets

    targets = Targets(Path(tempfile.mkdtemp(dir=folder)))
    told.send("ready")
    for index in indices:
        told.send(index)
        told.send(try_case(targets, seed, index))
    told.send(None)


class _Worker:
    """A process and what it was told to try; it is ended where it does not answer, and another goes on after that."""

    def __init__(self, seed: int, indices: list[int], folder: Path) -> None:
        self._seed, self._left, self._folder = seed, deque(indices), folder
        self.is_done = False
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.told, other = context.Pipe(duplex=False)
        given = (self._seed, list(self._left), self._folder, other)
        self._process = context.Process(target=_work, args=given, daemon=True)
        self._process.start()
        other.close()
        self._current: int | None = None
        self._begin = 0.0
        self._deadline = time.monotonic() + _START

    def answers(self) -> Iterator[tuple[str, Finding | None]]:
        """What it has found since it was last asked."""
        try:
            while self.told.poll():
                message = self.told.recv()
                if message is None:
                    self.is_done = True
                    self._process.join()
                    return
                if isinstance(message, int):
                    self._current = message
                    self._deadline = time.monotonic() + _PATIENCE * LONGEST
                    self._begin = self._computed()
                elif message != "ready":
                    yield message
                    self._pass()
        except EOFError:
            yield from self._ended("the process ended")
        busy = self._current is not None and self._computed() - self._begin > LONGEST + 2 * _POLL
        if busy or (not self.is_done and time.monotonic() > self._deadline):
            self._process.kill()
            yield from self._ended(f"no answer within {LONGEST:g} s")

    def _computed(self) -> float:
        """Seconds that the process has computed; 0 where the system does not tell, and then only the clock counts."""
        try:
            words = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def _pass(self) -> None:
        self._left.popleft()
        self._current = None
        self._deadline = time.monotonic() + _START

    def _ended(self, how: str) -> Iterator[tuple[str, Finding | None]]:
        self._process.join()
        if self._current is None:
            raise RuntimeError(f"a process of the fuzzer did not start: {how}, code {self._process.exitcode}")
        yield "hang", Finding(self._current, "hang", f"{how}, code {self._process.exitcode}")
        self._pass()
        self._start()


def run(seed: int, count: int, processes: int) -> tuple[Counter[str], list[Finding]]:
    """Try `count` cases in several processes: how often each thing was tried, and what went wrong."""
    with tempfile.TemporaryDirectory(prefix="pliant-fuzz-", ignore_cleanup_errors=True) as folder:
        shares = [list(range(first, count, processes)) for first in range(min(processes, count))]
        return _watch([_Worker(seed, share, Path(folder)) for share in shares], count)


def _watch(workers: list[_Worker], count: int) -> tuple[Counter[str], list[Finding]]:
    tried: Counter[str] = Counter()
    findings: list[Finding] = []
    began = last = time.monotonic()
    while not all(worker.is_done for worker in workers):
        wait([worker.told for worker in workers if not worker.is_done], timeout=_POLL)
        for worker in workers:
            for kind, finding in () if worker.is_done else worker.answers():
                tried[kind] += 1
                if finding is not None:
                    findings.append(finding)
                    last_line = finding.what.strip().splitlines()[-1][:200]
                    print(f"case {finding.index} ({finding.kind}): {last_line}", flush=True)
        if time.monotonic() - last > _TOLD:
            last = time.monotonic()
            print(f"{tried.total()} of {count} after {last - began:.0f} s, {len(findings)} findings", flush=True)
    return tried, findings


def _show(seed: int, index: int) -> int:
    """One case again, with everything about it."""
    from fuzz.targets import Targets

    with tempfile.TemporaryDirectory(prefix="pliant-fuzz-") as folder:
        targets = Targets(Path(folder))
        kind, case = targets.case(seed, index)
        print(f"case {index} of seed {seed}: {kind}\n{case.shown}\n", flush=True)
        began = time.monotonic()
        _, finding = try_case(targets, seed, index)
        print(finding.what if finding else "an answer in plain words", f"({time.monotonic() - began:.2f} s)")
    return 1 if finding else 0


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.files", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--count", type=int, default=100_000, help="cases to try")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", type=int, metavar="CASE", help="show this case and what comes of it")
    given = parser.parse_args(words)
    if given.only is not None:
        return _show(given.seed, given.only)
    began = time.monotonic()
    tried, findings = run(given.seed, given.count, given.processes)
    counts = ", ".join(f"{kind} {number}" for kind, number in sorted(tried.items()))
    print(f"{tried.total()} cases of seed {given.seed} in {time.monotonic() - began:.0f} s: {counts}")
    for finding in findings:
        print(f"\ncase {finding.index} ({finding.kind})\n{finding.what}")
    print(f"{len(findings)} findings" + (f"; see one by --seed {given.seed} --only CASE" if findings else ""))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
