"""Shared by all tests: helper modules are importable as `catalogue.checks` and the like."""

import ctypes
import gc
import os
import sys
from pathlib import Path

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

MOST_MEMORY = 1_300_000_000  # bytes, of which no group of tests takes more than as much again


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one file share compiled functions, so they run in one worker unless they say otherwise."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.path.name))


def _group(item: pytest.Item | None) -> object:
    return None if item is None else item.get_closest_marker("xdist_group").args[0]


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Every group of tests leaves compiled functions behind; a process may hold only so many, and so much memory."""
    if _group(item) == _group(nextitem):
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
