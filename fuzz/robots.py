"""Makes random robots, all of them legal, and holds each to what has to be true of every robot: its equations by two
paths, derivatives and differences, energy balance, the order of steppers, statics and settled motion, native code and
JAX, and no success that holds what is not a number. Robots are structures, which are compiled, with many sets of
numbers each. Every robot follows from the seed, the number of its structure and that of its numbers. What does not
hold is reported, and the exit code is 1.

    python -m fuzz.robots --structures 40 --sets 50 --seed 1
    python -m fuzz.robots --seed 1 --only 17
    python -m fuzz.robots --seed 1 --only 17 --show 3
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

LONGEST = 1200  # s that a structure may compute before it counts as hanging, on however busy a machine
_PATIENCE = 5  # times as long by the clock: for what waits without computing
NATIVE = 8  # structures with native code
_SHOWN = 3  # findings of one kind in one structure that are told in full


def _prepare_process() -> None:
    """What has to be set before JAX starts. Compilation is what the checks cost, and their programs are small:
    unoptimised code halves the time, as in the tests. One process has one core."""
    words = ("--xla_backend_optimization_level=0", "--xla_cpu_multi_thread_eigen=false")
    os.environ["XLA_FLAGS"] = " ".join([os.environ.get("XLA_FLAGS", ""), *words]).strip()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import pliant

    pliant.configure()


def is_native(index: int, structures: int) -> bool:
    """Whether this structure is one of the `NATIVE`, which are spread evenly."""
    return index * NATIVE % structures < NATIVE


def _check_one(seed: int, index: int, sets: int, native: bool, out: Path | None) -> int:
    """One structure in this process; its report as JSON to a file."""
    if out is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST + 1))
    _prepare_process()
    from fuzz.robot_checks import Checks, check, robots_of

    began = time.monotonic()
    checks = Checks(robots_of(seed, index, sets), (seed, index))
    report = check(checks, native, lambda part: print(f"structure {index}: {part}", flush=True))
    told = {
        "index": index,
        "freedom": report.freedom,
        "findings": [list(finding) for finding in report.findings],
        "counts": report.counts,
        "worst": report.worst,
        "seconds": {**report.seconds, "all": time.monotonic() - began, "computed": time.process_time()},
    }
    if out is not None:
        out.write_text(json.dumps(told))
        return 0
    print(json.dumps({key: value for key, value in told.items() if key != "findings"}, indent=1))
    _tell(index, told["findings"])
    return 1 if report.findings else 0


def _in_process(seed: int, index: int, sets: int, native: bool, folder: Path) -> dict[str, Any]:
    """The report of a structure that is checked in a process of its own: one that dies or hangs takes no other along,
    and compiled programs do not pile up."""
    out = folder / f"{index}.json"
    words = ["--seed", seed, "--only", index, "--sets", sets, "--out", out, *(["--native"] if native else [])]
    command = [sys.executable, "-m", "fuzz.robots", *map(str, words)]
    began, problem = time.monotonic(), ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE * LONGEST, check=False)
        problem = "" if out.exists() else f"exit code {done.returncode}\n{done.stderr[-3000:]}"
        if done.returncode == -signal.SIGXCPU:
            problem = f"no answer after {LONGEST} s of computing: {done.stdout[-200:]!r}"
    except subprocess.TimeoutExpired as expired:
        problem = f"no answer within {_PATIENCE * LONGEST} s: {(expired.stdout or b'')[-200:]!r}"
    if not problem:
        return dict(json.loads(out.read_text()))
    findings = [[-1, "process", problem]]
    seconds = {"all": time.monotonic() - began}
    return {"index": index, "freedom": 0, "findings": findings, "counts": {}, "worst": {}, "seconds": seconds}


def _reports(seed: int, structures: int, sets: int, processes: int) -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="pliant-fuzz-") as folder, ThreadPoolExecutor(processes) as pool:
        tasks = [
            pool.submit(_in_process, seed, index, sets, is_native(index, structures), Path(folder))
            for index in range(structures)
        ]
        for task in as_completed(tasks):
            yield task.result()


def _tell(index: int, findings: list[Any]) -> None:
    """Findings of a structure: a few of each kind, and how many there are."""
    for check, many in Counter(finding[1] for finding in findings).items():
        own = [finding for finding in findings if finding[1] == check]
        for number, _, what in own[:_SHOWN]:
            print(f"structure {index}, numbers {number}, {check}: {what}", flush=True)
        if many > _SHOWN:
            print(f"structure {index}, {check}: {many} findings in all", flush=True)


def run(seed: int, structures: int, sets: int, processes: int) -> int:
    """All structures; the number of findings."""
    began = time.monotonic()
    counts: Counter[str] = Counter()
    worst: dict[str, float] = {}
    found = 0
    for done, report in enumerate(_reports(seed, structures, sets, processes), start=1):
        found += len(report["findings"])
        counts.update(report["counts"])
        for name, value in report["worst"].items():
            worst[name] = max(worst.get(name, 0.0), value)
        _tell(report["index"], report["findings"])
        line = f"{done} of {structures} structures after {time.monotonic() - began:.0f} s, {found} findings"
        print(f"\r{line}", end="" if sys.stdout.isatty() else "\n", flush=True)
    robots = structures * sets
    print(f"\n{robots} robots ({structures} structures) of seed {seed} in {time.monotonic() - began:.0f} s")
    for name, many in sorted(counts.items()):
        print(f"  {name}: {many}" + (f", at worst {worst[name]:.2g}" if name in worst else ""))
    told = f"; see one by --seed {seed} --only STRUCTURE, its robot by --show NUMBERS beside it" if found else ""
    print(f"{found} findings{told}")
    return found


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.robots", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--structures", type=int, default=40)
    parser.add_argument("--sets", type=int, default=50, help="sets of numbers of each structure")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", type=int, metavar="STRUCTURE", help="check this structure here")
    parser.add_argument("--native", action="store_true", help="beside --only: with native code")
    parser.add_argument("--out", type=Path, help="beside --only: the report as JSON")
    parser.add_argument("--show", type=int, metavar="NUMBERS", help="beside --only: print this robot instead")
    given = parser.parse_args(words)
    if given.only is None:
        return 1 if run(given.seed, given.structures, given.sets, given.processes) else 0
    if given.show is not None:
        _prepare_process()
        from fuzz.robot_checks import Checks, parsed, robots_of

        checks = Checks(robots_of(given.seed, given.only, given.show + 1), (given.seed, given.only))
        print(parsed(checks.data[given.show]).to_yaml())
        return 0
    return _check_one(given.seed, given.only, given.sets, given.native, given.out)


if __name__ == "__main__":
    sys.exit(main())
