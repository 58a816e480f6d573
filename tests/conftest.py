"""Shared by all tests: helper modules are importable as `catalogue.checks` and the like."""

import ctypes
import gc
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

# Compilation is what the tests cost, and the programs are small: unoptimised code halves the time. Set before JAX.
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_backend_optimization_level=0".strip()
# The workers share the cores: threads of BLAS that wait for each other only take time from them. Set before NumPy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pliant

pliant.configure()

# Tracing makes many objects that live on: looking for garbage among them after every 700 takes a fifth of its time.
gc.set_threshold(50_000)

# A shell ignores SIGINT for what it runs in the background, and so would all that the tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

MOST_MEMORY = 1_300_000_000  # bytes, of which no group of tests takes more than as much again


# Tests of one file share compiled functions, and run in one worker. So do those of files that use the same robots; in
# one file every case has an element of its own.
SHARED = {
    "test_statics.py": "arm",
    "test_modes.py": "arm",
    "test_inverse_kinematics.py": "bench",
    "test_tendon_statics.py": "bench",
    "test_run.py": "tiny",
    "test_solve.py": "tiny",
}
BY_CASE = "test_elements.py"


def _group(nodeid: str) -> str:
    """What a test shares compiled functions with."""
    path, _, case = nodeid.partition("::")
    name = path.rpartition("/")[2]
    if name == BY_CASE and "[" in case:
        return f"{name}: {case.partition('[')[2].rpartition('-')[0]}"
    return SHARED.get(name, path)


# The scheduler of xdist's own groups marks them in names of tests, which pytest 9.2 does not let it change any more: it
# then spreads tests one by one, and both workers compile everything.
@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _group(nodeid)

    return ByGroup(config, log)


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Every group of tests leaves compiled functions behind; a process may hold only so many, and so much memory."""
    if nextitem is not None and _group(item.nodeid) == _group(nextitem.nodeid):
        return
    from pliant.numerics import forget_programs_when_many

    forget_programs_when_many()
    if _resident() > MOST_MEMORY:
        import jax

        jax.clear_caches()
        gc.collect()
        _give_back()


def _resident() -> int:
    """Memory of this process [bytes], or 0 where the system does not tell."""
    told = Path("/proc/self/statm")
    return int(told.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if told.exists() else 0


def _give_back() -> None:
    """What was freed goes back to the system; glibc keeps it otherwise."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
